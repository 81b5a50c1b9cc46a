// What a solver gives belongs to an instant, that of the last kinematics, and to the last factor of A. The order of calls that has a
// meaning:
//
//   kinematics            begins an instant, at the place that its coordinates are
//   factor, accelerate    factor A at this instant; a factor that failed is none
//   apply                 wants a factor; passes of Newton's method may use one of another place (stage.c)
//   responses             want a factor of this place, where the rows have been carried, too
//   nodes                 want a factor of this place
//   begin, pass, end_pass, end   of a step by passes, in this order; the first two want a factor of this place
//   put                   is kinematics and a factor of M at once, which leave neither velocities nor inertia
//   reactions             want a solution by `apply` at the last factor
//   all else              wants an instant
//
// Bodies, rows and ranges are within the model's, and as many rows are claimed as were when the simulation made room for them.
#include "core/solvers/watched.h"
#include "core/base/alloc.h"
#include "core/model/pass_slopes.h"
#include "core/solvers/keep.h"
#include "core/solvers/solvers.h"

#include <assert.h>
#include <string.h>

#ifdef MB_SANITIZED
bool mb_watch_solvers = true;
#else
bool mb_watch_solvers = false;
#endif

struct MbSolverWork {
  MbArena arena; // of the solver's tables
  const MbModel *model;
  const MbSolverOps *inner;
  MbSolverWork *work;
  bool placed, factored; // whether there is a place, a factor
  bool put;              // it is one that had been kept
  size_t nq, nv;
  double *q, *at;  // (nq) coordinates of the last kinematics, of the last factor
  double *v;       // (nv) velocities of the last kinematics
  size_t reserved; // rows that there is room for
  size_t claimed;  // rows
  bool applied;    // since the last factor
  bool passing;    // a step by passes has begun
  double *y;       // (velocities, and three a node) scratch
};

static void free_work(MbSolverWork *w) {
  if (!w) return;
  if (w->work) w->inner->free(w->work);
  mb_free(w->q);
  mb_free(w->at);
  mb_free(w->v);
  mb_free(w->y);
  mb_arena_free(&w->arena);
  mb_free(w);
}

static MbSolverWork *create(const MbModel *model, int threads) {
  MbSolverWork *w = mb_calloc(1, sizeof *w);
  if (!w) return NULL;
  *w = (MbSolverWork){.model = model};
  if (!(w->inner = mb_solver_for(model, &w->arena))) {
    mb_arena_free(&w->arena);
    mb_free(w);
    return NULL;
  }
  w->inner->map->layout->size(model, &w->nq, &w->nv);
  w->q = mb_calloc(w->nq, sizeof *w->q), w->at = mb_calloc(w->nq, sizeof *w->at);
  w->v = mb_calloc(w->nv, sizeof *w->v);
  w->y = mb_calloc(w->nv + 3 * mb_model_points(model), sizeof *w->y);
  w->work = w->inner->create(model, threads);
  if (w->work && w->q && w->at && w->v && w->y) {
    w->claimed = w->inner->claims->rows(w->work).n;
    return w;
  }
  free_work(w);
  return NULL;
}

static size_t bytes(const MbSolverWork *w) {
  return sizeof *w + w->arena.bytes + 2 * w->nq * sizeof *w->q + w->inner->bytes(w->work);
}

// ---- the order --------------------------------------------------------------------------------------------

static void want_instant(const MbSolverWork *w) { assert((w->placed || !w->model->nb) && "no kinematics"); }
static void want_inertia(const MbSolverWork *w) {
  want_instant(w);
  assert(!w->put && "an instant that was kept has no inertia of its own");
}
static void want_factor(const MbSolverWork *w) {
  assert((w->factored || !w->model->nb) && "A has no factor");
}
static void want_factor_now(const MbSolverWork *w) {
  want_factor(w);
  assert(memcmp(w->q, w->at, w->nq * sizeof *w->q) == 0 && "A was factored at another place");
}

static void kinematics(MbSolverWork *w, const double *q, const double *v, MbMaximal *x, size_t begin,
                       size_t end) {
  assert(begin <= end && end <= w->model->nb);
  if (begin == 0) { // one range has it
    memcpy(w->q, q, w->nq * sizeof *q);
    memcpy(w->v, v, w->nv * sizeof *v);
    w->placed = true, w->put = false;
  }
  w->inner->kinematics(w->work, q, v, x, begin, end);
}

