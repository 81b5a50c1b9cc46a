// Accelerations at an instant, by the solver's own recursion where it has one, and what the solver itself transmits.
#include "core/sim/accelerate.h"
#include "core/model/coordinates.h"
#include "core/sim/constrain.h"
#include "core/sim/evaluate.h"
#include "core/sim/claims.h"
#include "core/sim/trouble.h"

#include <string.h>

static bool accelerate(MbSim *sim, double t, const double *q, const double *v, double *vdot, size_t *blame) {
  const MbModel *model = sim->model;
  if (!sim->solver->accelerate) {
    mb_sim_forces(sim, t, false);
    if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, blame)) return false;
    mb_sim_gather(sim, q, v, vdot);
    return mb_claims_accelerations(sim, v, model->gamma, vdot);
  }
  const bool outside = mb_sim_outside(model);
  mb_sim_signals(sim, t);
  if (outside) mb_sim_outer_wrenches(sim, t);
  memset(vdot, 0, sim->nv * sizeof *vdot);
  mb_coordinates_forces(model, &sim->x, q, v, vdot);
  return sim->solver->accelerate(sim->work, outside ? sim->x.f : NULL, vdot, blame);
}

MbStatus mb_sim_accelerations(MbSim *sim, double t, const double *q, const double *v, double *vdot,
                              MbReport *report) {
  size_t blame = 0;
  return accelerate(sim, t, q, v, vdot, &blame) ? MB_OK : mb_sim_singular(sim, blame, report);
}

void mb_sim_reactions(MbSim *sim, double *y) {
  size_t blame = 0;
  if (!sim->solver->reactions) return;
  mb_sim_forces(sim, sim->state.t, false);
  mb_sim_gather(sim, sim->state.q, sim->state.v, sim->r);
  mb_constraint_push(sim, sim->r); // which begins an instant anew
  if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame)) return;
  if (sim->solver->apply(sim->work, sim->r, NULL, NULL)) sim->solver->reactions(sim->work, y);
}
