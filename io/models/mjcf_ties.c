// MJCF's equality constraints, tendons and pairs that touch.
#include "core/base/alloc.h"
#include "core/math/quat.h"
#include "io/models/mjcf.h"

#include <string.h>

static MbRigPoint *add_points(MbDoor *door, MbRigTie *tie, size_t n) {
  tie->path = mb_calloc(n, sizeof *tie->path);
  tie->npath = tie->path ? n : 0;
  if (!tie->path) mb_door_no_memory(door);
  return tie->path;
}

static const char *own_name(const MbXmlElement *e) {
  const MbXmlAttribute *a = mb_xml_attribute(e, "name");
  return a && *a->value ? a->value : NULL;
}

static bool find_body(MbMjcf *m, const MbXmlElement *e, const char *attribute, size_t *body) {
  const MbXmlAttribute *a = mb_xml_attribute(e, attribute);
  *body = MB_RIG_WORLD;
  if (!a || !strcmp(a->value, "world")) return true;
  *body = mb_rig_find_body(&m->door->rig, a->value);
  return *body != MB_RIG_WORLD || mb_door_error(m->door, a->at, "there is no body \"%s\"", a->value);
}

// What stands at `there` in the world, in a body's frame.
static MbRigFrame seen_from(const MbMjcf *m, size_t body, const MbRigFrame *there) {
  const MbRigFrame stands = mb_rig_stands(&m->door->rig, body);
  MbRigFrame f = mb_rig_frame();
  double way[3];
  mb_vec3_sub(way, there->p, stands.p);
  mb_quat_unrotate(f.p, stands.q, way);
  double back[4];
  mb_quat_conj(back, stands.q);
  mb_quat_mul(f.q, back, there->q);
  mb_quat_normalise(f.q);
  return f;
}

// ---- paths ------------------------------------------------------------------------------------------------

static MbRigPoint *read_path(MbMjcf *m, const MbXmlElement *e, size_t *count) {
  size_t n = 0;
  for (const MbXmlElement *s = mb_xml_child(e, "site"); s; s = mb_xml_again(s)) n++;
  if (n < 2) {
    mb_door_error(m->door, e->at, "a <spatial> tendon needs two sites at least");
    return NULL;
  }
  MbRigPoint *path = mb_calloc(n, sizeof *path);
  if (!path) mb_door_no_memory(m->door);
  *count = 0;
  for (const MbXmlElement *s = mb_xml_child(e, "site"); s && path; s = mb_xml_again(s)) {
    const MbMjcfNamed *site = mb_mjcf_named(m, &m->sites, "site", s, "site");
    if (!site) {
      mb_free(path);
      return NULL;
    }
    path[(*count)++] = (MbRigPoint){site->body, site->frame};
  }
  return path;
}

static MbRigTie *add_path(MbMjcf *m, const MbXmlElement *e, MbRigTieKind kind) {
  size_t n = 0;
  MbRigPoint *path = read_path(m, e, &n);
  MbRigTie *tie = path ? mb_rig_add_tie(&m->door->rig, kind, e->at) : NULL;
  if (!tie) {
    mb_free(path);
    if (path) mb_door_no_memory(m->door);
    return NULL;
  }
  tie->path = path, tie->npath = n, tie->name = own_name(e);
  return tie;
}

// ---- equality ---------------------------------------------------------------------------------------------

static bool tie_sites(MbMjcf *m, const MbXmlElement *e, MbRigTieKind kind) {
  const MbMjcfNamed *a = mb_mjcf_named(m, &m->sites, "site", e, "site1"),
                    *b = mb_mjcf_named(m, &m->sites, "site", e, "site2");
  if (!a || !b) return false;
  MbRigTie *tie = mb_rig_add_tie(&m->door->rig, kind, e->at);
  MbRigPoint *path = tie ? add_points(m->door, tie, 2) : NULL;
  if (!path) return mb_door_no_memory(m->door);
  tie->name = own_name(e);
  path[0] = (MbRigPoint){a->body, a->frame}, path[1] = (MbRigPoint){b->body, b->frame};
  return true;
}

