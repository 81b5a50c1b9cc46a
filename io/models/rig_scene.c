// A rig as the text of a scene, for people: names kept, defaults left out, round angles as expressions, comments that name the source. Here
// are bodies with their shapes, what ties them together, contact, and the scene around them.
#include "io/json/json_pretty.h"
#include "io/models/door.h"
#include "io/models/rig_scene.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// ---- shapes -----------------------------------------------------------------------------------------------

static void put_file(MbDoor *door, cJSON *to, const char *file) {
  char out[PATH_MAX];
  mb_rig_relative(file, door->options->folder, out, sizeof out);
  mb_rig_put_text(to, "file", out);
}

static void put_color(const MbRigShape *s, cJSON *to) {
  if (s->colored) mb_rig_put(to, "color", mb_rig_say_numbers(s->rgba, s->rgba[3] < 1 ? 4 : 3));
}

// Whether several shapes of a body have one colour, which is then the body's.
static bool has_one_color(const MbRigBody *body) {
  bool one = body->nshapes > 1;
  for (size_t k = 0; k < body->nshapes; k++)
    one &= body->shape[k].colored &&
           !memcmp(body->shape[k].rgba, body->shape[0].rgba, sizeof body->shape[0].rgba);
  return one;
}

// Whether a scene can say it
static bool shape_fits(MbDoor *door, const MbRigShape *s) {
  if (s->kind != MB_SHAPE_MESH || s->scale[0] * s->scale[1] * s->scale[2] != 0) return true;
  mb_door_note(door, s->at, s->collides, "a mesh that is made flat by scale: the shape is left out");
  return false;
}

static void put_scale(cJSON *out, const MbRigShape *s) {
  if (s->scale[0] != s->scale[1] || s->scale[0] != s->scale[2] || s->scale[0] < 0)
    mb_rig_put(out, "stretch", mb_rig_say_numbers(s->scale, 3));
  else if (s->scale[0] != 1)
    mb_rig_put(out, "scale", mb_rig_say_length(s->scale[0]));
}

static cJSON *shape_json(MbDoor *door, const MbRigShape *s, bool density, bool color) {
  cJSON *out = cJSON_CreateObject();
  mb_rig_put_text(out, "type", mb_shape_words[s->kind]);
  switch (s->kind) {
  case MB_SHAPE_BOX:
    mb_rig_put(out, "size", mb_rig_say_numbers(s->size, 3));
    break;
  case MB_SHAPE_ELLIPSOID:
    mb_rig_put(out, "radii", mb_rig_say_numbers(s->size, 3));
    break;
  case MB_SHAPE_MESH:
    put_file(door, out, s->file);
    put_scale(out, s);
    break;
  case MB_SHAPE_PLANE:
    if (s->normal[2] != 1) mb_rig_put(out, "normal", mb_rig_say_numbers(s->normal, 3));
    if (s->offset != 0) mb_rig_put(out, "offset", mb_rig_say_length(s->offset));
    break;
  default:
    mb_rig_put(out, "radius", mb_rig_say_length(s->radius));
    if (s->kind != MB_SHAPE_SPHERE) mb_rig_put(out, "length", mb_rig_say_length(s->length));
  }
  mb_rig_put_frame(out, "frame", &s->frame);
  if (!s->collides)
    mb_rig_put(out, "collide", cJSON_CreateFalse());
  else if (s->kind == MB_SHAPE_MESH && s->hull)
    mb_rig_put_text(out, "collide", "hull");
  if (s->collides && !isnan(s->friction) && s->friction != door->rig.friction)
    mb_rig_put(out, "friction", mb_rig_say_length(s->friction));
  if (density && s->density > 0) mb_rig_put(out, "density", mb_rig_say_length(s->density));
  if (color) put_color(s, out);
  return out;
}

