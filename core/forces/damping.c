// Viscous damping on the twist of the centre of mass (RM 1.9.1): f = −d φ, D = −d 1. The bodies' own
// `damping`, and the force `damping` with one coefficient for all of them.
#include "core/forces/forces.h"

static void damp(MbMaximal *x, size_t b, double d) {
  for (size_t i = 6 * b; i < 6 * b + 6; i++) x->f[i] -= d * x->phi[i];
  if (x->D)
    for (size_t i = 0; i < 6; i++) x->D[36 * b + 7 * i] -= d;
}

static void eval_one(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)model;
  for (size_t b = begin; b < end; b++) damp(x, b, force->coefficient);
}

static void eval_each(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)force;
  for (size_t b = begin; b < end; b++) damp(x, b, model->damping[b]);
}

extern const MbForceOps mb_damping_ops;
const MbForceOps mb_damping_ops = {.name = "damping", .everywhere = true, .eval = eval_one};
const MbForceOps mb_body_damping_ops = {.name = "body damping", .everywhere = true, .eval = eval_each};
