// Viscous damping on the twist of the centre of mass (RM 1.9.1): f = −d φ, D = −d 1. The bodies' own
// `damping`, and the force `damping` with one coefficient for all of them. Nodes, points that they are, have drag but turn
// without any (where a body that holds them turns them).
#include "core/forces/damping.h"
#include "core/forces/forces.h"

static void damp(MbMaximal *x, size_t b, size_t from, double d) {
  for (size_t i = from; i < 6; i++) x->f[6 * b + i] -= d * x->phi[6 * b + i];
  for (size_t i = from; i < 6 && x->D; i++) x->D[36 * b + 7 * i] -= d;
}

static double drag(const MbForce *force) { return ((const MbDamping *)force->parameters)->coefficient; }

static void eval_one(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  for (size_t b = begin; b < end; b++) damp(x, b, b < model->nlisted ? 0 : 3, drag(force));
}

static void eval_each(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)force;
  for (size_t b = begin; b < end; b++) damp(x, b, 0, model->damping[b]);
}

extern const MbForceOps mb_damping_ops;
const MbForceOps mb_damping_ops = {
    .name = "damping", .parameters = sizeof(MbDamping), .everywhere = true, .eval = eval_one, .drag = drag};
const MbForceOps mb_body_damping_ops = {.name = "body damping", .everywhere = true, .eval = eval_each};
