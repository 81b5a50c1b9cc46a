// What kinds of constraints have of their own, for tests that make constraints by hand.
#ifndef MB_TESTS_CONSTRAINT_OWN_H
#define MB_TESTS_CONSTRAINT_OWN_H

#include "core/constraints/closure.h"
#include "core/constraints/constraints.h"
#include "core/constraints/distance.h"
#include "core/constraints/limit.h"
#include "core/constraints/ratio.h"
#include "core/constraints/rolling.h"

typedef union TestOwn {
  MbClosure closure;
  MbDistance distance;
  MbLimit limit;
  MbRatio ratio;
  MbRolling rolling;
} TestOwn;

// Fills what `ops` has, and lets the constraint have it.
static inline void test_own(MbConstraint *constraint, TestOwn *own, double length, double ratio,
                            double offset, double sign, const double radii[3]) {
  const MbConstraintOps *ops = constraint->ops;
  constraint->parameters = own;
  if (ops == mb_constraint_table[MB_CONSTRAINT_DISTANCE]) own->distance = (MbDistance){length};
  if (ops == mb_constraint_table[MB_CONSTRAINT_RATIO]) own->ratio = (MbRatio){ratio, offset};
  if (ops == mb_constraint_table[MB_CONSTRAINT_VELOCITY_RATIO]) own->ratio = (MbRatio){ratio, 0};
  if (ops == mb_constraint_table[MB_CONSTRAINT_ROLLING])
    own->rolling = (MbRolling){{radii[0], radii[1], radii[2]}};
  if (ops == &mb_limit_ops) own->limit = (MbLimit){sign, offset};
}

#endif
