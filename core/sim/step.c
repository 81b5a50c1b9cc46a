// One step, the same for every solver and force: forces → integrator → A → velocities → coordinates.
#include "core/base/report.h"
#include "core/base/threads.h"
#include "core/forces/forces.h"
#include "core/model/coordinates.h"
#include "core/sim/sim_internal.h"

#include <stdio.h>
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

double mb_sim_spin(const MbSim *sim) {
  double fastest = 0;
  for (size_t b = 0; b < sim->model->nb; b++)
    fastest = fmax(fastest, mb_vec3_dot(sim->x.phi + 6 * b, sim->x.phi + 6 * b));
  return sqrt(fastest);
}

// What stands where forces do and comes of inertia alone: some solvers have it in their passes.
static bool inertial(const MbForceOps *ops) { return ops == &mb_velocity_term_ops || ops == &mb_gravity_ops; }

// The velocity term and the forces that act on every body; range by range, so that each body's sum has one
// order. `outside` leaves out what is inertial.
static void forces_range(void *context, size_t begin, size_t end) {
  const Phase *const p = context;
  const MbModel *model = p->sim->model;
  MbMaximal *x = &p->sim->x;
  memset(x->f + 6 * begin, 0, 6 * (end - begin) * sizeof *x->f);
  if (x->K) memset(x->K + 36 * begin, 0, 36 * (end - begin) * sizeof *x->K);
  if (x->D) memset(x->D + 36 * begin, 0, 36 * (end - begin) * sizeof *x->D);
  if (model->solver.mode == MB_DYNAMIC && !p->outside) mb_velocity_term_ops.eval(model, NULL, x, begin, end);
  if (p->outside && x->swing) mb_velocity_term_swings(model, x, begin, end);
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForce *force = &model->forces[i];
    if (force->ops->everywhere && !(p->outside && inertial(force->ops)))
      force->ops->eval(model, force, x, begin, end);
  }
}

static void evaluate_signals(MbSim *sim, double t) {
  for (size_t i = 0; i < sim->model->nsignals; i++)
    sim->signal[i] = mb_signal_value(&sim->model->signals[i], sim->expressions[i], t);
  mb_sim_watch_signals(sim, t);
  sim->x.t = t;
}

static void evaluate_forces(MbSim *sim, double t, bool derivatives, bool outside) {
  const MbModel *model = sim->model;
  double *const K = sim->x.K, *const D = sim->x.D;
  if (!derivatives) sim->x.K = sim->x.D = NULL;
  Phase phase = {.sim = sim, .outside = outside};
  mb_parallel_ranges(sim->threads, model->nb, GRAIN, forces_range, &phase);
  if (derivatives && model->npairs) {
    memset(K + 36 * model->nb, 0, 72 * model->npairs * sizeof *K);
    memset(D + 36 * model->nb, 0, 72 * model->npairs * sizeof *D);
  }
  for (size_t i = 0; i < model->nforces; i++)
    if (!model->forces[i].ops->everywhere)
      model->forces[i].ops->eval(model, &model->forces[i], &sim->x, 0, model->nb);
  mb_sim_watch_forces(sim, t);
  sim->x.K = K, sim->x.D = D;
}

void mb_sim_wrenches(MbSim *sim, double t) {
  evaluate_signals(sim, t);
  evaluate_forces(sim, t, false, false);
}

void mb_sim_forces(MbSim *sim, double t, bool derivatives) {
  evaluate_signals(sim, t);
  evaluate_forces(sim, t, derivatives, false);
  if (derivatives && sim->stiffness)
    mb_coordinates_derivatives(sim->model, &sim->x, sim->stiffness, sim->damping);
  if (derivatives && sim->x.K && sim->x.exact) mb_coordinates_curve(sim->model, &sim->x);
  if (sim->solver->bias && sim->model->solver.mode == MB_DYNAMIC) sim->solver->bias(sim->work, &sim->x);
}

