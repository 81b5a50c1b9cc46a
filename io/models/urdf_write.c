// A rig as URDF: a link a body, all of them hung on a link "world". A link's origin lies on its joint there, so bodies whose joints are
// elsewhere get another frame.
#include "core/base/alloc.h"
#include "core/math/quat.h"
#include "core/model/model.h"
#include "io/models/model_write.h"

#include <string.h>

static const double OPEN = 1e10; // no limit on this side

typedef struct Urdf {
  MbModelWriter *w;
  MbXmlWriter *x;
  MbRig *rig;
  MbNames taken;     // names of joints that are given
  MbRigNames colors; // numbers of those that are listed, by their texts
  size_t ncolors;
} Urdf;

// ---- frames on joints -------------------------------------------------------------------------------------

static void move_by(MbRigFrame *frame, const double p[3]) {
  mb_vec3_sub(frame->p, frame->p, p);
  mb_rig_tidy(frame->p, 3, mb_vec3_norm(p));
}

// The body's frame goes to p in it: X T(p), and all in it the other way.
static void move_frame(MbRigBody *body, const double p[3]) {
  double way[3];
  mb_quat_rotate(way, body->frame.q, p);
  mb_vec3_add(body->frame.p, body->frame.p, way);
  mb_rig_tidy(body->frame.p, 3, mb_vec3_norm(way));
  for (size_t k = 0; k < body->nshapes; k++) move_by(&body->shape[k].frame, p);
  mb_vec3_sub(body->center, body->center, p);
}

static bool move_frames(Urdf *u) {
  MbRig *rig = u->rig;
  double(*p)[3] = mb_arena_alloc(&rig->arena, rig->nbodies + 1, sizeof *p);
  if (!p) return false;
  for (size_t b = 0; b < rig->nbodies; b++) {
    const MbRigBody *body = &rig->body[b];
    mb_vec3_set(p[b], 0, 0, 0);
    const bool there =
        body->njoints != 1 || body->joint[0].kind == MB_RIG_SLIDE || mb_vec3_norm(body->joint[0].p) == 0;
    if (there) continue;
    memcpy(p[b], body->joint[0].p, sizeof p[b]);
    move_frame(&rig->body[b], p[b]);
    mb_warning(u->w->report, body->where,
               "a link's origin lies on its joint in URDF: that of \"%s\" is at (%g, %g, %g) of "
               "the body's frame",
               body->name, p[b][0], p[b][1], p[b][2]);
  }
  for (size_t b = 0; b < rig->nbodies; b++)
    if (rig->body[b].parent != MB_RIG_WORLD) move_by(&rig->body[b].frame, p[rig->body[b].parent]);
  return true;
}

// ---- links ------------------------------------------------------------------------------------------------

static void put_origin(Urdf *u, const MbRigFrame *f) {
  static const double none[3] = {0};
  double zyx[3], rpy[3];
  bool nice;
  mb_turn_zyx(f->q, zyx, &nice);
  for (int i = 0; i < 3; i++) rpy[i] = zyx[2 - i];
  const bool turned = memcmp(f->q + 1, none, sizeof none) != 0, moved = memcmp(f->p, none, sizeof none) != 0;
  if (!turned && !moved) return;
  mb_xml_open(u->x, "origin");
  if (moved) mb_xml_put_numbers(u->x, "xyz", f->p, 3);
  if (turned) mb_xml_put_numbers(u->x, "rpy", rpy, 3);
  mb_xml_end(u->x);
}

static void put_inertial(Urdf *u, const MbRigBody *body) {
  static const char *const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  static const int place[] = {0, 3, 4, 1, 5, 2};
  MbRigFrame center = mb_rig_frame();
  if (!body->inertial) return;
  memcpy(center.p, body->center, sizeof center.p);
  mb_xml_open(u->x, "inertial");
  put_origin(u, &center);
  mb_xml_open(u->x, "mass");
  mb_xml_put_number(u->x, "value", body->mass);
  mb_xml_end(u->x);
  mb_xml_open(u->x, "inertia");
  for (int i = 0; i < 6; i++) mb_xml_put_number(u->x, names[i], body->matrix[place[i]]);
  mb_xml_end(u->x);
  mb_xml_close(u->x, "inertial");
}

static const char *solid_word(const MbRigShape *s) {
  static const char *const words[MB_SHAPES] = {"box",       "sphere", "capsule", "cylinder",
                                               "ellipsoid", "mesh",   "plane"};
  return words[s->kind];
}

