// What acts on the bodies of a rig that is written as MJCF: constraints, tendons through sites, actuators with their controls, and the
// keyframe of where it all begins.
#include "core/base/alloc.h"
#include "core/math/quat.h"
#include "io/json/number_text.h"
#include "io/models/mjcf_write.h"

#include <string.h>

// ---- ties -------------------------------------------------------------------------------------------------

static void name_tie(MbMjcfWriter *m, const MbRigTie *tie) {
  if (tie->name) mb_xml_put(m->x, "name", tie->name);
}

static void put_connect(MbMjcfWriter *m, size_t i) {
  const MbRigTie *tie = &m->rig->tie[i];
  mb_xml_open(m->x, "connect");
  name_tie(m, tie);
  if (mb_mjcf_needs_sites(m, tie)) {
    mb_xml_put(m->x, "site1", mb_mjcf_site_name(m, &(MbMjcfSite){0, i, 0}));
    mb_xml_put(m->x, "site2", mb_mjcf_site_name(m, &(MbMjcfSite){0, i, 1}));
  } else {
    mb_xml_put(m->x, "body1", mb_mjcf_body_name(m, tie->path[0].body));
    if (tie->path[1].body != MB_RIG_WORLD) mb_xml_put(m->x, "body2", mb_mjcf_body_name(m, tie->path[1].body));
    mb_xml_put_numbers(m->x, "anchor", tie->path[0].frame.p, 3);
  }
  mb_xml_end(m->x);
}

// The pose of the second body in the first where both frames are the same.
static void put_weld(MbMjcfWriter *m, const MbRigTie *tie) {
  MbRigFrame second = tie->path[1].frame, back = mb_rig_frame(), f;
  mb_quat_conj(back.q, second.q);
  mb_quat_unrotate(back.p, second.q, second.p);
  mb_vec3_scale(back.p, -1, back.p);
  f = mb_rig_compose(&tie->path[0].frame, &back);
  double pose[7];
  memcpy(pose, f.p, sizeof f.p), memcpy(pose + 3, f.q, sizeof f.q);
  mb_xml_open(m->x, "weld");
  name_tie(m, tie);
  mb_xml_put(m->x, "body1", mb_mjcf_body_name(m, tie->path[0].body));
  if (tie->path[1].body != MB_RIG_WORLD) mb_xml_put(m->x, "body2", mb_mjcf_body_name(m, tie->path[1].body));
  mb_xml_put_numbers(m->x, "relpose", pose, 7);
  mb_xml_end(m->x);
}

// q1 − ref1 = c0 + c1 (q2 − ref2)
static void put_ratio(MbMjcfWriter *m, const MbRigTie *tie) {
  const MbRigJoint *a = m->rig->body[tie->body[1]].joint, *b = m->rig->body[tie->body[0]].joint;
  const double c[2] = {mb_angle_tidy(tie->offset - a->ref + tie->ratio * b->ref), tie->ratio};
  if (tie->reduced)
    mb_warning(m->w->report, tie->where,
               "MJCF holds joints in step by a constraint: imported again, \"enforce\" is \"constraint\"");
  mb_xml_open(m->x, "joint");
  name_tie(m, tie);
  mb_xml_put(m->x, "joint1", mb_mjcf_joint_name(m, tie->body[1], 0));
  mb_xml_put(m->x, "joint2", mb_mjcf_joint_name(m, tie->body[0], 0));
  mb_xml_put_numbers(m->x, "polycoef", c, 2);
  mb_xml_end(m->x);
}

// A scene that says no length has that of the start.
static double length_of(const MbMjcfWriter *m, const MbRigTie *tie) {
  return isnan(tie->length) ? mb_rig_way(m->rig, tie->path, tie->npath, MB_RIG_STARTING) : tie->length;
}

// Relative to how long the tendon is where the model stands.
static void put_rod(MbMjcfWriter *m, size_t i) {
  const MbRigTie *tie = &m->rig->tie[i];
  const double way = mb_rig_way(m->rig, tie->path, tie->npath, MB_RIG_WRITTEN), off = length_of(m, tie) - way;
  const double c[2] = {fabs(off) < 1e-15 * way ? 0 : off, 0};
  mb_xml_open(m->x, "tendon");
  name_tie(m, tie);
  mb_xml_put(m->x, "tendon1", mb_mjcf_tie_name(m, i));
  if (c[0] != 0) mb_xml_put_numbers(m->x, "polycoef", c, 2);
  mb_xml_end(m->x);
}

