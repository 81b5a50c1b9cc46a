// A spring between a body and a node of a deformable couples two matrices: the bodies' A_b, which forces' derivatives are part of, and
// the deformables' constant A_n, which they are not. Let B pick the velocities that such forces see, twists of the bodies that they
// act on and the velocities of the ports, and C = −h D − h² K be what they add to A between those, without the bodies' own blocks, which
// are in A_b. With A₀ of the two blocks A_b and A_n, and R = B A₀⁻¹ Bᵀ,
//
//   (A₀ + Bᵀ C B)⁻¹ r = x − A₀⁻¹ Bᵀ w,   w = C (1 + R C)⁻¹ B x,   x = A₀⁻¹ r
//
// which takes 6 solutions a body and step, and the ports' response, which is constant. The ports are pushed by
// h (f − D v) − C B v⁺ over the step.
#include "core/sim/ties.h"
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/base/lapack.h"
#include "core/base/report.h"
#include "core/sim/layout.h"
#include "core/sim/sim_soft.h"
#include "core/sim/trouble.h"
#include "core/solvers/body_block.h"

#include <string.h>

struct MbTies {
  size_t nbodies, nports, n; // n = 6 nbodies + 3 nports
  size_t *body, *port;       // numbers of the bodies that they are
  size_t *place;             // (nb) of a body: where in B v; SIZE_MAX = not there
  size_t npairs, *pair;      // of the model's pairs, those with ports
  double *C, *R, *F;         // (n x n); F: 1 + R C, factored
  lapack_int *pivot;         // (n)
  double *along, *column;    // (6 nbodies x nv) Bᵀ of the bodies, A_b⁻¹ of that
  double *push;              // (nv) of the ports: h (f − D v)
  double *u, *w;             // (n)
  double *x, *y;             // (nv)
};

// ---- making -----------------------------------------------------------------------------------------------

static void mark(MbTies *ties, size_t body, size_t own) {
  if (body == MB_WORLD || ties->place[body] != SIZE_MAX) return;
  ties->place[body] = 0;
  if (body < own)
    ties->body[ties->nbodies++] = body;
  else
    ties->port[ties->nports++] = body;
}

// Which bodies and ports forces that act on some port are between.
static void find_ends(const MbModel *model, MbTies *ties) {
  const size_t own = mb_model_own(model);
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForce *force = &model->forces[i];
    bool any = false;
    for (size_t k = 0; k < force->npoints; k++)
      any |= force->points[k].body != MB_WORLD && force->points[k].body >= own;
    for (size_t k = 0; any && k < force->npoints; k++) mark(ties, force->points[k].body, own);
  }
  for (size_t k = 0; k < ties->nbodies; k++) ties->place[ties->body[k]] = 6 * k;
  for (size_t k = 0; k < ties->nports; k++) ties->place[ties->port[k]] = 6 * ties->nbodies + 3 * k;
  ties->n = 6 * ties->nbodies + 3 * ties->nports;
  for (size_t p = 0; p < model->npairs; p++)
    if (model->pair[2 * p + 1] >= own) ties->pair[ties->npairs++] = p;
}

MbStatus mb_ties_create(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  MbArena *arena = &sim->arena;
  if (!model->nports) return MB_OK;
  MbTies *ties = mb_arena_alloc(arena, 1, sizeof *ties);
  if (!ties) return mb_no_memory(report, "the simulation");
  ties->body = mb_arena_alloc(arena, model->nb, sizeof *ties->body);
  ties->port = mb_arena_alloc(arena, model->nb, sizeof *ties->port);
  ties->place = mb_arena_alloc(arena, model->nb, sizeof *ties->place);
  ties->pair = mb_arena_alloc(arena, model->npairs, sizeof *ties->pair);
  if (!ties->body || !ties->port || !ties->place || !ties->pair)
    return mb_no_memory(report, "the simulation");
  for (size_t b = 0; b < model->nb; b++) ties->place[b] = SIZE_MAX;
  find_ends(model, ties);
  if (!ties->nports) return MB_OK;
  if (!mb_blas_start(1)) return mb_no_memory(report, "the simulation");
  const size_t n = ties->n, nv = sim->nv;
  ties->C = mb_arena_alloc(arena, n * n, sizeof(double)),
  ties->R = mb_arena_alloc(arena, n * n, sizeof(double));
  ties->F = mb_arena_alloc(arena, n * n, sizeof(double));
  ties->pivot = mb_arena_alloc(arena, n, sizeof *ties->pivot);
  ties->along = mb_arena_alloc(arena, 6 * ties->nbodies * nv, sizeof(double));
  ties->column = mb_arena_alloc(arena, 6 * ties->nbodies * nv, sizeof(double));
  ties->push = mb_arena_alloc(arena, nv, sizeof(double));
  ties->u = mb_arena_alloc(arena, n, sizeof(double)), ties->w = mb_arena_alloc(arena, n, sizeof(double));
  ties->x = mb_arena_alloc(arena, nv, sizeof(double)), ties->y = mb_arena_alloc(arena, nv, sizeof(double));
  if (!ties->C || !ties->R || !ties->F || !ties->pivot || !ties->along || !ties->column || !ties->push ||
      !ties->u || !ties->w || !ties->x || !ties->y)
    return mb_no_memory(report, "the simulation");
  sim->ties = ties;
  return MB_OK;
}

