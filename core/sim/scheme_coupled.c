// Bodies and deformables of elements in one step. The velocities v⁺ = (v_b, v_n) of both and the multipliers λ of the rows solve
//
//   A_b v_b = r_b + G_bᵀ λ,   A_n Δ = M (q̃ − q) + h² f(q) + h G_nᵀ λ,   G_b v_b + G_n v_n = what the rows ask for
//
// with A_b the bodies' matrix and r_b their right-hand side, both at the step's start, as in a step of their own (scheme_once.c); A_n the
// deformables' constant matrix, Δ a correction of their iterate q and v_n = (q + Δ − q at the start)/h. The deformables'
// equations are solved by passes, and in each of them the rows are solved for anew, with W = G_b A_b⁻¹ G_bᵀ + G_n A_n⁻¹ G_nᵀ. So
// what a node feels its body feels, with no step between, and every iterate satisfies the rows, contacts by as much as it still moves
// (touch_solve.c). Quasi-Newton steps and Newton's method have another matrix in the place of A_n in every pass, and may take less of a
// correction than it is: what is taken of the velocities is taken of the multipliers (solvers/projective/descent.c).
//
// Where no row and no force is about a node, bodies take their step as if there were no deformables, and nodes theirs when the bodies are
// where the step ends (nodes.c).
#include "core/sim/claims.h"
#include "core/sim/constrain.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/nodes.h"
#include "core/sim/schemes.h"

#include <string.h>

// One pass: v ← velocities of bodies and nodes, from those that they have when nothing is at nodes.
static MbStatus pass(MbSim *sim, const double *loose, double *v, MbReport *report) {
  const MbPassOps *passes = sim->solver->passes;
  double *impulse = sim->s;
  memcpy(v, loose, sim->nv * sizeof *v);
  mb_constrain_anew(sim);
  if (!passes->pass(sim->work, sim->push, v))
    return mb_nodes_judge(sim, false, sim->state.t + sim->model->h, report);
  mb_claims_recall(sim);
  const MbStatus status = mb_constrain_solve(sim, v, report);
  if (status != MB_OK) return status;
  memset(impulse, 0, sim->width * sizeof *impulse);
  mb_constrain_impulses(sim, impulse);
  if (passes->end_pass(sim->work, v, impulse, mb_constrain_forces(sim))) return MB_OK;
  return mb_nodes_judge(sim, false, sim->state.t + sim->model->h, report);
}

// Takes bodies that carry nodes to the step's end for a while, where what rows about nodes push is left out: such bodies are driven.
static MbStatus begin(MbSim *sim, const double *loose, MbReport *report) {
  const double h = sim->model->h, t = sim->state.t + h;
  double *v = sim->v1;
  if (!mb_nodes_carried(sim->model)) return mb_nodes_begin(sim, t, report);
  memcpy(v, loose, sim->nv * sizeof *v);
  MbStatus status = mb_constrain_bodies(sim, v, report);
  if (status != MB_OK) return status;
  memcpy(sim->q1, sim->state.q, sim->nq * sizeof *sim->q1);
  mb_sim_fly(sim, sim->q1, h, v);
  mb_sim_kinematics(sim, sim->q1, v);
  status = mb_nodes_prepare(sim, t, report);
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  if (status == MB_OK) sim->solver->passes->begin(sim->work, &sim->nodes->start);
  return status;
}

// As many passes as the nodes ask for. Contacts are solved to the end in the last one: where a pass has turned out to be that and they are
// not, there is one more.
static MbStatus make_passes(MbSim *sim, const double *loose, double *v, MbReport *report) {
  const MbPassOps *passes = sim->solver->passes;
  MbStatus status;
  bool more = true;
  do {
    mb_constrain_loosen(sim, more ? passes->moves(sim->work) : 0);
    status = pass(sim, loose, v, report);
    more = passes->goes_on(sim->work);
  } while (status == MB_OK && (more || mb_constrain_unfinished(sim)));
  mb_constrain_loosen(sim, 0);
  return status;
}

MbStatus mb_scheme_coupled(MbSim *sim, MbReport *report) {
  const MbPassOps *passes = sim->solver->passes;
  double *loose = sim->t, *v1 = sim->v1;
  sim->nodes->moved = sim->nodes->ahead = false;
  if (!passes->tied(sim->work)) return mb_scheme_once(sim, report);
  MbStatus status = mb_scheme_solve_once(sim, loose, report);
  if (status != MB_OK) return status;
  mb_claims_keep(sim);
  memcpy(sim->state.v + sim->nv, mb_nodes_velocities(sim), (sim->width - sim->nv) * sizeof *loose);
  mb_constrain_prepare(sim);
  status = begin(sim, loose, report);
  if (status == MB_OK) status = make_passes(sim, loose, v1, report);
  if (status != MB_OK) return status;
  if (!mb_nodes_end(sim, v1)) return mb_nodes_judge(sim, false, sim->state.t + sim->model->h, report);
  status = mb_constrain_settle(sim, report);
  if (status != MB_OK) return status;
  if (sim->noted) memcpy(sim->noted, v1, sim->nv * sizeof *v1);
  memcpy(sim->q1, sim->state.q, sim->nq * sizeof *sim->q1);
  mb_sim_fly(sim, sim->q1, sim->model->h, v1);
  return MB_OK;
}
