// A point of the second body stays on a line, or in a plane, of the first: with d from B to the line's point A and a the
// axes there, the third along the line (the plane's normal),
//   line:  a_1 · d = 0,  a_2 · d = 0        plane:  a_3 · d = 0.
#include "core/constraints/on_line.h"
#include "core/constraints/constraints.h"
#include "core/model/builder.h"

static void eval_line(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  for (int k = 0; k < 2; k++) mb_constraint_offset(constraint, k, at->x, &rows[k]);
}

static void eval_plane(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  mb_constraint_offset(constraint, 2, at->x, rows);
}

extern const MbConstraintOps mb_on_line_ops, mb_on_plane_ops;

static MbStatus build(MbBuilder *b, const MbConstraintSpec *from, const MbConstraintOps *ops) {
  const double *a = ((const MbAxisSpec *)from->parameters)->axis;
  const double axis[2][3] = {{a[0], a[1], a[2]}, {0, 0, 1}};
  MbConstraint *made = NULL;
  const MbStatus status = mb_builder_between(b, from, ops, axis, &made);
  if (status != MB_OK || !from->between[0].node) return status;
  return mb_error(b->report, MB_SCENE, b->where,
                  "a node has no axes: let the line or the plane be of a body, and the node the second end");
}

static MbStatus build_line(MbBuilder *b, const MbConstraintSpec *from) {
  return build(b, from, &mb_on_line_ops);
}
static MbStatus build_plane(MbBuilder *b, const MbConstraintSpec *from) {
  return build(b, from, &mb_on_plane_ops);
}

const MbConstraintOps mb_on_line_ops = {
    .name = "point_on_line", .rows = 2, .build = build_line, .eval = eval_line};
const MbConstraintOps mb_on_plane_ops = {
    .name = "point_on_plane", .rows = 1, .build = build_plane, .eval = eval_plane};
