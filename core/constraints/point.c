// Two points are one (RM 2.8): g = p_A − p_B in the world's axes, three rows
//   ġ_i = e_i · (ṗ_A − ṗ_B),   g̈_i = H φ̇ + e_i · (p̈_A − p̈_B at φ̇ = 0).
// A tree of parallel hinges cannot move along them, so that one of the three directions does nothing there: RM takes the
// two rows normal to A's hinge. Here all three stay, and the solution by pivots drops what depends on the rest, whatever
// the axes are (contact/pivoting.c); a gap along a dropped direction is told.
#include "core/constraints/constraints.h"

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  const MbPoint A = mb_constraint_point(constraint, 0, at->x), B = mb_constraint_point(constraint, 1, at->x);
  const double size = mb_constraint_size(constraint, &A, &B);
  for (int i = 0; i < 3; i++) {
    const double e[3] = {i == 0, i == 1, i == 2};
    mb_constraint_along(constraint, 0, at->x, e, 1, &rows[i]);
    mb_constraint_along(constraint, 1, at->x, e, -1, &rows[i]);
    rows[i].g = A.p[i] - B.p[i];
    rows[i].gtt = A.a[i] - B.a[i];
    rows[i].size = size;
  }
}

static void bend(const MbConstraint *constraint, const MbInstant *at, MbRowBend *rows) {
  for (int i = 0; i < 3; i++) {
    const double e[3] = {i == 0, i == 1, i == 2};
    for (int end = 0; end < 2; end++)
      mb_constraint_bend_along(constraint, end, end, at->x, e, NULL, end ? -1 : 1, &rows[i]);
  }
}

extern const MbConstraintOps mb_point_ops;
const MbConstraintOps mb_point_ops = {.name = "point", .rows = 3, .eval = eval, .bend = bend};
