// Contacts of nodes that a device moves: which lists of them it takes, and their points there. Memory is taken when the engine is made, for as many
// contacts as there are twice the nodes, MOST at most; with more of them, and with others than are told here, the processor solves:
//
//   - contacts, round cones or none, each about one point of a deformable, whose nodes are corners of one element; the other side is the world, or
//     bodies that nothing couples; and rows both ways about such bodies alone, as those that drive them are
//   - an inverse of one level in doubles, and no nodes placed along single axes
#include "core/base/alloc.h"
#include "core/solvers/projective/pd_ports.h"
#include "core/sparse/global_inside.h"
#include "gpu/moved_touch.h"

#include <string.h>

enum { MOST = 4096, BODIES = 64, VECTORS = 9, GIVEN = 11 + 6 * MB_PAIR_WEIGHTS };

typedef struct MbMovedTouch Touch;

// ---- room -------------------------------------------------------------------------------------------------

static bool wanted(const MbPdEngine *engine) {
  const MbPdPorts *ports = engine->ports;
  return ports && ports->touches && ports->width == 1 && engine->nfree &&
         mb_branches_are(engine->global.inverse);
}

static uint32_t somes_of(size_t contacts) {
  return (uint32_t)((contacts + MB_TOUCH_SOME - 1) / MB_TOUCH_SOME);
}

static void find_places(Touch *t, const MbCholesky *c) {
  for (uint32_t k = 0; k < c->n; k++) t->place[c->perm[k]] = k;
  for (uint32_t s = 0; s < c->count; s++)
    for (uint32_t k = 0; k < c->node[s].columns; k++) t->supernode[c->node[s].first + k] = s;
}

// Columns above a supernode on the way to the root; *depth: of the longest way.
static void find_nodes(const MbCholesky *c, MbTouchNode *node, uint32_t *depth) {
  *depth = 0;
  for (size_t s = c->count; s-- > 0;) {
    const MbSupernode *of = &c->node[s];
    const uint32_t above = of->parent == MB_NONE ? 0 : node[of->parent].above + node[of->parent].columns;
    node[s] = (MbTouchNode){of->first, of->columns, of->parent, above};
    if (above + of->columns > *depth) *depth = above + of->columns;
  }
}

bool mb_moved_touch_list(MbMoved *moved, const MbPdEngine *engine) {
  if (!wanted(engine)) return true;
  const MbCholesky *c = engine->global.inverse->cholesky;
  Touch *t = moved->touch = mb_calloc(1, sizeof *t);
  if (!t) return false;
  t->most = 2 * engine->n < MOST ? 2 * engine->n : MOST, t->bodies = BODIES;
  t->places = c->n, t->node = c->node;
  t->place = mb_calloc(c->n, sizeof *t->place), t->supernode = mb_calloc(c->n, sizeof *t->supernode);
  t->point = mb_calloc(t->most, sizeof *t->point), t->of = mb_calloc(t->most, sizeof *t->of);
  t->pack = mb_calloc(GIVEN * t->most, sizeof *t->pack);
  t->answer = mb_calloc(12 * t->most, sizeof *t->answer);
  t->row = mb_calloc(t->most, sizeof *t->row), t->held = mb_calloc(t->most, sizeof *t->held);
  t->packed = mb_calloc(36 * t->most, sizeof *t->packed), t->slot = mb_calloc(6 * t->most, sizeof *t->slot);
  t->told = mb_calloc(MB_TOUCH_SUMS * (size_t)somes_of(t->most), sizeof *t->told);
  t->ways = mb_calloc(c->count, sizeof *t->ways);
  const bool fine = t->place && t->supernode && t->point && t->of && t->pack && t->answer && t->told &&
                    t->row && t->held && t->packed && t->slot && t->ways;
  if (fine) find_places(t, c), find_nodes(c, t->ways, &t->args.depth);
  return fine;
}

void mb_moved_touch_free(MbMoved *moved) {
  Touch *t = moved->touch;
  if (!t) return;
  void *const all[] = {t->place, t->supernode, t->point,  t->of,   t->pack, t->answer, t->told,
                       t->row,   t->held,      t->packed, t->slot, t->ways, t};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mb_free(all[k]);
}

size_t mb_moved_touch_bytes(const MbMoved *moved) {
  const Touch *t = moved->touch;
  if (!t) return 0;
  return sizeof *t + t->places * (sizeof *t->place + sizeof *t->supernode) +
         t->most * (sizeof *t->point + 7 * sizeof *t->of + sizeof *t->row + sizeof *t->held +
                    (GIVEN + 12 + 36) * sizeof(double)) +
         MB_TOUCH_SUMS * (size_t)somes_of(t->most) * sizeof *t->told;
}