static void bias(MbSolverWork *w, MbMaximal *x) {
  want_inertia(w);
  w->inner->bias(w->work, x);
}

static bool note_factor(MbSolverWork *w, bool fine) {
  memcpy(w->at, w->q, w->nq * sizeof *w->q);
  w->factored = fine;
  w->applied = false;
  return fine;
}

static bool factor(MbSolverWork *w, const MbMaximal *x, double a, double b, bool exact, size_t *blame) {
  want_inertia(w);
  return note_factor(w, w->inner->factor(w->work, x, a, b, exact, blame));
}

static bool accelerate(MbSolverWork *w, const double *f, double *y, size_t *blame) {
  want_inertia(w);
  return note_factor(w, w->inner->accelerate(w->work, f, y, blame));
}

static bool apply(MbSolverWork *w, double *x, const double *aim, double *lambda) {
  want_factor(w);
  w->applied = true;
  return w->inner->apply(w->work, x, aim, lambda);
}

static size_t keep_numbers(const MbSolverWork *w) { return w->inner->keeps->numbers(w->work); }

static void keep_instant(const MbSolverWork *w, double *kept) {
  want_inertia(w);
  w->inner->keeps->instant(w->work, kept);
}

static bool keep_factor(const MbSolverWork *w, double *kept) {
  want_factor(w);
  return w->inner->keeps->factor(w->work, kept);
}

static void put(MbSolverWork *w, const double *kept, const double *q, MbMaximal *x) {
  memcpy(w->q, q, w->nq * sizeof *q);
  w->placed = w->put = true;
  note_factor(w, true);
  w->inner->keeps->put(w->work, kept, q, x);
}

static void reactions(const MbSolverWork *w, double *y) {
  want_factor_now(w);
  assert(w->applied && "nothing was solved for");
  w->inner->reactions(w->work, y);
}

static bool reserve(MbSolverWork *w, size_t rows) {
  w->reserved = rows;
  return w->inner->reserve(w->work, rows);
}

// Rows are as the solver has seen them where bodies are now.
static void want_seen(const MbSolverWork *w, const MbRow *row) {
  for (int end = 0; end < 2; end++) {
    double seen[6];
    if (row->body[end] >= w->model->nb) continue;
    memcpy(seen, row->seen[end], sizeof seen);
    w->inner->carry(w->work, row->body[end], row->H[end], seen, w->y);
    assert(memcmp(seen, row->seen[end], sizeof seen) == 0 && "a row was carried at another place");
  }
}

static bool responses(MbSolverWork *w, size_t k, const MbRow *const *row, double *W) {
  want_factor_now(w);
  for (size_t i = 0; i < k; i++) want_seen(w, row[i]);
  assert(k <= w->reserved && "more rows than there is room for");
  return w->inner->responses(w->work, k, row, W);
}

static const struct MbNodeFactor *nodes(const MbSolverWork *w) {
  want_factor_now(w);
  return w->inner->nodes(w->work);
}

// ---- products at the instant ------------------------------------------------------------------------------

static void momentum(MbSolverWork *w, const double *v, double *y) {
  want_inertia(w);
  w->inner->momentum(w->work, v, y);
}
static void gather(MbSolverWork *w, const double *f, double *y) {
  want_instant(w);
  w->inner->gather(w->work, f, y);
}
static void impel(MbSolverWork *w, const double *v, const double *f, double s, double *y) {
  want_inertia(w);
  assert(memcmp(w->v, v, w->nv * sizeof *v) == 0 && "other velocities than bodies have");
  w->inner->impel(w->work, v, f, s, y);
}
static void blocks(MbSolverWork *w, const double *B, double s, const double *v, double *y) {
  want_instant(w);
  w->inner->blocks(w->work, B, s, v, y);
}
static void carry(MbSolverWork *w, size_t body, const double wrench[6], double *seen, double *y) {
  want_instant(w);
  assert(body < w->model->nb + mb_model_points(w->model));
  w->inner->carry(w->work, body, wrench, seen, y);
}
static void carry_three(MbSolverWork *w, size_t body, const double *const wrench[3], double *const seen[3],
                        double *y) {
  want_instant(w);
  assert(body < w->model->nb);
  w->inner->carry_three(w->work, body, wrench, seen, y);
}
static void drift(MbSolverWork *w, double *a) {
  want_inertia(w);
  w->inner->drift(w->work, a);
}
static void follow(const MbSolverWork *w, double *q, double *v) {
  want_instant(w);
  w->inner->follow(w->work, q, v);
}
static void bend(const MbSolverWork *w, double *y) {
  want_instant(w);
  w->inner->bend(w->work, y);
}

