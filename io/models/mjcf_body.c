// MJCF's bodies: what stands in them, and in the frames and copies that are folded into them.
#include "core/base/alloc.h"
#include "core/math/mat3.h"
#include "core/math/quat.h"
#include "io/models/mjcf.h"

#include <stdio.h>
#include <string.h>

static const char *suffixed(MbMjcf *m, const char *name, const char *suffix) {
  return name && *suffix ? mb_door_format(m->door, "%s%s", name, suffix) : name;
}

static MbRigBody *body_of(MbMjcf *m, const MbMjcfScope *scope) { return &m->door->rig.body[scope->body]; }

// ---- joints -----------------------------------------------------------------------------------------------

// A polynomial's first coefficient is a spring's or damper's; the others are not said here.
static double first_of(MbMjcf *m, const MbXmlElement *e, const char *class, const char *name) {
  double x[3] = {0};
  const MbXmlAttribute *a = mb_mjcf_get(m, e, class, "joint", name);
  if (!a || !mb_door_numbers(m->door, a, x, 1, 3)) return 0;
  if (x[1] != 0 || x[2] != 0)
    mb_door_note(m->door, a->at, true, "%s of <joint>: of several numbers the first is taken", name);
  if (x[0] < 0) mb_door_error(m->door, a->at, "%s is below 0", name);
  return x[0];
}

static void read_passive(MbMjcf *m, const MbXmlElement *e, const char *class, MbRigJoint *j) {
  MbDoor *door = m->door;
  const double stiffness = first_of(m, e, class, "stiffness"), damping = first_of(m, e, class, "damping"),
               inertia = mb_mjcf_number(m, e, class, "joint", "armature", 0),
               friction = mb_mjcf_number(m, e, class, "joint", "frictionloss", 0);
  if (inertia < 0 || friction < 0) mb_door_error(door, e->at, "armature and frictionloss cannot be below 0");
  const bool scalar = j->kind <= MB_RIG_SLIDE;
  if (j->kind == MB_RIG_FREE) {
    if ((stiffness != 0 && m->springs) || (damping != 0 && m->dampers) || inertia != 0 ||
        (friction != 0 && m->dry))
      mb_door_note(door, e->at, true,
                   "stiffness, damping, armature and frictionloss of a free <joint>: left out");
    return;
  }
  j->stiffness = m->springs ? stiffness : 0;
  j->damping = m->dampers ? damping : 0;
  if (scalar) {
    j->inertia = inertia;
    j->friction = m->dry ? friction : 0;
    return;
  }
  if (inertia != 0) mb_door_note(door, e->at, true, "armature of a ball <joint>: left out");
  if (friction != 0 && m->dry) mb_door_note(door, e->at, true, "frictionloss of a ball <joint>: left out");
}

static bool read_limits(MbMjcf *m, const MbXmlElement *e, const char *class, MbRigJoint *j) {
  bool limited = false;
  double range[2];
  if (j->kind == MB_RIG_FREE) return true;
  if (j->kind == MB_RIG_BALL) {
    const MbXmlAttribute *a = mb_mjcf_get(m, e, class, "joint", "range");
    if (a && m->limits) mb_door_note(m->door, a->at, true, "range of a ball <joint>: left out");
    return true;
  }
  if (!mb_mjcf_limited(m, e, class, "joint", "limited", "range", range, &limited)) return false;
  const bool turns = j->kind == MB_RIG_HINGE;
  j->limited = limited && m->limits;
  for (int i = 0; i < 2; i++)
    j->range[i] = turns ? mb_mjcf_angle(m, mb_rig_bound(range[i])) : mb_rig_bound(range[i]);
  const double ref = mb_mjcf_number(m, e, class, "joint", "ref", 0),
               rest = mb_mjcf_number(m, e, class, "joint", "springref", 0);
  j->ref = turns ? mb_mjcf_angle(m, ref) : ref, j->rest = turns ? mb_mjcf_angle(m, rest) : rest;
  return true;
}

