// The quadratic velocity term of M φ̇ = ad_φᵀ M φ + f, in C axes (RM 1.6), as the solvers' coordinates want it:
//   trees of joints   all of it, as in print; what J̇ of bodies free in space takes off again is the force
//   carried           its torque: all linear velocities are in the world's axes
//   bodies that fly   for the torque the swing of the step (flight.h)
// and the derivative of the torque in D for integrators that keep second order.
#include "core/forces/forces.h"
#include "core/math/spatial.h"
#include "core/model/flight.h"

void mb_velocity_term_swings(const MbModel *model, MbMaximal *x, size_t begin, size_t end) {
  for (size_t b = begin; b < end; b++) {
    if (!model->swings[b]) continue;
    mb_flight_swing(model->h, model->M + 6 * b, x->phi + 6 * b, x->swing + 3 * b);
    mb_vec3_add_scaled(x->f + 6 * b, x->f + 6 * b, 1 / model->h, x->swing + 3 * b);
  }
}

static void eval(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)force;
  if (x->swing && model->any_swings) mb_velocity_term_swings(model, x, begin, end);
  for (size_t b = begin; b < end; b++) {
    const double *M = model->M + 6 * b, *phi = x->phi + 6 * b;
    if (!(x->swing && model->flies[b])) mb_gyroscopic_add(x->f + 6 * b, M, phi);
    if (!x->carried) mb_turning_add(x->f + 6 * b, M, phi);
    if (x->D && x->exact) mb_gyroscopic_add_D(x->D + 36 * b, M, phi);
  }
}

const MbForceOps mb_velocity_term_ops = {
    .name = "velocity term", .everywhere = true, .inertial = true, .eval = eval};