static bool accelerate(MbSim *sim, double t, const double *q, const double *v, double *vdot, size_t *blame) {
  const MbModel *model = sim->model;
  if (!sim->solver->accelerate) {
    mb_sim_forces(sim, t, false);
    if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, blame)) return false;
    mb_sim_gather(sim, q, v, vdot);
    return mb_held_accelerations(sim, v, model->gamma, vdot);
  }
  bool outside = model->any_flies; // what solvers have in their passes knows of no swing
  for (size_t i = 0; i < model->nforces && !outside; i++) outside = !inertial(model->forces[i].ops);
  evaluate_signals(sim, t);
  if (outside) evaluate_forces(sim, t, false, true);
  memset(vdot, 0, sim->nv * sizeof *vdot);
  mb_coordinates_forces(model, &sim->x, q, v, vdot);
  return sim->solver->accelerate(sim->work, outside ? sim->x.f : NULL, vdot, blame);
}

MbStatus mb_sim_accelerations(MbSim *sim, double t, const double *q, const double *v, double *vdot,
                              MbReport *report) {
  size_t blame = 0;
  return accelerate(sim, t, q, v, vdot, &blame) ? MB_OK : mb_sim_singular(sim, blame, report);
}

void mb_sim_gather(MbSim *sim, const double *q, const double *v, double *y) {
  const MbHeldOps *held = sim->solver->held;
  sim->solver->gather(sim->work, sim->x.f, y);
  if (!held) {
    if (sim->model->jointed) mb_coordinates_forces(sim->model, &sim->x, q, v, y);
    return;
  }
  if (!sim->model->sprung && !sim->model->ndrives) return;
  memset(sim->along, 0, sim->model->nv * sizeof *sim->along);
  mb_coordinates_forces(sim->model, &sim->x, sim->x.q, sim->x.v, sim->along);
  held->spread(sim->work, sim->along, y);
}

void mb_sim_add_blocks(MbSim *sim, double sD, double sK, const double *v, double *y) {
  if (sD == 0 && sK == 0) return;
  if (sD != 0) sim->solver->blocks(sim->work, sim->x.D, sD, v, y);
  if (sK != 0) sim->solver->blocks(sim->work, sim->x.K, sK, v, y);
  const MbHeldOps *held = sim->solver->held;
  if (!held) {
    if (sim->model->jointed) mb_coordinates_blocks(sim->model, &sim->x, sD, sK, v, y);
    return;
  }
  memset(sim->along, 0, sim->model->nv * sizeof *sim->along);
  held->rates(sim->work, v, sim->rate);
  mb_coordinates_blocks(sim->model, &sim->x, sD, sK, sim->rate, sim->along);
  held->spread(sim->work, sim->along, y);
}

void mb_sim_reactions(MbSim *sim, double *y) {
  size_t blame = 0;
  if (!sim->solver->reactions) return;
  mb_sim_forces(sim, sim->state.t, false);
  if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame)) return;
  mb_sim_gather(sim, sim->state.q, sim->state.v, sim->r);
  mb_constraint_push(sim, sim->r);
  if (sim->solver->apply(sim->work, sim->r)) sim->solver->reactions(sim->work, y);
}

// ---- troubles ---------------------------------------------------------------------------------------------

static const double FASTEST = 1e12, FARTHEST = 1e15; // no scene in any unit means more than this

// Comparisons with NaN are false. A quaternion's numbers are bounded if they are finite.
static bool is_sound(const double phi[6], const MbPose *E) {
  int ok = fabs(E->q[0]) <= 1e3;
  for (int i = 0; i < 6; i++) ok &= fabs(phi[i]) < FASTEST;
  for (int i = 0; i < 3; i++) ok &= fabs(E->p[i]) < FARTHEST;
  return ok;
}

// Without overflow on the way.
static double length(const double v[3]) { return mb_plain(hypot(hypot(v[0], v[1]), v[2])); }