// ---- the map of coordinates -------------------------------------------------------------------------------

static bool start(const MbSolverWork *w, const MbModel *model, const double *q0, const double *v0, double *q,
                  double *v) {
  return w->inner->map->start(w->work, model, q0, v0, q, v);
}
static void rates(const MbSolverWork *w, const MbModel *model, const double *v, double *rate) {
  want_instant(w);
  w->inner->map->rates(w->work, model, v, rate);
}
static void along(const MbSolverWork *w, size_t k, double s, double *y) {
  want_instant(w);
  assert(k < w->model->nv);
  w->inner->map->along(w->work, k, s, y);
}
static void joint_forces(const MbSolverWork *w, const MbModel *model, const MbMaximal *x, const double *q,
                         const double *v, double *y) {
  want_instant(w);
  w->inner->map->forces(w->work, model, x, q, v, y);
}
static void joint_blocks(const MbSolverWork *w, const MbModel *model, const MbMaximal *x, double sD,
                         double sK, const double *v, double *y) {
  want_instant(w);
  w->inner->map->blocks(w->work, model, x, sD, sK, v, y);
}
static const double *turns(MbSolverWork *w) {
  want_instant(w);
  return w->inner->map->turns(w->work);
}
static const double *unsolved(MbSolverWork *w, const MbModel *model, const MbMaximal *x) {
  want_instant(w);
  return w->inner->map->unsolved(w->work, model, x);
}
static void remember(const MbSolverWork *w, const MbModel *model, double *q) {
  w->inner->map->remember(w->work, model, q);
}
static void foresee(const MbSolverWork *w, const MbModel *model, const MbMaximal *x, double h, double *near) {
  want_instant(w);
  w->inner->map->foresee(w->work, model, x, h, near);
}

// ---- claimed rows -----------------------------------------------------------------------------------------

static MbClaimedRows rows(const MbSolverWork *w) {
  const MbClaimedRows rows = w->inner->claims->rows(w->work);
  assert(rows.n == w->claimed && "other rows are claimed than at first");
  return rows;
}
static size_t row_of(const MbSolverWork *w, size_t i) {
  assert(i < w->model->nconstraints);
  const size_t row = w->inner->claims->row_of(w->work, i);
  assert(row == MB_WORLD || row + w->model->constraints[i].rows <= w->claimed);
  return row;
}
static const char *holder(const MbSolverWork *w, size_t b) {
  assert(b < w->model->nb);
  return w->inner->claims->holder(w->work, b);
}
static size_t body_of(const MbSolverWork *w, size_t r) {
  assert(r < w->claimed);
  return w->inner->claims->body_of(w->work, r);
}
static void speeds(const MbSolverWork *w, const double *v, double *rate) {
  want_instant(w);
  w->inner->claims->speeds(w->work, v, rate);
}
static const double *bends(MbSolverWork *w) {
  want_instant(w);
  return w->inner->claims->bends(w->work);
}

// ---- passes -----------------------------------------------------------------------------------------------

