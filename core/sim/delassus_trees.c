// W of rows about trees that nothing but these rows couples. A is a block a tree then, and with G_t what of a row is about tree t
//
//   W_ij = Σ_t G_it A_t⁻¹ G_jtᵀ
//
// is zero where i and j have no tree in common. Each tree has a dense block of the rows that are about it, and W is put together from these,
// sparse. One application of A⁻¹ takes a row of every tree at once, so that a hundred trees on the ground cost as many applications as one.
//
// Trees are taken for one where A couples them: by forces between their bodies, by coordinates and nodes that follow others, by rows that the
// solver's own factor satisfies.
#include "core/base/alloc.h"
#include "core/sim/delassus.h"
#include "core/sim/sim_internal.h"

#include <string.h>

enum { AT_ONCE = 96 }; // rows whose W is sooner made whole, by one way through the trees, than put together

// ---- trees ------------------------------------------------------------------------------------------------

static uint32_t root_of(uint32_t *root, size_t b) {
  uint32_t i = (uint32_t)b;
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

static void join(uint32_t *root, size_t a, size_t b) {
  if (a == MB_WORLD || b == MB_WORLD) return;
  const uint32_t x = root_of(root, a), y = root_of(root, b);
  root[x > y ? x : y] = x > y ? y : x;
}

static void join_claimed(const MbSim *sim, uint32_t *root, size_t i) {
  const MbConstraint *constraint = &sim->model->constraints[i];
  if (sim->solver->claims->row_of(sim->work, i) == MB_WORLD) return;
  join(root, constraint->body[0], constraint->body[1]);
  for (size_t k = 0; k < constraint->nmasters; k++)
    join(root, constraint->body[0], constraint->master[k].body);
}

// root (nb) ← the first body of what A couples each body with
static void join_bodies(const MbSim *sim, uint32_t *root) {
  const MbModel *model = sim->model;
  for (size_t b = 0; b < model->nb; b++) root[b] = (uint32_t)b;
  for (size_t b = 0; b < model->nb; b++) join(root, b, model->parent[b]);
  for (size_t i = 0; i < model->npairs; i++) join(root, model->pair[2 * i], model->pair[2 * i + 1]);
  for (size_t i = 0; i < model->nfollowers; i++)
    for (size_t k = 0; k < model->followers[i].nmasters; k++)
      join(root, model->followers[i].body, model->followers[i].master[k].body);
  for (size_t i = 0; i < model->nconstraints; i++) join_claimed(sim, root, i);
}

// Numbers the trees, by the velocities that move them.
static bool find_trees(const MbSim *sim, MbTrees *t) {
  const MbModel *model = sim->model;
  uint32_t *root = mb_calloc(model->nb, sizeof *root), *number = mb_calloc(model->nb, sizeof *number);
  t->of = mb_calloc(sim->nv, sizeof *t->of);
  const bool fine = root && number && t->of;
  if (fine) join_bodies(sim, root);
  for (size_t k = 0; k < sim->nv && fine; k++) {
    const uint32_t b = root_of(root, sim->solver->map->layout->body(model, sim->nq + k));
    if (!number[b]) number[b] = (uint32_t)++t->count;
    t->of[k] = number[b] - 1;
  }
  mb_free(root);
  mb_free(number);
  return fine;
}

void mb_trees_free(MbTrees *t) {
  void *const all[] = {t->of,   t->rows,  t->begin, t->block, t->list,  t->seat,
                       t->tree, t->place, t->B,     t->first, t->index, t->value};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mb_free(all[i]);
  *t = (MbTrees){0};
}

size_t mb_trees_bytes(const MbSim *sim, const MbTrees *t) {
  const size_t numbers = t->list_room + t->value_room + 2 * t->seats + (t->of ? sim->nv : 0);
  return numbers * sizeof(uint32_t) + (t->B_room + t->value_room) * sizeof(double) +
         (t->seat_room + t->first_room) * sizeof(size_t) +
         t->tree_room * (2 * sizeof(size_t) + sizeof(uint32_t));
}

// ---- rows -------------------------------------------------------------------------------------------------

// Finds the trees of row i, each once.
static bool seat_row(MbTrees *t, const MbRowSet *set, size_t s, size_t i) {
  const size_t begin = t->seat[i];
  size_t n = begin;
  for (size_t e = set->first[s]; e < set->first[s + 1]; e++) {
    const uint32_t tree = t->of[set->index[e]];
    size_t k = n; // the last one is it, mostly
    while (k > begin && t->tree[k - 1] != tree) k--;
    if (k > begin) continue;
    size_t place = t->seats;
    if (!mb_grow(&t->place, &place, n + 1, sizeof *t->place) ||
        !mb_grow(&t->tree, &t->seats, n + 1, sizeof *t->tree))
      return false;
    t->tree[n] = tree, t->place[n++] = t->rows[tree]++;
  }
  t->seat[i + 1] = n;
  return true;
}

// Parts the rows among the trees. How many trees have some; false: out of memory.
static bool seat(MbTrees *t, const MbRowSet *set, const size_t *row, size_t n, size_t *trees) {
  size_t rows = t->tree_room, begin = rows, block = rows;
  if (!mb_grow(&t->rows, &rows, t->count + 1, sizeof *t->rows) ||
      !mb_grow(&t->begin, &begin, t->count + 1, sizeof *t->begin) ||
      !mb_grow(&t->block, &block, t->count + 1, sizeof *t->block) ||
      !mb_grow(&t->seat, &t->seat_room, n + 1, sizeof *t->seat))
    return false;
  t->tree_room = rows;
  memset(t->rows, 0, t->count * sizeof *t->rows);
  t->seat[0] = 0;
  for (size_t i = 0; i < n; i++)
    if (!seat_row(t, set, row[i], i)) return false;
  *trees = t->begin[0] = t->block[0] = t->most = 0;
  for (size_t k = 0; k < t->count; k++) {
    const size_t m = t->rows[k];
    *trees += m > 0;
    t->most = m > t->most ? m : t->most;
    t->begin[k + 1] = t->begin[k] + m;
    t->block[k + 1] = t->block[k] + m * m;
  }
  if (!mb_grow(&t->list, &t->list_room, t->seat[n], sizeof *t->list)) return false;
  for (size_t i = 0; i < n; i++)
    for (size_t k = t->seat[i]; k < t->seat[i + 1]; k++)
      t->list[t->begin[t->tree[k]] + t->place[k]] = (uint32_t)i;
  return true;
}

// ---- blocks -----------------------------------------------------------------------------------------------

static void spread(const MbDelassus *d, const MbTrees *t, size_t i, uint32_t tree, double *y) {
  const MbRowSet *set = d->set;
  for (size_t s = d->row[i], e = set->first[s]; e < set->first[s + 1]; e++)
    if (t->of[set->index[e]] == tree) y[set->index[e]] += set->G[e];
}

static double rate(const MbDelassus *d, const MbTrees *t, size_t i, uint32_t tree, const double *y) {
  const MbRowSet *set = d->set;
  double sum = 0;
  for (size_t s = d->row[i], e = set->first[s]; e < set->first[s + 1]; e++)
    if (t->of[set->index[e]] == tree) sum += set->G[e] * y[set->index[e]];
  return sum;
}

// Column `turn` of every tree that has as many, with its row.
static void fill_turn(MbSim *sim, MbDelassus *d, size_t turn) {
  MbTrees *t = &d->trees;
  for (size_t k = 0; k < t->count; k++)
    if (turn < t->rows[k]) spread(d, t, t->list[t->begin[k] + turn], (uint32_t)k, d->y);
  d->unsolved |= !sim->solver->apply(sim->work, d->y, NULL, NULL);
  for (size_t k = 0; k < t->count; k++) {
    const size_t m = t->rows[k];
    double *B = t->B + t->block[k];
    for (size_t j = turn; j < m; j++)
      B[m * turn + j] = B[m * j + turn] = rate(d, t, t->list[t->begin[k] + j], (uint32_t)k, d->y);
  }
  memset(d->y, 0, sim->nv * sizeof *d->y);
}

// ---- putting together -------------------------------------------------------------------------------------

// Row i of W to index and value: the columns of its trees, rising; of a column that several of these have, the sum. How many there are.
static size_t merge(const MbTrees *t, size_t i, uint32_t *index, double *value) {
  const size_t begin = t->seat[i], ends = t->seat[i + 1] - begin;
  const uint32_t *list[MB_ROW_TREES];
  const double *B[MB_ROW_TREES];
  size_t left[MB_ROW_TREES], n = 0;
  for (size_t k = 0; k < ends; k++) {
    const uint32_t tree = t->tree[begin + k];
    left[k] = t->rows[tree];
    list[k] = t->list + t->begin[tree];
    B[k] = t->B + t->block[tree] + left[k] * t->place[begin + k];
  }
  for (;; n++) {
    uint32_t next = UINT32_MAX;
    for (size_t k = 0; k < ends; k++)
      if (left[k] && *list[k] < next) next = *list[k];
    if (next == UINT32_MAX) return n;
    double sum = 0;
    for (size_t k = 0; k < ends; k++)
      if (left[k] && *list[k] == next) sum += *B[k]++, list[k]++, left[k]--;
    index[n] = next, value[n] = sum;
  }
}

// Room for the blocks and for W, whose rows have no more columns than all of their trees' rows.
static bool reserve(MbTrees *t, size_t n) {
  size_t values = 0, index = t->value_room;
  for (size_t k = 0; k < t->seat[n]; k++) values += t->rows[t->tree[k]];
  const bool fine = mb_grow(&t->B, &t->B_room, t->block[t->count], sizeof *t->B) &&
                    mb_grow(&t->first, &t->first_room, n + 1, sizeof *t->first) &&
                    mb_grow(&t->index, &index, values, sizeof *t->index) &&
                    mb_grow(&t->value, &t->value_room, values, sizeof *t->value);
  return fine;
}

bool mb_trees_part(MbSim *sim, MbDelassus *d, const MbRowSet *set, const size_t *row, size_t n) {
  MbTrees *t = &d->trees;
  size_t trees = 0;
  d->no_memory = false;
  if (sim->solver->passes || set->nnodes) return false;
  if (n <= AT_ONCE && sim->solver->responses) return false;
  d->no_memory = !t->of && !find_trees(sim, t);
  if (d->no_memory || t->count < 2) return false;
  d->no_memory = !seat(t, set, row, n, &trees);
  if (d->no_memory || trees < 2) return false;
  for (size_t i = 0; i < n; i++)
    if (t->seat[i + 1] - t->seat[i] > MB_ROW_TREES) return false;
  if (!d->y) d->y = mb_calloc(sim->width, sizeof *d->y);
  d->no_memory = !d->y || !reserve(t, n);
  return !d->no_memory;
}

bool mb_delassus_by_trees(MbSim *sim, MbDelassus *d, const MbRowSet *set, const size_t *row, size_t n,
                          MbContactOperator *W) {
  MbTrees *t = &d->trees;
  d->sim = sim, d->set = set, d->row = row, d->n = n;
  d->unsolved = false;
  if (!mb_trees_part(sim, d, set, row, n)) return false;
  for (size_t turn = 0; turn < t->most; turn++) fill_turn(sim, d, turn);
  t->first[0] = 0;
  for (size_t i = 0; i < n; i++)
    t->first[i + 1] = t->first[i] + merge(t, i, t->index + t->first[i], t->value + t->first[i]);
  *W = (MbContactOperator){.first = t->first, .index = t->index, .value = t->value};
  return true;
}
