// The graph of bodies and contacts, and what elimination adds to it. Neighbours are bits, a row a body: to eliminate a body is to join its
// row to those of its neighbours. That is quick for some thousand bodies; larger groups are left out.
#include "core/base/alloc.h"
#include "core/contact/contact_ops.h"

#include <string.h>

enum {
  MOST_BODIES = 3000,
  MOST_BLOCKS = 200000, // below the diagonal, of a group
  WORD = 64
};

// ---- groups -----------------------------------------------------------------------------------------------

static uint32_t find(uint32_t *root, uint32_t j) {
  while (root[j] != j) j = root[j] = root[root[j]];
  return j;
}

// The two slots of a contact or a row; one of them twice, or none, counts as one end.
static bool ends(const MbBodyFactor *f, size_t k, uint32_t *a, uint32_t *b) {
  *a = f->key[2 * k], *b = f->key[2 * k + 1];
  return *a != MB_NO_SLOT && *b != MB_NO_SLOT && *a != *b;
}

// Numbers groups, and bodies in each, as contacts name them, whatever order they are in: `place` for the time being.
static void find_groups(MbBodyFactor *f) {
  const size_t n = f->nslots;
  uint32_t *root = f->scratch, *count = root + n, *number = count + n; // a root's: of bodies; of its group
  for (uint32_t s = 0; s < n; s++) root[s] = s, count[s] = 0, f->group[s] = MB_NO_PLACE;
  for (size_t k = 0; k < f->nkey / 2; k++) {
    uint32_t a, b;
    if (!ends(f, k, &a, &b)) continue;
    a = find(root, a), b = find(root, b);
    root[a > b ? a : b] = a > b ? b : a;
  }
  f->ngroups = 0;
  for (size_t k = 0; k < f->nkey; k++) {
    const uint32_t s = f->key[k];
    if (s == MB_NO_SLOT || f->group[s] != MB_NO_PLACE) continue;
    const uint32_t r = find(root, s);
    const bool first = count[r] == 0;
    f->place[s] = count[r]++;
    f->group[s] = first ? (uint32_t)f->ngroups++ : number[r];
    number[r] = f->group[s];
  }
}

// ---- elimination ------------------------------------------------------------------------------------------

typedef struct Graph {
  size_t n, words;
  uint64_t *row;            // (n x words)
  uint32_t *degree, *order; // (n) left; bodies as they are eliminated
  uint32_t *when;           // (n) a body's place in that order
} Graph;

static void count_degree(Graph *g, size_t v) {
  uint32_t sum = 0;
  for (size_t w = 0; w < g->words; w++) sum += (uint32_t)__builtin_popcountll(g->row[v * g->words + w]);
  g->degree[v] = sum;
}

// Joins the row of `v` to those of its neighbours, which lose it.
static void eliminate(Graph *g, size_t v) {
  const uint64_t *own = g->row + v * g->words;
  for (size_t w = 0; w < g->words; w++)
    for (uint64_t left = own[w]; left; left &= left - 1) {
      const size_t u = w * WORD + (size_t)__builtin_ctzll(left);
      uint64_t *row = g->row + u * g->words;
      for (size_t k = 0; k < g->words; k++) row[k] |= own[k];
      row[u / WORD] &= ~(1ull << u % WORD);
      row[v / WORD] &= ~(1ull << v % WORD);
      count_degree(g, u);
    }
}

// Orders by least degree, of equals the first. Returns how many blocks there are below the diagonal.
static size_t order(Graph *g) {
  size_t blocks = 0;
  for (size_t v = 0; v < g->n; v++) count_degree(g, v), g->when[v] = MB_NO_PLACE;
  for (size_t k = 0; k < g->n; k++) {
    size_t best = g->n;
    for (size_t v = 0; v < g->n; v++)
      if (g->when[v] == MB_NO_PLACE && (best == g->n || g->degree[v] < g->degree[best])) best = v;
    g->order[k] = (uint32_t)best;
    g->when[best] = (uint32_t)k;
    blocks += g->degree[best];
    eliminate(g, best);
  }
  return blocks;
}

