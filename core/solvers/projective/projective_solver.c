// Bodies and deformables of elements as one solver. Its matrix has two blocks, A_b of the bodies and A_n of the nodes:
//
//   A = | A_b      |  + Bᵀ C B
//       |      A_n |
//
// A_b is inverted by the solver that the bodies would have without deformables, as solvers/followers.c composes one; A_n = M + h² Σ w V GᵀG
// + h² Q, constant, by the engine (projective.h), and where nothing elastic is asked for (a = b = 0) it is M, the nodes' masses. C is
// what forces between bodies and nodes add (ties.c). The velocities are those of the bodies' solver, and behind them three of every
// node. Nodes that forces and constraints of the scene name, ports, are bodies of the model as well: their velocities are the
// bodies' solver's, which has them as points of the same mass; what it says of them is written over with what A_n says. Of the other nodes
// `apply` tells those alone that rows of the step have named.
//
// What elements leave changes from pass to pass, in the engine: see MbPassOps.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/math/vec3.h"
#include "core/solvers/projective/descent.h"
#include "core/solvers/projective/pd_model.h"
#include "core/solvers/projective/pd_slopes.h"
#include "core/solvers/projective/ties.h"
#include "core/solvers/solvers.h"

#include <string.h>

// ---- room -------------------------------------------------------------------------------------------------

static void free_work(MbSolverWork *w) {
  if (!w) return;
  if (w->work) w->inner->free(w->work);
  mb_pd_free(w->engine);
  mb_ties_free(w->ties);
  mb_descent_free(w);
  mb_free(w->at);
  mb_free(w->p);
  mb_free(w->u);
  mb_free(w->wide);
  mb_free(w->solved);
  mb_free(w->row);
  mb_free(w->of);
  mb_free(w->node);
  mb_free(w->row_weights);
  mb_free(w);
}

// Room for as many listed nodes; ports stay the first of them.
static bool grow_list(MbSolverWork *w, size_t n) {
  size_t p = w->numbers, u = p;
  if (!mb_grow(&w->at, &w->room, n, sizeof *w->at) || !mb_grow(&w->p, &p, 3 * n, sizeof *w->p) ||
      !mb_grow(&w->u, &u, 3 * n, sizeof *w->u))
    return false;
  w->numbers = p;
  return true;
}

static bool list_ports(MbSolverWork *w) {
  const MbModel *model = w->model;
  if (!grow_list(w, model->nports)) return false;
  for (size_t k = 0; k < model->nports; k++)
    w->at[k] = w->inner->map->layout->node(model, mb_model_own(model) + k);
  w->nlisted = model->nports;
  return true;
}

MbSolverWork *mb_projective_create(const MbModel *model, int threads, const MbPdMover *mover) {
  MbSolverWork *w = mb_calloc(1, sizeof *w);
  size_t nq;
  if (!w) return NULL;
  w->mover = mover;
  w->model = model, w->threads = threads, w->inner = mb_solver_of_model_bodies(model);
  w->points = mb_model_points(model);
  w->inner->map->layout->size(model, &nq, &w->nv);
  w->work = w->inner->create(model, threads);
  bool fine = w->work && list_ports(w) && mb_ties_make(w, &w->ties);
  w->beside = model->nports ? w->inner->map->layout->velocity(model, mb_model_own(model)) : w->nv;
  fine = fine && mb_descent_make(w);
  if (fine && w->ties) fine = (w->wide = mb_calloc(w->nv + 3 * w->points, sizeof *w->wide)) != NULL;
  if (fine) return w;
  free_work(w);
  return NULL;
}

static MbSolverWork *create(const MbModel *model, int threads) {
  return mb_projective_create(model, threads, NULL);
}

static size_t bytes(const MbSolverWork *w) {
  return sizeof *w + w->inner->bytes(w->work) + mb_descent_bytes(w) +
         (w->engine ? mb_pd_bytes(w->engine) : 0) + mb_ties_bytes(w->ties) + w->room * sizeof *w->at +
         (2 * w->numbers + (w->ties ? w->nv + 3 * w->points : 0) + (w->solved ? 6 * w->points : 0)) *
             sizeof(double) +
         w->nrow * sizeof *w->row + w->nof * sizeof *w->of + w->nnode * sizeof *w->node +
         w->nrow_weights * sizeof *w->row_weights;
}

// ---- the inverse ------------------------------------------------------------------------------------------

static bool tied(const MbSolverWork *w) { return w->nlisted > 0; }

