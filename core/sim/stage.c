// A pass of Newton's method in residual form on a stage, each after the first an order more accurate whatever A is up to O(h):
//
//   w ← w + A⁻¹ ( M (from − w) + weight F(q, w, t) + Gᵀ λ ),   A = M − a D − b K
//
// so that A may leave out derivatives (of the quadratic terms, of M, of J; K and D unsymmetrised) at no cost in order, while what is
// linear (stiffness and damping of joints, damping of bodies) is solved exactly by every pass. λ is solved for anew by every pass.
#include "core/sim/stage.h"
#include "core/sim/constrain_halves.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/trouble.h"

static MbStatus try_pass(MbSim *sim, const MbStage *stage, const double *q, bool factor, double *w,
                         MbReport *report) {
  const MbSolverOps *solver = sim->solver;
  double *residual = sim->r, *change = sim->s;
  size_t blame = 0;

  mb_sim_kinematics(sim, q, w);
  mb_sim_follow(sim, NULL, w);
  mb_sim_forces(sim, stage->t, factor);
  if (factor && !solver->factor(sim->work, &sim->x, stage->a, stage->b, stage->exact, &blame))
    return mb_sim_singular(sim, blame, report);
  for (size_t i = 0; i < sim->nv; i++) residual[i] = stage->viscous ? -w[i] : stage->from[i] - w[i];
  solver->momentum(sim->work, residual, change);
  mb_sim_gather(sim, q, w, residual);
  for (size_t i = 0; i < sim->nv; i++) change[i] += stage->weight * residual[i];
  if (!mb_claims_change(sim, &stage->half, w, change)) return mb_sim_unsolved(sim, report);
  for (size_t i = 0; i < sim->nv; i++) w[i] += change[i];
  return MB_OK;
}

static MbStatus sound_pass(MbSim *sim, const MbStage *stage, const double *q, bool factor, double *w,
                           MbReport *report) {
  if (!factor || stage->viscous || !sim->model->npairs) return try_pass(sim, stage, q, factor, w, report);
  if (try_pass(sim, stage, q, factor, w, NULL) == MB_OK) return MB_OK;
  sim->x.safe = true;
  const MbStatus status = try_pass(sim, stage, q, factor, w, report);
  sim->x.safe = false;
  return status;
}

MbStatus mb_stage_pass(MbSim *sim, const MbStage *stage, const double *q, bool factor, double *w,
                       MbReport *report) {
  const MbStatus status = sound_pass(sim, stage, q, factor, w, report);
  return status == MB_OK ? mb_constrain_half(sim, &stage->half, q, w, sim->s, report) : status;
}
