// Bridson and Marino's scheme on bodies that are free in space and that nothing constrains (AR 0.9.4).
#include "core/sim/layout.h"
#include "core/sim/schemes.h"
#include "core/sim/stage.h"

#include <string.h>

//   A (v½ − v) = (h/2) f,  q⁺ = q ⊕ h v½,  A⁺ (v⁺ − v) = (h/2)(f + f′),   A = M − (h/2) D,  f′ = f(q⁺, v)
//
// Two stages of one pass each, of which the second has the first one's forces beside its own. A⁺ has D at q⁺, where f′ is: then the last
// equation is M (v⁺ − v) = (h/2)(f + f(q⁺, v⁺)) with forces linear in v, and dampers between bodies push as much one way as the other. D
// at q, in axes of bodies that have turned since, would not.
MbStatus mb_scheme_verlet(MbSim *sim, MbReport *report) {
  const double h = sim->model->h, *v = sim->state.v;
  double *half = sim->t, *v1 = sim->v1;
  MbStage stage = {.weight = h / 2,
                   .t = sim->state.t,
                   .force = sim->r,
                   .a = h / 2,
                   .exact = true,
                   .q = sim->state.q,
                   .there = true,
                   .passes = 1,
                   .factors = 1};
  memcpy(half, v, sim->nv * sizeof *half);
  const MbStatus status = mb_stage_solve(sim, &stage, NULL, half, report);
  if (status != MB_OK) return status;
  mb_sim_move(sim, h, half);

  stage.t = sim->state.t + h;
  stage.besides = stage.force, stage.force = half;
  stage.q = sim->q1, stage.there = false;
  memcpy(v1, v, sim->nv * sizeof *v1);
  return mb_stage_solve(sim, &stage, NULL, v1, report);
}