static bool factor(MbSolverWork *w, const MbMaximal *x, double a, double b, bool exact, size_t *blame) {
  w->stiff = b != 0;
  w->version++;
  if (w->stiff && tied(w) && !mb_pd_prepare(w->engine)) return false;
  if (!w->ties || !w->stiff) return w->inner->factor(w->work, x, a, b, exact, blame);
  const MbMaximal *left = mb_ties_take(w->ties, w, x, a, b);
  return w->inner->factor(w->work, left, a, b, exact, blame) && mb_ties_factor(w->ties, w, blame);
}

static bool apply(MbSolverWork *w, double *x, const double *aim, double *lambda) {
  double weights[MB_PAIR_WEIGHTS];
  for (size_t k = 0; w->stiff && k < w->nlisted; k++) mb_vec3_copy(w->p + 3 * k, x + w->at[k]);
  const bool bent = w->stiff && mb_descent_weights(w, x, weights);
  if (!w->inner->apply(w->work, x, aim, lambda)) return false;
  if (!w->stiff) return true; // rows about nodes that are no bodies take part in steps alone
  mb_pd_respond(w->engine, w->p, w->u);
  for (size_t k = 0; k < w->nlisted; k++) mb_vec3_copy(x + w->at[k], w->u + 3 * k);
  if (w->ties) mb_ties_correct(w->ties, w, x);
  if (bent) mb_descent_answer(w, weights, x);
  return true;
}

// ---- W ----------------------------------------------------------------------------------------------------

static bool is_node(const MbSolverWork *w, size_t body) {
  return body != MB_WORLD && body >= mb_model_own(w->model);
}

// H_i S H_j of two rows' nodes, which are numbers of the list; MB_WORLD: none
static double between(const MbPdEngine *engine, const MbRow *a, const MbRow *b, const size_t *of_a,
                      const size_t *of_b) {
  double sum = 0;
  for (int i = 0; i < 2; i++) {
    const double *H = a->H[i] + 3;
    if (of_a[i] == MB_WORLD) continue;
    for (int j = 0; j < 2; j++) {
      const double *G = b->H[j] + 3;
      if (of_b[j] == MB_WORLD) continue;
      double S[3];
      mb_pd_response(engine, of_a[i], of_b[j], S);
      for (int axis = 0; axis < 3; axis++) sum += H[axis] * S[axis] * G[axis];
    }
  }
  return sum;
}

static bool responses(MbSolverWork *w, size_t k, const MbRow *const *row, double *W) {
  if (!w->stiff) return w->inner->responses(w->work, k, row, W);
  if (w->ties || !mb_pd_constant(w->engine) || !mb_pd_tell(w->engine)) return false;
  for (size_t i = 0; i < k; i++) {
    w->row[i] = *row[i];
    for (size_t end = 0; end < 2; end++) {
      const bool node = is_node(w, row[i]->body[end]);
      w->node[2 * i + end] = node ? mb_projective_listed(w, row[i]->body[end]) : MB_WORLD;
      if (node) w->row[i].body[end] = MB_WORLD;
    }
    w->of[i] = &w->row[i];
  }
  if (!w->inner->responses(w->work, k, w->of, W)) return false;
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j <= i; j++) {
      W[k * i + j] += between(w->engine, row[i], row[j], w->node + 2 * i, w->node + 2 * j);
      W[k * j + i] = W[k * i + j];
    }
  mb_descent_responses(w, k, row, W);
  return true;
}

static bool reserve(MbSolverWork *w, size_t rows) {
  if (!mb_grow(&w->row, &w->nrow, rows, sizeof *w->row) || !mb_grow(&w->of, &w->nof, rows, sizeof *w->of) ||
      !mb_grow(&w->node, &w->nnode, 2 * rows, sizeof *w->node) ||
      !mb_grow(&w->row_weights, &w->nrow_weights, MB_PAIR_WEIGHTS * rows, sizeof *w->row_weights))
    return false;
  w->rows = rows;
  return w->inner->reserve(w->work, rows);
}

static bool coupling(MbSolverWork *w, MbNodeCoupling *out) {
  if (!w->stiff || w->ties || !mb_pd_constant(w->engine)) return false;
  const MbPairs *pairs = mb_pd_pairs_of(w->engine);
  *out = (MbNodeCoupling){.count = w->nlisted, .version = w->version};
  out->branched = mb_pd_branched(w->engine);
  out->elsewhere = out->branched ? mb_pd_elsewhere(w->engine) : NULL;
  out->S = mb_pd_responses(w->engine, &out->width);
  out->branch = mb_pd_branches(w->engine, &out->rows);
  if (!pairs || !pairs->count) return true;
  out->weights = MB_PAIR_WEIGHTS, out->N = &pairs->N[0][0];
  return true;
}

