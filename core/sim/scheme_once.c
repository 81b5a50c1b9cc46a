// Schemes of one solution a step, A v⁺ = r with the coefficients of the integrators' table: symplectic and implicit everywhere,
// trapezoidal where nothing but forces acts on bodies that are free in space.
#include "core/sim/accelerate.h"
#include "core/sim/constrain.h"
#include "core/sim/claims.h"
#include "core/sim/layout.h"
#include "core/sim/linear_watch.h"
#include "core/sim/schemes.h"
#include "core/sim/stage.h"

#include <string.h>

// What coordinates are moved by, before bodies fly and coordinates are exchanged.
static void note(const MbSim *sim, const double *v1) {
  if (sim->noted) memcpy(sim->noted, v1, sim->nv * sizeof *v1);
}

// What the one solution comes to where a = b = c = d = 0, for solvers that have accelerations at once.
MbStatus mb_scheme_explicit(MbSim *sim, MbReport *report) {
  const double h = sim->model->h, *v = sim->state.v, t = sim->state.t + sim->integrator->instant * h;
  double *v1 = sim->v1;
  MbStatus status = mb_sim_accelerations(sim, t, sim->state.q, v, v1, report);
  if (status != MB_OK) return status;
  for (size_t i = 0; i < sim->nv; i++) v1[i] = v[i] + h * v1[i];
  status = mb_constrain_velocity(sim, v1, report);
  if (status != MB_OK) return status;
  note(sim, v1);
  memcpy(sim->q1, sim->state.q, sim->nq * sizeof *sim->q1);
  mb_sim_fly(sim, sim->q1, h, v1);
  return MB_OK;
}

// A stage of one pass, its forces linearised about the state, those of elements and stiff springs under `implicit` about where these turn to. Of bodies free in space by what v changes, so that what nothing acts on stays
// to the last digit:  A (v⁺ − v) = h (f + (a − c) D v + (b + d) h K v)
MbStatus mb_scheme_solve_once(MbSim *sim, double *v1, MbReport *report) {
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h;
  const bool whole = sim->model->jointed || mb_claims_any(sim);
  const MbStage stage = {.whole = whole,
                         .weight = h,
                         .t = sim->state.t + in->instant * h,
                         .sD = whole ? -in->c : in->a - in->c,
                         .sK = whole ? in->d * h : (in->b + in->d) * h,
                         .a = in->a * h,
                         .b = in->b * h * h,
                         .exact = in->exact,
                         .q = sim->state.q,
                         .there = true,
                         .passes = 1,
                         .factors = 1};
  memcpy(v1, sim->state.v, sim->nv * sizeof *v1);
  sim->x.ahead = in->order == 1 && in->b != 0 ? h : 0;
  mb_linear_begin(sim);
  const MbStatus status = mb_stage_solve(sim, &stage, NULL, v1, report);
  sim->x.ahead = 0;
  return status;
}

// v1 ← v⁺, q1 ← q ⊕ h (w v + (1 − w) v⁺).
MbStatus mb_scheme_once(MbSim *sim, MbReport *report) {
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h, *v = sim->state.v;
  double *v1 = sim->v1, *mean = sim->r;
  MbStatus status = mb_scheme_solve_once(sim, v1, report);
  if (status == MB_OK) status = mb_constrain_velocity(sim, v1, report);
  if (status != MB_OK) return status;
  mb_linear_solved(sim, v1);
  note(sim, v1);
  memcpy(sim->q1, sim->state.q, sim->nq * sizeof *sim->q1);
  if (in->w == 0) {
    mb_sim_fly(sim, sim->q1, h, v1);
    return MB_OK;
  }
  for (size_t i = 0; i < sim->nv; i++) mean[i] = in->w * v[i] + (1 - in->w) * v1[i];
  mb_sim_advance(sim, sim->q1, h, mean);
  return MB_OK;
}
