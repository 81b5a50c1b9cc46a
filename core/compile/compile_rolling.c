// Constraints of rates: bodies that spin in step, and round ones that roll on a plane.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/constraints/constraints.h"

#include <stdio.h>

enum { WHERE = 112 };

// The two bodies, by their names.
static MbStatus find_both(const MbConstraintSpec *from, const char *where, const char *const keys[2],
                          const MbModel *model, MbConstraint *constraint, MbReport *report) {
  for (int end = 0; end < 2; end++) {
    char at[WHERE];
    snprintf(at, sizeof at, "%.80s/%s", where, keys[end]);
    const MbStatus status = mb_model_find_body(model, from->bodies[end], at, &constraint->body[end], report);
    if (status != MB_OK) return status;
  }
  if (constraint->body[0] != constraint->body[1]) return MB_OK;
  return mb_error(report, MB_SCENE, where, "\"%s\" is both of the two bodies", from->bodies[0]);
}

MbStatus mb_compile_velocity_ratio(const MbConstraintSpec *from, const char *where, const MbModel *model,
                                   MbConstraint *constraint, MbReport *report) {
  static const char *const keys[2] = {"bodies/0", "bodies/1"};
  static const MbFrameSpec origin = {.rotation = {1, 0, 0, 0}};
  const MbStatus status = find_both(from, where, keys, model, constraint, report);
  if (status != MB_OK) return status;
  for (int end = 0; end < 2; end++) mb_model_place(model, &origin, from->axes[end], end, constraint);
  constraint->ratio = from->ratio;
  return MB_OK;
}

// ---- rolling ----------------------------------------------------------------------------------------------

static bool is_round(const MbShapeSpec *shape) {
  return shape->kind == MB_SHAPE_SPHERE || shape->kind == MB_SHAPE_ELLIPSOID ||
         shape->kind == MB_SHAPE_CYLINDER || shape->kind == MB_SHAPE_CAPSULE;
}

static bool is_plane(const MbShapeSpec *shape) { return shape->kind == MB_SHAPE_PLANE; }

// The one shape of a kind, and how many there are.
static const MbShapeSpec *only_shape(const MbBodySpec *body, bool (*is)(const MbShapeSpec *), size_t *count) {
  const MbShapeSpec *found = NULL;
  *count = 0;
  for (size_t k = 0; k < body->nshapes; k++)
    if (is(&body->shapes[k])) found = &body->shapes[k], ++*count;
  return found;
}

static const MbBodySpec *body_of(const MbSceneSpec *spec, const MbModel *model, const char *name) {
  size_t listed = 0;
  mb_names_find(&model->names, name, &listed);
  return &spec->bodies[listed];
}

// Half axes of what rolls, its centre and its axes.
static MbStatus build_round(const MbBodySpec *body, const MbConstraintSpec *from, const char *where,
                            const MbModel *model, MbConstraint *constraint, MbReport *report) {
  static const double Z[3] = {0, 0, 1};
  size_t count = 0;
  const MbShapeSpec *shape = only_shape(body, is_round, &count);
  if (count != 1)
    return mb_error(report, MB_SCENE, where,
                    "\"%s\" has %zu round shapes, wanted one that it rolls on: a sphere, an ellipsoid, a "
                    "cylinder or a capsule",
                    body->name, count);
  const bool slender = shape->kind == MB_SHAPE_CYLINDER || shape->kind == MB_SHAPE_CAPSULE;
  const double most = slender ? shape->length / 2 : 0;
  if (fabs(from->along) > most * (1 + 1e-9))
    return mb_error(report, MB_SCENE, where,
                    "\"along\" is %g, beyond the axis of the %s of \"%s\": at most %g", from->along,
                    mb_shape_words[shape->kind], body->name, most);
  for (int i = 0; i < 3; i++)
    constraint->radii[i] = shape->kind == MB_SHAPE_ELLIPSOID ? shape->size[i] : shape->radius;
  if (shape->kind == MB_SHAPE_CYLINDER) constraint->radii[2] = 0;
  MbFrameSpec frame = shape->frame;
  const double up[3] = {0, 0, from->along};
  double lift[3];
  mb_quat_rotate(lift, frame.rotation, up);
  mb_vec3_add(frame.position, frame.position, lift);
  mb_model_place(model, &frame, Z, 0, constraint);
  return MB_OK;
}

// The plane: as given, or that of the one shape, or the ground.
static MbStatus build_plane(const MbSceneSpec *spec, const MbConstraintSpec *from, const char *where,
                            const MbModel *model, MbConstraint *constraint, MbReport *report) {
  static const double Z[3] = {0, 0, 1};
  MbFrameSpec frame = {.rotation = {1, 0, 0, 0}};
  mb_vec3_copy(frame.position, from->at);
  const bool given = mb_vec3_norm(from->normal) > 0, world = constraint->body[1] == MB_WORLD;
  if (given || world) {
    mb_model_place(model, &frame, given ? from->normal : Z, 1, constraint);
    return MB_OK;
  }
  size_t count = 0;
  const MbShapeSpec *plane = only_shape(body_of(spec, model, from->bodies[1]), is_plane, &count);
  if (count != 1)
    return mb_error(
        report, MB_SCENE, where,
        "\"%s\" has %zu shapes \"plane\", wanted one: or give the \"normal\" of the plane to roll "
        "on, and \"at\"",
        from->bodies[1], count);
  if (mb_vec3_norm(from->at) > 0)
    return mb_error(report, MB_SCENE, where, "\"at\" goes with \"normal\", which is missing");
  double centre[3];
  mb_vec3_scale(centre, plane->offset, plane->normal);
  frame = plane->frame;
  mb_quat_rotate(centre, frame.rotation, centre);
  mb_vec3_add(frame.position, frame.position, centre);
  mb_model_place(model, &frame, plane->normal, 1, constraint);
  return MB_OK;
}

MbStatus mb_compile_rolling(const MbSceneSpec *spec, const MbConstraintSpec *from, const char *where,
                            const MbModel *model, MbConstraint *constraint, MbReport *report) {
  static const char *const keys[2] = {"body", "on"};
  MbStatus status = find_both(from, where, keys, model, constraint, report);
  if (status == MB_OK && constraint->body[0] == MB_WORLD)
    status = mb_error(report, MB_SCENE, where, "the world does not roll");
  if (status == MB_OK)
    status = build_round(body_of(spec, model, from->bodies[0]), from, where, model, constraint, report);
  return status == MB_OK ? build_plane(spec, from, where, model, constraint, report) : status;
}
