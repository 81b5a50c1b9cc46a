// A rig as the text of a scene, for people: names kept, defaults left out, round angles as expressions, comments that name the source.
#include "core/base/alloc.h"
#include "core/math/se3.h"
#include "io/json/json_pretty.h"
#include "io/json/number_text.h"
#include "io/models/door.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEG = 3.14159265358979323846 / 180;

// ---- building ---------------------------------------------------------------------------------------------

// Whether memory has run out since the scene was begun: then nothing of it counts.
static _Thread_local __attribute__((tls_model("initial-exec"))) bool lost; // as a shared library may have it

static bool put(cJSON *to, const char *key, cJSON *value) {
  const bool fine = cJSON_AddItemToObject(to, key, value);
  if (!fine) cJSON_Delete(value);
  lost |= !fine;
  return fine;
}
static void push(cJSON *to, cJSON *value) {
  if (cJSON_AddItemToArray(to, value)) return;
  cJSON_Delete(value);
  lost = true;
}
static void put_text(cJSON *to, const char *key, const char *text) { put(to, key, cJSON_CreateString(text)); }
static void put_number(cJSON *to, const char *key, double x) { put(to, key, cJSON_CreateNumber(x)); }
static cJSON *put_object(cJSON *to, const char *key) {
  cJSON *object = cJSON_CreateObject();
  return put(to, key, object) ? object : NULL;
}
static cJSON *put_list(cJSON *to, const char *key) {
  cJSON *list = cJSON_CreateArray();
  return put(to, key, list) ? list : NULL;
}

// ---- values -----------------------------------------------------------------------------------------------

// "=30*deg" where that is the angle, to the last digit but one.
static cJSON *angle(double x) {
  static const double parts[] = {1, 2, 10, 100};
  for (size_t i = 0; x != 0 && i < sizeof parts / sizeof *parts; i++) {
    const double k = rint(x / DEG * parts[i]) / parts[i];
    if (k == 0 || fabs(k) > 3600 || fabs(k * DEG - x) > 3e-16 * fabs(x)) continue;
    char text[64], number[MB_NUMBER_TEXT];
    snprintf(text, sizeof text, "=%s*deg", mb_number_text(k, number));
    return cJSON_CreateString(text);
  }
  return cJSON_CreateNumber(x == 0 ? 0 : x);
}

static cJSON *length(double x) { return cJSON_CreateNumber(x == 0 ? 0 : x); }
static cJSON *coordinate(double x, bool turns) { return turns ? angle(x) : length(x); }

static cJSON *numbers(const double *x, int n) {
  cJSON *list = cJSON_CreateArray();
  for (int i = 0; i < n; i++) push(list, length(x[i]));
  return list;
}

static bool none(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return false;
  return true;
}

static cJSON *about(int axis, double x) {
  cJSON *turn = cJSON_CreateObject();
  const double v[3] = {axis == 0, axis == 1, axis == 2};
  put(turn, "axis", numbers(v, 3));
  put(turn, "angle", angle(x));
  return turn;
}

// About one axis; three angles; or the quaternion.
static cJSON *rotation(const MbRigFrame *f) {
  int turns = 0, only = 0;
  for (int i = 0; i < 3; i++)
    if (f->q[1 + i] != 0) turns++, only = i;
  if (f->order) {
    int given = 0, which = 0;
    for (int i = 0; i < 3; i++)
      if (f->angles[i] != 0) given++, which = i;
    if (given == 1) return about(f->order[which] - 'x', f->angles[which]);
    cJSON *euler = cJSON_CreateObject(), *list = cJSON_CreateArray();
    for (int i = 0; i < 3; i++) push(list, angle(f->angles[i]));
    put_text(euler, "euler", f->order);
    put(euler, "angles", list);
    return euler;
  }
  if (turns == 1) return about(only, 2 * atan2(f->q[1 + only], f->q[0]));
  return numbers(f->q, 4);
}

