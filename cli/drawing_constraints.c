// Where the forces of constraints act: for each row of channel constraint.force the direction that its number goes along. Rows that are
// about joints' coordinates (limits, motions, ratios) and those of joints that are looked for have none: what they do is in the joints' reactions.
#include "cli/drawing.h"
#include "core/constraints/closure.h"
#include "core/constraints/constraints.h"
#include "core/constraints/rolling.h"
#include "core/model/ops.h"

#include <string.h>

static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// Column k of the axes at an end, in the axes of the scene's frame of the body; in the world's.
static void axis_of(const MbDrawing *d, const MbConstraint *c, int end, int k, double axis[3]) {
  const double r[3] = {c->R[end][k], c->R[end][3 + k], c->R[end][6 + k]};
  if (c->body[end] == MB_WORLD)
    mb_vec3_copy(axis, r);
  else
    mb_quat_rotate(axis, d->model->C[c->body[end]].q, r);
}

static void add_vector(MbText *t, const double x[3]) {
  for (int i = 0; i < 3; i++) {
    mb_text_add(t, i ? "," : "[");
    mb_text_number(t, x[i]);
  }
  mb_text_add(t, "]");
}

// A row along an axis that is fixed at an end (0, 1), or in the world (−1).
static void add_row(const MbDrawing *d, const char *kind, int end, const double axis[3], bool first) {
  mb_text_format(d->t, "%s{\"%s\":", first ? "" : ",", kind);
  add_vector(d->t, axis);
  if (end >= 0) mb_text_format(d->t, ",\"in\":%d", end);
  mb_text_add(d->t, "}");
}

static void add_axis(const MbDrawing *d, const MbConstraint *c, const char *kind, int end, int k, double sign,
                     bool first) {
  double axis[3];
  axis_of(d, c, end, k, axis);
  mb_vec3_scale(axis, sign, axis);
  add_row(d, kind, end, axis, first);
}

// A torque about ± the normal of an axis of the first end and one of the second.
static void add_normal(const MbDrawing *d, const MbConstraint *c, int i, int j, int sign, bool first) {
  double a[3], b[3];
  axis_of(d, c, 0, i, a);
  axis_of(d, c, 1, j, b);
  mb_vec3_scale(a, sign, a);
  mb_text_add(d->t, first ? "{\"normal\":[" : ",{\"normal\":[");
  add_vector(d->t, a);
  mb_text_add(d->t, ",");
  add_vector(d->t, b);
  mb_text_add(d->t, "]}");
}

static void add_closure(const MbDrawing *d, const MbConstraint *c) {
  const MbClosureRows rows = mb_closure_directions(((const MbClosure *)c->parameters)->joint);
  bool first = true;
  for (int k = 0; k < 3; k++) {
    if (!(rows.ways >> k & 1)) continue;
    add_axis(d, c, "force", 0, k, 1, first);
    first = false;
  }
  for (size_t k = 0; k < rows.nturns; k++, first = false)
    add_normal(d, c, rows.turn[k].i, rows.turn[k].j, rows.turn[k].sign, first);
}

// Torque, then force, about and along the axes of the frame that is driven, or the world's.
static void add_motion(const MbDrawing *d, const MbConstraint *c) {
  const bool world = c->ops == &mb_speed_ops && c->axes != MB_AXES_BODY;
  for (int k = 0; k < 6; k++) {
    const char *kind = k < 3 ? "torque" : "force";
    if (world)
      add_row(d, kind, -1, unit[k % 3], k == 0);
    else
      add_axis(d, c, kind, 0, k % 3, 1, k == 0);
  }
}

typedef enum Kind { NOT_SHOWN, POINT, LINE, PLANE, CLOSURE, DISTANCE, ROLLING, SPIN, MOTION } Kind;