// Tells of a shape that URDF has no word for: once, though the link writes it as it looks and as it collides.
static void refuse_unfit_solid(Urdf *u, const MbRigBody *body, const MbRigShape *s) {
  if (s->kind == MB_SHAPE_ELLIPSOID || s->kind == MB_SHAPE_PLANE)
    mb_model_unfit(u->w, body->where, "URDF has no %s: boxes, spheres, cylinders, capsules and meshes fit",
                   solid_word(s));
}

static void put_solid(Urdf *u, const MbRigShape *s) {
  mb_xml_open(u->x, solid_word(s));
  if (s->kind == MB_SHAPE_BOX) mb_xml_put_numbers(u->x, "size", s->size, 3);
  if (s->kind == MB_SHAPE_SPHERE || s->kind == MB_SHAPE_CAPSULE || s->kind == MB_SHAPE_CYLINDER)
    mb_xml_put_number(u->x, "radius", s->radius);
  if (s->kind == MB_SHAPE_CAPSULE || s->kind == MB_SHAPE_CYLINDER)
    mb_xml_put_number(u->x, "length", s->length);
  if (s->kind == MB_SHAPE_MESH) {
    mb_xml_put(u->x, "filename", mb_model_file(u->w, s->file));
    if (!mb_rig_is_unscaled(s)) mb_xml_put_numbers(u->x, "scale", s->scale, 3);
  }
  mb_xml_end(u->x);
}

// What stands for a colour, which is the same for the same.
static const char *color_text(Urdf *u, const MbRigShape *s) {
  return mb_model_format(u->w, "%.17g %.17g %.17g %.17g", s->rgba[0], s->rgba[1], s->rgba[2], s->rgba[3]);
}

static const char *color_name(Urdf *u, size_t i) { return mb_model_format(u->w, "color %zu", i + 1); }

static void put_material(Urdf *u, const MbRigShape *s) {
  if (!s->colored) return;
  mb_xml_open(u->x, "material");
  mb_xml_put(u->x, "name", color_name(u, mb_rig_names_find(&u->colors, color_text(u, s))));
  mb_xml_end(u->x);
}

static bool is_seen(const MbRigShape *s) { return !s->colored || s->rgba[3] > 0; }

// What collides and is not seen is a <collision> alone, where the link has something else to be seen.
static bool collides_alone(const Urdf *u, const MbRigBody *body, const MbRigShape *s) {
  bool others = false;
  for (size_t k = 0; k < body->nshapes; k++) others |= is_seen(&body->shape[k]);
  return others && !is_seen(s) && s->collides && u->rig->contact;
}

// Lists each colour that is seen once, as a material.
static bool put_colors(Urdf *u) {
  for (size_t b = 0; b < u->rig->nbodies; b++)
    for (size_t k = 0; k < u->rig->body[b].nshapes; k++) {
      const MbRigShape *s = &u->rig->body[b].shape[k];
      size_t before = 0;
      if (!s->colored || collides_alone(u, &u->rig->body[b], s)) continue;
      if (!mb_rig_names_put(&u->colors, color_text(u, s), u->ncolors, &before)) return false;
      if (before != MB_RIG_NO_NAME) continue;
      mb_xml_open(u->x, "material");
      mb_xml_put(u->x, "name", color_name(u, u->ncolors++));
      mb_xml_open(u->x, "color");
      mb_xml_put_numbers(u->x, "rgba", s->rgba, 4);
      mb_xml_end(u->x);
      mb_xml_close(u->x, "material");
    }
  return true;
}

static void put_shape(Urdf *u, const MbRigShape *s, const char *as) {
  mb_xml_open(u->x, as);
  put_origin(u, &s->frame);
  mb_xml_open(u->x, "geometry");
  put_solid(u, s);
  mb_xml_close(u->x, "geometry");
  if (!strcmp(as, "visual")) put_material(u, s);
  mb_xml_close(u->x, as);
}

static void put_link(Urdf *u, const MbRigBody *body) {
  mb_xml_open(u->x, "link");
  mb_xml_put(u->x, "name", body->name);
  put_inertial(u, body);
  for (size_t k = 0; k < body->nshapes; k++) {
    const MbRigShape *shape = &body->shape[k];
    refuse_unfit_solid(u, body, shape);
    if (!collides_alone(u, body, shape)) put_shape(u, shape, "visual");
    if (shape->collides && u->rig->contact) put_shape(u, shape, "collision");
  }
  mb_xml_close(u->x, "link");
}

// ---- joints -----------------------------------------------------------------------------------------------

static const char *given_name(const MbRigBody *body) {
  return body->njoints ? body->joint[0].name : body->bolt;
}