static bool tell(MbSolverWork *w) { return mb_pd_tell(w->engine); }

static size_t listed(const MbSolverWork *w, size_t body) {
  return is_node(w, body) ? mb_projective_listed(w, body) : MB_WORLD;
}

static bool alone(MbSolverWork *w, double *x) { return w->inner->apply(w->work, x, NULL, NULL); }
static const struct MbNearElsewhere *finds(const MbSolverWork *w) { return mb_pd_finds(w->engine); }

// ---- passes -----------------------------------------------------------------------------------------------

static MbStatus make(MbSolverWork *w, MbReport *report) {
  return mb_pd_model_engine(w->model, w->threads, w->beside, w->mover, &w->engine, report);
}
static bool room(MbSolverWork *w, size_t rows) { return mb_descent_room(w, rows); }
static bool steady(const MbSolverWork *w) {
  return mb_pd_model_method(w->model) == MB_METHOD_PROJECTIVE && mb_pd_whole(w->engine);
}

static bool name(MbSolverWork *w, size_t n, const uint32_t *node) {
  const size_t nports = w->model->nports;
  if (!grow_list(w, nports + n)) return false;
  for (size_t k = 0; k < n; k++) w->at[nports + k] = w->nv + 3 * (size_t)node[k];
  w->nlisted = nports + n;
  w->version++;
  return mb_pd_name(w->engine, n, node);
}

static void split(const MbSolverWork *w, double *r, double *push) {
  for (size_t k = 0; k < w->model->nports; k++) {
    if (push) mb_vec3_copy(push + w->at[k], r + w->at[k]);
    mb_vec3_set(r + w->at[k], 0, 0, 0);
  }
}

static void begin(MbSolverWork *w, const MbNodeStart *start) { mb_pd_begin(w->engine, start); }
static bool goes_on(const MbSolverWork *w) { return mb_pd_goes_on(w->engine); }
static double moves(const MbSolverWork *w) { return mb_pd_moves(w->engine); }
static const double *places(const MbSolverWork *w) { return mb_pd_iterate(w->engine); }

static void push_nodes(MbSolverWork *w, const double *impulse) {
  for (size_t k = 0; k < w->nlisted; k++) mb_vec3_copy(w->p + 3 * k, impulse + w->at[k]);
  mb_pd_push_ports(w->engine, w->p);
}

// Listed nodes that are no ports ← their velocities by what forces between bodies and ports push these with at velocities v, which bodies alone have made.
static void answer_bodies(MbSolverWork *w, double *v) {
  double *y = w->wide;
  memset(y, 0, (w->nv + 3 * w->points) * sizeof *y);
  mb_ties_pull(w->ties, v, y);
  for (size_t k = 0; k < w->nlisted; k++) mb_vec3_copy(w->p + 3 * k, y + w->at[k]);
  mb_pd_respond(w->engine, w->p, w->u);
  for (size_t k = w->model->nports; k < w->nlisted; k++) mb_vec3_copy(v + w->at[k], w->u + 3 * k);
}

// v + A⁻¹ A₀ (0 ; u), with u the nodes' velocities when nothing ties them to bodies
static void whole_pass(MbSolverWork *w, const double *push, double *v) {
  double *x = w->ties ? w->wide : v;
  if (w->ties) answer_bodies(w, v);
  push_nodes(w, push);
  mb_pd_read_ports(w->engine, 1, w->u);
  if (w->ties) memset(x, 0, w->nv * sizeof *x);
  for (size_t k = 0; k < w->nlisted; k++) mb_vec3_copy(x + w->at[k], w->u + 3 * k);
  if (!w->ties) return;
  mb_ties_correct(w->ties, w, x);
  for (size_t i = 0; i < w->nv; i++) v[i] += x[i];
  for (size_t k = w->model->nports; k < w->nlisted; k++)
    mb_vec3_add(v + w->at[k], v + w->at[k], x + w->at[k]);
}

static bool pass(MbSolverWork *w, const double *push, double *v) {
  size_t blame;
  if (!mb_pd_pass(w->engine)) return false;
  if (mb_pd_whole(w->engine)) {
    whole_pass(w, push, v);
    return !mb_pd_fault(w->engine);
  }
  // the nodes' matrix is another one in each of Newton's iterations
  if (w->ties && !mb_pd_constant(w->engine) && !mb_ties_factor(w->ties, w, &blame)) return false;
  return mb_descent_pass(w, push, v) && !mb_pd_fault(w->engine);
}

