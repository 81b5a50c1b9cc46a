// Joints of a rig as a scene has them: one of parts where a body has several, its frames, and what each coordinate has of its own.
#include "core/math/se3.h"
#include "io/models/rig_scene.h"

#include <stdio.h>
#include <string.h>

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
  if (dofs(j) == 1 && !z) mb_rig_put(to, "axis", mb_rig_say_numbers(j->axis, 3));
}

// A value for every coordinate of a body's joints: one alone where there is one.
typedef cJSON *MbRigValue(const MbRigJoint *j, int k);

static void put_by_dof(const MbRigBody *body, cJSON *to, const char *key, bool any, MbRigValue *value) {
  if (!any) return;
  int n = 0;
  for (size_t i = 0; i < body->njoints; i++) n += dofs(&body->joint[i]);
  cJSON *list = cJSON_CreateArray();
  for (size_t i = 0; i < body->njoints; i++)
    for (int k = 0; k < dofs(&body->joint[i]); k++) mb_rig_push(list, value(&body->joint[i], k));
  if (n == 1) {
    mb_rig_put(to, key, cJSON_DetachItemFromArray(list, 0));
    cJSON_Delete(list);
  } else {
    mb_rig_put(to, key, list);
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
  return mb_rig_say_coordinate(q[k], turns(j));
}

// A ball's is an angular velocity ω in the body's axes there, and the rates of the rotation vector r here:
// ṙ = ω + ½ [r] ω + d [r]² ω, the inverse of ω = J_r(r) ṙ
static cJSON *velocity(const MbRigJoint *j, int k) {
  double r[6], rw[3], rrw[3];
  if (j->kind != MB_RIG_BALL) return mb_rig_say_length(j->v[k]);
  start(j, r);
  mb_vec3_cross(rw, r, j->v);
  mb_vec3_cross(rrw, r, rw);
  return mb_rig_say_length(j->v[k] + rw[k] / 2 + mb_log_d(mb_vec3_dot(r, r)) * rrw[k]);
}

static cJSON *stiffness(const MbRigJoint *j, int k) { return (void)k, mb_rig_say_length(j->stiffness); }
static cJSON *rest(const MbRigJoint *j, int k) { return (void)k, mb_rig_say_coordinate(j->rest, turns(j)); }
static cJSON *damping(const MbRigJoint *j, int k) { return (void)k, mb_rig_say_length(j->damping); }
static cJSON *friction(const MbRigJoint *j, int k) { return (void)k, mb_rig_say_length(j->friction); }
static cJSON *inertia(const MbRigJoint *j, int k) { return (void)k, mb_rig_say_length(j->inertia); }
static cJSON *limits(const MbRigJoint *j, int k) {
  cJSON *pair = cJSON_CreateArray();
  (void)k;
  for (int i = 0; i < 2; i++)
    mb_rig_push(pair, j->limited && isfinite(j->range[i]) ? mb_rig_say_coordinate(j->range[i], turns(j))
                                                          : cJSON_CreateNull());
  return pair;
}
static cJSON *force(const MbRigJoint *j, int k) { return (void)k, mb_rig_say_length(j->force); }
static cJSON *kp(const MbRigJoint *j, int k) { return (void)k, mb_rig_say_length(j->kp); }
static cJSON *kv(const MbRigJoint *j, int k) { return (void)k, mb_rig_say_length(j->kv); }
static cJSON *target(const MbRigJoint *j, int k) {
  return (void)k, mb_rig_say_coordinate(j->target, turns(j));
}
static cJSON *speed(const MbRigJoint *j, int k) { return (void)k, mb_rig_say_length(j->speed); }
static cJSON *most(const MbRigJoint *j, int k) {
  return (void)k, mb_rig_say_length(isnan(j->most) ? 1e30 : j->most);
}

static void put_motor(const MbRigBody *body, cJSON *to) {
  bool any = false, p = false, d = false, v = false, bound = false;
  for (size_t i = 0; i < body->njoints; i++) {
    const MbRigJoint *j = &body->joint[i];
    any |= j->motor, p |= j->kp != 0, d |= j->kv != 0, v |= j->speed != 0, bound |= !isnan(j->most);
  }
  if (!any) return;
  cJSON *motor = mb_rig_put_object(to, "motor");
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
    q |= !mb_rig_are_zero(q0, 6) && j->follows == MB_RIG_WORLD,
        v |= j->placed && !mb_rig_are_zero(j->v, dofs(j));
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
    mb_rig_put(to, "limits", limits(&body->joint[0], 0));
  else
    put_by_dof(body, to, "limits", l, limits);
  put_by_dof(body, to, "force", f, force);
  put_motor(body, to);
}

// The body's pose in its parent is  X Π_k T(p_k) Q_k(q_k − ref_k) T(−p_k),  X its frame there. As one joint of parts:
//   in_parent = X T(p_1),  part k stands at Q_{k−1}(−ref_{k−1}) T(p_k − p_{k−1}),  in_body = T(p_n) Q_n(ref_n)
cJSON *mb_rig_say_joint(const MbRig *rig, const MbRigBody *body) {
  cJSON *out = cJSON_CreateObject();
  const MbRigJoint *first = body->joint, *last = body->joint + (body->njoints ? body->njoints - 1 : 0);
  mb_rig_put_text(out, "type", !body->njoints ? "fixed" : body->njoints == 1 ? type_of(first) : "composite");
  if (body->parent != MB_RIG_WORLD) mb_rig_put_text(out, "parent", mb_rig_body_name(rig, body->parent));
  MbRigFrame outer = body->frame;
  if (!body->njoints) {
    if (body->bolt) mb_rig_put_text(out, "_name", body->bolt);
    mb_rig_put_frame(out, "in_parent", &outer);
    return out;
  }
  const bool single = body->njoints == 1;
  if (single && first->name) mb_rig_put_text(out, "_name", first->name);
  MbRigFrame place = moved(first->kind == MB_RIG_SLIDE && single ? (double[3]){0} : first->p),
             plane = of_plane(first);
  place = mb_rig_compose(&place, &plane);
  outer = mb_rig_compose(&outer, &place);
  mb_rig_put_frame(out, "in_parent", &outer);
  MbRigFrame own = moved(last->kind == MB_RIG_SLIDE && single ? (double[3]){0} : last->p),
             back = at_coordinate(last, last->ref);
  own = mb_rig_compose(&own, last->kind == MB_RIG_PLANE ? &plane : &back);
  mb_rig_put_frame(out, "in_body", &own);
  if (single) {
    put_axis(first, out);
  } else {
    cJSON *parts = mb_rig_put_list(out, "joints");
    for (size_t k = 0; k < body->njoints; k++) {
      const MbRigJoint *j = &body->joint[k];
      cJSON *part = cJSON_CreateObject();
      mb_rig_put_text(part, "type", type_of(j));
      if (j->name) mb_rig_put_text(part, "name", j->name);
      put_axis(j, part);
      if (k) {
        const MbRigJoint *before = j - 1;
        double way[3];
        mb_vec3_sub(way, j->p, before->p);
        MbRigFrame at = at_coordinate(before, -before->ref), on = moved(way);
        at = mb_rig_compose(&at, &on);
        mb_rig_put_frame(part, "frame", &at);
      }
      mb_rig_push(parts, part);
    }
  }
  put_numbers(body, out);
  if (single && !isnan(first->effort)) mb_rig_put_number(out, "_effort", first->effort);
  if (single && !isnan(first->speed_limit)) mb_rig_put_number(out, "_velocity", first->speed_limit);
  for (size_t k = 0; k < body->njoints; k++) {
    char key[80];
    if (!body->joint[k].remark) continue;
    snprintf(key, sizeof key, single ? "_" : "_%.60s", body->joint[k].name ? body->joint[k].name : "");
    if (!cJSON_GetObjectItemCaseSensitive(out, key)) mb_rig_put_text(out, key, body->joint[k].remark);
  }
  return out;
}

void mb_rig_put_free(const MbRigBody *body, cJSON *to) {
  const MbRigJoint *j = &body->joint[0];
  MbRigFrame pose = body->frame;
  if (j->placed) {
    pose = mb_rig_frame();
    memcpy(pose.p, j->q, sizeof pose.p);
    memcpy(pose.q, j->q + 3, sizeof pose.q);
  }
  mb_rig_put_frame(to, "pose", &pose);
  if (!j->placed || mb_rig_are_zero(j->v, 6)) return;
  cJSON *v = mb_rig_put_object(to, "velocity");
  double w[3];
  mb_quat_rotate(w, pose.q, j->v + 3);
  mb_rig_put(v, "angular", mb_rig_say_numbers(w, 3));
  mb_rig_put(v, "linear", mb_rig_say_numbers(j->v, 3));
}
