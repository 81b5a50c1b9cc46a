// Rolling as the scene says it: the round shape of the one body, the plane of the other.
#include "core/constraints/rolling.h"
#include "core/constraints/constraints.h"

#include <math.h>

static const double *const Z = mb_builder_z[0];

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

static const MbBodySpec *body_of(const MbBuilder *b, const char *name) {
  size_t listed = 0;
  mb_names_find(&b->model->names, name, &listed);
  return &b->spec->bodies[listed];
}

// Half axes of what rolls, its centre and its axes.
static MbStatus build_round(MbBuilder *b, const MbRollingSpec *from, MbConstraint *made) {
  const MbBodySpec *body = body_of(b, from->bodies[0]);
  double *radii = ((MbRolling *)mb_builder_own(made))->radii;
  size_t count = 0;
  const MbShapeSpec *shape = only_shape(body, is_round, &count);
  if (count != 1)
    return mb_error(b->report, MB_SCENE, b->where,
                    "\"%s\" has %zu round shapes, wanted one that it rolls on: a sphere, an ellipsoid, a "
                    "cylinder or a capsule",
                    body->name, count);
  const bool slender = shape->kind == MB_SHAPE_CYLINDER || shape->kind == MB_SHAPE_CAPSULE;
  const double most = slender ? shape->length / 2 : 0;
  if (fabs(from->along) > most * (1 + 1e-9))
    return mb_error(b->report, MB_SCENE, b->where,
                    "\"along\" is %g, beyond the axis of the %s of \"%s\": at most %g", from->along,
                    mb_shape_words[shape->kind], body->name, most);
  for (int i = 0; i < 3; i++) radii[i] = shape->kind == MB_SHAPE_ELLIPSOID ? shape->size[i] : shape->radius;
  if (shape->kind == MB_SHAPE_CYLINDER) radii[2] = 0;
  MbFrameSpec frame = shape->frame;
  const double up[3] = {0, 0, from->along};
  double lift[3];
  mb_quat_rotate(lift, frame.rotation, up);
  mb_vec3_add(frame.position, frame.position, lift);
  mb_model_place(b->model, &frame, Z, 0, made);
  return MB_OK;
}

// The plane: as given, or that of the one shape, or the ground.
static MbStatus build_plane(MbBuilder *b, const MbRollingSpec *from, MbConstraint *made) {
  MbFrameSpec frame = {.rotation = {1, 0, 0, 0}};
  mb_vec3_copy(frame.position, from->at);
  const bool given = mb_vec3_norm(from->normal) > 0, world = made->body[1] == MB_WORLD;
  if (given || world) {
    mb_model_place(b->model, &frame, given ? from->normal : Z, 1, made);
    return MB_OK;
  }
  size_t count = 0;
  const MbShapeSpec *plane = only_shape(body_of(b, from->bodies[1]), is_plane, &count);
  if (count != 1)
    return mb_error(
        b->report, MB_SCENE, b->where,
        "\"%s\" has %zu shapes \"plane\", wanted one: or give the \"normal\" of the plane to roll "
        "on, and \"at\"",
        from->bodies[1], count);
  if (mb_vec3_norm(from->at) > 0)
    return mb_error(b->report, MB_SCENE, b->where, "\"at\" goes with \"normal\", which is missing");
  double centre[3];
  mb_vec3_scale(centre, plane->offset, plane->normal);
  frame = plane->frame;
  mb_quat_rotate(centre, frame.rotation, centre);
  mb_vec3_add(frame.position, frame.position, centre);
  mb_model_place(b->model, &frame, plane->normal, 1, made);
  return MB_OK;
}

MbStatus mb_rolling_build(MbBuilder *b, const MbConstraintSpec *from, const MbConstraintOps *ops) {
  static const char *const keys[2] = {"body", "on"};
  const MbRollingSpec *spec = from->parameters;
  MbConstraint *made = NULL;
  MbStatus status = mb_builder_rates(b, from, ops, spec->bodies, keys, &made);
  if (status == MB_OK && made->body[0] == MB_WORLD)
    status = mb_error(b->report, MB_SCENE, b->where, "the world does not roll");
  if (status == MB_OK) status = build_round(b, spec, made);
  return status == MB_OK ? build_plane(b, spec, made) : status;
}