// NULL: it changes nothing
static cJSON *frame(const MbRigFrame *f) {
  const bool still = none(f->q + 1, 3);
  if (still && none(f->p, 3)) return NULL;
  cJSON *out = cJSON_CreateObject();
  if (!none(f->p, 3)) put(out, "position", numbers(f->p, 3));
  if (!still) put(out, "rotation", rotation(f));
  return out;
}

static void put_frame(cJSON *to, const char *key, const MbRigFrame *f) {
  cJSON *value = frame(f);
  if (value) put(to, key, value);
}

static void comment(cJSON *to, MbXmlPlace at, const char *more) {
  const char *slash = at.file ? strrchr(at.file, '/') : NULL;
  char text[400];
  snprintf(text, sizeof text, "%s:%d%s%s",
           slash     ? slash + 1
           : at.file ? at.file
                     : "",
           at.line, more ? "; " : "", more ? more : "");
  put_text(to, "_", text);
}

static const char *name_of(const MbRig *rig, size_t b) {
  return b == MB_RIG_WORLD ? "world" : rig->body[b].name;
}

// ---- shapes -----------------------------------------------------------------------------------------------

static void put_file(MbDoor *door, cJSON *to, const char *file) {
  char out[PATH_MAX];
  mb_rig_relative(file, door->options->folder, out, sizeof out);
  put_text(to, "file", out);
}

// Whether a scene can say it
static bool shape_fits(MbDoor *door, const MbRigShape *s) {
  if (s->kind != MB_SHAPE_MESH ||
      (s->scale[0] == s->scale[1] && s->scale[0] == s->scale[2] && s->scale[0] > 0))
    return true;
  mb_door_note(door, s->at, s->collides,
               "a mesh that is stretched or mirrored by scale: the shape is left out");
  return false;
}

static cJSON *shape_json(MbDoor *door, const MbRigShape *s, bool density) {
  cJSON *out = cJSON_CreateObject();
  put_text(out, "type", mb_shape_words[s->kind]);
  switch (s->kind) {
  case MB_SHAPE_BOX:
    put(out, "size", numbers(s->size, 3));
    break;
  case MB_SHAPE_ELLIPSOID:
    put(out, "radii", numbers(s->size, 3));
    break;
  case MB_SHAPE_MESH:
    put_file(door, out, s->file);
    if (s->scale[0] != 1) put(out, "scale", length(s->scale[0]));
    break;
  case MB_SHAPE_PLANE:
    if (s->normal[2] != 1) put(out, "normal", numbers(s->normal, 3));
    if (s->offset != 0) put(out, "offset", length(s->offset));
    break;
  default:
    put(out, "radius", length(s->radius));
    if (s->kind != MB_SHAPE_SPHERE) put(out, "length", length(s->length));
  }
  put_frame(out, "frame", &s->frame);
  if (!s->collides)
    put(out, "collide", cJSON_CreateFalse());
  else if (s->kind == MB_SHAPE_MESH && s->hull)
    put_text(out, "collide", "hull");
  if (s->collides && !isnan(s->friction) && s->friction != door->rig.friction)
    put(out, "friction", length(s->friction));
  if (density && s->density > 0) put(out, "density", length(s->density));
  return out;
}

static void put_shapes(MbDoor *door, const MbRigBody *body, cJSON *to) {
  cJSON *list = cJSON_CreateArray();
  double common = NAN;
  bool same = !body->inertial, masses = false;
  for (size_t k = 0; k < body->nshapes; k++) {
    const MbRigShape *s = &body->shape[k];
    if (s->kind == MB_SHAPE_PLANE) continue;
    if (isnan(common)) common = s->density;
    same &= s->density == common;
    masses |= !s->weightless && s->mass > 0;
  }
  for (size_t k = 0; k < body->nshapes; k++)
    if (shape_fits(door, &body->shape[k]))
      push(list, shape_json(door, &body->shape[k], !same && !body->inertial && !masses));
  const int n = cJSON_GetArraySize(list);
  if (n == 1) {
    put(to, "shape", cJSON_DetachItemFromArray(list, 0));
    cJSON_Delete(list);
  } else if (n) {
    put(to, "shape", list);
  } else {
    cJSON_Delete(list);
  }
  if (body->inertial || !n) return;
  bool solid = false, heavy = false;
  for (size_t k = 0; k < body->nshapes; k++) {
    solid |= body->shape[k].kind != MB_SHAPE_PLANE;
    heavy |= !body->shape[k].weightless && (body->shape[k].mass > 0 || body->shape[k].density > 0);
  }
  if (masses)
    put(to, "mass", length(body->shape[0].mass));
  else if (heavy && same && common > 0)
    put(to, "density", length(common));
  else if (solid && !heavy) { // it stands, so that any will do
    put_number(to, "mass", 1);
    put_text(to, "_mass", "the model gives none; it stands still, and any will do");
  }
}