static void put_shapes(MbDoor *door, const MbRigBody *body, cJSON *to) {
  cJSON *list = cJSON_CreateArray();
  double common = NAN;
  bool same = !body->inertial, masses = false, one_color = has_one_color(body);
  for (size_t k = 0; k < body->nshapes; k++) {
    const MbRigShape *s = &body->shape[k];
    if (s->kind == MB_SHAPE_PLANE) continue;
    if (isnan(common)) common = s->density;
    same &= s->density == common;
    masses |= !s->weightless && s->mass > 0;
  }
  for (size_t k = 0; k < body->nshapes; k++)
    if (shape_fits(door, &body->shape[k]))
      mb_rig_push(list, shape_json(door, &body->shape[k], !same && !body->inertial && !masses, !one_color));
  const int n = cJSON_GetArraySize(list);
  if (n == 1) {
    mb_rig_put(to, "shape", cJSON_DetachItemFromArray(list, 0));
    cJSON_Delete(list);
  } else if (n) {
    mb_rig_put(to, "shape", list);
  } else {
    cJSON_Delete(list);
  }
  if (n && one_color) put_color(&body->shape[0], to);
  if (body->inertial || !n) return;
  bool solid = false, heavy = false;
  for (size_t k = 0; k < body->nshapes; k++) {
    solid |= body->shape[k].kind != MB_SHAPE_PLANE;
    heavy |= !body->shape[k].weightless && (body->shape[k].mass > 0 || body->shape[k].density > 0);
  }
  if (masses)
    mb_rig_put(to, "mass", mb_rig_say_length(body->shape[0].mass));
  else if (heavy && same && common > 0)
    mb_rig_put(to, "density", mb_rig_say_length(common));
  else if (solid && !heavy) { // it stands, so that any will do
    mb_rig_put_number(to, "mass", 1);
    mb_rig_put_text(to, "_mass", "the model gives none; it stands still, and any will do");
  }
}

static void put_inertia(const MbRigBody *body, cJSON *to) {
  if (!body->inertial) return;
  cJSON *out = cJSON_CreateObject();
  mb_rig_put(out, "mass", mb_rig_say_length(body->mass));
  if (!mb_rig_are_zero(body->center, 3)) mb_rig_put(out, "center", mb_rig_say_numbers(body->center, 3));
  mb_rig_put(out, "matrix", mb_rig_say_numbers(body->matrix, 6));
  mb_rig_put(to, "inertia", out);
}

// ---- bodies -----------------------------------------------------------------------------------------------

static cJSON *body_json(MbDoor *door, const MbRigBody *body) {
  cJSON *out = cJSON_CreateObject();
  mb_rig_put_comment(out, body->at, NULL);
  mb_rig_put_text(out, "name", body->name);
  put_shapes(door, body, out);
  put_inertia(body, out);
  if (body->njoints == 1 && body->joint[0].kind == MB_RIG_FREE && body->parent == MB_RIG_WORLD)
    mb_rig_put_free(body, out);
  else
    mb_rig_put(out, "joint", mb_rig_say_joint(&door->rig, body));
  return out;
}

// ---- what ties bodies together ----------------------------------------------------------------------------

static cJSON *point(const MbRig *rig, const MbRigPoint *p, bool whole) {
  cJSON *out = cJSON_CreateObject();
  mb_rig_put_text(out, "body", mb_rig_body_name(rig, p->body));
  if (whole)
    mb_rig_put_frame(out, "frame", &p->frame);
  else
    mb_rig_put(out, "at", mb_rig_say_numbers(p->frame.p, 3));
  return out;
}

static cJSON *points(const MbRig *rig, const MbRigTie *tie, bool whole) {
  cJSON *list = cJSON_CreateArray();
  for (size_t i = 0; i < tie->npath; i++) mb_rig_push(list, point(rig, &tie->path[i], whole));
  return list;
}