static MbStatus make(MbSolverWork *w, MbReport *report) { return w->inner->passes->make(w->work, report); }
static bool tied(const MbSolverWork *w) { return w->inner->passes->tied(w->work); }
static bool name(MbSolverWork *w, size_t n, const uint32_t *node) {
  for (size_t k = 0; k < n; k++) assert(node[k] < mb_model_points(w->model) && (!k || node[k] > node[k - 1]));
  return w->inner->passes->name(w->work, n, node);
}
static void split(const MbSolverWork *w, double *r, double *push) {
  w->inner->passes->split(w->work, r, push);
}
static void begin(MbSolverWork *w, const MbNodeStart *start_of) {
  want_factor_now(w);
  w->passing = true;
  w->inner->passes->begin(w->work, start_of);
}
static bool goes_on(const MbSolverWork *w) { return w->inner->passes->goes_on(w->work); }
static double moves(const MbSolverWork *w) { return w->inner->passes->moves(w->work); }
static const double *places(const MbSolverWork *w) {
  assert(w->passing && "no step has begun");
  return w->inner->passes->places(w->work);
}
static bool pass(MbSolverWork *w, const double *push, double *v) {
  want_factor_now(w);
  assert(w->passing && "no step has begun");
  return w->inner->passes->pass(w->work, push, v);
}
static bool end_pass(MbSolverWork *w, double *v, double *impulse, double *lambda) {
  assert(w->passing && "no step has begun");
  return w->inner->passes->end_pass(w->work, v, impulse, lambda);
}
static bool room(MbSolverWork *w, size_t rows) { return w->inner->passes->room(w->work, rows); }
static bool steady(const MbSolverWork *w) { return w->inner->passes->steady(w->work); }
static bool end(MbSolverWork *w, double *q1, double *v1, double *v) {
  assert(w->passing && "no step has begun");
  w->passing = false;
  return w->inner->passes->end(w->work, q1, v1, v);
}

static bool step(MbSolverWork *w, const MbNodeStart *start_of, double *q1, double *v1) {
  assert(!w->passing && "a step by passes has not ended");
  return w->inner->passes->step(w->work, start_of, q1, v1);
}
static void take_inertia(MbSolverWork *w, double times) { w->inner->passes->take_inertia(w->work, times); }
static void set_out(MbSolverWork *w, const double *q) { w->inner->passes->set_out(w->work, q); }
static void keep(const MbSolverWork *w, double *carried) { w->inner->passes->keep(w->work, carried); }
static void recall(MbSolverWork *w, const double *carried) { w->inner->passes->recall(w->work, carried); }
static MbNodeStats stats(const MbSolverWork *w) { return w->inner->passes->stats(w->work); }
static const double *history(const MbSolverWork *w) { return w->inner->passes->history(w->work); }
static double energy(const MbSolverWork *w, const double *q) { return w->inner->passes->energy(w->work, q); }
static void measure(const MbSolverWork *w, size_t i, const double *q, double *volume, double *strain) {
  assert(i < w->model->ndeformables);
  w->inner->passes->measure(w->work, i, q, volume, strain);
}

static bool tell(MbSolverWork *w) { return w->inner->passes->tell(w->work); }
static bool coupling(MbSolverWork *w, MbNodeCoupling *out) {
  want_factor_now(w);
  return w->inner->passes->coupling(w->work, out);
}
static size_t listed(const MbSolverWork *w, size_t body) { return w->inner->passes->listed(w->work, body); }
static void weigh(const MbSolverWork *w, const double *y, size_t n, const size_t *node, const double *H,
                  double *weights) {
  w->inner->passes->weigh(w->work, y, n, node, H, weights);
}
static bool alone(MbSolverWork *w, double *x) {
  want_factor(w);
  return w->inner->passes->alone(w->work, x);
}

static const struct MbNearElsewhere *finds(const MbSolverWork *w) {
  return w->inner->passes->finds ? w->inner->passes->finds(w->work) : NULL;
}

static const MbPassSlopes *slopes_of(const MbSolverWork *w) { return w->inner->passes->slopes; }
static bool slopes_at(MbSolverWork *w, const MbNodeStart *start_of, const double *q1) {
  assert(!w->passing && "a step by passes has not ended");
  return slopes_of(w)->at(w->work, start_of, q1);
}
static bool slopes_back(MbSolverWork *w, const double *felt, double *z) {
  return slopes_of(w)->back(w->work, felt, z);
}
static bool slopes_both(MbSolverWork *w, double *y, double *nodes) {
  if (w->nv) want_factor(w); // else bodies have no velocities
  return slopes_of(w)->both(w->work, y, nodes);
}
static void slopes_pull(MbSolverWork *w, const double *v, double *impulse) {
  slopes_of(w)->pull(w->work, v, impulse);
}
static void slopes_held(MbSolverWork *w, const double *z, double *felt) {
  slopes_of(w)->held(w->work, z, felt);
}
static void slopes_start(MbSolverWork *w, const double *z, double *q, double *v) {
  slopes_of(w)->start(w->work, z, q, v);
}
static void slopes_loads(MbSolverWork *w, const double *z, MbNodeLoadsFelt *felt) {
  slopes_of(w)->loads(w->work, z, felt);
}
static double slopes_value(MbSolverWork *w, const MbNodeStart *start_of, const double *q1, const double *z,
                           const bool *part) {
  return slopes_of(w)->value(w->work, start_of, q1, z, part);
}
static void slopes_elastic(MbSolverWork *w, const double *q, const MbNodeLoad *load, double *slope) {
  slopes_of(w)->elastic(w->work, q, load, slope);
}
static const MbPassSlopes watched_slopes = {.at = slopes_at,
                                            .back = slopes_back,
                                            .both = slopes_both,
                                            .pull = slopes_pull,
                                            .held = slopes_held,
                                            .start = slopes_start,
                                            .loads = slopes_loads,
                                            .value = slopes_value,
                                            .elastic = slopes_elastic};

