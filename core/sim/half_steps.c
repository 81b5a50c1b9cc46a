// Steps of second order in trees of joints, where M v̇ = F(q, v, t) with M and J functions of q, and F holding the
// quadratic terms −Jᵀ(M J̇ v − ad_φᵀ M φ). Both schemes are made of one thing, the implicit half step of the velocities at
// given coordinates,
//
//   half(q, t):  M(q) (w − v) = (h/2) F(q, w, t)
//
// solved by passes of Newton's method in residual form, each after the first an order more accurate whatever A is up to O(h):
//
//   w ← w + A⁻¹ ( M (v − w) + (h/2) F(q, w, t) ),   A = M − a h D − b h² K
//
// so that A may leave out derivatives (of the quadratic terms, of M, of J; K and D unsymmetrised) at no cost in order, while
// what is linear (stiffness and damping of joints, damping of bodies) is solved exactly by every pass.
//
// trapezoidal     the midpoint rule, which is the trapezoidal rule where F is linear and M constant:
//                   w from half(q ⊕ (h/2) w, t + h/2),   q⁺ = q ⊕ h w,   v⁺ = 2w − v
//                 Its coordinates move with w: ∂/∂w of F along them is (h/2) K, the b of the trapezoidal rule. The first pass
//                 (at q ⊕ (h/2) v and v) leaves w off by O(h²), the second by O(h³), which is what order two takes; the third
//                 turns the weak growth y⁴/8 of a gyroscopic oscillation of y radians a step into a decay.
// bridson_marino  u from half(q, t),   q⁺ = q ⊕ h u,   w from half(q⁺, t + h),   v⁺ = u + w − v
//                 For constant M and D this is AR 0.9.4. With u = v(t + h/2) + O(h²) the second half needs one pass, from u:
//                 without damping it is w = v + (h/2) M⁻¹F(q⁺, u), so that v⁺ = u + (h/2) M⁻¹F(q⁺, u) mirrors the first
//                 half and the step is its own inverse.
#include "core/sim/sim_internal.h"

#include <string.h>

// One pass at coordinates q and time t; w in and out. Without `factor` A is the last one, of the same q.
static MbStatus try_pass(MbSim *sim, const double *q, double t, bool factor, double *w, MbReport *report) {
  const MbIntegrator *in = sim->integrator;
  const MbSolverOps *solver = sim->solver;
  const double h = sim->model->h, *v = sim->state.v;
  double *residual = sim->r, *change = sim->s;
  size_t blame = 0;

  mb_sim_kinematics(sim, q, w);
  mb_sim_forces(sim, t, factor);
  if (factor && !solver->factor(sim->work, &sim->x, in->a * h, in->b * h * h, false, &blame))
    return mb_sim_singular(sim, blame, report);
  for (size_t i = 0; i < sim->nv; i++) residual[i] = v[i] - w[i];
  solver->momentum(sim->work, residual, change);
  mb_sim_gather(sim, q, w, residual);
  for (size_t i = 0; i < sim->nv; i++) change[i] += h / 2 * residual[i];
  if (!solver->apply(sim->work, change)) return mb_sim_unsolved(sim, report);
  for (size_t i = 0; i < sim->nv; i++) w[i] += change[i];
  return MB_OK;
}

// Where a large step makes A indefinite, it is taken without the derivatives that do so.
static MbStatus pass(MbSim *sim, const double *q, double t, bool factor, double *w, MbReport *report) {
  if (!factor || !sim->model->npairs) return try_pass(sim, q, t, factor, w, report);
  if (try_pass(sim, q, t, factor, w, NULL) == MB_OK) return MB_OK;
  sim->x.safe = true;
  const MbStatus status = try_pass(sim, q, t, factor, w, report);
  sim->x.safe = false;
  return status;
}

// sim->q1 ← q ⊕ h v of the state
static void move(MbSim *sim, double h, const double *v) {
  memcpy(sim->q1, sim->state.q, sim->nq * sizeof *sim->q1);
  mb_sim_advance(sim, sim->q1, h, v);
}

MbStatus mb_half_steps_midpoint(MbSim *sim, MbReport *report) {
  const double h = sim->model->h, *v = sim->state.v;
  double *w = sim->t;
  memcpy(w, v, sim->nv * sizeof *w);
  for (int k = 0; k < sim->integrator->passes; k++) {
    move(sim, h / 2, w);
    const MbStatus status = pass(sim, sim->q1, sim->state.t + h / 2, true, w, report);
    if (status != MB_OK) return status;
  }
  move(sim, h, w);
  for (size_t i = 0; i < sim->nv; i++) sim->v1[i] = 2 * w[i] - v[i];
  return MB_OK;
}

MbStatus mb_half_steps_verlet(MbSim *sim, MbReport *report) {
  const double h = sim->model->h, *v = sim->state.v;
  double *u = sim->t, *w = sim->v1;
  memcpy(u, v, sim->nv * sizeof *u);
  for (int k = 0; k < sim->integrator->passes; k++) {
    const MbStatus status = pass(sim, sim->state.q, sim->state.t, k == 0, u, report);
    if (status != MB_OK) return status;
  }
  move(sim, h, u);
  memcpy(w, u, sim->nv * sizeof *w);
  const MbStatus status = pass(sim, sim->q1, sim->state.t + h, true, w, report);
  for (size_t i = 0; i < sim->nv; i++) w[i] += u[i] - v[i];
  return status;
}
