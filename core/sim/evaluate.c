// What the state's bodies feel at an instant, the same for every solver and scheme: where they are and how they move, the values of
// signals, the wrenches of all forces with their derivatives, and what these are along the solver's velocities.
#include "core/sim/evaluate.h"
#include "core/base/threads.h"
#include "core/forces/forces.h"
#include "core/model/coordinates.h"
#include "core/sim/trouble.h"

#include <string.h>

enum { GRAIN = 64 }; // bodies a thread at least

// ---- phases over ranges of bodies -------------------------------------------------------------------------

typedef struct Phase {
  MbSim *sim;
  double *q;
  const double *v;
  bool outside; // forces only that are not inertial
} Phase;

static void kinematics_range(void *context, size_t begin, size_t end) {
  const Phase *const p = context;
  p->sim->solver->kinematics(p->sim->work, p->q, p->v, &p->sim->x, begin, end);
}

void mb_sim_kinematics(MbSim *sim, const double *q, const double *v) {
  sim->x.q = q, sim->x.v = v;
  Phase phase = {.sim = sim, .q = (double *)q, .v = v};
  mb_parallel_ranges(sim->solver->by_ranges ? sim->threads : 1, sim->model->nb, GRAIN, kinematics_range,
                     &phase);
}

const size_t *mb_carriers(const MbModel *model, bool all, MbArena *arena) {
  size_t *carrier = mb_arena_alloc(arena, model->nb, sizeof *carrier);
  for (size_t b = 0; carrier && b < model->nb; b++) {
    const size_t parent = model->parent[b];
    carrier[b] = all || !model->joint[b].ops ? b : parent == MB_WORLD ? MB_WORLD : carrier[parent];
  }
  return carrier;
}

void mb_forces_of_range(const MbModel *model, MbMaximal *x, bool outside, size_t begin, size_t end) {
  memset(x->f + 6 * begin, 0, 6 * (end - begin) * sizeof *x->f);
  if (x->K) memset(x->K + 36 * begin, 0, 36 * (end - begin) * sizeof *x->K);
  if (x->D) memset(x->D + 36 * begin, 0, 36 * (end - begin) * sizeof *x->D);
  if (model->solver.mode == MB_DYNAMIC && !outside) mb_velocity_term_ops.eval(model, NULL, x, begin, end);
  if (outside && x->swing && model->any_swings) mb_velocity_term_swings(model, x, begin, end);
  if (end > mb_model_own(model)) end = mb_model_own(model); // on ports they act with the deformables
  for (size_t i = 0; i < model->nforces && begin < end; i++) {
    const MbForce *force = &model->forces[i];
    if (force->ops->everywhere && !(outside && force->ops->inertial))
      force->ops->eval(model, force, x, begin, end);
  }
}

void mb_forces_of_some(const MbModel *model, MbMaximal *x) {
  double *const K = x->K, *const D = x->D;
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForceOps *ops = model->forces[i].ops;
    if (ops->everywhere) continue;
    if (x->felt && ops->felt) x->K = x->D = NULL;
    ops->eval(model, &model->forces[i], x, 0, model->nb);
    x->K = K, x->D = D;
  }
}

static void forces_range(void *context, size_t begin, size_t end) {
  const Phase *const p = context;
  mb_forces_of_range(p->sim->model, &p->sim->x, p->outside, begin, end);
}

void mb_sim_hold_signals(MbSim *sim) {
  const MbModel *model = sim->model;
  for (size_t i = 0; i < model->nsignals; i++)
    if (model->signals[i].kind == MB_SIGNAL_CONSTANT) sim->signal[i] = mb_sim_signal(sim, i, 0);
}

void mb_sim_signals(MbSim *sim, double t) {
  for (size_t k = 0; k < sim->nvarying; k++) {
    const size_t i = sim->varying[k];
    sim->signal[i] = mb_sim_signal(sim, i, t);
  }
  if (sim->nvarying) mb_sim_watch_signals(sim, t);
  sim->x.t = t;
}

static void evaluate_forces(MbSim *sim, double t, bool derivatives, bool outside) {
  const MbModel *model = sim->model;
  double *const K = sim->x.K, *const D = sim->x.D;
  if (!derivatives) sim->x.K = sim->x.D = NULL;
  Phase phase = {.sim = sim, .outside = outside};
  mb_parallel_ranges(sim->threads, model->nb, GRAIN, forces_range, &phase);
  if (derivatives && model->npairs) {
    if (K) memset(K + 36 * model->nb, 0, 72 * model->npairs * sizeof *K);
    memset(D + 36 * model->nb, 0, 72 * model->npairs * sizeof *D);
  }
  mb_forces_of_some(model, &sim->x);
  mb_sim_watch_forces(sim, t);
  sim->x.K = K, sim->x.D = D;
}

bool mb_sim_outside(const MbModel *model) {
  bool outside = model->any_swings; // what solvers have in their passes knows of no swing
  for (size_t i = 0; i < model->nforces && !outside; i++) outside = !model->forces[i].ops->inertial;
  return outside;
}

void mb_sim_swings(MbSim *sim) {
  if (sim->x.swing && sim->model->any_swings) mb_velocity_term_swings(sim->model, &sim->x, 0, sim->model->nb);
}

void mb_sim_outer_wrenches(MbSim *sim, double t) { evaluate_forces(sim, t, false, true); }

void mb_sim_outer_blocks(MbSim *sim, double t) { evaluate_forces(sim, t, true, true); }

void mb_sim_outer_derivatives(MbSim *sim, double t, double *K, double *D) {
  MbMaximal *x = &sim->x;
  double *const had_K = x->K, *const had_D = x->D;
  const bool exact = x->exact;
  x->K = K, x->D = D, x->exact = true;
  mb_sim_signals(sim, t);
  evaluate_forces(sim, t, true, true);
  x->K = had_K, x->D = had_D, x->exact = exact;
}

void mb_sim_outer_unfelt(MbSim *sim, double t, double *K, double *D) {
  sim->x.felt = true;
  mb_sim_outer_derivatives(sim, t, K, D);
  sim->x.felt = false;
}

void mb_sim_wrenches(MbSim *sim, double t) {
  mb_sim_signals(sim, t);
  evaluate_forces(sim, t, false, false);
}

void mb_sim_forces(MbSim *sim, double t, bool derivatives) {
  mb_sim_signals(sim, t);
  evaluate_forces(sim, t, derivatives, false);
  if (derivatives && sim->stiffness)
    mb_coordinates_derivatives(sim->model, &sim->x, sim->stiffness, sim->damping);
  if (derivatives && sim->x.K && sim->x.exact) mb_coordinates_curve(sim->model, &sim->x);
  if (sim->solver->bias && sim->model->solver.mode == MB_DYNAMIC) sim->solver->bias(sim->work, &sim->x);
}

void mb_sim_gather(MbSim *sim, const double *q, const double *v, double *y) {
  sim->solver->gather(sim->work, sim->x.f, y);
  sim->solver->map->forces(sim->work, sim->model, &sim->x, q, v, y);
}

void mb_sim_add_blocks(MbSim *sim, double sD, double sK, const double *v, double *y) {
  if (sD == 0 && sK == 0) return;
  if (sD != 0 && sim->x.D) sim->solver->blocks(sim->work, sim->x.D, sD, v, y);
  if (sK != 0 && sim->x.K) sim->solver->blocks(sim->work, sim->x.K, sK, v, y);
  sim->solver->map->blocks(sim->work, sim->model, &sim->x, sD, sK, v, y);
}
