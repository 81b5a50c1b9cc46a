// Joints of a scene as those that models have: each becomes a row of joints of the body, with its numbers and its start.
//
// A scene's body stands at  E_parent A Π_k F_k Q_k(q_k) B⁻¹  with the joint's frames A and B and its parts' frames F; a model's at
// E_parent X Π_k T(p_k) Q_k(q_k − ref_k) T(−p_k), where p and the axes are places in the body. With G_k = Π_{j<k} F_j Q_j(ref_j) · F_k and
// S = Π_j F_j Q_j(ref_j) · B⁻¹ these are the same for  X = A S,  joint k at S⁻¹ G_k in the body.
#include "core/base/alloc.h"
#include "core/math/se3.h"
#include "io/models/scene_rig_reading.h"

#include <stdio.h>
#include <string.h>

// ---- numbers ----------------------------------------------------------------------------------------------

// A direction as a person would have written it: with a largest, or a smallest, number of 1, where the others are round then.
static void tidy_axis(double axis[3]) {
  double most = 0, least = INFINITY;
  mb_rig_tidy(axis, 3, 1);
  for (int i = 0; i < 3; i++) {
    most = fmax(most, fabs(axis[i]));
    if (axis[i] != 0) least = fmin(least, fabs(axis[i]));
  }
  const double by[] = {most, least};
  for (int n = 0; n < 2; n++) {
    double x[3];
    bool round = true;
    for (int i = 0; i < 3; i++) {
      x[i] = rint(axis[i] / by[n] * 1e4) / 1e4;
      round &= fabs(x[i] - axis[i] / by[n]) <= 1e-15 * fmax(1, fabs(x[i]));
    }
    if (!round) continue;
    memcpy(axis, x, sizeof x);
    return;
  }
}

static MbRigFrame frame_of(const MbPose *pose) {
  MbRigFrame f = mb_rig_frame();
  memcpy(f.p, pose->p, sizeof f.p), memcpy(f.q, pose->q, sizeof f.q);
  mb_rig_tidy(f.p, 3, 0.1);
  mb_rig_tidy(f.q, 4, 1);
  return f;
}

static MbPose pose_of(const MbFrameSpec *frame) {
  MbPose E;
  memcpy(E.p, frame->position, sizeof E.p), memcpy(E.q, frame->rotation, sizeof E.q);
  return E;
}

static double by_dof(const MbNumbersSpec *numbers, int dof) {
  return !numbers->count ? 0 : numbers->value[numbers->count == 1 ? 0 : dof];
}

static double signal_by_dof(MbReading *r, const MbSignalsSpec *signals, int dof, const char *where) {
  if (!signals->count) return 0;
  const int i = signals->count == 1 ? 0 : dof;
  return mb_reading_constant(r, &signals->signal[i],
                             signals->list ? mb_reading_format(r, "%s/%d", where, i) : where);
}

// ---- joints -----------------------------------------------------------------------------------------------

// A joint as a row of those that models have.
typedef struct Link {
  MbRigKind kind;
  MbPose frame; // in what the one before moves
  double axis[3];
  const char *name;
  int dof; // its first coordinate's number
} Link;

typedef struct Chain {
  size_t n, room;
  Link *link;
  MbPose ahead; // frames that wait for the next one
  int dofs;
} Chain;

static bool add(MbReading *r, Chain *c, MbRigKind kind, const double axis[3], int dofs, const char *name) {
  if (!mb_grow(&c->link, &c->room, c->n + 1, sizeof *c->link)) return mb_reading_no_memory(r);
  Link *link = &c->link[c->n++];
  *link = (Link){.kind = kind, .frame = c->ahead, .dof = c->dofs, .name = name};
  memcpy(link->axis, axis, sizeof link->axis);
  mb_pose_identity(&c->ahead);
  c->dofs += dofs;
  return true;
}

