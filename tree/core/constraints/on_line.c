// A point of the second body stays on a line, or in a plane, of the first: with d from B to the line's point A and a the
// axes there, the third along the line (the plane's normal),
//   line:  a_1 · d = 0,  a_2 · d = 0        plane:  a_3 · d = 0.
#include "core/constraints/constraints.h"

static void eval_line(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  for (int k = 0; k < 2; k++) mb_constraint_offset(constraint, k, at->x, &rows[k]);
}

static void eval_plane(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  mb_constraint_offset(constraint, 2, at->x, rows);
}

extern const MbConstraintOps mb_on_line_ops, mb_on_plane_ops;
const MbConstraintOps mb_on_line_ops = {.name = "point_on_line", .rows = 2, .eval = eval_line};
const MbConstraintOps mb_on_plane_ops = {.name = "point_on_plane", .rows = 1, .eval = eval_plane};