// Its own name, or the link's, with what it takes to be no other joint's.
static const char *joint_name(Urdf *u, size_t b) {
  const MbRigBody *body = &u->rig->body[b];
  size_t other;
  if (given_name(body)) return given_name(body);
  const char *name = body->name;
  while (mb_names_find(&u->taken, name, &other)) name = mb_model_format(u->w, "%s_", name);
  return name;
}

static bool list_names(Urdf *u) {
  const size_t n = u->rig->nbodies;
  size_t count = 0, twice = 0;
  const char **name = mb_arena_alloc(&u->rig->arena, n + 1, sizeof *name);
  if (!name) return false;
  for (size_t b = 0; b < n; b++)
    if (given_name(&u->rig->body[b])) name[count++] = given_name(&u->rig->body[b]);
  if (!mb_names_build(&u->taken, name, count, &u->rig->arena, &twice)) return false;
  if (twice < count) mb_model_unfit(u->w, "", "two joints are called \"%s\" by their \"_name\"", name[twice]);
  return true;
}

static const char *type_of(Urdf *u, const MbRigBody *body) {
  if (!body->njoints) return "fixed";
  const MbRigJoint *j = &body->joint[0];
  double z[4];
  switch (j->kind) {
  case MB_RIG_HINGE:
    return j->limited ? "revolute" : "continuous";
  case MB_RIG_SLIDE:
    return "prismatic";
  case MB_RIG_BALL:
    mb_warning(u->w->report, j->where,
               "joints of type spherical are an extension of URDF, which few programs read");
    return "spherical";
  case MB_RIG_PLANE: // its coordinates are along the axes that the least turn of z makes
    mb_rig_turn_z(j->axis, z);
    if (fabs(fabs(z[0] * j->turn[0] + z[1] * j->turn[1] + z[2] * j->turn[2] + z[3] * j->turn[3]) - 1) > 1e-14)
      mb_model_unfit(
          u->w, j->where,
          "URDF's planar joint has no axes in its plane: \"in_body\" may not turn about the normal");
    return "planar";
  case MB_RIG_FREE:
    if (body->parent != MB_RIG_WORLD && fabs(j->turn[0]) != 1)
      mb_model_unfit(u->w, j->where, "URDF's floating joint has the link's axes: \"in_body\" may not turn");
    return "floating";
  }
  return "fixed";
}

static double bound(double x) { return x > OPEN ? OPEN : x < -OPEN ? -OPEN : x; }

// Slides and bounded hinges need one, with all four numbers.
static void put_limit(Urdf *u, const MbRigJoint *j) {
  const bool needed = j->kind == MB_RIG_SLIDE || j->limited;
  if (!needed && isnan(j->effort) && isnan(j->speed_limit)) return;
  mb_xml_open(u->x, "limit");
  if (needed) {
    mb_xml_put_number(u->x, "lower", j->limited ? bound(j->range[0]) : -OPEN);
    mb_xml_put_number(u->x, "upper", j->limited ? bound(j->range[1]) : OPEN);
  }
  mb_xml_put_number(u->x, "effort", isnan(j->effort) ? OPEN : j->effort);
  mb_xml_put_number(u->x, "velocity", isnan(j->speed_limit) ? OPEN : j->speed_limit);
  mb_xml_end(u->x);
}

static void refuse_numbers(Urdf *u, const MbRigJoint *j) {
  const struct {
    bool has;
    const char *key, *what;
  } not [] = {
      {j->stiffness != 0, "stiffness", "springs in joints"},
      {j->inertia != 0, "inertia", "inertia of rotors"},
      {j->motor, "motor", "motors"},
      {j->driven && j->force != 0, "force", "forces"},
      {j->kind > MB_RIG_SLIDE && j->damping != 0, "damping", "damping of joints of several coordinates"}};
  for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
    if (not [i].has)
      mb_model_unfit(u->w, mb_model_format(u->w, "%s/%s", j->where, not [i].key), "URDF has no %s",
                     not [i].what);
  if (j->placed)
    mb_warning(u->w->report, j->where, "URDF does not say where a model begins: the start is left out");
}

static void put_mimic(Urdf *u, size_t b) {
  for (size_t i = 0; i < u->rig->nties; i++) {
    const MbRigTie *tie = &u->rig->tie[i];
    if (tie->kind != MB_RIG_RATIO || tie->body[1] != b) continue;
    if (!tie->reduced)
      mb_warning(u->w->report, tie->where,
                 "a mimic is read as a reduction: imported again, \"enforce\" is \"reduction\"");
    mb_xml_open(u->x, "mimic");
    mb_xml_put(u->x, "joint", joint_name(u, tie->body[0]));
    if (tie->ratio != 1) mb_xml_put_number(u->x, "multiplier", tie->ratio);
    if (tie->offset != 0) mb_xml_put_number(u->x, "offset", tie->offset);
    mb_xml_end(u->x);
  }
}