static cJSON *ratio(const char *a, const char *b, double r, double offset, bool reduced) {
  cJSON *out = cJSON_CreateObject(), *pair = cJSON_CreateArray();
  mb_rig_put_text(out, "type", "ratio");
  mb_rig_push(pair, cJSON_CreateString(a));
  mb_rig_push(pair, cJSON_CreateString(b));
  mb_rig_put(out, "joints", pair);
  mb_rig_put(out, "ratio", mb_rig_say_length(r));
  if (offset != 0) mb_rig_put(out, "offset", mb_rig_say_length(offset));
  if (reduced) mb_rig_put_text(out, "enforce", "reduction");
  return out;
}

static cJSON *tie_json(const MbRig *rig, const MbRigTie *tie) {
  static const char *const words[] = {"point",        "joint",        "ratio", "distance",
                                      "multi_spring", "frame_spring", "muscle"};
  if (tie->kind == MB_RIG_RATIO) {
    cJSON *out = ratio(mb_rig_body_name(rig, tie->body[0]), mb_rig_body_name(rig, tie->body[1]), tie->ratio,
                       tie->offset, tie->reduced);
    if (tie->name) mb_rig_put_text(out, "name", tie->name);
    mb_rig_put_comment(out, tie->at, NULL);
    return out;
  }
  cJSON *out = cJSON_CreateObject();
  mb_rig_put_comment(out, tie->at, NULL);
  const bool two = tie->kind == MB_RIG_SPRING && tie->npath == 2;
  mb_rig_put_text(out, "type", two ? "spring" : words[tie->kind]);
  if (tie->name) mb_rig_put_text(out, "name", tie->name);
  if (tie->kind == MB_RIG_WELD) mb_rig_put_text(out, "joint", "fixed");
  const bool path = tie->kind == MB_RIG_MUSCLE || (tie->kind == MB_RIG_SPRING && !two);
  mb_rig_put(out, path ? "path" : "between",
             points(rig, tie, tie->kind == MB_RIG_WELD || tie->kind == MB_RIG_TWIST));
  if (tie->kind == MB_RIG_ROPE) {
    mb_rig_put(out, "length", mb_rig_say_length(tie->length));
    if (!tie->rigid) mb_rig_put(out, "rope", cJSON_CreateTrue());
  }
  if (tie->kind == MB_RIG_SPRING) {
    mb_rig_put(out, "stiffness", mb_rig_say_length(tie->stiffness));
    if (tie->damping != 0) mb_rig_put(out, "damping", mb_rig_say_length(tie->damping));
    if (!isnan(tie->length)) mb_rig_put(out, "length", mb_rig_say_length(tie->length));
  }
  if (tie->kind == MB_RIG_TWIST) {
    const double k[2] = {0, tie->stiffness}, d[2] = {0, tie->damping};
    mb_rig_put(out, "stiffness", mb_rig_say_numbers(k, 2));
    mb_rig_put(out, "damping", mb_rig_say_numbers(d, 2));
  }
  if (tie->kind == MB_RIG_MUSCLE) {
    static const char *const keys[] = {"max_force", "optimal_length", "tendon_length", "max_velocity"};
    for (int i = 0; i < 4; i++) mb_rig_put(out, keys[i], mb_rig_say_length(tie->muscle[i]));
    mb_rig_put_number(out, "activation", 0);
  }
  return out;
}

static void put_ties(const MbRig *rig, cJSON *scene) {
  cJSON *constraints = cJSON_CreateArray(), *forces = cJSON_CreateArray();
  for (size_t b = 0; b < rig->nbodies; b++) {
    const MbRigJoint *j = rig->body[b].joint;
    if (!rig->body[b].merged && rig->body[b].njoints == 1 && j->follows != MB_RIG_WORLD) {
      cJSON *out = ratio(mb_rig_body_name(rig, j->follows), rig->body[b].name, j->ratio, j->offset, true);
      mb_rig_put_comment(out, j->at, "mimic");
      mb_rig_push(constraints, out);
    }
  }
  for (size_t i = 0; i < rig->nties; i++)
    mb_rig_push(rig->tie[i].kind < MB_RIG_SPRING ? constraints : forces, tie_json(rig, &rig->tie[i]));
  cJSON *const lists[] = {constraints, forces};
  static const char *const keys[] = {"constraints", "forces"};
  for (int i = 0; i < 2; i++) {
    if (cJSON_GetArraySize(lists[i]))
      mb_rig_put(scene, keys[i], lists[i]);
    else
      cJSON_Delete(lists[i]);
  }
}

