// A bound of a coordinate (AR 0.4): g = sign (q − bound) ≥ 0, met by ġ ≥ −γ g. The published REDMAX code asks the other way
// round for ġ ≥ γ g at upper limits, a slip of sign; `outward` = 2 γ makes the same of it.
#include "core/constraints/limit.h"
#include "core/constraints/constraints.h"

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  const MbLimit *own = constraint->parameters;
  rows->v[0] = constraint->v[0], rows->c[0] = own->sign;
  rows->g = own->sign * (at->q[constraint->q[0]] - own->bound);
  rows->gt = -constraint->outward * rows->g;
  rows->angle = constraint->turns;
  rows->size = 1 + fabs(own->bound);
}

static double felt(const MbConstraint *constraint) { return ((const MbLimit *)constraint->parameters)->sign; }

const MbConstraintOps mb_limit_ops = {.name = "limits",
                                      .parameters = sizeof(MbLimit),
                                      .rows = 1,
                                      .coordinates = 1,
                                      .target = true,
                                      .felt = felt,
                                      .eval = eval};
