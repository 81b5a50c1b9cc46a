// The kinematic mode, f = m v: velocities are no state, and follow from the forces (B96 3).
#include "core/sim/schemes.h"
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

// f = m v with forces and rows at q ⊕ θ h w, θ the integrator's a: 0, 1, ½ give Euler, implicit Euler and the midpoint rule.
//   w ← w + A⁻¹ ( f(q ⊕ θ h w, w) − M w + Gᵀ λ ),   A = M − D − θ h K
MbStatus mb_scheme_kinematic_passes(MbSim *sim, MbReport *report) {
  enum { PASSES = 5 };
  const MbIntegrator *in = sim->integrator;
  const MbSolverOps *solver = sim->solver;
  const double h = sim->model->h;
  const MbHalf half = {.theta = in->a, .impulse = 1};
  double *w = sim->v1, *residual = sim->r, *change = sim->s;
  size_t blame = 0;
  memcpy(w, sim->state.v, sim->nv * sizeof *w);
  const MbStatus begun = mb_constrain_begin(sim, report);
  if (begun != MB_OK) return begun;
  for (int k = 0; k < PASSES; k++) {
    mb_constrain_aim(sim, w);
    mb_sim_move(sim, in->a * h, w);
    mb_sim_kinematics(sim, sim->q1, w);
    mb_sim_follow(sim, NULL, w);
    mb_sim_forces(sim, sim->state.t + in->instant * h, true);
    if (!solver->factor(sim->work, &sim->x, 1, in->a * h, in->exact, &blame))
      return mb_sim_singular(sim, blame, report);
    solver->momentum(sim->work, w, residual);
    mb_sim_gather(sim, sim->q1, w, change);
    for (size_t i = 0; i < sim->nv; i++) change[i] -= residual[i];
    if (!mb_claims_change(sim, &half, w, change)) return mb_sim_unsolved(sim, report);
    for (size_t i = 0; i < sim->nv; i++) w[i] += change[i];
    const MbStatus status = mb_constrain_half(sim, &half, sim->q1, w, change, report);
    if (status != MB_OK) return status;
  }
  mb_sim_move(sim, h, w);
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
  if (!mb_claims_velocities(sim, v)) return mb_sim_unsolved(sim, report);
  return mb_constrain_kinematic(sim, sim->x.q, t, v, report);
}