// ---- contact ----------------------------------------------------------------------------------------------

static cJSON *names(const MbRig *rig, const MbRigPair *pair) {
  cJSON *list = cJSON_CreateArray();
  for (int k = 0; k < 2; k++) mb_rig_push(list, cJSON_CreateString(mb_rig_body_name(rig, pair->body[k])));
  return list;
}

static void put_contact(const MbRig *rig, cJSON *scene) {
  static const double USUAL = 0.5; // a scene's friction where it says none
  if (!rig->contact) return;
  cJSON *contact = mb_rig_put_object(scene, "contact"), *pairs = NULL, *exclude = NULL;
  if (!isnan(rig->friction) && rig->friction != USUAL)
    mb_rig_put(contact, "friction", mb_rig_say_length(rig->friction));
  for (size_t i = 0; i < rig->npairs; i++) {
    const MbRigPair *pair = &rig->pair[i];
    if (isnan(pair->friction)) {
      if (!exclude) exclude = mb_rig_put_list(contact, "exclude");
      mb_rig_push(exclude, names(rig, pair));
      continue;
    }
    if (!pairs) pairs = mb_rig_put_list(contact, "pairs");
    cJSON *out = cJSON_CreateObject();
    mb_rig_put(out, "bodies", names(rig, pair));
    mb_rig_put(out, "friction", mb_rig_say_length(pair->friction));
    mb_rig_push(pairs, out);
  }
}

// ---- the scene --------------------------------------------------------------------------------------------

static void put_notes(const MbDoor *door, cJSON *scene) {
  cJSON *list = NULL;
  for (size_t i = 0; i < door->notes->n; i++) {
    const MbModelNote *note = &door->notes->note[i];
    if (!note->loss) continue;
    const char *slash = strrchr(note->at.file, '/');
    char text[500];
    snprintf(text, sizeof text, "%s:%d: %s", slash ? slash + 1 : note->at.file, note->at.line, note->text);
    if (!list) list = mb_rig_put_list(scene, "_left_out");
    mb_rig_push(list, cJSON_CreateString(text));
  }
}

char *mb_rig_scene(MbDoor *door) {
  const MbRig *rig = &door->rig;
  static const double down[3] = {0, 0, -9.81};
  mb_rig_begin_scene();
  cJSON *scene = cJSON_CreateObject();
  const char *slash = strrchr(rig->source, '/');
  mb_rig_put_number(scene, "mbsim", 1);
  char from[400];
  snprintf(from, sizeof from, "imported from %s (%s)", slash ? slash + 1 : rig->source, rig->format);
  mb_rig_put_text(scene, "_source", from);
  if (rig->name && *rig->name) mb_rig_put_text(scene, "name", rig->name);
  if (memcmp(rig->gravity, down, sizeof down) != 0)
    mb_rig_put(scene, "gravity", mb_rig_say_numbers(rig->gravity, 3));
  cJSON *time = mb_rig_put_object(scene, "time");
  mb_rig_put(time, "step", mb_rig_say_length(isnan(rig->step) ? 0.001 : rig->step));
  mb_rig_put_number(time, "duration", 5);
  cJSON *bodies = mb_rig_put_list(scene, "bodies");
  for (size_t b = 0; b < rig->nbodies; b++)
    if (!rig->body[b].merged) mb_rig_push(bodies, body_json(door, &rig->body[b]));
  put_ties(rig, scene);
  put_contact(rig, scene);
  put_notes(door, scene);
  MbText text = {0};
  if (!door->status && !mb_rig_scene_is_lost()) mb_text_pretty(&text, scene);
  cJSON_Delete(scene);
  return mb_text_take(&text);
}