static void put_inertia(const MbRigBody *body, cJSON *to) {
  if (!body->inertial) return;
  cJSON *out = cJSON_CreateObject();
  put(out, "mass", length(body->mass));
  if (!none(body->center, 3)) put(out, "center", numbers(body->center, 3));
  put(out, "matrix", numbers(body->matrix, 6));
  put(to, "inertia", out);
}

// ---- joints -----------------------------------------------------------------------------------------------

static int dofs(const MbRigJoint *j) {
  return j->kind == MB_RIG_FREE ? 6 : j->kind == MB_RIG_HINGE || j->kind == MB_RIG_SLIDE ? 1 : 3;
}

static MbRigFrame moved(const double p[3]) {
  MbRigFrame f = mb_rig_frame();
  memcpy(f.p, p, sizeof f.p);
  return f;
}

// Where a hinge or slide has its own frame when its coordinate is x
static MbRigFrame at_coordinate(const MbRigJoint *j, double x) {
  MbRigFrame f = mb_rig_frame();
  double a[3];
  mb_vec3_scale(a, 1 / mb_vec3_norm(j->axis), j->axis);
  mb_vec3_scale(a, x, a);
  if (j->kind == MB_RIG_SLIDE) memcpy(f.p, a, sizeof f.p);
  if (j->kind == MB_RIG_HINGE) mb_quat_exp(f.q, a);
  return f;
}

// What turns z to the plane's normal, of a joint that slides in a plane.
static MbRigFrame of_plane(const MbRigJoint *j) {
  MbRigFrame f = mb_rig_frame();
  if (j->kind == MB_RIG_PLANE) mb_rig_turn_z(j->axis, f.q);
  return f;
}

static const char *type_of(const MbRigJoint *j) {
  static const char *const words[] = {"revolute", "prismatic", "spherical", "free3d", "free2d"};
  return words[j->kind];
}

static void put_axis(const MbRigJoint *j, cJSON *to) {
  const bool z = j->axis[0] == 0 && j->axis[1] == 0 && j->axis[2] > 0;
  if (dofs(j) == 1 && !z) put(to, "axis", numbers(j->axis, 3));
}

// A value for every coordinate of a body's joints: one alone where there is one.
typedef cJSON *MbRigValue(const MbRigJoint *j, int k);

static void put_by_dof(const MbRigBody *body, cJSON *to, const char *key, bool any, MbRigValue *value) {
  if (!any) return;
  int n = 0;
  for (size_t i = 0; i < body->njoints; i++) n += dofs(&body->joint[i]);
  cJSON *list = cJSON_CreateArray();
  for (size_t i = 0; i < body->njoints; i++)
    for (int k = 0; k < dofs(&body->joint[i]); k++) push(list, value(&body->joint[i], k));
  if (n == 1) {
    put(to, key, cJSON_DetachItemFromArray(list, 0));
    cJSON_Delete(list);
  } else {
    put(to, key, list);
  }
}

static bool turns(const MbRigJoint *j) { return j->kind == MB_RIG_HINGE; }

// Coordinates at the start, as a scene has them
static void start(const MbRigJoint *j, double q[6]) {
  memset(q, 0, 6 * sizeof *q);
  if (dofs(j) == 1) q[0] = j->placed ? j->q[0] : j->ref;
  if (j->kind == MB_RIG_PLANE && j->placed) memcpy(q, j->q, 3 * sizeof *q);
  if (j->kind == MB_RIG_BALL && j->placed) mb_quat_log(q, j->q);
}