static const double UNIT[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static const char *numbered(MbReading *r, const char *name, char letter) {
  return name ? mb_reading_format(r, "%s_%c", name, letter) : NULL;
}

// One after the other: S slides along, H turns about the axis of the letter.
static bool add_row(MbReading *r, Chain *c, const char *row, const char *name) {
  for (const char *at = row; *at; at += 2) {
    const MbRigKind kind = *at == 'S' ? MB_RIG_SLIDE : MB_RIG_HINGE;
    if (!add(r, c, kind, UNIT[at[1] - 'x'], 1, numbered(r, name, at[1]))) return false;
  }
  return true;
}

static bool list_links(MbReading *r, const MbJointSpec *j, const char *where, const char *name, Chain *c) {
  char row[8];
  switch (j->kind) {
  case MB_JOINT_FIXED:
    return true;
  case MB_JOINT_REVOLUTE:
    return add(r, c, MB_RIG_HINGE, j->axis, 1, name);
  case MB_JOINT_PRISMATIC:
    return add(r, c, MB_RIG_SLIDE, j->axis, 1, name);
  case MB_JOINT_CYLINDRICAL:
    return add(r, c, MB_RIG_HINGE, j->axis, 1, numbered(r, name, 't')) &&
           add(r, c, MB_RIG_SLIDE, j->axis, 1, numbered(r, name, 's'));
  case MB_JOINT_UNIVERSAL:
    return add_row(r, c, "HxHy", name);
  case MB_JOINT_PLANAR:
    return add_row(r, c, "SxSy", name);
  case MB_JOINT_TRANSLATIONAL:
    return add_row(r, c, "SxSySz", name);
  case MB_JOINT_SPHERICAL:
    return add(r, c, MB_RIG_BALL, UNIT[2], 3, name);
  case MB_JOINT_EULER:
    snprintf(row, sizeof row, "H%cH%cH%c", j->order[0], j->order[1], j->order[2]);
    return add_row(r, c, row, name);
  case MB_JOINT_FREE2D:
    return r->planes ? add(r, c, MB_RIG_PLANE, UNIT[2], 3, name) : add_row(r, c, "SxSyHz", name);
  case MB_JOINT_FREE3D:
    if (r->planes) return add(r, c, MB_RIG_FREE, UNIT[2], 6, name);
    return add_row(r, c, "SxSySz", name) && add(r, c, MB_RIG_BALL, UNIT[2], 3, name);
  case MB_JOINT_COMPOSITE:
    for (size_t i = 0; i < j->nparts; i++) {
      const MbPose frame = pose_of(&j->parts[i].in_parent);
      mb_pose_mul(&c->ahead, &c->ahead, &frame);
      if (!list_links(r, &j->parts[i], mb_reading_format(r, "%s/joints/%zu", where, i), j->parts[i].name, c))
        return false;
    }
    return true;
  default:
    mb_reading_unfit(r, mb_reading_format(r, "%s/type", where),
                     "no model has this type of joint: coordinates of models are angles and ways");
    return true;
  }
}

// Where a coordinate begins for a model: the scene's start, where the frames say that it was counted so; else 0.
static double reference(const MbReading *r, const Link *link, const MbPose *next, bool alone, bool last,
                        double start) {
  const double *a = link->axis;
  if (r->planes || start == 0 || link->kind > MB_RIG_SLIDE) return 0;
  if (link->kind == MB_RIG_SLIDE) {
    if (!alone) return start;
    double rest[3];
    mb_vec3_scale(rest, start, a);
    mb_vec3_add(rest, rest, next->p);
    return last && mb_vec3_norm(rest) < 1e-14 * fabs(start) ? start : 0;
  }
  double across[3];
  mb_vec3_cross(across, next->q + 1, a);
  if (mb_vec3_norm(next->q + 1) == 0 || mb_vec3_norm(across) > 1e-14) return 0;
  const double angle = -2 * atan2(mb_vec3_dot(next->q + 1, a), next->q[0]);
  return fabs(remainder(angle - start, 2 * M_PI)) < 1e-13 ? start : 0;
}

static void motion_of(const Link *link, double x, MbPose *Q) {
  double v[3];
  mb_pose_identity(Q);
  mb_vec3_scale(v, x, link->axis);
  if (link->kind == MB_RIG_SLIDE) memcpy(Q->p, v, sizeof v);
  if (link->kind == MB_RIG_HINGE) mb_quat_exp(Q->q, v);
}

// The frames of the body and its joints, by the formula above.
static bool place_links(MbReading *r, size_t b, const MbJointSpec *j, Chain *c, const double *q) {
  const MbPose A = pose_of(&j->in_parent), B = pose_of(&j->in_body);
  MbPose back, end, G, X, S, inverse, *at = mb_calloc(c->n + 1, sizeof *at);
  if (!at) return mb_reading_no_memory(r);
  mb_pose_inverse(&back, &B);
  mb_pose_mul(&end, &c->ahead, &back);
  mb_pose_identity(&G);
  for (size_t k = 0; k < c->n; k++) {
    const Link *link = &c->link[k];
    const bool last = k + 1 == c->n;
    MbPose Q;
    MbRigJoint *joint = &r->rig->body[b].joint[k];
    joint->ref = reference(r, link, last ? &end : &c->link[k + 1].frame, c->n == 1, last, q[link->dof]);
    motion_of(link, joint->ref, &Q);
    mb_pose_mul(&G, &G, &link->frame);
    at[k] = G;
    mb_pose_mul(&G, &G, &Q);
  }
  mb_pose_mul(&S, &G, &end);
  mb_pose_mul(&X, &A, &S);
  mb_pose_inverse(&inverse, &S);
  r->rig->body[b].frame = frame_of(&X);
  for (size_t k = 0; k < c->n; k++) {
    MbRigJoint *joint = &r->rig->body[b].joint[k];
    mb_pose_mul(&G, &inverse, &at[k]);
    const MbRigFrame place = frame_of(&G);
    memcpy(joint->p, place.p, sizeof joint->p);
    mb_quat_rotate(joint->axis, G.q, c->link[k].axis);
    tidy_axis(joint->axis);
    memcpy(joint->turn, place.q, sizeof joint->turn);
  }
  mb_free(at);
  return true;
}

static void read_motor(MbReading *r, const MbJointSpec *spec, int dof, const char *where, MbRigJoint *j) {
  const MbMotorSpec *motor = spec->motor;
  if (!motor) return;
  j->kp = by_dof(&motor->stiffness, dof), j->kv = by_dof(&motor->damping, dof);
  j->target = signal_by_dof(r, &motor->target, dof, mb_reading_format(r, "%s/motor/target", where));
  j->speed =
      signal_by_dof(r, &motor->target_velocity, dof, mb_reading_format(r, "%s/motor/target_velocity", where));
  j->most = motor->max.count ? by_dof(&motor->max, dof) : NAN;
  j->motor = j->kp != 0 || j->kv != 0;
  if (j->kv == 0) j->speed = 0;
  if (j->kp != 0 && j->kv != 0 && j->speed != 0)
    mb_reading_unfit(
        r, mb_reading_format(r, "%s/motor/target_velocity", where),
        "a model's motor has one control: with \"stiffness\" it pulls to a place, without to a velocity");
}

// What one coordinate has of its own.
static void read_numbers(MbReading *r, const MbJointSpec *spec, const Link *link, const char *where,
                         const double *q, const double *v, MbRigJoint *j) {
  const int d = link->dof;
  j->stiffness = by_dof(&spec->stiffness, d), j->rest = by_dof(&spec->rest, d);
  j->damping = by_dof(&spec->damping, d), j->inertia = by_dof(&spec->inertia, d);
  j->friction = by_dof(&spec->frictionloss, d);
  j->driven = spec->force.count > 0;
  j->force = signal_by_dof(r, &spec->force, d, mb_reading_format(r, "%s/force", where));
  read_motor(r, spec, d, where, j);
  if (spec->limits.count) {
    const double *pair = spec->limits.value + (spec->limits.count == 1 ? 0 : 2 * d);
    memcpy(j->range, pair, sizeof j->range);
    j->limited = isfinite(pair[0]) || isfinite(pair[1]);
  }
  j->q[0] = q[d], j->v[0] = v[d];
  j->placed = q[d] != j->ref || v[d] != 0;
}

// The rotation vector's coordinates are a quaternion and an angular velocity there: ω = J_r(r) ṙ, J_r = 1 − c₁ [r] + c₂ [r]².
static void start_ball(const double r[3], const double rate[3], MbRigJoint *j) {
  double w[3], rw[3], rrw[3], turn[4], back[4];
  const double x2 = mb_vec3_dot(r, r), half = mb_half_sinc(x2), c1 = 2 * half * half, c2 = mb_exp_c(x2);
  mb_vec3_cross(rw, r, rate);
  mb_vec3_cross(rrw, r, rw);
  for (int i = 0; i < 3; i++) w[i] = rate[i] - c1 * rw[i] + c2 * rrw[i];
  mb_quat_exp(turn, r);
  mb_quat_conj(back, j->turn); // into the body's axes
  mb_quat_mul(j->q, j->turn, turn);
  mb_quat_mul(j->q, j->q, back);
  mb_quat_rotate(j->v, j->turn, w);
  j->placed = x2 > 0 || mb_vec3_norm(rate) > 0;
}

// Joints of several coordinates have the same for all of them, and less of it.
static void read_ball(MbReading *r, const MbJointSpec *spec, const Link *link, const char *where,
                      const double *q, const double *v, MbRigJoint *j) {
  const int d = link->dof, n = link->kind == MB_RIG_FREE ? 6 : 3;
  const MbNumbersSpec *none[] = {&spec->damping, &spec->inertia, &spec->rest, &spec->stiffness,
                                 &spec->frictionloss};
  static const char *const keys[] = {"damping", "inertia", "rest", "stiffness", "frictionloss"};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < n && !(i == 3 && link->kind == MB_RIG_BALL); k++)
      if (by_dof(none[i], d + k) != 0) {
        mb_reading_unfit(r, mb_reading_format(r, "%s/%s", where, keys[i]),
                         i == 0 && link->kind == MB_RIG_BALL
                             ? "a model's ball joint damps the angular velocity, not "
                               "the rates of the rotation vector: give a force "
                               "\"frame_spring\" between the two bodies instead"
                             : "a model has this of joints of one coordinate alone");
        break;
      }
  if (link->kind == MB_RIG_BALL) {
    j->stiffness = by_dof(&spec->stiffness, d);
    if (by_dof(&spec->stiffness, d + 1) != j->stiffness || by_dof(&spec->stiffness, d + 2) != j->stiffness)
      mb_reading_unfit(r, mb_reading_format(r, "%s/stiffness", where),
                       "a model's ball joint has one stiffness for all directions");
    start_ball(q + d, v + d, j);
  } else {
    memcpy(j->q, q + d, (size_t)n * sizeof *q), memcpy(j->v, v + d, (size_t)n * sizeof *v);
    for (int k = 0; k < n; k++) j->placed |= q[d + k] != 0 || v[d + k] != 0;
  }
  if (spec->limits.count)
    for (int k = 0; k < n; k++) {
      const double *pair = spec->limits.value + (spec->limits.count == 1 ? 0 : 2 * (d + k));
      if (!isfinite(pair[0]) && !isfinite(pair[1])) continue;
      mb_reading_unfit(r, mb_reading_format(r, "%s/limits", where),
                       "a model has limits of joints of one coordinate alone");
      break;
    }
  if (spec->motor)
    mb_reading_unfit(r, mb_reading_format(r, "%s/motor", where),
                     "a model has motors of joints of one coordinate alone");
  for (int k = 0; k < n; k++)
    if (signal_by_dof(r, &spec->force, d + k, mb_reading_format(r, "%s/force", where)) != 0) {
      mb_reading_unfit(r, mb_reading_format(r, "%s/force", where),
                       "a model has forces of joints of one coordinate alone");
      break;
    }
}

