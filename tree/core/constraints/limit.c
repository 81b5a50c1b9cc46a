// A bound of a coordinate (AR 0.4): g = sign (q − bound) ≥ 0, met by ġ ≥ −γ g. The published REDMAX code asks the other way
// round for ġ ≥ γ g at upper limits, a slip of sign; `outward` = 2 γ makes the same of it.
#include "core/constraints/constraints.h"

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  rows->v[0] = constraint->v[0], rows->c[0] = constraint->sign;
  rows->g = constraint->sign * (at->q[constraint->q[0]] - constraint->bound);
  rows->gt = -constraint->outward * rows->g;
  rows->angle = constraint->turns;
  rows->size = 1 + fabs(constraint->bound);
}

static double felt(const MbConstraint *constraint) { return constraint->sign; }

const MbConstraintOps mb_limit_ops = {
    .name = "limits", .rows = 1, .coordinates = 1, .felt = felt, .eval = eval};
