// Gravity: f = ( 0 ; m Rᵀ g ), with g in world axes and R = R_WC.
// ∂f/∂δ = ( 0 0 ; m [Rᵀg] 0 ), needed only by integrators that keep second order in body axes.
#include "core/forces/forces.h"

static void eval(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)force;
  for (size_t b = begin; b < end; b++) {
    const double m = model->M[6 * b + 3];
    double g[3];
    mb_quat_unrotate(g, x->E[b].q, model->gravity);
    mb_vec3_add_scaled(x->f + 6 * b + 3, x->f + 6 * b + 3, m, g);
    if (x->K && x->exact) mb_force_add_turning(x->K + 36 * b, 3, m, g);
  }
}

const MbForceOps mb_gravity_ops = {.name = "gravity", .everywhere = true, .inertial = true, .eval = eval};
