// Dry friction along a coordinate (Coulomb's law with a load that is known): ġ = q̇, |λ| ≤ most, and
//   q̇ = 0 inside,   q̇ ≤ 0 where λ = most,   q̇ ≥ 0 where λ = −most.
#include "core/constraints/frictionloss.h"
#include "core/constraints/constraints.h"

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  (void)at;
  rows->v[0] = constraint->v[0], rows->c[0] = 1;
  rows->order = 1;
  rows->angle = constraint->turns;
  rows->size = 1;
  rows->most = ((const MbFrictionLoss *)constraint->parameters)->most;
}

const MbConstraintOps mb_frictionloss_ops = {
    .name = "frictionloss", .parameters = sizeof(MbFrictionLoss), .rows = 1, .coordinates = 1, .eval = eval};