MbStatus mb_sim_check(const MbSim *sim, double t, int64_t step, MbReport *report) {
  for (size_t b = 0; b < sim->model->nb; b++) {
    const double *phi = sim->x.phi + 6 * b, *p = sim->x.E[b].p;
    if (is_sound(phi, &sim->x.E[b])) continue;
    const MbStatus cause = mb_sim_trouble(sim, report);
    if (cause != MB_OK) return cause;
    bool finite = isfinite(sim->x.E[b].q[0]) != 0;
    for (int i = 0; i < 6; i++) finite &= isfinite(phi[i]) != 0;
    for (int i = 0; i < 3; i++) finite &= isfinite(p[i]) != 0;
    const char *grown = step ? "has grown beyond all bounds" : "starts beyond all bounds";
    char where[64] = "";
    size_t listed = 0;
    if (!step && mb_names_find(&sim->model->names, sim->model->body_name[b], &listed))
      snprintf(where, sizeof where, "/bodies/%zu", listed);
    return mb_error(report, MB_NUMBERS, where,
                    "at t = %.9g s, step %lld: %s \"%s\" %s (speed %.3g m/s, spin %.3g rad/s)", t,
                    (long long)step, mb_model_kind(sim->model, b), sim->model->body_name[b],
                    finite ? grown : "has numbers that are not finite", length(phi + 3), length(phi));
  }
  return MB_OK;
}

MbStatus mb_sim_singular(const MbSim *sim, size_t blame, MbReport *report) {
  const MbStatus cause = mb_sim_trouble(sim, report);
  if (cause != MB_OK) return cause;
  const char *holder = sim->solver->held ? sim->solver->held->holder(sim->work, blame) : NULL;
  if (holder)
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: constraint \"%s\" cannot hold body \"%s\": it is at a "
                    "singular position, or "
                    "two of its rows are the same",
                    sim->state.t, (long long)sim->state.step + 1, holder, sim->model->body_name[blame]);
  return mb_error(
      report, MB_NUMBERS, "",
      "at t = %.9g s, step %lld: the step's matrix is singular because of %s \"%s\": take a smaller step",
      sim->state.t, (long long)sim->state.step + 1, mb_model_kind(sim->model, blame),
      sim->model->body_name[blame]);
}

MbStatus mb_sim_unsolved(const MbSim *sim, MbReport *report) {
  const MbStatus cause = mb_sim_trouble(sim, report);
  if (cause != MB_OK) return cause;
  return mb_error(
      report, MB_NUMBERS, "",
      "at t = %.9g s, step %lld: the step's equations, which forces between bodies couple, cannot be "
      "solved to 1e-12: take a smaller step",
      sim->state.t, (long long)sim->state.step + 1);
}

// ---- the fixed-step schemes -------------------------------------------------------------------------------

// What one_solve comes to where a = b = c = d = 0, for solvers that have accelerations at once.
static MbStatus explicit_step(MbSim *sim, MbReport *report) {
  const double h = sim->model->h, *v = sim->state.v, t = sim->state.t + sim->integrator->instant * h;
  double *v1 = sim->v1;
  MbStatus status = mb_sim_accelerations(sim, t, sim->state.q, v, v1, report);
  if (status != MB_OK) return status;
  for (size_t i = 0; i < sim->nv; i++) v1[i] = v[i] + h * v1[i];
  status = mb_constrain_velocity(sim, v1, report);
  if (status != MB_OK) return status;
  memcpy(sim->q1, sim->state.q, sim->nq * sizeof *sim->q1);
  mb_sim_fly(sim, sim->q1, h, v1);
  return MB_OK;
}

static bool is_explicit(const MbIntegrator *in) {
  return in->a == 0 && in->b == 0 && in->c == 0 && in->d == 0 && in->w == 0;
}

// A and r of one_solve; r ← A⁻¹ r. Of bodies free in space by what v changes, so that what nothing acts on stays to the last
// digit:  A (v⁺ − v) = h (f + (a − c) D v + (b + d) h K v)
static MbStatus solve_once(MbSim *sim, MbReport *report) {
  const MbIntegrator *in = sim->integrator;
  const MbSolverOps *solver = sim->solver;
  const double h = sim->model->h;
  const double *v = sim->state.v;
  double *r = sim->r;
  const bool change = !sim->model->jointed && !solver->held;
  size_t blame = 0;

  mb_sim_forces(sim, sim->state.t + in->instant * h, sim->x.D != NULL);
  mb_sim_gather(sim, sim->state.q, v, r);
  if (change) {
    mb_sim_add_blocks(sim, in->a - in->c, (in->b + in->d) * h, v, r);
    for (size_t i = 0; i < sim->nv; i++) r[i] *= h;
  } else {
    mb_sim_add_blocks(sim, -in->c, in->d * h, v, r);
    solver->momentum(sim->work, v, sim->s);
    for (size_t i = 0; i < sim->nv; i++) r[i] = sim->s[i] + h * r[i];
  }

  if (!solver->factor(sim->work, &sim->x, in->a * h, in->b * h * h, in->exact, &blame))
    return mb_sim_singular(sim, blame, report);
  const bool solved = mb_held_velocities(sim, r);
  for (size_t i = 0; change && i < sim->nv; i++) r[i] += v[i];
  return solved ? MB_OK : mb_sim_unsolved(sim, report);
}