static bool end_pass(MbSolverWork *w, double *v, double *impulse, double *lambda) {
  const MbPdAlong nothing = {0};
  double t;
  if (!mb_pd_whole(w->engine)) return mb_descent_end_pass(w, v, impulse, lambda);
  mb_descent_begin(w, v, impulse, lambda);
  if (w->ties) mb_ties_pull(w->ties, v, impulse);
  push_nodes(w, impulse);
  return mb_pd_end_pass(w->engine, &nothing, &t);
}

static bool end(MbSolverWork *w, double *q1, double *v1, double *v) {
  const bool fine = mb_pd_end(w->engine, q1, v1);
  for (size_t p = 0; p < w->model->nports; p++)
    mb_vec3_copy(v + w->at[p], v1 + 3 * mb_model_port(w->model, p));
  return fine;
}

// ---- nodes by themselves ----------------------------------------------------------------------------------

static MbNodePlan plan(const MbModel *model) {
  return (MbNodePlan){.iterations = mb_pd_model_iterations(model),
                      .share = mb_pd_model_share(model),
                      .to_end = mb_pd_model_method(model) == MB_METHOD_NEWTON,
                      .tolerance = mb_pd_model_tolerance(model),
                      .carried = mb_pd_model_dual(model)};
}
static bool step(MbSolverWork *w, const MbNodeStart *start, double *q1, double *v1) {
  return mb_pd_step(w->engine, start, q1, v1);
}
static MbAwayOffer stays(const MbSolverWork *w) { return mb_pd_stays(w->engine); }
static bool step_away(MbSolverWork *w, const MbNodeStart *start, const double *least, bool *odd) {
  return mb_pd_step_away(w->engine, start, least, odd);
}
static void go_on(MbSolverWork *w, bool all) { mb_pd_go_on(w->engine, all); }
static void undo(MbSolverWork *w) { mb_pd_undo(w->engine); }
static void leave(MbSolverWork *w) { mb_pd_leave(w->engine); }
static bool arrive(MbSolverWork *w, double *q, double *v, double *carried) {
  return mb_pd_arrive(w->engine, q, v, carried);
}
static const char *fault(const MbSolverWork *w) { return mb_pd_fault(w->engine); }
static void take_inertia(MbSolverWork *w, double times) {
  w->version++;
  mb_pd_take_inertia(w->engine, times);
}
static void set_out(MbSolverWork *w, const double *q) {
  if (mb_pd_model_method(w->model) == MB_METHOD_PROJECTIVE) mb_pd_dual_begin(w->engine, q);
}
static void keep(const MbSolverWork *w, double *carried) { mb_pd_dual_read(w->engine, carried); }
static void recall(MbSolverWork *w, const double *carried) { mb_pd_dual_write(w->engine, carried); }
static MbNodeStats stats(const MbSolverWork *w) { return mb_pd_stats(w->engine); }
static const double *history(const MbSolverWork *w) { return mb_pd_history(w->engine); }
static double energy(const MbSolverWork *w, const double *q) { return mb_pd_energy(w->engine, q); }
static void measure(const MbSolverWork *w, size_t i, const double *q, double *volume, double *strain) {
  mb_pd_measure(w->engine, i, q, volume, strain);
}

// ---- derivatives ------------------------------------------------------------------------------------------

// What forces couple is prepared for that matrix of the nodes.
static bool slopes_at(MbSolverWork *w, const MbNodeStart *start, const double *q1) {
  size_t blame;
  return mb_pd_slopes_at(w->engine, start, q1) && (!w->ties || mb_ties_factor(w->ties, w, &blame));
}
static bool slopes_back(MbSolverWork *w, const double *felt, double *z) {
  return mb_pd_slopes_back(w->engine, felt, z);
}
// nodes ← (h² H)⁻¹ nodes
static bool solve_nodes(MbSolverWork *w, double *nodes) {
  const double h = w->model->h;
  double *z = w->solved;
  if (!mb_pd_slopes_back(w->engine, nodes, z)) return false;
  for (size_t c = 0; c < 3 * w->points; c++) nodes[c] = z[c] / (h * h);
  return true;
}