// A point of body1, or the pose of body2 in body1; without relpose as they stand.
static bool tie_bodies(MbMjcf *m, const MbXmlElement *e, MbRigTieKind kind) {
  MbDoor *door = m->door;
  size_t body[2];
  const MbXmlAttribute *anchor = mb_xml_attribute(e, "anchor"), *relative = mb_xml_attribute(e, "relpose");
  if (!mb_door_name(door, e, "body1") || !find_body(m, e, "body1", &body[0]) ||
      !find_body(m, e, "body2", &body[1]))
    return false;
  if (kind == MB_RIG_POINT && !anchor) return mb_door_error(door, e->at, "<connect> needs \"anchor\"");
  MbRigFrame first = mb_rig_frame(), second = mb_rig_frame(), stands = mb_rig_stands(&m->door->rig, body[0]);
  double pose[7] = {0};
  if (kind == MB_RIG_POINT && !mb_door_vector(door, anchor, first.p, 3)) return false;
  if (kind == MB_RIG_WELD && !mb_door_vector(door, relative, pose, 7)) return false;
  const bool given = pose[3] != 0 || pose[4] != 0 || pose[5] != 0 || pose[6] != 0;
  if (kind == MB_RIG_WELD && given) { // body2's frame is to be there in body1's
    memcpy(first.p, pose, sizeof first.p), memcpy(first.q, pose + 3, sizeof first.q);
    mb_quat_normalise(first.q);
  } else if (kind == MB_RIG_WELD) {
    const MbRigFrame other = mb_rig_stands(&m->door->rig, body[1]);
    first = seen_from(m, body[0], &other);
  } else {
    stands = mb_rig_compose(&stands, &first);
    second = seen_from(m, body[1], &stands);
  }
  MbRigTie *tie = mb_rig_add_tie(&door->rig, kind, e->at);
  MbRigPoint *path = tie ? add_points(door, tie, 2) : NULL;
  if (!path) return mb_door_no_memory(door);
  tie->name = own_name(e);
  path[0] = (MbRigPoint){body[0], first}, path[1] = (MbRigPoint){body[1], second};
  return true;
}

static bool alone(const MbMjcf *m, const MbMjcfNamed *named) {
  const MbRigBody *body = &m->door->rig.body[named->body];
  return body->njoints == 1 && body->joint[0].kind <= MB_RIG_SLIDE;
}

// q1 − ref1 = c0 + c1 (q2 − ref2) + ..., or q1 = ref1 + c0
static bool tie_joints(MbMjcf *m, const MbXmlElement *e) {
  MbDoor *door = m->door;
  double c[5] = {0, 1, 0, 0, 0};
  const MbXmlAttribute *poly = mb_xml_attribute(e, "polycoef");
  const MbMjcfNamed *a = mb_mjcf_named(m, &m->joints, "joint", e, "joint1"), *b = NULL;
  if (!a || (poly && !mb_door_numbers(door, poly, c, 1, 5))) return false;
  if (mb_xml_attribute(e, "joint2") && !(b = mb_mjcf_named(m, &m->joints, "joint", e, "joint2")))
    return false;
  if (!b || !alone(m, a) || !alone(m, b) || c[2] != 0 || c[3] != 0 || c[4] != 0) {
    mb_door_note(door, e->at, true,
                 "an <equality> of joints that is no ratio of two joints, each alone on its body: left out");
    return true;
  }
  const MbRigJoint *ja = door->rig.body[a->body].joint, *jb = door->rig.body[b->body].joint;
  const double offset = ja->ref + c[0] - c[1] * jb->ref;
  MbRigTie *tie = mb_rig_add_tie(&door->rig, MB_RIG_RATIO, e->at);
  if (!tie) return mb_door_no_memory(door);
  tie->name = own_name(e);
  tie->body[0] = b->body, tie->body[1] = a->body;
  tie->ratio = c[1], tie->offset = offset;
  return true;
}

const MbXmlElement *mb_mjcf_find_tendon(const MbMjcf *m, const char *name) {
  for (const MbXmlElement *s = mb_xml_child(m->root, "tendon"); s; s = mb_xml_again(s))
    for (const MbXmlElement *e = s->first; e; e = e->next) {
      const MbXmlAttribute *a = mb_xml_attribute(e, "name");
      if (a && !strcmp(a->value, name)) return e;
    }
  return NULL;
}