// A v⁺ = r with the coefficients of the integrators' table; v1 ← v⁺, q1 ← q ⊕ h (w v + (1 − w) v⁺). Where large steps make
// A indefinite, as a spring's sideways push under compression does, it is taken without such derivatives.
static MbStatus one_solve(MbSim *sim, MbReport *report) {
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h, *v = sim->state.v;
  double *r = sim->r;
  MbStatus status = solve_once(sim, in->exact || !sim->x.K ? report : NULL);
  if (status != MB_OK && sim->x.K && !in->exact) {
    sim->x.safe = true;
    status = solve_once(sim, report);
    sim->x.safe = false;
  }
  if (status == MB_OK) status = mb_constrain_velocity(sim, r, report);
  if (status != MB_OK) return status;
  memcpy(sim->v1, r, sim->nv * sizeof *r);
  memcpy(sim->q1, sim->state.q, sim->nq * sizeof *sim->q1);
  if (in->w == 0) {
    mb_sim_fly(sim, sim->q1, h, sim->v1);
    return MB_OK;
  }
  for (size_t i = 0; i < sim->nv; i++) r[i] = in->w * v[i] + (1 - in->w) * r[i];
  mb_sim_advance(sim, sim->q1, h, r);
  return MB_OK;
}

// A = M − (h/2) D;  A (v½ − v) = (h/2) f,  q⁺ = q ⊕ h v½,  A (v⁺ − v) = (h/2)(f + f′), f′ = f(q⁺, v)
static MbStatus verlet(MbSim *sim, MbReport *report) {
  const MbSolverOps *solver = sim->solver;
  const MbModel *model = sim->model;
  const double h = model->h, *v = sim->state.v;
  double *f = sim->r, *last = sim->s, *half = sim->t, *v1 = sim->v1;
  size_t blame = 0;

  mb_sim_forces(sim, sim->state.t, true);
  if (!solver->factor(sim->work, &sim->x, h / 2, 0, true, &blame)) return mb_sim_singular(sim, blame, report);
  mb_sim_gather(sim, sim->state.q, v, f);
  for (size_t i = 0; i < sim->nv; i++) half[i] = h / 2 * f[i];
  if (!solver->apply(sim->work, half)) return mb_sim_unsolved(sim, report);
  for (size_t i = 0; i < sim->nv; i++) half[i] += v[i];
  memcpy(sim->q1, sim->state.q, sim->nq * sizeof *sim->q1);
  mb_sim_advance(sim, sim->q1, h, half);

  mb_sim_kinematics(sim, sim->q1, v);
  mb_sim_forces(sim, sim->state.t + h, false);
  mb_sim_gather(sim, sim->q1, v, last);
  for (size_t i = 0; i < sim->nv; i++) v1[i] = h / 2 * (f[i] + last[i]);
  const bool solved = solver->apply(sim->work, v1);
  for (size_t i = 0; i < sim->nv; i++) v1[i] += v[i];
  return solved ? MB_OK : mb_sim_unsolved(sim, report);
}

// The kinematic mode f = m v (B96 3): velocities are no state. With f linearised at q + a h v⁺ and at v⁺,
// (M − D − a h K) v⁺ = f − D v,  q⁺ = q ⊕ h v⁺; a = 0, 1, ½ give Euler, implicit Euler and the midpoint rule.
static MbStatus first_order(MbSim *sim, MbReport *report) {
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h;
  size_t blame = 0;
  mb_sim_forces(sim, sim->state.t + in->instant * h, true);
  mb_sim_gather(sim, sim->state.q, sim->state.v, sim->v1);
  mb_sim_add_blocks(sim, -1, 0, sim->state.v, sim->v1);
  if (!sim->solver->factor(sim->work, &sim->x, 1, in->a * h, in->exact, &blame))
    return mb_sim_singular(sim, blame, report);
  if (!sim->solver->apply(sim->work, sim->v1)) return mb_sim_unsolved(sim, report);
  memcpy(sim->q1, sim->state.q, sim->nq * sizeof *sim->q1);
  mb_sim_advance(sim, sim->q1, h, sim->v1);
  return MB_OK;
}