void mb_mjcf_put_equality(MbMjcfWriter *m) {
  bool any = false;
  for (size_t i = 0; i < m->rig->nties; i++) {
    const MbRigTie *tie = &m->rig->tie[i];
    if (tie->kind > MB_RIG_ROPE || (tie->kind == MB_RIG_ROPE && !tie->rigid)) continue;
    if (!any) mb_xml_open(m->x, "equality");
    any = true;
    if (tie->kind == MB_RIG_POINT) put_connect(m, i);
    if (tie->kind == MB_RIG_WELD) put_weld(m, tie);
    if (tie->kind == MB_RIG_RATIO) put_ratio(m, tie);
    if (tie->kind == MB_RIG_ROPE) put_rod(m, i);
  }
  if (any) mb_xml_close(m->x, "equality");
}

static void put_tendon(MbMjcfWriter *m, size_t i) {
  const MbRigTie *tie = &m->rig->tie[i];
  mb_xml_open(m->x, "spatial");
  if (tie->name || tie->rigid || tie->kind == MB_RIG_MUSCLE) mb_xml_put(m->x, "name", mb_mjcf_tie_name(m, i));
  if (tie->kind == MB_RIG_SPRING) {
    if (tie->stiffness != 0) mb_xml_put_number(m->x, "stiffness", tie->stiffness);
    if (tie->damping != 0) mb_xml_put_number(m->x, "damping", tie->damping);
    mb_xml_put_number(m->x, "springlength", length_of(m, tie));
  }
  if (tie->kind == MB_RIG_ROPE && !tie->rigid) {
    const double range[2] = {0, length_of(m, tie)};
    mb_xml_put_numbers(m->x, "range", range, 2);
  }
  for (size_t k = 0; k < tie->npath; k++) {
    mb_xml_open(m->x, "site");
    mb_xml_put(m->x, "site", mb_mjcf_site_name(m, &(MbMjcfSite){0, i, k}));
    mb_xml_end(m->x);
  }
  mb_xml_close(m->x, "spatial");
}

void mb_mjcf_put_tendons(MbMjcfWriter *m) {
  bool any = false;
  for (size_t i = 0; i < m->rig->nties; i++) {
    if (m->rig->tie[i].kind < MB_RIG_ROPE || m->rig->tie[i].kind == MB_RIG_TWIST) continue;
    if (!any) mb_xml_open(m->x, "tendon");
    any = true;
    put_tendon(m, i);
  }
  if (any) mb_xml_close(m->x, "tendon");
}

// ---- actuators --------------------------------------------------------------------------------------------

static bool open_actuator(MbMjcfWriter *m, const char *word, double control) {
  if (!m->ncontrols) mb_xml_open(m->x, "actuator");
  mb_xml_open(m->x, word);
  if (!mb_grow(&m->control, &m->room_controls, m->ncontrols + 1, sizeof *m->control)) return false;
  m->control[m->ncontrols++] = control;
  return true;
}

static bool put_servo(MbMjcfWriter *m, size_t b, size_t k) {
  const MbRigJoint *j = &m->rig->body[b].joint[k];
  const double bias[3] = {0, -j->kp, -j->kv}, range[2] = {-j->most, j->most};
  const bool both = j->kp != 0 && j->kv != 0;
  if (!open_actuator(m,
                     both         ? "general"
                     : j->kp != 0 ? "position"
                                  : "velocity",
                     j->kp != 0 ? j->target : j->speed))
    return false;
  mb_xml_put(m->x, "joint", mb_mjcf_joint_name(m, b, k));
  if (both) {
    mb_xml_put_number(m->x, "gainprm", j->kp);
    mb_xml_put(m->x, "biastype", "affine");
    mb_xml_put_numbers(m->x, "biasprm", bias, 3);
  } else {
    mb_xml_put_number(m->x, j->kp != 0 ? "kp" : "kv", j->kp != 0 ? j->kp : j->kv);
  }
  if (!isnan(j->most)) mb_xml_put_numbers(m->x, "forcerange", range, 2);
  mb_xml_end(m->x);
  return true;
}