// Two joints whose angles or ways add up: c_a q_a + c_b q_b stays what it is where the model stands, and `more`.
static bool tie_sum(MbMjcf *m, const MbXmlElement *e, const MbXmlElement *tendon, double more, bool *said) {
  const MbXmlElement *first = mb_xml_child(tendon, "joint"), *second = first ? mb_xml_again(first) : NULL;
  if (!second || mb_xml_again(second)) return true;
  const MbMjcfNamed *a = mb_mjcf_named(m, &m->joints, "joint", first, "joint"),
                    *b = mb_mjcf_named(m, &m->joints, "joint", second, "joint");
  if (!a || !b) return false;
  const double ca = mb_door_number(m->door, mb_xml_attribute(first, "coef"), 1),
               cb = mb_door_number(m->door, mb_xml_attribute(second, "coef"), 1);
  if (!alone(m, a) || !alone(m, b) || cb == 0) return !m->door->status;
  const MbRigBody *bodies = m->door->rig.body;
  const double stands = ca * bodies[a->body].joint[0].ref + cb * bodies[b->body].joint[0].ref;
  MbRigTie *tie = mb_rig_add_tie(&m->door->rig, MB_RIG_RATIO, e->at);
  if (!tie) return mb_door_no_memory(m->door);
  tie->name = own_name(e);
  tie->body[0] = a->body, tie->body[1] = b->body;
  tie->ratio = -ca / cb, tie->offset = (stands + more) / cb;
  return *said = true;
}

// A tendon between two sites that keeps its length.
static bool tie_rod(MbMjcf *m, const MbXmlElement *e, const MbXmlElement *tendon, double more, bool *said) {
  size_t n = 0;
  for (const MbXmlElement *s = mb_xml_child(tendon, "site"); s; s = mb_xml_again(s)) n++;
  if (n != 2) return true;
  MbRigTie *tie = add_path(m, tendon, MB_RIG_ROPE);
  if (!tie) return false;
  tie->at = e->at, tie->rigid = true;
  if (own_name(e)) tie->name = own_name(e);
  tie->length = mb_rig_way(&m->door->rig, tie->path, tie->npath, MB_RIG_WRITTEN) + more;
  return *said = true;
}

static bool tie_tendon(MbMjcf *m, const MbXmlElement *e) {
  MbDoor *door = m->door;
  double c[5] = {0, 1, 0, 0, 0};
  bool said = false, fine = true;
  const MbXmlAttribute *poly = mb_xml_attribute(e, "polycoef");
  const char *name = mb_door_name(door, e, "tendon1");
  if (!name || (poly && !mb_door_numbers(door, poly, c, 1, 5))) return false;
  const MbXmlElement *tendon = mb_mjcf_find_tendon(m, name);
  if (!tendon)
    return mb_door_error(door, mb_xml_attribute(e, "tendon1")->at, "there is no tendon \"%s\"", name);
  if (!mb_xml_attribute(e, "tendon2"))
    fine = !strcmp(tendon->name, "spatial") ? tie_rod(m, e, tendon, c[0], &said)
                                            : tie_sum(m, e, tendon, c[0], &said);
  if (fine && !said)
    mb_door_note(
        door, e->at, true,
        "an <equality> of tendons that is neither one between two sites nor of two joints, each alone on its "
        "body: left out");
  return fine;
}

bool mb_mjcf_equality(MbMjcf *m, const MbXmlElement *section) {
  for (const MbXmlElement *e = section->first; e; e = e->next) {
    const bool point = !strcmp(e->name, "connect"), weld = !strcmp(e->name, "weld"),
               joint = !strcmp(e->name, "joint"), tendon = !strcmp(e->name, "tendon");
    const char *class = NULL;
    if (!point && !weld && !joint && !tendon) continue;
    if (!mb_mjcf_class_of(m, e, NULL, &class)) return false;
    if (!m->equality || !mb_door_flag(m->door, mb_mjcf_get(m, e, class, "equality", "active"), true)) {
      mb_door_note(m->door, e->at, false, "<%s> is not active: left out", e->name);
      continue;
    }
    const MbRigTieKind kind = point ? MB_RIG_POINT : MB_RIG_WELD;
    const bool fine = joint                          ? tie_joints(m, e)
                      : tendon                       ? tie_tendon(m, e)
                      : mb_xml_attribute(e, "site1") ? tie_sites(m, e, kind)
                                                     : tie_bodies(m, e, kind);
    if (!fine) return false;
  }
  return !m->door->status;
}