// Places below the diagonal, rising.
static void list_below(const Graph *g, uint32_t *first, uint32_t *below) {
  uint32_t count = 0;
  for (size_t k = 0; k < g->n; k++) {
    const uint64_t *row = g->row + g->order[k] * g->words;
    const uint32_t begin = first[k] = count;
    for (size_t w = 0; w < g->words; w++)
      for (uint64_t left = row[w]; left; left &= left - 1) {
        const uint32_t place = g->when[w * WORD + (size_t)__builtin_ctzll(left)];
        uint32_t i = count++;
        for (; i > begin && below[i - 1] > place; i--) below[i] = below[i - 1];
        below[i] = place;
      }
  }
  first[g->n] = count;
}

// Neighbours of all bodies of a group, by its contacts.
static void fill(const MbBodyFactor *f, const uint32_t *contacts, size_t count, Graph *g) {
  memset(g->row, 0, g->n * g->words * sizeof *g->row);
  for (size_t k = 0; k < count; k++) {
    uint32_t a, b;
    if (!ends(f, contacts[k], &a, &b)) continue;
    a = f->place[a], b = f->place[b];
    g->row[a * g->words + b / WORD] |= 1ull << b % WORD;
    g->row[b * g->words + a / WORD] |= 1ull << a % WORD;
  }
}

static bool reserve_numbers(MbBodyFactor *f, size_t bodies, size_t blocks) {
  enum { BLOCK = 48 };
  return mb_grow(&f->D, &f->D_room, BLOCK * bodies, sizeof *f->D) &&
         mb_grow(&f->L, &f->L_room, BLOCK * blocks + 1, sizeof *f->L) &&
         mb_grow(&f->U, &f->U_room, BLOCK * blocks + 1, sizeof *f->U);
}

// What belongs to which group: numbers of things sorted by it, those of group g from begin[g] to begin[g + 1].
typedef struct Sorted {
  uint32_t *begin, *thing;
} Sorted;

// Sorts `count` things, of which group_of tells the group.
static void sort(const MbBodyFactor *f, uint32_t (*group_of)(const MbBodyFactor *f, size_t k), size_t count,
                 Sorted *by) {
  memset(by->begin, 0, (f->ngroups + 2) * sizeof *by->begin);
  for (size_t k = 0; k < count; k++)
    if (group_of(f, k) != MB_NO_PLACE) by->begin[group_of(f, k) + 2]++;
  for (size_t g = 2; g < f->ngroups + 2; g++) by->begin[g] += by->begin[g - 1];
  for (size_t k = 0; k < count; k++)
    if (group_of(f, k) != MB_NO_PLACE) by->thing[by->begin[group_of(f, k) + 1]++] = (uint32_t)k;
}

static uint32_t group_of_slot(const MbBodyFactor *f, size_t slot) { return f->group[slot]; }

static uint32_t group_of_contact(const MbBodyFactor *f, size_t k) {
  uint32_t a, b;
  return ends(f, k, &a, &b) ? f->group[a] : MB_NO_PLACE;
}

// The pattern of one group of n bodies, behind those before it; false: out of memory. `*usable`: it is not too large.
static bool analyse_group(MbBodyFactor *f, Graph *g, const uint32_t *contacts, size_t count, size_t first,
                          size_t below, bool *usable) {
  const size_t n = g->n;
  *usable = n <= MOST_BODIES;
  if (!*usable) return true;
  if (!mb_grow(&f->bits, &f->bits_room, n * g->words, sizeof *f->bits)) return false;
  g->row = f->bits;
  fill(f, contacts, count, g);
  const size_t blocks = order(g);
  *usable = blocks <= MOST_BLOCKS;
  if (!*usable) return true;
  if (!mb_grow(&f->first, &f->first_room, first + n + 1, sizeof *f->first) ||
      !mb_grow(&f->below, &f->below_room, below + blocks, sizeof *f->below) || !reserve_numbers(f, n, blocks))
    return false;
  list_below(g, f->first + first, f->below + below);
  return true;
}