static cJSON *position(const MbRigJoint *j, int k) {
  double q[6];
  start(j, q);
  return coordinate(q[k], turns(j));
}

// A ball's is an angular velocity ω in the body's axes there, and the rates of the rotation vector r here:
// ṙ = ω + ½ [r] ω + d [r]² ω, the inverse of ω = J_r(r) ṙ
static cJSON *velocity(const MbRigJoint *j, int k) {
  double r[6], rw[3], rrw[3];
  if (j->kind != MB_RIG_BALL) return length(j->v[k]);
  start(j, r);
  mb_vec3_cross(rw, r, j->v);
  mb_vec3_cross(rrw, r, rw);
  return length(j->v[k] + rw[k] / 2 + mb_log_d(mb_vec3_dot(r, r)) * rrw[k]);
}

static cJSON *stiffness(const MbRigJoint *j, int k) { return (void)k, length(j->stiffness); }
static cJSON *rest(const MbRigJoint *j, int k) { return (void)k, coordinate(j->rest, turns(j)); }
static cJSON *damping(const MbRigJoint *j, int k) { return (void)k, length(j->damping); }
static cJSON *friction(const MbRigJoint *j, int k) { return (void)k, length(j->friction); }
static cJSON *inertia(const MbRigJoint *j, int k) { return (void)k, length(j->inertia); }
static cJSON *limits(const MbRigJoint *j, int k) {
  cJSON *pair = cJSON_CreateArray();
  (void)k;
  for (int i = 0; i < 2; i++)
    push(pair, j->limited && isfinite(j->range[i]) ? coordinate(j->range[i], turns(j)) : cJSON_CreateNull());
  return pair;
}
static cJSON *force(const MbRigJoint *j, int k) { return (void)k, length(j->force); }
static cJSON *kp(const MbRigJoint *j, int k) { return (void)k, length(j->kp); }
static cJSON *kv(const MbRigJoint *j, int k) { return (void)k, length(j->kv); }
static cJSON *target(const MbRigJoint *j, int k) { return (void)k, coordinate(j->target, turns(j)); }
static cJSON *speed(const MbRigJoint *j, int k) { return (void)k, length(j->speed); }
static cJSON *most(const MbRigJoint *j, int k) { return (void)k, length(isnan(j->most) ? 1e30 : j->most); }

static void put_motor(const MbRigBody *body, cJSON *to) {
  bool any = false, p = false, d = false, v = false, bound = false;
  for (size_t i = 0; i < body->njoints; i++) {
    const MbRigJoint *j = &body->joint[i];
    any |= j->motor, p |= j->kp != 0, d |= j->kv != 0, v |= j->speed != 0, bound |= !isnan(j->most);
  }
  if (!any) return;
  cJSON *motor = put_object(to, "motor");
  put_by_dof(body, motor, "stiffness", p, kp);
  put_by_dof(body, motor, "damping", d, kv);
  put_by_dof(body, motor, "target", p, target);
  put_by_dof(body, motor, "target_velocity", v || !p, speed);
  put_by_dof(body, motor, "max", bound, most);
}

static void put_numbers(const MbRigBody *body, cJSON *to) {
  bool q = false, v = false, k = false, r = false, d = false, i = false, l = false, f = false, dry = false;
  for (size_t n = 0; n < body->njoints; n++) {
    const MbRigJoint *j = &body->joint[n];
    double q0[6];
    start(j, q0);
    q |= !none(q0, 6) && j->follows == MB_RIG_WORLD, v |= j->placed && !none(j->v, dofs(j));
    k |= j->stiffness != 0, r |= j->rest != 0 && j->stiffness != 0, d |= j->damping != 0,
        i |= j->inertia != 0;
    l |= j->limited, f |= j->driven, dry |= j->friction != 0;
  }
  put_by_dof(body, to, "position", q, position);
  put_by_dof(body, to, "velocity", v, velocity);
  put_by_dof(body, to, "stiffness", k, stiffness);
  put_by_dof(body, to, "rest", r, rest);
  put_by_dof(body, to, "damping", d, damping);
  put_by_dof(body, to, "inertia", i, inertia);
  put_by_dof(body, to, "frictionloss", dry, friction);
  if (l && body->njoints == 1 && dofs(&body->joint[0]) == 1)
    put(to, "limits", limits(&body->joint[0], 0));
  else
    put_by_dof(body, to, "limits", l, limits);
  put_by_dof(body, to, "force", f, force);
  put_motor(body, to);
}