// What its rows are like; nodes have no axes of their own.
static Kind kind_of(const MbModel *model, const MbConstraint *c) {
  static const struct {
    const char *name;
    Kind kind;
    bool axes[2]; // that it asks for
  } kinds[] = {{"point", POINT, {false, false}},        {"follow", POINT, {false, false}},
               {"point_on_line", LINE, {true, false}},  {"point_on_plane", PLANE, {true, false}},
               {"distance", DISTANCE, {false, false}},  {"rolling", ROLLING, {true, true}},
               {"velocity_ratio", SPIN, {true, false}}, {"joint", CLOSURE, {true, true}}};
  if (c->ops == &mb_path_ops || c->ops == &mb_speed_ops) return MOTION;
  if (c->ops == &mb_closure_search_ops) return NOT_SHOWN;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, c->ops->name) != 0) continue;
    bool fits = true;
    for (int end = 0; end < 2; end++)
      fits = fits && (!kinds[i].axes[end] || c->body[end] == MB_WORLD || c->body[end] < model->nlisted);
    return fits ? kinds[i].kind : NOT_SHOWN;
  }
  return NOT_SHOWN;
}

static void add_rows(const MbDrawing *d, const MbConstraint *c, Kind kind) {
  switch (kind) {
  case POINT:
    for (int k = 0; k < 3; k++) add_row(d, "force", -1, unit[k], k == 0);
    break;
  case LINE:
    for (int k = 0; k < 2; k++) add_axis(d, c, "force", 0, k, 1, k == 0);
    break;
  case PLANE:
    add_axis(d, c, "force", 0, 2, 1, true);
    break;
  case CLOSURE:
    add_closure(d, c);
    break;
  case DISTANCE:
    mb_text_add(d->t, "{\"along\":1}");
    break;
  case ROLLING:
    for (int k = 0; k < 3; k++) add_axis(d, c, "force", 1, (k + 2) % 3, 1, k == 0);
    break;
  case SPIN:
    add_axis(d, c, "torque", 0, 2, 1, true);
    break;
  default:
    add_motion(d, c);
  }
}

// The ellipsoid that touches: its axes at the first end, its half axes.
static void add_touch(const MbDrawing *d, const MbConstraint *c) {
  mb_text_add(d->t, ",\"touch\":{\"axes\":[");
  for (int k = 0; k < 3; k++) {
    double axis[3];
    axis_of(d, c, 0, k, axis);
    if (k) mb_text_add(d->t, ",");
    add_vector(d->t, axis);
  }
  mb_text_add(d->t, "],");
  mb_drawing_numbers(d->t, "radii", ((const MbRolling *)c->parameters)->radii, 3);
  mb_text_add(d->t, "}");
}

void mb_drawing_constraints(MbDrawing *d) {
  size_t n = 0;
  mb_text_add(d->t, ",\"constraints\":[");
  for (size_t i = 0; i < d->model->nconstraints && n < MB_DRAWING_LINES; i++) {
    const MbConstraint *c = &d->model->constraints[i];
    const Kind kind = kind_of(d->model, c);
    if (kind == NOT_SHOWN) continue;
    mb_text_add(d->t, n++ ? ",{\"name\":" : "{\"name\":");
    mb_text_quoted(d->t, c->name ? c->name : "");
    // forces on what slides along the first end act where the second one is
    const bool second = kind == LINE || kind == PLANE || kind == CLOSURE;
    mb_text_format(d->t, ",\"row\":%zu,\"at\":%d,\"ends\":[", c->slot, second);
    mb_drawing_point(d, c->body[0], c->at[0]);
    if (kind != MOTION && strcmp(c->ops->name, "follow") != 0) {
      mb_text_add(d->t, ",");
      mb_drawing_point(d, c->body[1], c->at[1]);
    }
    mb_text_add(d->t, "]");
    if (kind == ROLLING) add_touch(d, c);
    mb_text_add(d->t, ",\"rows\":[");
    add_rows(d, c, kind);
    mb_text_add(d->t, "]}");
  }
  mb_text_add(d->t, "]");
}