// ---- contact ----------------------------------------------------------------------------------------------

// Geoms of a pair collide whatever their bits say; a scene says so of all shapes of their bodies that collide.
static void pair_geoms(MbMjcf *m, const MbXmlElement *e, const MbMjcfNamed *a, const MbMjcfNamed *b) {
  const MbMjcfNamed *const two[] = {a, b};
  for (int k = 0; k < 2; k++) {
    MbRigBody *body = &m->door->rig.body[two[k]->body];
    size_t others = 0;
    body->shape[two[k]->index].collides = true;
    for (size_t i = 0; i < body->nshapes; i++) others += body->shape[i].collides;
    if (others > 1)
      mb_door_note(m->door, e->at, true,
                   "a <pair> of a geom whose body has others that collide: it is of all of them");
  }
}

bool mb_mjcf_contact(MbMjcf *m, const MbXmlElement *section) {
  for (const MbXmlElement *e = section->first; e; e = e->next) {
    size_t body[2] = {0};
    double friction[5] = {NAN};
    if (!strcmp(e->name, "exclude")) {
      if (!mb_door_name(m->door, e, "body1") || !mb_door_name(m->door, e, "body2")) return false;
      if (!find_body(m, e, "body1", &body[0]) || !find_body(m, e, "body2", &body[1])) return false;
    } else if (!strcmp(e->name, "pair")) {
      const char *class = NULL;
      const MbMjcfNamed *a = mb_mjcf_named(m, &m->geoms, "geom", e, "geom1"),
                        *b = mb_mjcf_named(m, &m->geoms, "geom", e, "geom2");
      if (!a || !b || !mb_mjcf_class_of(m, e, NULL, &class)) return false;
      const MbXmlAttribute *given = mb_mjcf_get(m, e, class, "pair", "friction");
      friction[0] = mb_rig_slide(&m->door->rig.body[a->body].shape[a->index],
                                 &m->door->rig.body[b->body].shape[b->index]);
      if (given && !mb_door_numbers(m->door, given, friction, 1, 5)) return false;
      if (mb_mjcf_number(m, e, class, "pair", "condim", 3) == 1) friction[0] = 0;
      body[0] = a->body, body[1] = b->body;
      pair_geoms(m, e, a, b);
    } else {
      continue;
    }
    for (int k = 0; k < 2; k++)
      if (body[k] == MB_RIG_WORLD) body[k] = m->ground;
    MbRigPair *pair = mb_rig_add_pair(&m->door->rig, e->at);
    if (!pair) return mb_door_no_memory(m->door);
    pair->body[0] = body[0], pair->body[1] = body[1], pair->friction = friction[0];
    pair->given = true;
  }
  return true;
}

// ---- tendons ----------------------------------------------------------------------------------------------

typedef struct Tendon {
  double stiffness, damping, length; // length below 0: as it is where joints are at their springref
  bool limited;
  double range[2];
} Tendon;

static double passive(MbMjcf *m, const MbXmlElement *e, const char *class, const char *name) {
  double x[3] = {0};
  const MbXmlAttribute *a = mb_mjcf_get(m, e, class, "tendon", name);
  if (a && mb_door_numbers(m->door, a, x, 1, 3) && (x[1] != 0 || x[2] != 0))
    mb_door_note(m->door, a->at, true, "%s of a tendon: of several numbers the first is taken", name);
  return x[0];
}