// The body's pose in its parent is  X Π_k T(p_k) Q_k(q_k − ref_k) T(−p_k),  X its frame there. As one joint of parts:
//   in_parent = X T(p_1),  part k stands at Q_{k−1}(−ref_{k−1}) T(p_k − p_{k−1}),  in_body = T(p_n) Q_n(ref_n)
static cJSON *joint_json(const MbRig *rig, const MbRigBody *body) {
  cJSON *out = cJSON_CreateObject();
  const MbRigJoint *first = body->joint, *last = body->joint + (body->njoints ? body->njoints - 1 : 0);
  put_text(out, "type", !body->njoints ? "fixed" : body->njoints == 1 ? type_of(first) : "composite");
  if (body->parent != MB_RIG_WORLD) put_text(out, "parent", name_of(rig, body->parent));
  MbRigFrame outer = body->frame;
  if (!body->njoints) {
    if (body->bolt) put_text(out, "_name", body->bolt);
    put_frame(out, "in_parent", &outer);
    return out;
  }
  const bool single = body->njoints == 1;
  if (single && first->name) put_text(out, "_name", first->name);
  MbRigFrame place = moved(first->kind == MB_RIG_SLIDE && single ? (double[3]){0} : first->p),
             plane = of_plane(first);
  place = mb_rig_compose(&place, &plane);
  outer = mb_rig_compose(&outer, &place);
  put_frame(out, "in_parent", &outer);
  MbRigFrame own = moved(last->kind == MB_RIG_SLIDE && single ? (double[3]){0} : last->p),
             back = at_coordinate(last, last->ref);
  own = mb_rig_compose(&own, last->kind == MB_RIG_PLANE ? &plane : &back);
  put_frame(out, "in_body", &own);
  if (single) {
    put_axis(first, out);
  } else {
    cJSON *parts = put_list(out, "joints");
    for (size_t k = 0; k < body->njoints; k++) {
      const MbRigJoint *j = &body->joint[k];
      cJSON *part = cJSON_CreateObject();
      put_text(part, "type", type_of(j));
      if (j->name) put_text(part, "name", j->name);
      put_axis(j, part);
      if (k) {
        const MbRigJoint *before = j - 1;
        double way[3];
        mb_vec3_sub(way, j->p, before->p);
        MbRigFrame at = at_coordinate(before, -before->ref), on = moved(way);
        at = mb_rig_compose(&at, &on);
        put_frame(part, "frame", &at);
      }
      push(parts, part);
    }
  }
  put_numbers(body, out);
  if (single && !isnan(first->effort)) put_number(out, "_effort", first->effort);
  if (single && !isnan(first->speed_limit)) put_number(out, "_velocity", first->speed_limit);
  for (size_t k = 0; k < body->njoints; k++) {
    char key[80];
    if (!body->joint[k].remark) continue;
    snprintf(key, sizeof key, single ? "_" : "_%.60s", body->joint[k].name ? body->joint[k].name : "");
    if (!cJSON_GetObjectItemCaseSensitive(out, key)) put_text(out, key, body->joint[k].remark);
  }
  return out;
}

static void put_free(const MbRigBody *body, cJSON *to) {
  const MbRigJoint *j = &body->joint[0];
  MbRigFrame pose = body->frame;
  if (j->placed) {
    pose = mb_rig_frame();
    memcpy(pose.p, j->q, sizeof pose.p);
    memcpy(pose.q, j->q + 3, sizeof pose.q);
  }
  put_frame(to, "pose", &pose);
  if (!j->placed || none(j->v, 6)) return;
  cJSON *v = put_object(to, "velocity");
  double w[3];
  mb_quat_rotate(w, pose.q, j->v + 3);
  put(v, "angular", numbers(w, 3));
  put(v, "linear", numbers(j->v, 3));
}