// ---- a step -----------------------------------------------------------------------------------------------

// C's block of rows i and columns j ← −(h D + h² K), symmetrised with its opposite; of ports the last three of six numbers.
static void put_block(MbTies *ties, const MbSim *sim, size_t i, size_t j, size_t block, size_t opposite) {
  const size_t own = mb_model_own(sim->model), at = ties->place[i], to = ties->place[j];
  const size_t first_i = i < own ? 0 : 3, first_j = j < own ? 0 : 3;
  const double h = sim->model->h;
  double B[36];
  mb_force_block(B, &sim->x, block, opposite, h, h * h, false);
  for (size_t r = first_i; r < 6; r++)
    for (size_t c = first_j; c < 6; c++)
      ties->C[ties->n * (at + r - first_i) + to + c - first_j] = B[6 * r + c];
}

void mb_ties_take(MbSim *sim, const double *y) {
  MbTies *ties = sim->ties;
  const MbModel *model = sim->model;
  if (!ties) return;
  memset(ties->push, 0, sim->nv * sizeof *ties->push);
  memset(ties->C, 0, ties->n * ties->n * sizeof *ties->C);
  for (size_t k = 0; k < ties->nports; k++) {
    const size_t b = ties->port[k], v = mb_sim_port_velocity(sim, b);
    for (size_t axis = 0; axis < 3; axis++) ties->push[v + axis] = model->h * y[v + axis];
    put_block(ties, sim, b, b, b, b);
  }
  for (size_t k = 0; k < ties->npairs; k++) {
    const size_t p = ties->pair[k], first = model->nb + 2 * p;
    put_block(ties, sim, model->pair[2 * p], model->pair[2 * p + 1], first, first + 1);
    put_block(ties, sim, model->pair[2 * p + 1], model->pair[2 * p], first + 1, first);
  }
  for (size_t k = 0; k < ties->npairs; k++) {
    memset(sim->x.D + 36 * (model->nb + 2 * ties->pair[k]), 0, 72 * sizeof(double));
    memset(sim->x.K + 36 * (model->nb + 2 * ties->pair[k]), 0, 72 * sizeof(double));
  }
}

// u ← B x
static void look(const MbTies *ties, const MbSim *sim, const double *x, double *u) {
  for (size_t r = 0; r < 6 * ties->nbodies; r++) {
    u[r] = 0;
    for (size_t i = 0; i < sim->nv; i++) u[r] += ties->along[r * sim->nv + i] * x[i];
  }
  for (size_t k = 0; k < ties->nports; k++)
    memcpy(u + 6 * ties->nbodies + 3 * k, x + mb_sim_port_velocity(sim, ties->port[k]), 3 * sizeof *u);
}

// Where the velocities of ports begin: behind those of all bodies.
static size_t first_port(const MbSim *sim) { return mb_sim_port_velocity(sim, mb_model_own(sim->model)); }

