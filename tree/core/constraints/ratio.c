// Two coordinates in step (gears): g = ratio q_a + offset − q_b,  ġ = ratio q̇_a − q̇_b.
#include "core/constraints/constraints.h"

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  const double a = at->q[constraint->q[0]], b = at->q[constraint->q[1]];
  rows->v[0] = constraint->v[0], rows->c[0] = constraint->ratio;
  rows->v[1] = constraint->v[1], rows->c[1] = -1;
  rows->g = constraint->ratio * a + constraint->offset - b;
  rows->angle = constraint->turns;
  rows->size = 1 + fabs(constraint->ratio * a) + fabs(constraint->offset) + fabs(b);
}

extern const MbConstraintOps mb_ratio_ops;
static double felt(const MbConstraint *constraint) { return constraint->ratio; }

const MbConstraintOps mb_ratio_ops = {
    .name = "ratio", .rows = 1, .coordinates = 2, .felt = felt, .eval = eval};
