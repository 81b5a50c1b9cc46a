// Schemes of one solution a step, A v⁺ = r with the coefficients of the integrators' table: symplectic and implicit everywhere,
// trapezoidal where nothing but forces acts on bodies that are free in space.
#include "core/sim/accelerate.h"
#include "core/sim/constrain.h"
#include "core/sim/evaluate.h"
#include "core/sim/claims.h"
#include "core/sim/layout.h"
#include "core/sim/schemes.h"
#include "core/sim/trouble.h"

#include <string.h>

// What the one solution comes to where a = b = c = d = 0, for solvers that have accelerations at once.
MbStatus mb_scheme_explicit(MbSim *sim, MbReport *report) {
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

// Moves what forces do at nodes over the step to sim->push, where nodes and bodies are solved for together: passes solve for them.
static void split_nodes(MbSim *sim, double *r) {
  const MbPassOps *passes = sim->solver->passes;
  if (!passes || !passes->tied(sim->work)) return;
  passes->split(sim->work, r, sim->push);
  passes->split(sim->work, sim->s, NULL);
  for (size_t i = 0; i < sim->nv; i++) sim->push[i] *= sim->model->h;
}

// A and r of the scheme; r ← A⁻¹ r. Of bodies free in space by what v changes, so that what nothing acts on stays to the last
// digit:  A (v⁺ − v) = h (f + (a − c) D v + (b + d) h K v)
static MbStatus solve_once(MbSim *sim, MbReport *report) {
  const MbIntegrator *in = sim->integrator;
  const MbSolverOps *solver = sim->solver;
  const double h = sim->model->h;
  const double *v = sim->state.v;
  double *r = sim->r;
  const bool change = !sim->model->jointed && !mb_claims_any(sim);
  size_t blame = 0;

  mb_sim_forces(sim, sim->state.t + in->instant * h, in->a != 0);
  mb_sim_gather(sim, sim->state.q, v, r);
  if (change) {
    mb_sim_add_blocks(sim, in->a - in->c, (in->b + in->d) * h, v, r);
    for (size_t i = 0; i < sim->nv; i++) r[i] *= h;
  } else {
    mb_sim_add_blocks(sim, -in->c, in->d * h, v, r);
    solver->momentum(sim->work, v, sim->s);
    split_nodes(sim, r);
    for (size_t i = 0; i < sim->nv; i++) r[i] = sim->s[i] + h * r[i];
  }

  if (!solver->factor(sim->work, &sim->x, in->a * h, in->b * h * h, in->exact, &blame))
    return mb_sim_singular(sim, blame, report);
  const bool solved = mb_claims_velocities(sim, r);
  for (size_t i = 0; change && i < sim->nv; i++) r[i] += v[i];
  return solved ? MB_OK : mb_sim_unsolved(sim, report);
}

MbStatus mb_scheme_solve_once(MbSim *sim, MbReport *report) {
  const bool again = sim->x.K && !sim->integrator->exact;
  MbStatus status = solve_once(sim, again ? NULL : report);
  if (status == MB_OK || !again) return status;
  sim->x.safe = true;
  status = solve_once(sim, report);
  sim->x.safe = false;
  return status;
}

// A v⁺ = r with the coefficients of the integrators' table; v1 ← v⁺, q1 ← q ⊕ h (w v + (1 − w) v⁺).
MbStatus mb_scheme_once(MbSim *sim, MbReport *report) {
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h, *v = sim->state.v;
  double *r = sim->r;
  MbStatus status = mb_scheme_solve_once(sim, report);
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
