// The kinematic mode, f = m v: velocities are no state, and follow from the forces (B96 3).
#include "core/sim/schemes.h"
#include "core/sim/stage.h"
#include "core/sim/constrain_halves.h"
#include "core/sim/evaluate.h"
#include "core/sim/claims.h"
#include "core/sim/kinematic.h"
#include "core/sim/layout.h"
#include "core/sim/trouble.h"

#include <string.h>

// Of bodies free in space. With f linearised at q + a h v⁺ and at v⁺,
// (M − D − a h K) v⁺ = f − D v,  q⁺ = q ⊕ h v⁺; a = 0, 1, ½ give Euler, implicit Euler and the midpoint rule.
MbStatus mb_scheme_kinematic(MbSim *sim, MbReport *report) {
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h;
  size_t blame = 0;
  mb_sim_forces(sim, sim->state.t + in->instant * h, true);
  mb_sim_gather(sim, sim->state.q, sim->state.v, sim->v1);
  mb_sim_add_blocks(sim, -1, 0, sim->state.v, sim->v1);
  if (!sim->solver->factor(sim->work, &sim->x, 1, in->a * h, in->exact, &blame))
    return mb_sim_singular(sim, blame, report);
  if (!sim->solver->apply(sim->work, sim->v1, NULL, NULL)) return mb_sim_unsolved(sim, report);
  mb_sim_move(sim, h, sim->v1);
  return MB_OK;
}

// f = m v with forces and rows at q ⊕ θ h w, θ the integrator's a: 0, 1, ½ give Euler, implicit Euler and the midpoint rule. A stage
// whose M resists velocities:  M w = f(q ⊕ θ h w, w) + Gᵀ λ,   A = M − D − θ h K.
MbStatus mb_scheme_kinematic_passes(MbSim *sim, MbReport *report) {
  enum { PASSES = 5 };
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h;
  const MbStage stage = {.half = {.theta = in->a, .impulse = 1},
                         .viscous = true,
                         .weight = 1,
                         .a = 1,
                         .b = in->a * h,
                         .exact = in->exact,
                         .t = sim->state.t + in->instant * h};
  double *w = sim->v1;
  memcpy(w, sim->state.v, sim->nv * sizeof *w);
  MbStatus status = mb_constrain_begin(sim, report);
  for (int k = 0; status == MB_OK && k < PASSES; k++) {
    mb_constrain_aim(sim, w);
    mb_sim_move(sim, in->a * h, w);
    status = mb_stage_pass(sim, &stage, sim->q1, true, w, report);
  }
  if (status == MB_OK) mb_sim_move(sim, h, w);
  return status;
}

MbStatus mb_sim_kinematic_velocity(MbSim *sim, double t, double *v, MbReport *report) {
  const MbSolverOps *solver = sim->solver;
  size_t blame = 0;
  mb_sim_forces(sim, t, true);
  mb_sim_gather(sim, sim->x.q, v, sim->r);
  mb_sim_add_blocks(sim, -1, 0, v, sim->r);
  if (!solver->factor(sim->work, &sim->x, 1, 0, true, &blame)) return mb_sim_singular(sim, blame, report);
  memcpy(v, sim->r, sim->nv * sizeof *v);
  if (!mb_claims_velocities(sim, v)) return mb_sim_unsolved(sim, report);
  return mb_constrain_kinematic(sim, sim->x.q, t, v, report);
}
