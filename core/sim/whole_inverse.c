#include "core/sim/whole_inverse.h"
#include "core/sim/sim_soft.h"
#include "core/sim/ties.h"

#include <string.h>

bool mb_whole_apply(MbSim *sim, double *x, double *lambda) {
  if (!sim->together) return sim->solver->apply(sim->work, x, NULL, lambda);
  memcpy(sim->impulse, x, sim->nv * sizeof *x);
  const bool fine = sim->solver->apply(sim->work, x, NULL, lambda);
  mb_sim_soft_respond(sim, sim->impulse, x);
  mb_ties_correct(sim, x);
  return fine;
}
