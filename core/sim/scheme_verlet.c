// Bridson and Marino's scheme on bodies that are free in space and that nothing constrains (AR 0.9.4).
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/schemes.h"
#include "core/sim/trouble.h"

//   A (v½ − v) = (h/2) f,  q⁺ = q ⊕ h v½,  A⁺ (v⁺ − v) = (h/2)(f + f′),   A = M − (h/2) D,  f′ = f(q⁺, v)
//
// A⁺ has D at q⁺, where f′ is: then the last equation is M (v⁺ − v) = (h/2)(f + f(q⁺, v⁺)) with forces linear in v, and dampers between
// bodies push as much one way as the other. D at q, in axes of bodies that have turned since, would not.
MbStatus mb_scheme_verlet(MbSim *sim, MbReport *report) {
  const MbSolverOps *solver = sim->solver;
  const MbModel *model = sim->model;
  const double h = model->h, *v = sim->state.v;
  double *f = sim->r, *last = sim->s, *half = sim->t, *v1 = sim->v1;
  size_t blame = 0;

  mb_sim_forces(sim, sim->state.t, true);
  if (!solver->factor(sim->work, &sim->x, h / 2, 0, true, &blame)) return mb_sim_singular(sim, blame, report);
  mb_sim_gather(sim, sim->state.q, v, f);
  for (size_t i = 0; i < sim->nv; i++) half[i] = h / 2 * f[i];
  if (!solver->apply(sim->work, half, NULL, NULL)) return mb_sim_unsolved(sim, report);
  for (size_t i = 0; i < sim->nv; i++) half[i] += v[i];
  mb_sim_move(sim, h, half);

  mb_sim_kinematics(sim, sim->q1, v);
  mb_sim_forces(sim, sim->state.t + h, true);
  if (!solver->factor(sim->work, &sim->x, h / 2, 0, true, &blame)) return mb_sim_singular(sim, blame, report);
  mb_sim_gather(sim, sim->q1, v, last);
  for (size_t i = 0; i < sim->nv; i++) v1[i] = h / 2 * (f[i] + last[i]);
  const bool solved = solver->apply(sim->work, v1, NULL, NULL);
  for (size_t i = 0; i < sim->nv; i++) v1[i] += v[i];
  return solved ? MB_OK : mb_sim_unsolved(sim, report);
}
