// MJCF's actuators as forces, motors and muscles; keyframes.
#include "core/base/alloc.h"
#include "core/math/quat.h"
#include "io/models/mjcf.h"

#include <math.h>
#include <string.h>

// force = gain control + b0 + b1 length + b2 speed, of a joint's coordinate times gear
typedef struct Gains {
  double gain, b0, b1, b2;
} Gains;

static bool left_out(MbMjcf *m, const MbXmlElement *e, const char *why) {
  mb_door_note(m->door, e->at, true, "an actuator <%s> %s: left out", e->name, why);
  return true;
}

// False: it cannot be said by constant gains; a note says so.
static bool read_gains(MbMjcf *m, const MbXmlElement *e, const char *class, Gains *g) {
  MbDoor *door = m->door;
  if (strcmp(e->name, "motor") != 0 && mb_mjcf_mixed(m, e, class)) return false;
  if (!strcmp(e->name, "motor")) {
    *g = (Gains){.gain = 1};
  } else if (!strcmp(e->name, "position")) {
    const double kp = mb_mjcf_number(m, e, class, "position", "kp", 1),
                 kv = mb_mjcf_number(m, e, class, "position", "kv", 0);
    *g = (Gains){.gain = kp, .b1 = -kp, .b2 = -kv};
  } else if (!strcmp(e->name, "velocity")) {
    const double kv = mb_mjcf_number(m, e, class, "velocity", "kv", 1);
    *g = (Gains){.gain = kv, .b2 = -kv};
  } else {
    static const char *const none[] = {"none", NULL}, *const fixed[] = {"fixed", "affine", NULL},
                             *const biases[] = {"none", "affine", NULL};
    double gain[10] = {1}, bias[10] = {0};
    const MbXmlAttribute *dyn = mb_mjcf_get(m, e, class, "general", "dyntype"),
                         *type = mb_mjcf_get(m, e, class, "general", "gaintype"),
                         *back = mb_mjcf_get(m, e, class, "general", "biastype"),
                         *prm = mb_mjcf_get(m, e, class, "general", "gainprm"),
                         *of = mb_mjcf_get(m, e, class, "general", "biasprm");
    if (dyn && strcmp(dyn->value, none[0]) != 0) return !left_out(m, e, "with dynamics of its own");
    if (type && strcmp(type->value, fixed[0]) != 0) return !left_out(m, e, "whose gain is not constant");
    if (back && strcmp(back->value, biases[0]) != 0 && strcmp(back->value, biases[1]) != 0)
      return !left_out(m, e, "whose bias is not affine");
    if (prm && !mb_door_numbers(door, prm, gain, 1, 10)) return false;
    if (of && !mb_door_numbers(door, of, bias, 1, 10)) return false;
    const bool affine = back && !strcmp(back->value, biases[1]);
    *g = (Gains){.gain = gain[0]};
    if (affine) g->b0 = bias[0], g->b1 = bias[1], g->b2 = bias[2];
    if (g->b0 != 0 || g->b1 > 0 || g->b2 > 0) return !left_out(m, e, "whose bias no motor has");
  }
  return !door->status;
}

// What a control is held within: 0 and those of keyframes too.
static void read_control(MbMjcf *m, const MbXmlElement *e, const char *class, MbMjcfActuator *actuator) {
  bool bounded = false;
  double *range = actuator->range;
  if (!mb_mjcf_limited(m, e, class, e->name, "ctrllimited", "ctrlrange", range, &bounded) || !bounded ||
      !m->clamping)
    range[0] = -INFINITY, range[1] = INFINITY;
  if (bounded)
    mb_door_note(m->door, e->at, false, "ctrlrange of <%s>: bounds for a controller, left out", e->name);
}

static void read_bounds(MbMjcf *m, const MbXmlElement *e, const char *class, double gear, MbRigJoint *j) {
  double range[2];
  bool bounded = false;
  if (!mb_mjcf_limited(m, e, class, e->name, "forcelimited", "forcerange", range, &bounded) || !bounded)
    return;
  if (j->motor && range[0] == -range[1])
    j->most = fabs(gear) * range[1];
  else
    mb_door_note(m->door, e->at, true,
                 "forcerange of <%s> that is no bound of a motor, as much either way: left out", e->name);
}

static bool add_actuator(MbMjcf *m, MbMjcfActuator actuator) {
  if (!mb_grow(&m->actuator, &m->room_actuators, m->nactuators + 1, sizeof *m->actuator))
    return mb_door_no_memory(m->door);
  m->actuator[m->nactuators++] = actuator;
  return true;
}

