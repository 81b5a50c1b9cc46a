// The quadratic velocity term of M φ̇ = ad_φᵀ M φ + f, in C axes (RM 1.6), and its derivative in D for
// integrators that keep second order.
#include "core/forces/forces.h"
#include "core/math/spatial.h"

static void eval(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)force;
  for (size_t b = begin; b < end; b++) {
    mb_coriolis_add(x->f + 6 * b, model->M + 6 * b, x->phi + 6 * b);
    if (x->D && x->exact) mb_coriolis_add_D(x->D + 36 * b, model->M + 6 * b, x->phi + 6 * b);
  }
}

const MbForceOps mb_velocity_term_ops = {.name = "velocity term", .everywhere = true, .eval = eval};