static cJSON *body_json(MbDoor *door, const MbRigBody *body) {
  cJSON *out = cJSON_CreateObject();
  comment(out, body->at, NULL);
  put_text(out, "name", body->name);
  put_shapes(door, body, out);
  put_inertia(body, out);
  if (body->njoints == 1 && body->joint[0].kind == MB_RIG_FREE && body->parent == MB_RIG_WORLD)
    put_free(body, out);
  else
    put(out, "joint", joint_json(&door->rig, body));
  return out;
}

// ---- what ties bodies together ----------------------------------------------------------------------------

static cJSON *point(const MbRig *rig, const MbRigPoint *p, bool whole) {
  cJSON *out = cJSON_CreateObject();
  put_text(out, "body", name_of(rig, p->body));
  if (whole)
    put_frame(out, "frame", &p->frame);
  else
    put(out, "at", numbers(p->frame.p, 3));
  return out;
}

static cJSON *points(const MbRig *rig, const MbRigTie *tie, bool whole) {
  cJSON *list = cJSON_CreateArray();
  for (size_t i = 0; i < tie->npath; i++) push(list, point(rig, &tie->path[i], whole));
  return list;
}

static cJSON *ratio(const char *a, const char *b, double r, double offset, bool reduced) {
  cJSON *out = cJSON_CreateObject(), *pair = cJSON_CreateArray();
  put_text(out, "type", "ratio");
  push(pair, cJSON_CreateString(a));
  push(pair, cJSON_CreateString(b));
  put(out, "joints", pair);
  put(out, "ratio", length(r));
  if (offset != 0) put(out, "offset", length(offset));
  if (reduced) put_text(out, "enforce", "reduction");
  return out;
}

static cJSON *tie_json(const MbRig *rig, const MbRigTie *tie) {
  static const char *const words[] = {"point",        "joint",        "ratio", "distance",
                                      "multi_spring", "frame_spring", "muscle"};
  if (tie->kind == MB_RIG_RATIO) {
    cJSON *out =
        ratio(name_of(rig, tie->body[0]), name_of(rig, tie->body[1]), tie->ratio, tie->offset, tie->reduced);
    if (tie->name) put_text(out, "name", tie->name);
    comment(out, tie->at, NULL);
    return out;
  }
  cJSON *out = cJSON_CreateObject();
  comment(out, tie->at, NULL);
  const bool two = tie->kind == MB_RIG_SPRING && tie->npath == 2;
  put_text(out, "type", two ? "spring" : words[tie->kind]);
  if (tie->name) put_text(out, "name", tie->name);
  if (tie->kind == MB_RIG_WELD) put_text(out, "joint", "fixed");
  const bool path = tie->kind == MB_RIG_MUSCLE || (tie->kind == MB_RIG_SPRING && !two);
  put(out, path ? "path" : "between",
      points(rig, tie, tie->kind == MB_RIG_WELD || tie->kind == MB_RIG_TWIST));
  if (tie->kind == MB_RIG_ROPE) {
    put(out, "length", length(tie->length));
    if (!tie->rigid) put(out, "rope", cJSON_CreateTrue());
  }
  if (tie->kind == MB_RIG_SPRING) {
    put(out, "stiffness", length(tie->stiffness));
    if (tie->damping != 0) put(out, "damping", length(tie->damping));
    if (!isnan(tie->length)) put(out, "length", length(tie->length));
  }
  if (tie->kind == MB_RIG_TWIST) {
    const double k[2] = {0, tie->stiffness}, d[2] = {0, tie->damping};
    put(out, "stiffness", numbers(k, 2));
    put(out, "damping", numbers(d, 2));
  }
  if (tie->kind == MB_RIG_MUSCLE) {
    static const char *const keys[] = {"max_force", "optimal_length", "tendon_length", "max_velocity"};
    for (int i = 0; i < 4; i++) put(out, keys[i], length(tie->muscle[i]));
    put_number(out, "activation", 0);
  }
  return out;
}

