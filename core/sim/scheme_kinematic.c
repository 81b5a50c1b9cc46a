// The kinematic mode, f = m v: velocities are no state, and follow from the forces (B96 3). Its stages are those whose M resists velocities
// as they are.
#include "core/sim/constrain_halves.h"
#include "core/sim/evaluate.h"
#include "core/sim/kinematic.h"
#include "core/sim/layout.h"
#include "core/sim/schemes.h"
#include "core/sim/stage.h"
#include "core/sim/trouble.h"

#include <math.h>
#include <string.h>

// Velocities v in and out at coordinates q, where the bodies are, from forces linearised about q + θ v⁺ and v⁺, of one pass:
// (M − D − θ K) v⁺ = f − D v
static MbStatus linear(MbSim *sim, const double *q, double t, double theta, bool exact, double *v,
                       MbReport *report) {
  const MbStage stage = {.viscous = true,
                         .whole = true,
                         .weight = 1,
                         .t = t,
                         .sD = -1,
                         .a = 1,
                         .b = theta,
                         .exact = exact,
                         .q = q,
                         .there = true,
                         .passes = 1,
                         .factors = 1};
  return mb_stage_solve(sim, &stage, NULL, v, report);
}

// Of bodies free in space. q⁺ = q ⊕ h v⁺, with θ = a h; a = 0, 1, ½ give Euler, implicit Euler and the midpoint rule.
MbStatus mb_scheme_kinematic(MbSim *sim, MbReport *report) {
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h;
  memcpy(sim->v1, sim->state.v, sim->nv * sizeof *sim->v1);
  const MbStatus status =
      linear(sim, sim->state.q, sim->state.t + in->instant * h, in->a * h, in->exact, sim->v1, report);
  if (status == MB_OK) mb_sim_move(sim, h, sim->v1);
  return status;
}

// w ← the velocities that the linearised forces and the rows at the start give, where no step before tells any: from none, stiff rods do not find
// theirs. Where they do not exist w stays.
static void guess(MbSim *sim, const MbStage *stage, double *w) {
  if (linear(sim, sim->state.q, stage->t, stage->b, stage->exact, w, NULL) == MB_OK &&
      mb_constrain_kinematic(sim, sim->state.q, stage->t, w, NULL) == MB_OK)
    return;
  memcpy(w, sim->state.v, sim->nv * sizeof *w);
}

// f = m v with forces and rows at q ⊕ θ h w, θ the integrator's a: 0, 1, ½ give Euler, implicit Euler and the midpoint rule. A stage
// whose coordinates move:  M w = f(q ⊕ θ h w, w) + Gᵀ λ,   A = M − D − θ h K.
MbStatus mb_scheme_kinematic_passes(MbSim *sim, MbReport *report) {
  enum { PASSES = 5 };
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h;
  const MbStage stage = {.viscous = true,
                         .weight = 1,
                         .t = sim->state.t + in->instant * h,
                         .a = 1,
                         .b = in->a * h,
                         .exact = in->exact,
                         .q = sim->q1,
                         .moves = true,
                         .ahead = in->a * h,
                         .rows = true,
                         .half = {.theta = in->a, .impulse = 1},
                         .passes = PASSES,
                         .factors = PASSES};
  double *w = sim->v1;
  memcpy(w, sim->state.v, sim->nv * sizeof *w);
  MbStatus status = mb_constrain_begin(sim, report);
  if (status == MB_OK && in->a > 0 && sim->state.step == 0) guess(sim, &stage, w);
  if (status == MB_OK) status = mb_stage_solve(sim, &stage, NULL, w, report);
  if (status == MB_OK) mb_sim_move(sim, h, w);
  return status;
}

// A pass linearises forces about the velocities that it begins with: of what is not linear in them, as muscles are, the ones of the moment
// are those that a pass leaves as they are. Where passes change them by no less than before, that has to be rounding: of forces that
// balance, less than what the adaptive integrator looks at. Schemes of fixed steps make a pass of their own of each step, and begin with one.
MbStatus mb_sim_kinematic_velocity(MbSim *sim, const double *q, double t, double *v, MbReport *report) {
  enum { PASSES = 1000 };
  static const double SETTLED = 1e-13, CLOSE = 1e-9; // of the fastest
  const bool adaptive = sim->integrator->scheme == MB_ADAPTIVE;
  double *before = sim->t, last = INFINITY;
  for (int k = 0; k < PASSES; k++) {
    double change = 0, fastest = 0;
    memcpy(before, v, sim->nv * sizeof *v);
    MbStatus status = linear(sim, q, t, 0, true, v, report);
    if (status == MB_OK) status = mb_constrain_kinematic(sim, q, t, v, report);
    if (status != MB_OK) return status;
    for (size_t i = 0; i < sim->nv; i++)
      change = fmax(change, fabs(v[i] - before[i])), fastest = fmax(fastest, fabs(v[i]));
    if (!adaptive || !(change > SETTLED * fastest)) return MB_OK;
    if (k > 1 && change >= last && change <= fmax(CLOSE * fastest, sim->model->integrator.absolute))
      return MB_OK;
    last = change;
    mb_sim_kinematics(sim, q, v);
    mb_sim_follow(sim, NULL, v);
  }
  return mb_sim_unsolved(sim, report);
}