static bool analyse(MbBodyFactor *f) {
  size_t first = 0, below = 0;
  find_groups(f);
  const size_t n = f->nslots, contacts = f->nkey / 2, groups = f->ngroups;
  if (!mb_grow(&f->begin, &f->begin_room, groups + 1, sizeof *f->begin) ||
      !mb_grow(&f->at, &f->at_room, groups + 1, sizeof *f->at) ||
      !mb_grow(&f->scratch, &f->scratch_room, 4 * n + contacts + 2 * (groups + 2), sizeof *f->scratch))
    return false;
  Sorted bodies = {f->scratch + 3 * n, f->scratch + 3 * n + groups + 2},
         between = {bodies.thing + n, bodies.thing + n + groups + 2};
  sort(f, group_of_slot, n, &bodies);
  sort(f, group_of_contact, contacts, &between);
  for (size_t group = 0; group < groups; group++) {
    const size_t from = bodies.begin[group], count = bodies.begin[group + 1] - from;
    Graph g = {.n = count, .words = (count + WORD - 1) / WORD};
    bool usable;
    g.degree = f->scratch, g.order = f->scratch + count, g.when = f->scratch + 2 * count;
    if (!analyse_group(f, &g, between.thing + between.begin[group],
                       between.begin[group + 1] - between.begin[group], first, below, &usable))
      return false;
    f->begin[group] = (uint32_t)first;
    f->at[group] = below;
    for (size_t k = 0; k < count; k++) {
      const uint32_t s = bodies.thing[from + k];
      if (usable)
        f->place[s] = g.when[f->place[s]];
      else
        f->group[s] = MB_NO_PLACE;
    }
    if (!usable) continue;
    first += count + 1;
    below += f->first[first - 1];
  }
  f->begin[groups] = (uint32_t)first;
  return true;
}

static size_t block_rows(const MbContactProblem *problem, size_t row) {
  return problem->kind[row] == MB_CONTACT_NORMAL ? 3 : 1;
}

bool mb_body_factor_analyse(MbBodyFactor *f, const MbContactProblem *problem) {
  const size_t n = problem->W.nslots;
  size_t key = 0;
  bool same = f->nslots == n;
  if (!mb_grow(&f->key, &f->key_room, 2 * problem->n, sizeof *f->key)) return false;
  for (size_t i = 0; i < problem->n; i += block_rows(problem, i))
    for (size_t end = 0; end < 2; end++, key++) {
      const uint32_t slot = problem->W.slot[2 * i + end];
      same = same && key < f->nkey && f->key[key] == slot;
      f->key[key] = slot;
    }
  if (same && key == f->nkey) return true;
  f->nkey = 0;
  if (f->slot_room < n) {
    size_t room = f->slot_room;
    if (!mb_grow(&f->group, &room, n, sizeof *f->group)) return false;
    if (!mb_grow(&f->place, &f->slot_room, n, sizeof *f->place)) return false;
  }
  if (!mb_grow(&f->scratch, &f->scratch_room, 3 * n, sizeof *f->scratch)) return false;
  f->nslots = n;
  f->nkey = key;
  if (analyse(f)) return true;
  f->nkey = 0;
  return false;
}

void mb_body_factor_free(MbBodyFactor *f) {
  void *const all[] = {f->key, f->group,   f->place, f->begin, f->first, f->below,
                       f->at,  f->scratch, f->bits,  f->D,     f->L,     f->U};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mb_free(all[i]);
  *f = (MbBodyFactor){0};
}

size_t mb_body_factor_bytes(const MbBodyFactor *f) {
  return (f->key_room + 2 * f->slot_room + f->begin_room + f->first_room + f->below_room + f->scratch_room) *
             sizeof(uint32_t) +
         f->at_room * sizeof *f->at + f->bits_room * sizeof *f->bits +
         (f->D_room + f->L_room + f->U_room) * sizeof(double);
}