static bool add_joint(MbMjcf *m, const MbXmlElement *e, MbRigKind kind, const MbMjcfScope *scope) {
  MbDoor *door = m->door;
  if (scope->body == MB_RIG_WORLD) return mb_door_error(door, e->at, "the world has no joints");
  MbRigBody *body = body_of(m, scope);
  if (kind == MB_RIG_FREE && body->parent != MB_RIG_WORLD)
    return mb_door_error(door, e->at, "only bodies right in the world are free");
  if (body->njoints && (kind == MB_RIG_FREE || body->joint[0].kind == MB_RIG_FREE))
    return mb_door_error(door, e->at, "a free body has no other joints");
  MbRigJoint *j = mb_rig_add_joint(body, kind, e->at);
  if (!j) return mb_door_no_memory(door);
  const MbXmlAttribute *name = mb_xml_attribute(e, "name");
  j->name = name ? suffixed(m, name->value, scope->suffix) : NULL;
  const MbMjcfNamed named = {.name = j->name, .at = e->at, .body = scope->body, .index = body->njoints - 1};
  return mb_mjcf_note_name(m, &m->joints, "joint", &named);
}

static bool read_joint(MbMjcf *m, const MbXmlElement *e, const MbMjcfScope *scope) {
  static const char *const words[] = {"hinge", "slide", "ball", "free", NULL};
  const char *class = NULL;
  if (!mb_mjcf_class_of(m, e, scope->class, &class)) return false;
  const MbXmlAttribute *type = mb_mjcf_get(m, e, class, "joint", "type");
  const int kind = type ? mb_door_word(m->door, type, words) : 0;
  if (kind < 0 || !add_joint(m, e, (MbRigKind)kind, scope)) return false;
  MbRigBody *body = body_of(m, scope);
  MbRigJoint *j = &body->joint[body->njoints - 1];
  MbRigFrame at = mb_rig_frame();
  if (!mb_door_vector(m->door, mb_mjcf_get(m, e, class, "joint", "pos"), at.p, 3) ||
      !mb_door_vector(m->door, mb_mjcf_get(m, e, class, "joint", "axis"), j->axis, 3))
    return false;
  if (!(mb_vec3_norm(j->axis) > 1e-10))
    return mb_door_error(m->door, e->at, "the joint's axis has no direction");
  at = mb_rig_compose(&scope->frame, &at);
  mb_vec3_copy(j->p, at.p);
  if (scope->frame.q[0] != 1) mb_quat_rotate(j->axis, scope->frame.q, j->axis);
  if (kind == MB_RIG_FREE) mb_vec3_set(j->p, 0, 0, 0);
  read_passive(m, e, class, j);
  return read_limits(m, e, class, j) && !m->door->status;
}

// ---- inertia ----------------------------------------------------------------------------------------------

static bool read_inertial(MbMjcf *m, const MbXmlElement *e, const MbMjcfScope *scope) {
  MbDoor *door = m->door;
  if (scope->body == MB_RIG_WORLD) return mb_door_error(door, e->at, "the world has no <inertial>");
  if (m->from_geoms == 1) return true;
  MbRigBody *body = body_of(m, scope);
  if (body->inertial) return mb_door_error(door, e->at, "two <inertial> in one body");
  MbRigFrame f;
  const MbXmlAttribute *full = mb_xml_attribute(e, "fullinertia"),
                       *diagonal = mb_xml_attribute(e, "diaginertia");
  if (!mb_xml_attribute(e, "mass")) return mb_door_error(door, e->at, "<inertial> needs \"mass\"");
  if (!mb_xml_attribute(e, "pos")) return mb_door_error(door, e->at, "<inertial> needs \"pos\"");
  if (!full == !diagonal)
    return mb_door_error(door, e->at, "<inertial> needs \"diaginertia\" or \"fullinertia\", one of them");
  if (!mb_mjcf_frame(m, e, NULL, "inertial", &f)) return false;
  double I[9] = {0}, x[6] = {0}, R[9], RI[9];
  if (full && !mb_door_vector(door, full, x, 6)) return false;
  if (diagonal && !mb_door_vector(door, diagonal, x, 3)) return false;
  const double all[9] = {x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]};
  memcpy(I, all, sizeof I);
  const bool turned = f.q[0] != 1 || scope->frame.q[0] != 1;
  if (full && f.q[0] != 1)
    return mb_door_error(door, full->at, "fullinertia has the body's axes: it cannot be turned");
  f = mb_rig_compose(&scope->frame, &f);
  body->inertial = true;
  body->mass = mb_door_number(door, mb_xml_attribute(e, "mass"), 0);
  memcpy(body->center, f.p, sizeof body->center);
  if (turned) {
    mb_quat_to_mat3(R, f.q);
    mb_mat3_mul(RI, R, I);
    mb_mat3_mult(I, RI, R);
  }
  const double matrix[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
  memcpy(body->matrix, matrix, sizeof matrix);
  if (body->mass < 0) return mb_door_error(door, e->at, "the mass is below 0");
  if (body->mass == 0) body->inertial = false;
  return !door->status;
}