// Column of R: B A₀⁻¹ of one port's velocity, along one axis. Other ports alone answer.
static void respond(MbTies *ties, const MbSim *sim, size_t column) {
  const size_t k = column - 6 * ties->nbodies;
  memset(ties->y, 0, sim->nv * sizeof *ties->y);
  memset(ties->x, 0, sim->nv * sizeof *ties->x);
  ties->y[mb_sim_port_velocity(sim, ties->port[k / 3]) + k % 3] = 1;
  mb_sim_soft_respond(sim, ties->y, ties->x);
}

static bool fill_response(MbTies *ties, MbSim *sim) {
  const size_t n = ties->n, nv = sim->nv;
  bool fine = true;
  memset(ties->along, 0, 6 * ties->nbodies * nv * sizeof *ties->along);
  for (size_t c = 0; c < 6 * ties->nbodies; c++) {
    double e[6] = {0}, *along = ties->along + c * nv;
    e[c % 6] = 1;
    sim->solver->carry(sim->work, ties->body[c / 6], e, along);
    memcpy(ties->column + c * nv, along, nv * sizeof *along);
    fine &= sim->solver->apply(sim->work, ties->column + c * nv, NULL, NULL);
  }
  const size_t ports = first_port(sim);
  for (size_t c = 0; c < n; c++) {
    double *x = c < 6 * ties->nbodies ? ties->column + c * nv : ties->x;
    if (c < 6 * ties->nbodies)
      memset(x + ports, 0, (nv - ports) * sizeof *x);
    else
      respond(ties, sim, c);
    look(ties, sim, x, ties->u);
    for (size_t r = 0; r < n; r++) ties->R[n * r + c] = ties->u[r];
  }
  return fine;
}

MbStatus mb_ties_factor(MbSim *sim, MbReport *report) {
  MbTies *ties = sim->ties;
  if (!ties) return MB_OK;
  const int n = (int)ties->n;
  if (!fill_response(ties, sim)) return mb_sim_unsolved(sim, report);
  for (int i = 0; i < n * n; i++) ties->F[i] = i % (n + 1) == 0;
  mb_lapack.dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, ties->R, n, ties->C, n, 1, ties->F,
                  n);
  // rows here are columns there: the transpose is factored
  if (mb_lapack.dgetrf(LAPACK_COL_MAJOR, n, n, ties->F, n, ties->pivot) == 0) return MB_OK;
  return mb_sim_singular(sim, ties->port[0], report);
}

void mb_ties_correct(MbSim *sim, double *x) {
  MbTies *ties = sim->ties;
  if (!ties) return;
  const int n = (int)ties->n;
  look(ties, sim, x, ties->u);
  mb_lapack.dgetrs(LAPACK_COL_MAJOR, 'T', n, 1, ties->F, n, ties->pivot, ties->u, n);
  mb_lapack.dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, ties->C, n, ties->u, 1, 0, ties->w, 1);
  for (size_t c = 0; c < 6 * ties->nbodies; c++)
    for (size_t i = 0; i < sim->nv; i++) x[i] -= ties->w[c] * ties->column[c * sim->nv + i];
  memset(ties->y, 0, sim->nv * sizeof *ties->y);
  memset(ties->x, 0, sim->nv * sizeof *ties->x);
  for (size_t k = 0; k < ties->nports; k++)
    memcpy(ties->y + mb_sim_port_velocity(sim, ties->port[k]), ties->w + 6 * ties->nbodies + 3 * k,
           3 * sizeof *x);
  mb_sim_soft_respond(sim, ties->y, ties->x);
  for (size_t i = first_port(sim); i < sim->nv; i++) x[i] -= ties->x[i];
}

void mb_ties_push(const MbSim *sim, double *impulse) {
  const MbTies *ties = sim->ties;
  for (size_t i = 0; ties && i < sim->nv; i++) impulse[i] += ties->push[i];
}

void mb_ties_pull(const MbSim *sim, const double *v, double *impulse) {
  const MbTies *ties = sim->ties;
  if (!ties) return;
  const int n = (int)ties->n;
  look(ties, sim, v, ties->u);
  mb_lapack.dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, ties->C, n, ties->u, 1, 0, ties->w, 1);
  for (size_t k = 0; k < ties->nports; k++)
    for (size_t axis = 0; axis < 3; axis++)
      impulse[mb_sim_port_velocity(sim, ties->port[k]) + axis] -= ties->w[6 * ties->nbodies + 3 * k + axis];
}