// With forces between them nodes are solved for twice: alone, and pushed by these at the velocities that both have.
static bool slopes_both(MbSolverWork *w, double *y, double *nodes) {
  const MbModel *model = w->model;
  if (!w->solved && !(w->solved = mb_calloc(6 * w->points, sizeof *w->solved))) return false;
  double *pushed = w->solved + 3 * w->points;
  if (w->beside && !w->inner->apply(w->work, y, NULL, NULL)) return false;
  if (!w->ties) return solve_nodes(w, nodes);
  memcpy(pushed, nodes, 3 * w->points * sizeof *nodes);
  if (!solve_nodes(w, nodes)) return false;
  memset(w->wide, 0, (w->nv + 3 * w->points) * sizeof *w->wide);
  memcpy(w->wide, y, w->beside * sizeof *y);
  for (size_t p = 0; p < model->nports; p++)
    mb_vec3_copy(w->wide + w->at[p], nodes + 3 * mb_model_port(model, p));
  mb_ties_correct(w->ties, w, w->wide);
  memcpy(y, w->wide, w->beside * sizeof *y);
  memset(y + w->beside, 0, (w->nv - w->beside) * sizeof *y);
  mb_ties_pull(w->ties, w->wide, y);
  for (size_t p = 0; p < model->nports; p++) {
    double *to = pushed + 3 * mb_model_port(model, p), *from = y + w->at[p];
    mb_vec3_add(to, to, from);
    mb_vec3_set(from, 0, 0, 0);
  }
  memcpy(nodes, pushed, 3 * w->points * sizeof *nodes);
  return solve_nodes(w, nodes);
}
static void slopes_pull(MbSolverWork *w, const double *v, double *impulse) {
  if (w->ties) mb_ties_pull(w->ties, v, impulse);
}
static void slopes_held(MbSolverWork *w, const double *z, double *felt) {
  mb_pd_slopes_held(w->engine, z, felt);
}
static void slopes_start(MbSolverWork *w, const double *z, double *q, double *v) {
  mb_pd_slopes_start(w->engine, z, q, v);
}
static void slopes_loads(MbSolverWork *w, const double *z, MbNodeLoadsFelt *felt) {
  mb_pd_slopes_loads(w->engine, z, felt);
}
static double slopes_value(MbSolverWork *w, const MbNodeStart *start, const double *q1, const double *z,
                           const bool *part) {
  return mb_pd_slopes_value(w->engine, start, q1, z, part);
}
static void slopes_elastic(MbSolverWork *w, const double *q, const MbNodeLoad *load, double *slope) {
  mb_pd_slopes_elastic(w->engine, q, load, slope);
}

static const MbPassSlopes slopes = {.at = slopes_at,
                                    .back = slopes_back,
                                    .both = slopes_both,
                                    .pull = slopes_pull,
                                    .held = slopes_held,
                                    .start = slopes_start,
                                    .loads = slopes_loads,
                                    .value = slopes_value,
                                    .elastic = slopes_elastic};

static const MbAwayOps away = {
    .offered = stays, .step = step_away, .go_on = go_on, .undo = undo, .leave = leave, .arrive = arrive};

static const MbPassOps passes = {.make = make,
                                 .plan = plan,
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
                                 .away = &away,
                                 .fault = fault,
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
                                 .weigh = mb_descent_weigh,
                                 .alone = alone,
                                 .finds = finds,
                                 .slopes = &slopes};

// ---- what the bodies' solver does -------------------------------------------------------------------------

static void kinematics(MbSolverWork *w, const double *q, const double *v, MbMaximal *x, size_t begin,
                       size_t end) {
  w->inner->kinematics(w->work, q, v, x, begin, end);
}
static void bias(MbSolverWork *w, MbMaximal *x) { w->inner->bias(w->work, x); }
static void momentum(MbSolverWork *w, const double *v, double *y) { w->inner->momentum(w->work, v, y); }
static void gather(MbSolverWork *w, const double *f, double *y) { w->inner->gather(w->work, f, y); }
static void blocks(MbSolverWork *w, const double *B, double s, const double *v, double *y) {
  w->inner->blocks(w->work, B, s, v, y);
}
static void carry(MbSolverWork *w, size_t body, const double wrench[6], double *seen, double *y) {
  const size_t nb = w->model->nb;
  if (body < nb)
    w->inner->carry(w->work, body, wrench, seen, y);
  else
    mb_vec3_add(y + w->nv + 3 * (body - nb), y + w->nv + 3 * (body - nb), wrench + 3);
}
static void drift(MbSolverWork *w, double *a) { w->inner->drift(w->work, a); }
static bool accelerate(MbSolverWork *w, const double *f, double *y, size_t *blame) {
  w->stiff = false;
  return w->inner->accelerate(w->work, f, y, blame);
}
static void reactions(const MbSolverWork *w, double *y) { w->inner->reactions(w->work, y); }
static void follow(const MbSolverWork *w, double *q, double *v) { w->inner->follow(w->work, q, v); }
static void bend(const MbSolverWork *w, double *y) { w->inner->bend(w->work, y); }