MbStatus mb_sim_kinematic_velocity(MbSim *sim, double t, double *v, MbReport *report) {
  const MbSolverOps *solver = sim->solver;
  size_t blame = 0;
  mb_sim_forces(sim, t, true);
  mb_sim_gather(sim, sim->x.q, v, sim->r);
  mb_sim_add_blocks(sim, -1, 0, v, sim->r);
  if (!solver->factor(sim->work, &sim->x, 1, 0, true, &blame)) return mb_sim_singular(sim, blame, report);
  memcpy(v, sim->r, sim->nv * sizeof *v);
  if (!mb_held_velocities(sim, v)) return mb_sim_unsolved(sim, report);
  return mb_constrain_kinematic(sim, sim->x.q, t, v, report);
}

static bool all_below(const double *x, size_t n, double bound) {
  int ok = 1;
  for (size_t i = 0; i < n; i++) ok &= fabs(x[i]) < bound; // false of NaN
  return ok;
}

// Coordinates and velocities so small that no body can be beyond the bounds: a look at the bodies, which are far more
// numbers, is saved.
static bool is_tame(const MbSim *sim) {
  static const double SMALL = 1e6;
  return sim->model->jointed && !sim->solver->held && all_below(sim->v1, sim->nv, SMALL) &&
         all_below(sim->q1, sim->nq, SMALL);
}

// Makes (q1, v1) the state if it is sound; else the bodies are put back where the state is.
static MbStatus commit(MbSim *sim, MbReport *report) {
  MbState *state = &sim->state;
  const int64_t step = state->step + 1;
  const double t = (double)step * sim->model->h;
  mb_sim_settle(sim, sim->q1, sim->v1);
  MbStatus status = is_tame(sim) ? MB_OK : mb_sim_check(sim, t, step, report);
  if (status == MB_OK) status = mb_constrain_position(sim, sim->q1, sim->v1, t, report);
  if (status == MB_OK) mb_sim_follow(sim, sim->q1, sim->v1);
  if (status == MB_OK) status = mb_sim_soft_step(sim, t, report);
  if (status == MB_OK) status = mb_gaps_watch(sim, sim->q1, sim->v1, t, report);
  if (status == MB_OK) status = mb_constrain_commit(sim, sim->q1, sim->v1, t, report);
  if (status != MB_OK) {
    mb_sim_kinematics(sim, state->q, state->v);
    return status;
  }
  mb_sim_soft_commit(sim);
  double *const q = state->q, *const v = state->v;
  state->q = sim->q1, state->v = sim->v1;
  sim->q1 = q, sim->v1 = v;
  state->step = step;
  state->t = t;
  return MB_OK;
}

MbStatus mb_sim_step(MbSim *sim, MbReport *report) {
  MbStatus status = MB_OK;
  sim->trouble[0] = 0;
  mb_sim_recall(sim);
  if (sim->integrator->scheme == MB_ADAPTIVE)
    status = mb_rk45_step(sim, (double)(sim->state.step + 1) * sim->model->h, report);
  else if (sim->model->solver.mode == MB_FIRST_ORDER)
    status = sim->constraining || sim->model->jointed ? mb_half_steps_kinematic(sim, report)
                                                      : first_order(sim, report);
  else if ((sim->model->jointed || sim->constraining) && sim->integrator->passes)
    status = sim->integrator->scheme == MB_VERLET ? mb_half_steps_verlet(sim, report)
                                                  : mb_half_steps_midpoint(sim, report);
  else if (sim->integrator->scheme == MB_VERLET)
    status = verlet(sim, report);
  else if (sim->solver->accelerate && is_explicit(sim->integrator))
    status = explicit_step(sim, report);
  else
    status = one_solve(sim, report);
  if (status == MB_OK)
    status = commit(sim, report);
  else
    mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  if (status == MB_OK) mb_watch_step(sim, report);
  if (status == MB_NUMBERS) mb_watch_failure(sim, report);
  return status;
}