static double comment_number(const cJSON *joint, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(joint, key);
  return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

bool mb_reading_add_joint(MbReading *r, size_t i, size_t b, const cJSON *json) {
  const MbJointSpec *spec = &r->spec->bodies[i].joint;
  const char *where = mb_reading_format(r, "/bodies/%zu/joint", i),
             *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "_name"));
  size_t at_q = 0, at_v = 0;
  mb_model_coordinates(r->model, i, &at_q), mb_model_velocities(r->model, i, &at_v);
  const double *q = r->q + at_q, *v = r->v + at_v;
  Chain chain = {.ahead = {.q = {1, 0, 0, 0}}};
  if (name) name = mb_reading_format(r, "%s", name);
  if (spec->motion)
    mb_reading_unfit(r, mb_reading_format(r, "%s/motion", where), "a model has no prescribed motion");
  if (spec->stops)
    mb_reading_unfit(r, mb_reading_format(r, "%s/stops", where), "a model has hard limits alone");
  if (spec->friction)
    mb_reading_unfit(r, mb_reading_format(r, "%s/friction", where),
                     "a model has no friction by what a joint carries: \"frictionloss\" fits");
  size_t parent = SIZE_MAX;
  if (spec->parent && mb_names_find(&r->model->names, spec->parent, &parent)) r->rig->body[b].parent = parent;
  bool fine = list_links(r, spec, where, name, &chain);
  r->rig->body[b].bolt = chain.n ? NULL : name;
  for (size_t k = 0; k < chain.n && fine; k++) {
    MbRigJoint *j = mb_rig_add_joint(&r->rig->body[b], chain.link[k].kind, (MbXmlPlace){0});
    if (!j) {
      fine = mb_reading_no_memory(r);
      break;
    }
    j->name = chain.link[k].name, j->where = where;
    j->effort = comment_number(json, "_effort"), j->speed_limit = comment_number(json, "_velocity");
  }
  fine = fine && place_links(r, b, spec, &chain, q);
  for (size_t k = 0; k < chain.n && fine; k++) {
    MbRigJoint *j = &r->rig->body[b].joint[k];
    if (j->kind <= MB_RIG_SLIDE)
      read_numbers(r, spec, &chain.link[k], where, q, v, j);
    else
      read_ball(r, spec, &chain.link[k], where, q, v, j);
  }
  mb_free(chain.link);
  return fine;
}

bool mb_reading_add_free(MbReading *r, size_t i, size_t b) {
  const MbBodySpec *spec = &r->spec->bodies[i];
  MbRigBody *body = &r->rig->body[b];
  MbRigJoint *j = mb_rig_add_joint(body, MB_RIG_FREE, (MbXmlPlace){0});
  if (!j) return mb_reading_no_memory(r);
  j->where = body->where;
  memcpy(body->frame.p, spec->pose.position, sizeof body->frame.p);
  memcpy(body->frame.q, spec->pose.rotation, sizeof body->frame.q);
  memcpy(j->q, body->frame.p, sizeof body->frame.p), memcpy(j->q + 3, body->frame.q, sizeof body->frame.q);
  memcpy(j->v, spec->linear, sizeof spec->linear), memcpy(j->v + 3, spec->angular, sizeof spec->angular);
  if (spec->velocity_axes == MB_AXES_BODY)
    mb_quat_rotate(j->v, body->frame.q, spec->linear);
  else
    mb_quat_unrotate(j->v + 3, body->frame.q, spec->angular);
  j->placed = mb_vec3_norm(spec->linear) > 0 || mb_vec3_norm(spec->angular) > 0;
  return true;
}