// `plan` is by the model alone: the solver's own.
static const MbPassOps watched_passes = {.make = make,
                                         .tied = tied,
                                         .name = name,
                                         .room = room,
                                         .steady = steady,
                                         .split = split,
                                         .begin = begin,
                                         .goes_on = goes_on,
                                         .moves = moves,
                                         .places = places,
                                         .pass = pass,
                                         .end_pass = end_pass,
                                         .end = end,
                                         .step = step,
                                         .take_inertia = take_inertia,
                                         .set_out = set_out,
                                         .keep = keep,
                                         .recall = recall,
                                         .stats = stats,
                                         .history = history,
                                         .energy = energy,
                                         .measure = measure,
                                         .coupling = coupling,
                                         .tell = tell,
                                         .listed = listed,
                                         .weigh = weigh,
                                         .alone = alone,
                                         .finds = finds,
                                         .slopes = &watched_slopes};

// ---- the tables: what the solver has not is not there either ----------------------------------------------

#define WATCH(table, entry, watched) ((table)->entry = (table)->entry ? (watched) : NULL)

static const MbKeepOps watched_keeps = {
    .numbers = keep_numbers, .instant = keep_instant, .factor = keep_factor, .put = put};

static void watch_map(MbCoordinateMap *map) {
  map->start = start, map->rates = rates, map->along = along;
  map->forces = joint_forces, map->blocks = joint_blocks;
  map->remember = remember, map->foresee = foresee;
  WATCH(map, turns, turns);
  WATCH(map, unsolved, unsolved);
}

static void watch_claims(MbClaimOps *claims) {
  claims->rows = rows, claims->row_of = row_of, claims->holder = holder, claims->body_of = body_of;
  claims->speeds = speeds, claims->bends = bends;
}

const MbSolverOps *mb_watched_solver(const MbModel *model, MbArena *arena) {
  const MbSolverOps *inner = mb_solver_for(model, arena);
  MbSolverOps *ops = mb_arena_alloc(arena, 1, sizeof *ops);
  MbCoordinateMap *map = mb_arena_alloc(arena, 1, sizeof *map);
  MbClaimOps *claims = mb_arena_alloc(arena, 1, sizeof *claims);
  MbPassOps *passes = mb_arena_alloc(arena, 1, sizeof *passes);
  if (!inner || !ops || !map || !claims || !passes) return NULL;
  *map = *inner->map, *claims = *inner->claims, *ops = *inner;
  watch_map(map);
  watch_claims(claims);
  ops->create = create, ops->free = free_work, ops->bytes = bytes;
  ops->kinematics = kinematics, ops->factor = factor, ops->apply = apply;
  ops->momentum = momentum, ops->gather = gather, ops->blocks = blocks, ops->carry = carry;
  ops->map = map, ops->claims = claims;
  WATCH(ops, bias, bias);
  WATCH(ops, impel, impel);
  WATCH(ops, carry_three, carry_three);
  WATCH(ops, drift, drift);
  WATCH(ops, accelerate, accelerate);
  WATCH(ops, reactions, reactions);
  WATCH(ops, reserve, reserve);
  WATCH(ops, responses, responses);
  WATCH(ops, nodes, nodes);
  WATCH(ops, follow, follow);
  WATCH(ops, bend, bend);
  *passes = watched_passes;
  if (inner->passes) {
    passes->plan = inner->passes->plan;
    WATCH(passes, slopes, inner->passes->slopes ? &watched_slopes : NULL);
  }
  WATCH(ops, passes, passes);
  WATCH(ops, keeps, &watched_keeps);
  return ops;
}