static bool start(const MbSolverWork *w, const MbModel *model, const double *q0, const double *v0, double *q,
                  double *v) {
  return w->inner->map->start(w->work, model, q0, v0, q, v);
}
static void rates(const MbSolverWork *w, const MbModel *model, const double *v, double *rate) {
  w->inner->map->rates(w->work, model, v, rate);
}
static void along(const MbSolverWork *w, size_t k, double s, double *y) {
  w->inner->map->along(w->work, k, s, y);
}
static void joint_forces(const MbSolverWork *w, const MbModel *model, const MbMaximal *x, const double *q,
                         const double *v, double *y) {
  w->inner->map->forces(w->work, model, x, q, v, y);
}
static void joint_blocks(const MbSolverWork *w, const MbModel *model, const MbMaximal *x, double sD,
                         double sK, const double *v, double *y) {
  w->inner->map->blocks(w->work, model, x, sD, sK, v, y);
}
static const double *turns(MbSolverWork *w) { return w->inner->map->turns(w->work); }
static const double *unsolved(MbSolverWork *w, const MbModel *model, const MbMaximal *x) {
  return w->inner->map->unsolved(w->work, model, x);
}
static void remember(const MbSolverWork *w, const MbModel *model, double *q) {
  w->inner->map->remember(w->work, model, q);
}
static void foresee(const MbSolverWork *w, const MbModel *model, const MbMaximal *x, double h, double *near) {
  w->inner->map->foresee(w->work, model, x, h, near);
}

static MbClaimedRows rows(const MbSolverWork *w) { return w->inner->claims->rows(w->work); }
static size_t row_of(const MbSolverWork *w, size_t i) { return w->inner->claims->row_of(w->work, i); }
static const char *holder(const MbSolverWork *w, size_t b) { return w->inner->claims->holder(w->work, b); }
static size_t body_of(const MbSolverWork *w, size_t r) { return w->inner->claims->body_of(w->work, r); }
static void speeds(const MbSolverWork *w, const double *v, double *rate) {
  w->inner->claims->speeds(w->work, v, rate);
}
static const double *bends(MbSolverWork *w) { return w->inner->claims->bends(w->work); }

// ---- the tables: what the bodies' solver has not is not there either ---------------------------------------

#define HAS(table, entry, own) ((table)->entry = (table)->entry ? (own) : NULL)

const MbSolverOps *mb_projective_solver(const MbModel *model, MbArena *arena) {
  const MbSolverOps *inner = mb_solver_of_model_bodies(model);
  MbSolverOps *ops = mb_arena_alloc(arena, 1, sizeof *ops);
  MbCoordinateMap *map = mb_arena_alloc(arena, 1, sizeof *map);
  MbClaimOps *claims = mb_arena_alloc(arena, 1, sizeof *claims);
  if (!ops || !map || !claims) return NULL;
  *ops = *inner, *map = *inner->map, *claims = *inner->claims;
  map->start = start, map->rates = rates, map->along = along;
  map->forces = joint_forces, map->blocks = joint_blocks;
  map->remember = remember, map->foresee = foresee;
  HAS(map, turns, turns);
  HAS(map, unsolved, unsolved);
  claims->rows = rows, claims->row_of = row_of, claims->holder = holder, claims->body_of = body_of;
  claims->speeds = speeds, claims->bends = bends;
  ops->create = create, ops->free = free_work, ops->bytes = bytes;
  ops->kinematics = kinematics, ops->factor = factor, ops->apply = apply;
  ops->momentum = momentum, ops->gather = gather, ops->blocks = blocks, ops->carry = carry, ops->impel = NULL,
  ops->carry_three = NULL;
  ops->map = map, ops->claims = claims, ops->passes = &passes;
  HAS(ops, bias, bias);
  HAS(ops, drift, drift);
  HAS(ops, accelerate, accelerate);
  HAS(ops, reactions, reactions);
  HAS(ops, reserve, reserve);
  HAS(ops, responses, responses);
  ops->nodes = NULL, ops->keeps = NULL;
  HAS(ops, follow, follow);
  HAS(ops, bend, bend);
  return ops;
}
