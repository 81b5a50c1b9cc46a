// Two bodies spin in step, each about an axis that is fixed in it (friction wheels, gears whose teeth nobody counts): with a
// and b the unit axes in the bodies' own axes and ω the bodies' angular velocities in space,
//   ġ = ratio a · ω_A − b · ω_B.
// No angles are kept in step, as none exist where the axes move (B96 3): g is not known. As a · ω_A is a number of the twist
// itself, g̈ has no further terms.
#include "core/constraints/ratio.h"
#include "core/constraints/constraints.h"
#include "core/model/builder.h"

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  (void)at;
  const double factor[2] = {((const MbRatio *)constraint->parameters)->ratio, -1};
  for (int end = 0; end < 2; end++) {
    rows->body[end] = constraint->body[end];
    for (int i = 0; i < 3; i++) rows->H[end][i] = factor[end] * constraint->R[end][3 * i + 2];
  }
  rows->order = 1;
  rows->size = 1;
}

extern const MbConstraintOps mb_velocity_ratio_ops;
static double felt(const MbConstraint *constraint) {
  return ((const MbRatio *)constraint->parameters)->ratio;
}

static MbStatus build(MbBuilder *b, const MbConstraintSpec *from) {
  static const char *const keys[2] = {"bodies/0", "bodies/1"};
  static const MbFrameSpec origin = {.rotation = {1, 0, 0, 0}};
  const MbVelocityRatioSpec *spec = from->parameters;
  MbConstraint *made = NULL;
  const MbStatus status = mb_builder_rates(b, from, &mb_velocity_ratio_ops, spec->bodies, keys, &made);
  if (status != MB_OK) return status;
  for (int end = 0; end < 2; end++) mb_model_place(b->model, &origin, spec->axes[end], end, made);
  ((MbRatio *)mb_builder_own(made))->ratio = spec->ratio;
  return MB_OK;
}

const MbConstraintOps mb_velocity_ratio_ops = {.name = "velocity_ratio",
                                               .parameters = sizeof(MbRatio),
                                               .rows = 1,
                                               .rates = true,
                                               .build = build,
                                               .felt = felt,
                                               .eval = eval};