// ---- bodies -----------------------------------------------------------------------------------------------

static const char *fresh_name(MbMjcf *m, const MbXmlElement *e) {
  const MbRig *rig = &m->door->rig;
  const MbXmlElement *joint = mb_xml_child(e, "joint"), *geom = mb_xml_child(e, "geom");
  const MbXmlElement *const from[] = {joint, geom};
  for (int i = 0; i < 2; i++) {
    const MbXmlAttribute *a = from[i] ? mb_xml_attribute(from[i], "name") : NULL;
    if (a && *a->value && strcmp(a->value, "world") != 0 && mb_rig_find_body(rig, a->value) == MB_RIG_WORLD)
      return a->value;
  }
  for (size_t n = rig->nbodies + 1;; n++) {
    const char *name = mb_door_format(m->door, "body%zu", n);
    if (mb_rig_find_body(rig, name) == MB_RIG_WORLD) return name;
  }
}

static bool read_body(MbMjcf *m, const MbXmlElement *e, const MbMjcfScope *scope) {
  MbDoor *door = m->door;
  const MbXmlAttribute *name = mb_xml_attribute(e, "name");
  const char *class = NULL;
  if (!mb_mjcf_childclass(m, e, scope->class, &class)) return false;
  const char *called = name && *name->value ? suffixed(m, name->value, scope->suffix) : fresh_name(m, e);
  if (!strcmp(called, "world")) return mb_door_error(door, name->at, "a body cannot be called \"world\"");
  if (mb_rig_find_body(&door->rig, called) != MB_RIG_WORLD)
    return mb_door_error(door, e->at, "two bodies are called \"%s\"", called);
  MbRigFrame f;
  if (!mb_mjcf_frame(m, e, NULL, "body", &f)) return false;
  MbRigBody *body = mb_rig_add_body(&door->rig, called, e->at);
  if (!body) return mb_door_no_memory(door);
  body->parent = scope->body, body->frame = mb_rig_compose(&scope->frame, &f);
  const MbMjcfScope inner = {.body = door->rig.nbodies - 1,
                             .frame = mb_rig_frame(),
                             .class = class,
                             .suffix = scope->suffix,
                             .depth = scope->depth + 1};
  return mb_mjcf_body(m, e, &inner);
}

static bool read_frame(MbMjcf *m, const MbXmlElement *e, const MbMjcfScope *scope) {
  MbRigFrame f;
  MbMjcfScope inner = *scope;
  if (!mb_mjcf_childclass(m, e, scope->class, &inner.class)) return false;
  if (!mb_mjcf_frame(m, e, NULL, "frame", &f)) return false;
  inner.frame = mb_rig_compose(&scope->frame, &f);
  inner.depth++;
  return mb_mjcf_body(m, e, &inner);
}