// Fibre lengths from 0.75 to 1.05 of the best are what the other engine's muscles have unless they say others.
static bool put_muscle(MbMjcfWriter *m, size_t i) {
  const MbRigTie *tie = &m->rig->tie[i];
  const double *own = tie->muscle, range[2] = {own[2] + 0.75 * own[1], own[2] + 1.05 * own[1]};
  if (!open_actuator(m, "muscle", 0)) return false;
  name_tie(m, tie);
  mb_xml_put(m->x, "tendon", mb_mjcf_tie_name(m, i));
  mb_xml_put_number(m->x, "force", own[0]);
  mb_xml_put_numbers(m->x, "lengthrange", range, 2);
  mb_xml_put_number(m->x, "vmax", own[3]);
  mb_xml_end(m->x);
  mb_warning(m->w->report, tie->where, "a muscle's force by length and speed follows other curves in MJCF");
  return true;
}

bool mb_mjcf_put_actuators(MbMjcfWriter *m) {
  bool fine = true;
  for (size_t i = 0; i < m->rig->nbodies && fine; i++) {
    const size_t b = m->w->order[i];
    for (size_t k = 0; k < m->rig->body[b].njoints && fine; k++) {
      const MbRigJoint *j = &m->rig->body[b].joint[k];
      if (j->driven) {
        fine = open_actuator(m, "motor", j->force);
        mb_xml_put(m->x, "joint", mb_mjcf_joint_name(m, b, k));
        mb_xml_end(m->x);
      }
      if (fine && j->motor) fine = put_servo(m, b, k);
    }
  }
  for (size_t i = 0; i < m->rig->nties && fine; i++)
    if (m->rig->tie[i].kind == MB_RIG_MUSCLE) fine = put_muscle(m, i);
  if (m->ncontrols) mb_xml_close(m->x, "actuator");
  return fine;
}

// ---- where it begins --------------------------------------------------------------------------------------

// Coordinates or velocities of all joints; those that nothing is said of as the model stands.
static void add_state(const MbRigBody *body, const MbRigJoint *j, bool rates, MbText *t) {
  double x[7] = {j->q[0]};
  size_t n = 1;
  if (rates) {
    n = j->kind == MB_RIG_FREE ? 6 : j->kind == MB_RIG_BALL ? 3 : 1;
    memcpy(x, j->v, n * sizeof *x);
  } else if (j->kind == MB_RIG_FREE) {
    n = 7;
    memcpy(x, body->frame.p, 3 * sizeof *x), memcpy(x + 3, body->frame.q, 4 * sizeof *x);
  } else if (j->kind == MB_RIG_BALL) {
    n = 4;
    memcpy(x, j->q, 4 * sizeof *x);
  }
  char number[MB_NUMBER_TEXT];
  for (size_t i = 0; i < n; i++)
    mb_text_format(t, "%s%s", t->length ? " " : "", mb_number_text(x[i] == 0 ? 0 : x[i], number));
}

static void put_state(MbMjcfWriter *m, const char *key, bool rates) {
  MbText t = {0};
  for (size_t i = 0; i < m->rig->nbodies; i++) {
    const MbRigBody *body = &m->rig->body[m->w->order[i]];
    for (size_t k = 0; k < body->njoints; k++) add_state(body, &body->joint[k], rates, &t);
  }
  char *text = mb_text_take(&t);
  if (text) mb_xml_put(m->x, key, text);
  if (!text) m->x->text.failed = true;
  mb_free(text);
}

void mb_mjcf_put_start(MbMjcfWriter *m) {
  bool moved = false, rates = false, driven = false;
  for (size_t b = 0; b < m->rig->nbodies; b++)
    for (size_t k = 0; k < m->rig->body[b].njoints; k++) {
      const MbRigJoint *j = &m->rig->body[b].joint[k];
      for (int i = 0; i < 6; i++) rates |= j->v[i] != 0;
      moved |= j->placed && j->kind != MB_RIG_FREE;
    }
  for (size_t i = 0; i < m->ncontrols; i++) driven |= m->control[i] != 0;
  if (!moved && !rates && !driven) return;
  mb_xml_open(m->x, "keyframe");
  mb_xml_open(m->x, "key");
  mb_xml_put(m->x, "name", "start");
  if (moved || rates) put_state(m, "qpos", false);
  if (rates) put_state(m, "qvel", true);
  if (driven) mb_xml_put_numbers(m->x, "ctrl", m->control, m->ncontrols);
  mb_xml_end(m->x);
  mb_xml_close(m->x, "keyframe");
  mb_warning(
      m->w->report, "",
      "the model begins elsewhere than it stands: keyframe \"start\" is the scene's start (`mbsim import "
      "--key start`)");
}