// On a joint: force along it, with length = gear q.
static bool drive_joint(MbMjcf *m, const MbXmlElement *e, const char *class, const char *which) {
  MbDoor *door = m->door;
  const MbMjcfNamed *named = mb_mjcf_named(m, &m->joints, "joint", e, which);
  Gains g = {0};
  double gear[6] = {1, 0, 0, 0, 0, 0};
  const MbXmlAttribute *a = mb_mjcf_get(m, e, class, e->name, "gear");
  if (!named || (a && !mb_door_numbers(door, a, gear, 1, 6))) return false;
  MbRigJoint *j = &door->rig.body[named->body].joint[named->index];
  if (j->kind > MB_RIG_SLIDE)
    return add_actuator(m, (MbMjcfActuator){.body = MB_RIG_WORLD}) &&
           left_out(m, e, "on a ball or free joint");
  const bool said = read_gains(m, e, class, &g);
  if (door->status) return false;
  MbMjcfActuator actuator = {.body = said ? named->body : MB_RIG_WORLD, .joint = named->index};
  if (said) read_control(m, e, class, &actuator);
  const bool servo = g.b1 != 0 || g.b2 != 0;
  if (said && servo && j->motor) {
    actuator.body = MB_RIG_WORLD;
    left_out(m, e, "on a joint that has a motor already");
  } else if (said && servo) {
    j->motor = true, j->kp = -g.b1 * gear[0] * gear[0], j->kv = -g.b2 * gear[0] * gear[0];
    actuator.servo = true;
    actuator.by = g.b1 != 0 ? g.gain / (-g.b1 * gear[0]) : g.gain / (-g.b2 * gear[0]);
    read_bounds(m, e, class, gear[0], j);
  } else if (said) {
    j->driven = true, actuator.by = g.gain * gear[0];
    const MbXmlAttribute *name = mb_xml_attribute(e, "name");
    j->remark = mb_door_format(door, "%s%sforce: %g times the control of %s", j->remark ? j->remark : "",
                               j->remark ? "; " : "", actuator.by, name ? name->value : "its motor");
    read_bounds(m, e, class, gear[0], j);
  }
  return add_actuator(m, actuator) && !door->status;
}

// L0 = (lengths' difference)/(range's), the tendon has what is left: lengthrange[0] − range[0] L0. Speeds are in L0 per second, there and here.
static bool add_muscle(MbMjcf *m, const MbXmlElement *e, const char *class) {
  MbDoor *door = m->door;
  double lengths[2], range[2] = {0.75, 1.05};
  const double force = mb_mjcf_number(m, e, class, "muscle", "force", -1),
               vmax = mb_mjcf_number(m, e, class, "muscle", "vmax", 1.5);
  const MbXmlAttribute *of = mb_xml_attribute(e, "tendon"), *a = mb_xml_attribute(e, "lengthrange");
  if (!add_actuator(m, (MbMjcfActuator){.body = MB_RIG_WORLD})) return false;
  if (!of) return left_out(m, e, "that does not act along a tendon");
  const MbXmlElement *tendon = mb_mjcf_find_tendon(m, of->value);
  if (!tendon) return mb_door_error(door, of->at, "there is no tendon \"%s\"", of->value);
  if (strcmp(tendon->name, "spatial") != 0) return left_out(m, e, "along a fixed tendon");
  if (!a || force <= 0)
    return left_out(m, e, "without lengthrange and force, which the other engine finds by simulation");
  if (!mb_door_vector(door, a, lengths, 2) ||
      !mb_door_vector(door, mb_mjcf_get(m, e, class, "muscle", "range"), range, 2))
    return false;
  const double L0 = (lengths[1] - lengths[0]) / (range[1] - range[0]), slack = lengths[0] - range[0] * L0;
  if (!(L0 > 0) || !(slack >= 0)) return left_out(m, e, "whose lengths leave no tendon");
  size_t n = 0;
  for (const MbXmlElement *s = mb_xml_child(tendon, "site"); s; s = mb_xml_again(s)) n++;
  MbRigTie *tie = mb_rig_add_tie(&door->rig, MB_RIG_MUSCLE, e->at);
  if (!tie || !(tie->path = mb_calloc(n, sizeof *tie->path))) return mb_door_no_memory(door);
  for (const MbXmlElement *s = mb_xml_child(tendon, "site"); s; s = mb_xml_again(s)) {
    const MbMjcfNamed *site = mb_mjcf_named(m, &m->sites, "site", s, "site");
    if (!site) return false;
    tie->path[tie->npath++] = (MbRigPoint){site->body, site->frame};
  }
  const MbXmlAttribute *name = mb_xml_attribute(e, "name");
  tie->name = name && *name->value ? name->value : NULL;
  const double numbers[4] = {force, L0, slack, vmax};
  memcpy(tie->muscle, numbers, sizeof numbers);
  mb_door_note(door, e->at, true, "a <muscle>: its force by length and speed follows our curves");
  return true;
}