// Copy i stands at offset, turned by i times the angles, after those before it: p ← p + R_{i−1} offset.
static bool read_replicate(MbMjcf *m, const MbXmlElement *e, const MbMjcfScope *scope) {
  enum { MOST = 10000 };
  MbDoor *door = m->door;
  double offset[3] = {0}, angles[3] = {0}, p[3] = {0}, turn[4] = {1, 0, 0, 0};
  const MbXmlAttribute *count = mb_xml_attribute(e, "count"), *euler = mb_xml_attribute(e, "euler"),
                       *sep = mb_xml_attribute(e, "sep");
  const char *class = NULL;
  if (!mb_mjcf_childclass(m, e, scope->class, &class)) return false;
  if (!count) return mb_door_error(door, e->at, "<replicate> needs \"count\"");
  const double n = mb_door_number(door, count, 0);
  if (door->status) return false;
  if (n < 1 || n > MOST || n != floor(n))
    return mb_door_error(door, count->at, "count: a whole number from 1 to %d is wanted", MOST);
  if (!mb_door_vector(door, mb_xml_attribute(e, "offset"), offset, 3) ||
      !mb_door_vector(door, euler, angles, 3))
    return false;
  if (strpbrk(m->euler, "XYZ") && euler)
    return mb_door_error(door, euler->at, "<replicate> with euler takes an eulerseq of small letters alone");
  const int digits = snprintf(NULL, 0, "%d", (int)n);
  for (int i = 0; i < (int)n; i++) {
    MbRigFrame f = mb_rig_frame();
    double now[3];
    for (int k = 0; k < 3; k++) now[k] = mb_mjcf_angle(m, i * angles[k]);
    memcpy(f.p, p, sizeof p);
    if (euler) mb_rig_euler(m->euler, now, f.q);
    MbMjcfScope inner = *scope;
    inner.frame = mb_rig_compose(&scope->frame, &f);
    inner.depth++;
    inner.class = class;
    inner.suffix = mb_door_format(door, "%s%s%0*d", scope->suffix, sep ? sep->value : "", digits, i);
    if (door->rig.nbodies > 1000000)
      return mb_door_error(door, e->at, "the model has more than a million bodies");
    if (!mb_mjcf_body(m, e, &inner)) return false;
    // the turn of the copies so far, by the same product as they are turned by
    double step[3];
    mb_quat_rotate(step, turn, offset);
    mb_vec3_add(p, p, step);
    if (euler) {
      double one[3], q[4];
      for (int k = 0; k < 3; k++) one[k] = mb_mjcf_angle(m, angles[k]);
      mb_rig_euler(m->euler, one, q);
      mb_quat_mul(turn, turn, q);
    }
  }
  return true;
}

static bool read_site(MbMjcf *m, const MbXmlElement *e, const MbMjcfScope *scope) {
  const MbXmlAttribute *name = mb_xml_attribute(e, "name"), *ends = NULL;
  const char *class = NULL;
  MbRigFrame f;
  if (!mb_mjcf_class_of(m, e, scope->class, &class) || !mb_mjcf_frame(m, e, class, "site", &f)) return false;
  ends = mb_mjcf_get(m, e, class, "site", "fromto");
  if (ends) {
    double x[6];
    if (!mb_door_vector(m->door, ends, x, 6)) return false;
    for (int i = 0; i < 3; i++) f.p[i] = (x[i] + x[3 + i]) / 2;
  }
  const MbMjcfNamed named = {.name = name ? suffixed(m, name->value, scope->suffix) : NULL,
                             .at = e->at,
                             .body = scope->body,
                             .frame = mb_rig_compose(&scope->frame, &f)};
  return mb_mjcf_note_name(m, &m->sites, "site", &named);
}

bool mb_mjcf_body(MbMjcf *m, const MbXmlElement *e, const MbMjcfScope *scope) {
  for (const MbXmlElement *c = e->first; c; c = c->next) {
    bool fine = true;
    if (!strcmp(c->name, "joint"))
      fine = read_joint(m, c, scope);
    else if (!strcmp(c->name, "freejoint"))
      fine = add_joint(m, c, MB_RIG_FREE, scope);
    else if (!strcmp(c->name, "inertial"))
      fine = read_inertial(m, c, scope);
    else if (!strcmp(c->name, "geom"))
      fine = mb_mjcf_geom(m, c, scope);
    else if (!strcmp(c->name, "site"))
      fine = read_site(m, c, scope);
    else if (!strcmp(c->name, "body"))
      fine = read_body(m, c, scope);
    else if (!strcmp(c->name, "frame"))
      fine = read_frame(m, c, scope);
    else if (!strcmp(c->name, "replicate"))
      fine = read_replicate(m, c, scope);
    if (!fine) return false;
  }
  return true;
}
