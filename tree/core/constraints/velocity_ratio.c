// Two bodies spin in step, each about an axis that is fixed in it (friction wheels, gears whose teeth nobody counts): with a
// and b the unit axes in the bodies' own axes and ω the bodies' angular velocities in space,
//   ġ = ratio a · ω_A − b · ω_B.
// No angles are kept in step, as none exist where the axes move (B96 3): g is not known. As a · ω_A is a number of the twist
// itself, g̈ has no further terms.
#include "core/constraints/constraints.h"

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  (void)at;
  const double factor[2] = {constraint->ratio, -1};
  for (int end = 0; end < 2; end++) {
    rows->body[end] = constraint->body[end];
    for (int i = 0; i < 3; i++) rows->H[end][i] = factor[end] * constraint->R[end][3 * i + 2];
  }
  rows->order = 1;
  rows->size = 1;
}

extern const MbConstraintOps mb_velocity_ratio_ops;
static double felt(const MbConstraint *constraint) { return constraint->ratio; }

const MbConstraintOps mb_velocity_ratio_ops = {
    .name = "velocity_ratio", .rows = 1, .felt = felt, .eval = eval};