static bool read_tendon(MbMjcf *m, const MbXmlElement *e, Tendon *t) {
  const char *class = NULL;
  if (!mb_mjcf_class_of(m, e, NULL, &class)) return false;
  const MbXmlAttribute *length = mb_mjcf_get(m, e, class, "tendon", "springlength");
  double x[2] = {-1, -1};
  *t = (Tendon){.stiffness = m->springs ? passive(m, e, class, "stiffness") : 0,
                .damping = m->dampers ? passive(m, e, class, "damping") : 0};
  if (length) {
    const size_t n = mb_door_numbers(m->door, length, x, 1, 2);
    if (!n) return false;
    if (n == 2 && x[0] != x[1]) {
      mb_door_note(
          m->door, length->at, true,
          "springlength of a tendon: between its two lengths ours is not slack, the second is taken");
      x[0] = x[1];
    }
  }
  t->length = x[0];
  if (!mb_mjcf_limited(m, e, class, "tendon", "limited", "range", t->range, &t->limited)) return false;
  t->limited &= m->limits;
  return !m->door->status;
}

static bool read_spatial(MbMjcf *m, const MbXmlElement *e) {
  Tendon t;
  if (!read_tendon(m, e, &t)) return false;
  if (t.stiffness != 0 || t.damping != 0) {
    MbRigTie *tie = add_path(m, e, MB_RIG_SPRING);
    if (!tie) return false;
    tie->stiffness = t.stiffness, tie->damping = t.damping;
    tie->length = t.length < 0 ? mb_rig_way(&m->door->rig, tie->path, tie->npath, MB_RIG_RESTING) : t.length;
  }
  if (!t.limited) return true;
  MbRigTie *rope = add_path(m, e, MB_RIG_ROPE);
  if (!rope) return false;
  rope->length = t.range[1];
  if (rope->npath == 2 && t.range[0] <= 0 && t.range[1] > 0) return true;
  mb_door_note(m->door, e->at, true,
               "the range of a <spatial> tendon that is no rope between two sites: left out");
  mb_free(rope->path);
  m->door->rig.nties--;
  return true;
}

// Of one joint with length c q: stiffness c² k about length/c, limits by 1/c.
static bool read_fixed(MbMjcf *m, const MbXmlElement *e) {
  Tendon t;
  const MbXmlElement *only = mb_xml_child(e, "joint");
  if (!read_tendon(m, e, &t)) return false;
  if (!only) return mb_door_error(m->door, e->at, "a <fixed> tendon needs a joint");
  if (t.stiffness == 0 && t.damping == 0 && !t.limited) return true;
  const MbMjcfNamed *named = mb_mjcf_named(m, &m->joints, "joint", only, "joint");
  if (!named) return false;
  const double c = mb_door_number(m->door, mb_xml_attribute(only, "coef"), 1);
  MbRigJoint *j = &m->door->rig.body[named->body].joint[named->index];
  if (mb_xml_again(only) || j->kind > MB_RIG_SLIDE || c == 0 || (t.stiffness != 0 && j->stiffness != 0)) {
    if (t.stiffness != 0 || t.damping != 0)
      mb_door_note(m->door, e->at, true,
                   "stiffness and damping of a <fixed> tendon of several joints: left out");
    if (t.limited)
      mb_door_note(m->door, e->at, true, "the range of a <fixed> tendon of several joints: left out");
    return true;
  }
  if (t.stiffness != 0) j->stiffness = c * c * t.stiffness;
  if (t.stiffness != 0 && t.length >= 0) j->rest = t.length / c; // else it is the joint's springref
  j->damping += c * c * t.damping;
  if (!t.limited) return true;
  const double lo = fmin(t.range[0] / c, t.range[1] / c), hi = fmax(t.range[0] / c, t.range[1] / c);
  j->range[0] = j->limited ? fmax(j->range[0], lo) : lo,
  j->range[1] = j->limited ? fmin(j->range[1], hi) : hi;
  j->limited = true;
  return true;
}

bool mb_mjcf_tendon(MbMjcf *m, const MbXmlElement *section) {
  for (const MbXmlElement *e = section->first; e; e = e->next) {
    if (!strcmp(e->name, "spatial") && !read_spatial(m, e)) return false;
    if (!strcmp(e->name, "fixed") && !read_fixed(m, e)) return false;
  }
  return true;
}