static double *numbers(char **next, size_t count) { return mb_moved_place(next, count, sizeof(double)); }

void mb_moved_touch_lay_out(MbMoved *moved, const MbPdEngine *engine, char **next) {
  Touch *t = moved->touch;
  if (!t) return;
  const size_t most = t->most, rows = 3 * most, chunks = rows / MB_TOUCH_CHUNK + 1;
  MbTouchArgs *a = &t->args;
  a->at = moved->inverse.at, a->from = moved->inverse.from, a->inverse = moved->inverse.numbers;
  a->supernode = mb_moved_place(next, t->places, sizeof *a->supernode);
  a->node = mb_moved_place(next, engine->global.inverse->cholesky->count, sizeof *a->node);
  a->point = mb_moved_place(next, most, sizeof *a->point);
  a->of = mb_moved_place(next, most, sizeof *a->of);
  a->H = numbers(next, 9 * most);
  a->F = numbers(next, 12 * rows), a->slot = mb_moved_place(next, 2 * rows, sizeof *a->slot);
  a->branch = numbers(next, a->depth * most), a->Ws = numbers(next, most * most);
  a->block = mb_moved_place(next, most, sizeof *a->block);
  t->given = numbers(next, GIVEN * most), t->vector = numbers(next, VECTORS * rows);
  a->direction = numbers(next, MB_TOUCH_BASIS * rows), a->image = numbers(next, MB_TOUCH_BASIS * rows);
  a->dot = numbers(next, (MB_TOUCH_BASIS + 1) * chunks), a->square = numbers(next, MB_TOUCH_BASIS);
  a->told = numbers(next, MB_TOUCH_SUMS * (size_t)somes_of(most));
  a->g = numbers(next, 3 * most), a->v = numbers(next, 3 * most);
  a->y = numbers(next, MB_PAIR_WEIGHTS + 6 * t->bodies);
}

void mb_moved_touch_fill(MbMoved *moved, MbPdEngine *engine) {
  Touch *t = moved->touch;
  if (!t) return;
  const size_t count = engine->global.inverse->cholesky->count;
  mb_moved_put(moved, t->args.node, t->ways, count * sizeof *t->ways);
  mb_moved_put(moved, t->args.supernode, t->supernode, t->places * sizeof *t->supernode);
  mb_free(t->ways);
  t->ways = NULL;
  t->self = (MbContactElsewhere){engine, mb_moved_touch_solve};
}

const MbContactElsewhere *mb_moved_contacts(const MbPdEngine *engine) {
  const MbMoved *moved = engine->moved;
  return moved && moved->touch && moved->touch->self.solve ? &moved->touch->self : NULL;
}

// ---- a list -----------------------------------------------------------------------------------------------

// Whether place j is on the way from place i, which is not behind it, to the root.
static bool is_above(const Touch *t, uint32_t i, uint32_t j) {
  uint32_t s = t->supernode[i];
  while (s != MB_NONE && s < t->supernode[j]) s = t->node[s].parent;
  return s == t->supernode[j];
}

// A point by places, the lowest first, without nodes that are placed. False: it is not of one way to the root.
static bool sum_of(const Touch *t, const MbPdEngine *engine, const MbPointSum *from, MbTouchPoint *point) {
  point->n = 0;
  for (uint32_t k = 0; k < from->n; k++) {
    const uint32_t number = engine->number[engine->ports->node[from->node[k]]];
    if (number == MB_NONE) continue;
    uint32_t at = point->n++;
    for (; at > 0 && point->place[at - 1] > t->place[number]; at--)
      point->place[at] = point->place[at - 1], point->weight[at] = point->weight[at - 1];
    point->place[at] = t->place[number], point->weight[at] = from->weight[k];
  }
  for (uint32_t k = 1; k < point->n; k++)
    if (!is_above(t, point->place[0], point->place[k])) return false;
  return true;
}

// The point that rows [row, row + 3) are about; UINT32_MAX: they are about more than one, or none.
static uint32_t point_of(const MbContactPoints *points, size_t row) {
  const size_t *first = points->first + row;
  for (size_t r = 0; r < 3; r++)
    if (first[r + 1] - first[r] != 1 || points->point[first[r]] != points->point[first[0]]) return UINT32_MAX;
  return points->point[first[0]];
}

