// Two points keep their distance L: with d = p_B − p_A, n = d/|d|,
//   g = L − |d|,   ġ = −n · ḋ,   g̈ = −n · d̈ − (|ḋ|² − (n · ḋ)²)/|d|.
// A rope may slacken: g ≥ 0. The multiplier is the tension, which draws A along n.
#include "core/constraints/constraints.h"

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  const MbPoint A = mb_constraint_point(constraint, 0, at->x), B = mb_constraint_point(constraint, 1, at->x);
  const double L = constraint->length;
  double n[3], rate[3], bend[3];
  mb_vec3_sub(n, B.p, A.p);
  mb_vec3_sub(rate, B.v, A.v);
  mb_vec3_sub(bend, B.a, A.a);
  const double d = mb_vec3_norm(n);
  if (d > 0)
    mb_vec3_scale(n, 1 / d, n);
  else
    mb_vec3_set(n, 1, 0, 0); // no direction is better than another
  const double along = mb_vec3_dot(n, rate);
  mb_constraint_along(constraint, 0, at->x, n, 1, rows);
  mb_constraint_along(constraint, 1, at->x, n, -1, rows);
  rows->g = L - d;
  rows->gtt = -mb_vec3_dot(n, bend) - (d > 0 ? (mb_vec3_dot(rate, rate) - along * along) / d : 0);
  rows->size = L;
}

extern const MbConstraintOps mb_distance_ops;
const MbConstraintOps mb_distance_ops = {.name = "distance", .rows = 1, .eval = eval};