static void put_ties(const MbRig *rig, cJSON *scene) {
  cJSON *constraints = cJSON_CreateArray(), *forces = cJSON_CreateArray();
  for (size_t b = 0; b < rig->nbodies; b++) {
    const MbRigJoint *j = rig->body[b].joint;
    if (!rig->body[b].merged && rig->body[b].njoints == 1 && j->follows != MB_RIG_WORLD) {
      cJSON *out = ratio(name_of(rig, j->follows), rig->body[b].name, j->ratio, j->offset, true);
      comment(out, j->at, "mimic");
      push(constraints, out);
    }
  }
  for (size_t i = 0; i < rig->nties; i++)
    push(rig->tie[i].kind < MB_RIG_SPRING ? constraints : forces, tie_json(rig, &rig->tie[i]));
  cJSON *const lists[] = {constraints, forces};
  static const char *const keys[] = {"constraints", "forces"};
  for (int i = 0; i < 2; i++) {
    if (cJSON_GetArraySize(lists[i]))
      put(scene, keys[i], lists[i]);
    else
      cJSON_Delete(lists[i]);
  }
}

// ---- contact ----------------------------------------------------------------------------------------------

static cJSON *names(const MbRig *rig, const MbRigPair *pair) {
  cJSON *list = cJSON_CreateArray();
  for (int k = 0; k < 2; k++) push(list, cJSON_CreateString(name_of(rig, pair->body[k])));
  return list;
}

static void put_contact(const MbRig *rig, cJSON *scene) {
  static const double USUAL = 0.5; // a scene's friction where it says none
  if (!rig->contact) return;
  cJSON *contact = put_object(scene, "contact"), *pairs = NULL, *exclude = NULL;
  if (!isnan(rig->friction) && rig->friction != USUAL) put(contact, "friction", length(rig->friction));
  for (size_t i = 0; i < rig->npairs; i++) {
    const MbRigPair *pair = &rig->pair[i];
    if (isnan(pair->friction)) {
      if (!exclude) exclude = put_list(contact, "exclude");
      push(exclude, names(rig, pair));
      continue;
    }
    if (!pairs) pairs = put_list(contact, "pairs");
    cJSON *out = cJSON_CreateObject();
    put(out, "bodies", names(rig, pair));
    put(out, "friction", length(pair->friction));
    push(pairs, out);
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
    if (!list) list = put_list(scene, "_left_out");
    push(list, cJSON_CreateString(text));
  }
}

char *mb_rig_scene(MbDoor *door) {
  const MbRig *rig = &door->rig;
  static const double down[3] = {0, 0, -9.81};
  lost = false;
  cJSON *scene = cJSON_CreateObject();
  const char *slash = strrchr(rig->source, '/');
  put_number(scene, "mbsim", 1);
  char from[400];
  snprintf(from, sizeof from, "imported from %s (%s)", slash ? slash + 1 : rig->source, rig->format);
  put_text(scene, "_source", from);
  if (rig->name && *rig->name) put_text(scene, "name", rig->name);
  if (memcmp(rig->gravity, down, sizeof down) != 0) put(scene, "gravity", numbers(rig->gravity, 3));
  cJSON *time = put_object(scene, "time");
  put(time, "step", length(isnan(rig->step) ? 0.001 : rig->step));
  put_number(time, "duration", 5);
  cJSON *bodies = put_list(scene, "bodies");
  for (size_t b = 0; b < rig->nbodies; b++)
    if (!rig->body[b].merged) push(bodies, body_json(door, &rig->body[b]));
  put_ties(rig, scene);
  put_contact(rig, scene);
  put_notes(door, scene);
  MbText text = {0};
  if (!door->status && !lost) mb_text_pretty(&text, scene);
  cJSON_Delete(scene);
  return mb_text_take(&text);
}