static void put_joint(Urdf *u, size_t b) {
  const MbRigBody *body = &u->rig->body[b];
  const MbRigJoint *j = body->njoints ? &body->joint[0] : NULL;
  if (body->njoints > 1) {
    mb_model_unfit(u->w, j->where,
                   "URDF's joints are revolute, prismatic, planar, floating and fixed, one a link: \"%s\" "
                   "has %zu in a row",
                   body->name, body->njoints);
    return;
  }
  mb_xml_open(u->x, "joint");
  mb_xml_put(u->x, "name", joint_name(u, b));
  mb_xml_put(u->x, "type", type_of(u, body));
  put_origin(u, &body->frame);
  mb_xml_open(u->x, "parent");
  mb_xml_put(u->x, "link", body->parent == MB_RIG_WORLD ? "world" : u->rig->body[body->parent].name);
  mb_xml_end(u->x);
  mb_xml_open(u->x, "child");
  mb_xml_put(u->x, "link", body->name);
  mb_xml_end(u->x);
  if (j) refuse_numbers(u, j);
  if (j && (j->kind <= MB_RIG_SLIDE || j->kind == MB_RIG_PLANE)) {
    if (j->axis[0] != 1 || j->axis[1] != 0 || j->axis[2] != 0) {
      mb_xml_open(u->x, "axis");
      mb_xml_put_numbers(u->x, "xyz", j->axis, 3);
      mb_xml_end(u->x);
    }
    if (j->kind != MB_RIG_PLANE) put_limit(u, j);
    if (j->damping != 0 || j->friction != 0) {
      mb_xml_open(u->x, "dynamics");
      if (j->damping != 0) mb_xml_put_number(u->x, "damping", j->damping);
      if (j->friction != 0) mb_xml_put_number(u->x, "friction", j->friction);
      mb_xml_end(u->x);
    }
    if (j->tied) put_mimic(u, b);
  }
  mb_xml_close(u->x, "joint");
}

static void note_ties(Urdf *u) {
  static const char *const words[] = {"closed loops", "closed loops", "",       "ropes and rods",
                                      "springs",      "dampers",      "muscles"};
  for (size_t i = 0; i < u->rig->nties; i++) {
    const MbRigTie *tie = &u->rig->tie[i];
    if (tie->kind == MB_RIG_RATIO) {
      MbRigBody *body = &u->rig->body[tie->body[1]];
      if (body->njoints) body->joint[0].tied = true;
    } else {
      mb_model_unfit(u->w, tie->where, "URDF has no %s", words[tie->kind]);
    }
  }
}

bool mb_urdf_write(MbModelWriter *w) {
  static const double down[3] = {0, 0, -9.81};
  Urdf u = {.w = w, .x = &w->xml, .rig = w->rig};
  if (!move_frames(&u) || !list_names(&u)) {
    w->status = mb_no_memory(w->report, "a model");
    return false;
  }
  note_ties(&u);
  if (memcmp(w->rig->gravity, down, sizeof down) != 0)
    mb_warning(w->report, "/gravity", "URDF says nothing of gravity: it is left out");
  if (w->rig->contact && w->rig->npairs)
    mb_warning(w->report, "/contact",
               "URDF says nothing of which bodies collide with which: pairs and exclude are left out");
  if (w->rig->contact) mb_warning(w->report, "/contact", "URDF says nothing of friction: it is left out");
  mb_xml_open(u.x, "robot");
  mb_xml_put(u.x, "name", *w->rig->name ? w->rig->name : "robot");
  mb_xml_comment(u.x, mb_model_format(w, "exported from %s", w->rig->source));
  const bool fine = put_colors(&u);
  mb_xml_open(u.x, "link");
  mb_xml_put(u.x, "name", "world");
  mb_xml_end(u.x);
  if (!fine && !w->status) w->status = mb_no_memory(w->report, "a model");
  for (size_t i = 0; i < w->rig->nbodies; i++) put_link(&u, &w->rig->body[w->order[i]]);
  for (size_t i = 0; i < w->rig->nbodies; i++) put_joint(&u, w->order[i]);
  mb_xml_close(u.x, "robot");
  mb_rig_names_free(&u.colors);
  return !w->status;
}