bool mb_mjcf_actuator(MbMjcf *m, const MbXmlElement *section) {
  static const char *const known[] = {"motor", "position", "velocity", "general", NULL};
  for (const MbXmlElement *e = section->first; e; e = e->next) {
    const char *class = NULL;
    bool one = false;
    for (int i = 0; known[i]; i++) one |= !strcmp(known[i], e->name);
    if (!mb_mjcf_class_of(m, e, NULL, &class)) return false;
    if (!m->actuation) {
      mb_door_note(m->door, e->at, false, "actuators are disabled: left out");
      continue;
    }
    const MbXmlAttribute *joint = mb_xml_attribute(e, "joint"), *other = mb_xml_attribute(e, "jointinparent");
    bool fine = true;
    if (!strcmp(e->name, "muscle"))
      fine = add_muscle(m, e, class);
    else if (one && (joint || other))
      fine = drive_joint(m, e, class, joint ? "joint" : "jointinparent");
    else
      fine = add_actuator(m, (MbMjcfActuator){.body = MB_RIG_WORLD}) &&
             (!one || left_out(m, e, "that acts on no joint"));
    if (!fine) return false;
  }
  return true;
}

// ---- keyframes --------------------------------------------------------------------------------------------

static size_t size_of(const MbRigJoint *j, bool velocity) {
  return j->kind == MB_RIG_FREE ? (velocity ? 6 : 7) : j->kind == MB_RIG_BALL ? (velocity ? 3 : 4) : 1;
}

static bool take_state(MbMjcf *m, const MbXmlAttribute *a, bool velocity) {
  MbRig *rig = &m->door->rig;
  size_t n = 0, at = 0;
  for (size_t b = 0; b < rig->nbodies; b++)
    for (size_t k = 0; k < rig->body[b].njoints; k++) n += size_of(&rig->body[b].joint[k], velocity);
  double *x = mb_calloc(n + 1, sizeof *x);
  if (!x) return mb_door_no_memory(m->door);
  const bool fine = mb_door_vector(m->door, a, x, n);
  for (size_t b = 0; b < rig->nbodies && fine; b++)
    for (size_t k = 0; k < rig->body[b].njoints; k++) {
      MbRigJoint *j = &rig->body[b].joint[k];
      const size_t count = size_of(j, velocity);
      memcpy(velocity ? j->v : j->q, x + at, count * sizeof *x);
      if (!velocity && count > 1) mb_quat_normalise(j->q + count - 4);
      at += count;
    }
  mb_free(x);
  return fine;
}

// Controls are 0 where nothing gives them.
static bool take_control(MbMjcf *m, const MbXmlAttribute *a) {
  double *x = mb_calloc(m->nactuators + 1, sizeof *x);
  if (!x) return mb_door_no_memory(m->door);
  const bool fine = !a || mb_door_vector(m->door, a, x, m->nactuators);
  for (size_t i = 0; i < m->nactuators && fine; i++) {
    const MbMjcfActuator *u = &m->actuator[i];
    if (u->body == MB_RIG_WORLD) continue;
    MbRigJoint *j = &m->door->rig.body[u->body].joint[u->joint];
    const double given = u->by * fmin(fmax(x[i], u->range[0]), u->range[1]);
    if (u->servo && j->kp != 0)
      j->target = given;
    else if (u->servo)
      j->speed = given;
    else
      j->force += given;
  }
  mb_free(x);
  return fine;
}

bool mb_mjcf_key(MbMjcf *m, const char *name) {
  MbRig *rig = &m->door->rig;
  const MbXmlElement *found = NULL, *section = mb_xml_child(m->root, "keyframe");
  if (!name) return take_control(m, NULL);
  for (; section && !found; section = mb_xml_again(section))
    for (const MbXmlElement *e = mb_xml_child(section, "key"); e && !found; e = mb_xml_again(e)) {
      const MbXmlAttribute *a = mb_xml_attribute(e, "name");
      if (a && !strcmp(a->value, name)) found = e;
    }
  if (!found) return mb_door_error(m->door, m->root->at, "there is no <key> called \"%s\"", name);
  const MbXmlAttribute *q = mb_xml_attribute(found, "qpos"), *v = mb_xml_attribute(found, "qvel"),
                       *u = mb_xml_attribute(found, "ctrl");
  for (size_t b = 0; b < rig->nbodies; b++)
    for (size_t k = 0; k < rig->body[b].njoints; k++) {
      MbRigJoint *j = &rig->body[b].joint[k];
      j->placed = true;
      j->q[0] = j->kind <= MB_RIG_SLIDE ? j->ref : j->kind == MB_RIG_BALL ? 1 : 0;
      if (j->kind == MB_RIG_FREE)
        memcpy(j->q, rig->body[b].frame.p, 3 * sizeof *j->q),
            memcpy(j->q + 3, rig->body[b].frame.q, 4 * sizeof *j->q);
    }
  return (!q || take_state(m, q, false)) && (!v || take_state(m, v, true)) && take_control(m, u);
}
