// The step of solver "projective" where nodes of deformables are tied to bodies: bodies, nodes and the rows between them in one system,
//
//   A_b v_b = r_b + G_bᵀ λ,   A_n Δ = M (q̃ − q) + h² f(q) + h G_nᵀ λ,   G_b v_b + G_n v_n = what the rows ask for
//
// with A_b the bodies' matrix and r_b their right-hand side, both at the step's start, as in a step of their own (scheme_once.c); A_n the
// deformables' constant matrix, Δ a correction of their iterate q and v_n = (q + Δ − q at the start)/h. The deformables'
// equations are solved by iterations, and in each of them the rows are solved for anew, with W = G_b A_b⁻¹ G_bᵀ + G_n A_n⁻¹ G_nᵀ. So
// what a node feels its body feels, with no step between, and every iterate satisfies the rows.
#include "core/sim/constrain.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/schemes.h"
#include "core/sim/sim_soft.h"
#include "core/sim/ties.h"

#include <string.h>

// One iteration: v ← velocities of bodies and ports, from those of the bodies when nothing ties them to the nodes.
static MbStatus pass(MbSim *sim, const double *loose, double *v, MbReport *report) {
  double *impulse = sim->s;
  memcpy(v, loose, sim->nv * sizeof *v);
  memset(impulse, 0, sim->nv * sizeof *impulse);
  mb_ties_push(sim, impulse);
  mb_sim_soft_pass(sim, impulse, v);
  mb_ties_correct(sim, v);
  MbStatus status = mb_constrain_solve(sim, v, report);
  if (status != MB_OK) return status;
  memset(impulse, 0, sim->nv * sizeof *impulse);
  mb_constrain_impulses(sim, impulse);
  mb_ties_pull(sim, v, impulse);
  return mb_sim_soft_end_pass(sim, impulse, report);
}

MbStatus mb_scheme_coupled(MbSim *sim, MbReport *report) {
  const double h = sim->model->h;
  double *loose = sim->t, *v1 = sim->v1;
  MbStatus status = mb_scheme_solve_once(sim, report);
  if (status != MB_OK) return status;
  memcpy(loose, sim->r, sim->nv * sizeof *loose);
  mb_constrain_prepare(sim);
  status = mb_sim_soft_begin(sim, sim->state.t + h, report);
  if (status != MB_OK) return status;
  sim->together = true;
  status = mb_ties_factor(sim, report);
  for (bool more = status == MB_OK; more; more = status == MB_OK && mb_sim_soft_goes_on(sim))
    status = pass(sim, loose, v1, report);
  sim->together = false;
  if (status != MB_OK) return status;
  mb_sim_soft_end(sim, v1);
  memcpy(sim->q1, sim->state.q, sim->nq * sizeof *sim->q1);
  mb_sim_fly(sim, sim->q1, h, v1);
  return MB_OK;
}