// Adds the contact whose rows begin there, n so far; *joint: how many of the problem's points there have been, *last: the last of them is the last point
// here. Points come in the order of contacts.
static bool add_contact(Touch *t, const MbPdEngine *engine, const MbContactPoints *points, size_t c,
                        size_t row, size_t *joint, size_t *n, bool *last) {
  const uint32_t p = point_of(points, row);
  const bool again = *last && p == *joint - 1;
  if (!again && p != *joint) return false;
  if (!again) {
    if (!sum_of(t, engine, &points->sum[p], &t->point[*n])) return false;
    t->point[*n].first = (uint32_t)c, t->point[*n].count = 0;
    ++*joint, ++*n, *last = true;
  }
  t->point[*n - 1].count++;
  t->of[c] = (uint32_t)(*n - 1), t->row[c] = row, t->held[c] = false;
  return true;
}

static bool list_points(Touch *t, const MbPdEngine *engine, const MbContactProblem *problem, size_t *npoints,
                        size_t *contacts) {
  const MbContactPoints *points = problem->W.points;
  size_t joint = 0, c = 0, n = 0;
  bool last = false;
  if (points->nslots > t->bodies || !points->sum) return false;
  for (size_t i = 0; i < problem->n; c++) {
    if (c == t->most) return false;
    if (problem->kind[i] == MB_CONTACT_NORMAL) {
      if (!add_contact(t, engine, points, c, i, &joint, &n, &last)) return false;
      i += 3;
      continue;
    }
    if (problem->kind[i] != MB_CONTACT_BOTH_WAYS || points->first[i + 1] != points->first[i]) return false;
    t->point[n] = (MbTouchPoint){.first = (uint32_t)c, .count = 1};
    t->of[c] = (uint32_t)n++, t->row[c] = i++, t->held[c] = true, last = false;
  }
  *npoints = n, *contacts = c;
  return joint == points->npoints;
}

// Rows of the problem, `width` numbers each, contact by contact.
static void put_rows(MbMoved *moved, const double *to, const double *from, size_t width, size_t contacts) {
  const Touch *t = moved->touch;
  for (size_t c = 0; c < contacts; c++) {
    double *row = t->packed + 3 * width * c;
    const size_t rows = t->held[c] ? 1 : 3;
    memcpy(row, from + width * t->row[c], rows * width * sizeof *row);
    memset(row + rows * width, 0, (3 - rows) * width * sizeof *row);
  }
  mb_moved_put(moved, to, t->packed, 3 * width * contacts * sizeof *t->packed);
}

static void put_bodies(MbMoved *moved, const MbContactPoints *points, size_t contacts) {
  const Touch *t = moved->touch;
  put_rows(moved, t->args.F, points->F, 12, contacts);
  for (size_t k = 0; k < 6 * contacts; k++) t->slot[k] = MB_TOUCH_NONE;
  for (size_t c = 0; c < contacts; c++)
    memcpy(t->slot + 6 * c, points->slot + 2 * t->row[c], (t->held[c] ? 2 : 6) * sizeof *t->slot);
  mb_moved_put(moved, t->args.slot, t->slot, 6 * contacts * sizeof *t->slot);
}

static void put_points(MbMoved *moved, const MbContactPoints *points, size_t n, size_t contacts) {
  Touch *t = moved->touch;
  MbTouchArgs *a = &t->args;
  a->points = (uint32_t)n, a->contacts = (uint32_t)contacts, a->rows = (uint32_t)(3 * contacts);
  mb_moved_put(moved, a->point, t->point, n * sizeof *t->point);
  mb_moved_put(moved, a->of, t->of, contacts * sizeof *t->of);
  for (size_t c = 0; c < contacts; c++) {
    double *H = t->packed + 9 * c;
    if (t->held[c])
      memset(H, 0, 9 * sizeof *H);
    else // one end a row
      memcpy(H, points->H + 3 * points->first[t->row[c]], 9 * sizeof *H);
  }
  mb_moved_put(moved, a->H, t->packed, 9 * contacts * sizeof *t->packed);
  if (points->nslots) put_bodies(moved, points, contacts);
  moved->on->run(moved->gpu, MB_RUN_mb_hit_branch, a->depth * n, a);
  moved->on->run(moved->gpu, MB_RUN_mb_hit_between, (n + MB_TOUCH_BAND - 1) / MB_TOUCH_BAND * n, a);
}

bool mb_moved_touch_take(MbMoved *moved, const MbPdEngine *engine, const MbContactProblem *problem) {
  Touch *t = moved->touch;
  const MbContactPoints *points = problem->W.points;
  size_t n, contacts;
  if (points->version == t->version) return t->ours;
  t->version = points->version;
  t->ours = list_points(t, engine, problem, &n, &contacts);
  if (t->ours) put_points(moved, points, n, contacts);
  return t->ours;
}
