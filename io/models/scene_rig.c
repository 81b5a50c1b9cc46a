// A scene as a rig: the way back of rig_scene.c. What no model can say is an error with its JSON pointer; all of them are listed.
//
// A scene's body stands at  E_parent A Π_k F_k Q_k(q_k) B⁻¹  with the joint's frames A and B and its parts' frames F; a model's at
// E_parent X Π_k T(p_k) Q_k(q_k − ref_k) T(−p_k), where p and the axes are places in the body. With G_k = Π_{j<k} F_j Q_j(ref_j) · F_k and
// S = Π_j F_j Q_j(ref_j) · B⁻¹ these are the same for  X = A S,  joint k at S⁻¹ G_k in the body.
#include "io/models/scene_rig.h"
#include "core/base/alloc.h"
#include "core/constraints/closure.h"
#include "core/constraints/distance.h"
#include "core/constraints/ratio.h"
#include "core/forces/frame_spring.h"
#include "core/forces/muscle.h"
#include "core/forces/spring.h"
#include "core/math/se3.h"
#include "core/model/model.h"
#include "io/json/json_fold.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reading {
  const MbSceneSpec *spec;
  const MbModel *model;
  MbRig *rig;
  bool planes; // the format has joints that slide in a plane, and floating ones anywhere
  const char *directory;
  const double *q, *v; // of all bodies at the start
  MbReport *report;
  MbStatus status; // of the first error
} Reading;

static const char *format(Reading *r, const char *how, ...) MB_PRINTF(2, 3);
static const char *format(Reading *r, const char *how, ...) {
  char text[512];
  va_list list;
  va_start(list, how);
  vsnprintf(text, sizeof text, how, list);
  va_end(list);
  const char *copy = mb_arena_strdup(&r->rig->arena, text);
  if (!copy && !r->status) r->status = mb_no_memory(r->report, "a model");
  return copy ? copy : "";
}

static bool no_memory(Reading *r) {
  if (!r->status) r->status = mb_no_memory(r->report, "a model");
  return false;
}

// Goes on after it, so that everything that does not fit is listed.
static void unfit(Reading *r, const char *where, const char *what) {
  const MbStatus status = mb_error(r->report, MB_SCENE, where, "%s", what);
  if (!r->status) r->status = status;
}

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

// A signal that does not change; NaN, with an error, for any other.
static double constant(Reading *r, const MbSignalSpec *signal, const char *where) {
  if (signal->kind == MB_SIGNAL_CONSTANT) return signal->value;
  unfit(r, where, "a model has no values that change over time: a constant is wanted");
  return NAN;
}

static double signal_by_dof(Reading *r, const MbSignalsSpec *signals, int dof, const char *where) {
  if (!signals->count) return 0;
  const int i = signals->count == 1 ? 0 : dof;
  return constant(r, &signals->signal[i], signals->list ? format(r, "%s/%d", where, i) : where);
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

static bool add(Reading *r, Chain *c, MbRigKind kind, const double axis[3], int dofs, const char *name) {
  if (!mb_grow(&c->link, &c->room, c->n + 1, sizeof *c->link)) return no_memory(r);
  Link *link = &c->link[c->n++];
  *link = (Link){.kind = kind, .frame = c->ahead, .dof = c->dofs, .name = name};
  memcpy(link->axis, axis, sizeof link->axis);
  mb_pose_identity(&c->ahead);
  c->dofs += dofs;
  return true;
}

static const double UNIT[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static const char *numbered(Reading *r, const char *name, char letter) {
  return name ? format(r, "%s_%c", name, letter) : NULL;
}

// One after the other: S slides along, H turns about the axis of the letter.
static bool add_row(Reading *r, Chain *c, const char *row, const char *name) {
  for (const char *at = row; *at; at += 2) {
    const MbRigKind kind = *at == 'S' ? MB_RIG_SLIDE : MB_RIG_HINGE;
    if (!add(r, c, kind, UNIT[at[1] - 'x'], 1, numbered(r, name, at[1]))) return false;
  }
  return true;
}

static bool list_links(Reading *r, const MbJointSpec *j, const char *where, const char *name, Chain *c) {
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
      if (!list_links(r, &j->parts[i], format(r, "%s/joints/%zu", where, i), j->parts[i].name, c))
        return false;
    }
    return true;
  default:
    unfit(r, format(r, "%s/type", where),
          "no model has this type of joint: coordinates of models are angles and ways");
    return true;
  }
}

// Where a coordinate begins for a model: the scene's start, where the frames say that it was counted so; else 0.
static double reference(const Reading *r, const Link *link, const MbPose *next, bool alone, bool last,
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
static bool place_links(Reading *r, size_t b, const MbJointSpec *j, Chain *c, const double *q) {
  const MbPose A = pose_of(&j->in_parent), B = pose_of(&j->in_body);
  MbPose back, end, G, X, S, inverse, *at = mb_calloc(c->n + 1, sizeof *at);
  if (!at) return no_memory(r);
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

static void read_motor(Reading *r, const MbJointSpec *spec, int dof, const char *where, MbRigJoint *j) {
  const MbMotorSpec *motor = spec->motor;
  if (!motor) return;
  j->kp = by_dof(&motor->stiffness, dof), j->kv = by_dof(&motor->damping, dof);
  j->target = signal_by_dof(r, &motor->target, dof, format(r, "%s/motor/target", where));
  j->speed = signal_by_dof(r, &motor->target_velocity, dof, format(r, "%s/motor/target_velocity", where));
  j->most = motor->max.count ? by_dof(&motor->max, dof) : NAN;
  j->motor = j->kp != 0 || j->kv != 0;
  if (j->kv == 0) j->speed = 0;
  if (j->kp != 0 && j->kv != 0 && j->speed != 0)
    unfit(r, format(r, "%s/motor/target_velocity", where),
          "a model's motor has one control: with \"stiffness\" it pulls to a place, without to a velocity");
}

// What one coordinate has of its own.
static void read_numbers(Reading *r, const MbJointSpec *spec, const Link *link, const char *where,
                         const double *q, const double *v, MbRigJoint *j) {
  const int d = link->dof;
  j->stiffness = by_dof(&spec->stiffness, d), j->rest = by_dof(&spec->rest, d);
  j->damping = by_dof(&spec->damping, d), j->inertia = by_dof(&spec->inertia, d);
  j->friction = by_dof(&spec->frictionloss, d);
  j->driven = spec->force.count > 0;
  j->force = signal_by_dof(r, &spec->force, d, format(r, "%s/force", where));
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
static void read_ball(Reading *r, const MbJointSpec *spec, const Link *link, const char *where,
                      const double *q, const double *v, MbRigJoint *j) {
  const int d = link->dof, n = link->kind == MB_RIG_FREE ? 6 : 3;
  const MbNumbersSpec *none[] = {&spec->damping, &spec->inertia, &spec->rest, &spec->stiffness,
                                 &spec->frictionloss};
  static const char *const keys[] = {"damping", "inertia", "rest", "stiffness", "frictionloss"};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < n && !(i == 3 && link->kind == MB_RIG_BALL); k++)
      if (by_dof(none[i], d + k) != 0) {
        unfit(r, format(r, "%s/%s", where, keys[i]),
              i == 0 && link->kind == MB_RIG_BALL ? "a model's ball joint damps the angular velocity, not "
                                                    "the rates of the rotation vector: give a force "
                                                    "\"frame_spring\" between the two bodies instead"
                                                  : "a model has this of joints of one coordinate alone");
        break;
      }
  if (link->kind == MB_RIG_BALL) {
    j->stiffness = by_dof(&spec->stiffness, d);
    if (by_dof(&spec->stiffness, d + 1) != j->stiffness || by_dof(&spec->stiffness, d + 2) != j->stiffness)
      unfit(r, format(r, "%s/stiffness", where), "a model's ball joint has one stiffness for all directions");
    start_ball(q + d, v + d, j);
  } else {
    memcpy(j->q, q + d, (size_t)n * sizeof *q), memcpy(j->v, v + d, (size_t)n * sizeof *v);
    for (int k = 0; k < n; k++) j->placed |= q[d + k] != 0 || v[d + k] != 0;
  }
  if (spec->limits.count)
    for (int k = 0; k < n; k++) {
      const double *pair = spec->limits.value + (spec->limits.count == 1 ? 0 : 2 * (d + k));
      if (!isfinite(pair[0]) && !isfinite(pair[1])) continue;
      unfit(r, format(r, "%s/limits", where), "a model has limits of joints of one coordinate alone");
      break;
    }
  if (spec->motor)
    unfit(r, format(r, "%s/motor", where), "a model has motors of joints of one coordinate alone");
  for (int k = 0; k < n; k++)
    if (signal_by_dof(r, &spec->force, d + k, format(r, "%s/force", where)) != 0) {
      unfit(r, format(r, "%s/force", where), "a model has forces of joints of one coordinate alone");
      break;
    }
}

static double comment_number(const cJSON *joint, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(joint, key);
  return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static bool read_joint(Reading *r, size_t i, size_t b, const cJSON *json) {
  const MbJointSpec *spec = &r->spec->bodies[i].joint;
  const char *where = format(r, "/bodies/%zu/joint", i),
             *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "_name"));
  size_t at_q = 0, at_v = 0;
  mb_model_coordinates(r->model, i, &at_q), mb_model_velocities(r->model, i, &at_v);
  const double *q = r->q + at_q, *v = r->v + at_v;
  Chain chain = {.ahead = {.q = {1, 0, 0, 0}}};
  if (name) name = format(r, "%s", name);
  if (spec->motion) unfit(r, format(r, "%s/motion", where), "a model has no prescribed motion");
  if (spec->friction)
    unfit(r, format(r, "%s/friction", where),
          "a model has no friction by what a joint carries: \"frictionloss\" fits");
  size_t parent = SIZE_MAX;
  if (spec->parent && mb_names_find(&r->model->names, spec->parent, &parent)) r->rig->body[b].parent = parent;
  bool fine = list_links(r, spec, where, name, &chain);
  r->rig->body[b].bolt = chain.n ? NULL : name;
  for (size_t k = 0; k < chain.n && fine; k++) {
    MbRigJoint *j = mb_rig_add_joint(&r->rig->body[b], chain.link[k].kind, (MbXmlPlace){0});
    if (!j) {
      fine = no_memory(r);
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

static bool read_free(Reading *r, size_t i, size_t b) {
  const MbBodySpec *spec = &r->spec->bodies[i];
  MbRigBody *body = &r->rig->body[b];
  MbRigJoint *j = mb_rig_add_joint(body, MB_RIG_FREE, (MbXmlPlace){0});
  if (!j) return no_memory(r);
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

// ---- shapes and masses ------------------------------------------------------------------------------------

static const MbMaterialSpec *material_of(const MbSceneSpec *spec, const char *name) {
  for (size_t i = 0; name && i < spec->nmaterials; i++)
    if (!strcmp(spec->materials[i].name, name)) return &spec->materials[i];
  return NULL;
}

static double density_of(const Reading *r, const MbBodySpec *body, const MbShapeSpec *shape) {
  const MbMaterialSpec *own = material_of(r->spec, shape->material),
                       *all = material_of(r->spec, body->material);
  return !isnan(shape->density)  ? shape->density
         : own                   ? own->density
         : !isnan(body->density) ? body->density
         : all                   ? all->density
                                 : NAN;
}

// Friction or restitution: a shape's word wins over its material's, that over its body's material's, that over the scene's.
static double surface_of(const Reading *r, const MbBodySpec *body, const MbShapeSpec *s, bool restitution) {
  const MbMaterialSpec *const of[] = {material_of(r->spec, s->material),
                                      material_of(r->spec, body->material)};
  double x = restitution ? s->restitution : s->friction;
  for (int i = 0; i < 2; i++)
    if (isnan(x) && of[i]) x = restitution ? of[i]->restitution : of[i]->friction;
  const MbContactsSpec *contact = r->spec->contact;
  return !isnan(x) ? x : !contact ? NAN : restitution ? contact->restitution : contact->friction;
}

static bool read_shape(Reading *r, const MbBodySpec *body, const MbShapeSpec *s, size_t b) {
  MbRigShape *shape = mb_rig_add_shape(&r->rig->body[b], s->kind, (MbXmlPlace){0});
  if (!shape) return no_memory(r);
  memcpy(shape->size, s->size, sizeof shape->size), memcpy(shape->normal, s->normal, sizeof shape->normal);
  memcpy(shape->frame.p, s->frame.position, sizeof shape->frame.p);
  memcpy(shape->frame.q, s->frame.rotation, sizeof shape->frame.q);
  shape->radius = s->radius, shape->length = s->length, shape->offset = s->offset;
  if (s->file)
    shape->file = *s->file == '/' || !*r->directory ? s->file : format(r, "%s/%s", r->directory, s->file);
  for (int i = 0; i < 3; i++) shape->scale[i] = s->scale;
  shape->seen = true;
  shape->collides = s->collide != MB_COLLIDE_NOT;
  shape->hull = s->collide == MB_COLLIDE_HULL;
  shape->friction = surface_of(r, body, s, false);
  if (r->rig->contact && shape->collides && surface_of(r, body, s, true) > 0)
    unfit(r, format(r, "%s/shape", r->rig->body[b].where),
          "a model says nothing of how bodies rebound: restitution 0 is wanted");
  shape->density = s->kind == MB_SHAPE_PLANE || body->inertia ? NAN : density_of(r, body, s);
  shape->weightless = body->inertia != NULL;
  return true;
}

// As the compiled model has it: principal moments about the centre of mass.
static void take_mass(const Reading *r, size_t i, MbRigBody *body) {
  const size_t number = r->model->number[i];
  const double *M = r->model->M + 6 * number;
  const MbPose *C = &r->model->C[number];
  double R[9];
  mb_quat_to_mat3(R, C->q);
  body->inertial = M[3] > 0;
  body->mass = M[3];
  memcpy(body->center, C->p, sizeof body->center);
  static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    body->matrix[k] = 0;
    for (int n = 0; n < 3; n++) body->matrix[k] += R[3 * row[k] + n] * M[n] * R[3 * column[k] + n];
  }
  mb_rig_tidy(body->matrix, 6, 0);
  mb_rig_tidy(body->center, 3, 0.1);
}

static bool read_mass(Reading *r, size_t i, size_t b) {
  const MbBodySpec *spec = &r->spec->bodies[i];
  MbRigBody *body = &r->rig->body[b];
  if (spec->inertia) {
    body->inertial = true, body->mass = spec->inertia->mass;
    memcpy(body->center, spec->inertia->center, sizeof body->center);
    memcpy(body->matrix, spec->inertia->matrix, sizeof body->matrix);
  } else if (r->planes) { // masses are numbers there
    take_mass(r, i, body);
  } else if (spec->nshapes == 1 && !isnan(spec->mass)) {
    body->shape[0].mass = spec->mass, body->shape[0].density = NAN;
  } else if (!isnan(spec->mass)) {
    take_mass(r, i, body);
  }
  return true;
}

static bool read_body(Reading *r, size_t i, const cJSON *json) {
  const MbBodySpec *spec = &r->spec->bodies[i];
  const size_t b = r->rig->nbodies;
  const char *name = format(r, "%s", spec->name), *where = format(r, "/bodies/%zu", i);
  if (!mb_rig_add_body(r->rig, name, (MbXmlPlace){0})) return no_memory(r);
  r->rig->body[b].where = where;
  if (spec->motion) unfit(r, format(r, "%s/motion", where), "a model has no prescribed motion");
  if (spec->damping != 0)
    unfit(r, format(r, "%s/damping", where), "a model has no drag of bodies, only damping of joints");
  for (size_t k = 0; k < spec->nshapes; k++)
    if (!read_shape(r, spec, &spec->shapes[k], b)) return false;
  if (!read_mass(r, i, b)) return false;
  const bool jointed = spec->jointed;
  return jointed ? read_joint(r, i, b, cJSON_GetObjectItemCaseSensitive(json, "joint")) : read_free(r, i, b);
}

// ---- forces and constraints -------------------------------------------------------------------------------

static bool find_body(Reading *r, const char *name, size_t *body) {
  *body = MB_RIG_WORLD;
  return !name || !strcmp(name, "world") || mb_names_find(&r->model->names, name, body);
}

static MbRigTie *add_tie(Reading *r, MbRigTieKind kind, const char *where, const char *name, size_t n,
                         const MbPointSpec *points) {
  MbRigTie *tie = mb_rig_add_tie(r->rig, kind, (MbXmlPlace){0});
  if (tie && n) tie->path = mb_calloc(n, sizeof *tie->path);
  if (!tie || (n && !tie->path)) {
    no_memory(r);
    return NULL;
  }
  tie->where = where, tie->npath = n;
  tie->name = name ? format(r, "%s", name) : NULL;
  for (size_t k = 0; k < n; k++) {
    tie->path[k].frame = mb_rig_frame();
    memcpy(tie->path[k].frame.p, points[k].frame.position, sizeof tie->path[k].frame.p);
    memcpy(tie->path[k].frame.q, points[k].frame.rotation, sizeof tie->path[k].frame.q);
    find_body(r, points[k].body, &tie->path[k].body);
  }
  return tie;
}

// A damper between the two bodies of a ball joint is that joint's damping.
static bool read_twist(Reading *r, const MbForceSpec *force, const char *where) {
  const MbFrameSpring *own = force->parameters;
  size_t body[2] = {MB_RIG_WORLD, MB_RIG_WORLD};
  find_body(r, force->points[0].body, &body[0]), find_body(r, force->points[1].body, &body[1]);
  if (own->stiffness[0] == 0 && own->stiffness[1] == 0 && own->damping[0] == 0)
    for (int k = 0; k < 2; k++) {
      MbRigBody *child = body[k] == MB_RIG_WORLD ? NULL : &r->rig->body[body[k]];
      if (!child || child->parent != body[!k] || child->njoints != 1 || child->joint[0].kind != MB_RIG_BALL)
        continue;
      child->joint[0].damping += own->damping[1];
      return true;
    }
  unfit(r, where, "a model has no spring between frames, but for the damping of a ball joint");
  return true;
}

static bool read_force(Reading *r, size_t i) {
  const MbForceSpec *force = &r->spec->forces[i];
  const char *where = format(r, "/forces/%zu", i);
  MbRigTie *tie = NULL;
  switch (force->kind) {
  case MB_FORCE_SPRING:
  case MB_FORCE_MULTI_SPRING: {
    const MbSpringSpec *own = force->parameters;
    if (own->law != MB_LAW_LINEAR) unfit(r, format(r, "%s/law", where), "a model's springs are linear");
    if (own->passive.count)
      unfit(r, format(r, "%s/passive", where), "all segments count in the length of a model's tendon");
    tie = add_tie(r, MB_RIG_SPRING, where, force->name, force->npoints, force->points);
    if (tie) tie->stiffness = own->stiffness, tie->damping = own->damping, tie->length = own->length;
    return tie != NULL;
  }
  case MB_FORCE_FRAME_SPRING:
    return read_twist(r, force, where);
  case MB_FORCE_MUSCLE: {
    const MbMuscleSpec *own = force->parameters;
    tie = add_tie(r, MB_RIG_MUSCLE, where, force->name, force->npoints, force->points);
    if (!tie) return false;
    memcpy(tie->muscle, &own->numbers, sizeof tie->muscle);
    if (constant(r, &own->activation, format(r, "%s/activation", where)) > 0)
      unfit(r, format(r, "%s/activation", where), "a model's muscles begin at rest: 0 is wanted");
    return true;
  }
  default:
    unfit(r, where, "a model has no such force: springs, dampers and muscles fit");
    return true;
  }
}

static bool is_single(const Reading *r, size_t body) {
  return body != MB_RIG_WORLD && r->rig->body[body].njoints == 1 &&
         r->rig->body[body].joint[0].kind <= MB_RIG_SLIDE;
}

static bool read_constraint(Reading *r, size_t i) {
  const MbConstraintSpec *c = &r->spec->constraints[i];
  const char *where = format(r, "/constraints/%zu", i);
  MbRigTie *tie = NULL;
  if (c->compliance != 0)
    unfit(r, format(r, "%s/compliance", where), "a model does not say in newtons how soft a constraint is");
  switch (c->kind) {
  case MB_CONSTRAINT_POINT:
    return add_tie(r, MB_RIG_POINT, where, c->name, c->nbetween, c->between) != NULL;
  case MB_CONSTRAINT_JOINT: {
    const MbClosureSpec *own = c->parameters;
    if (own->joint.kind == MB_JOINT_FIXED)
      return add_tie(r, MB_RIG_WELD, where, c->name, c->nbetween, c->between) != NULL;
    unfit(r, format(r, "%s/joint", where), "loops of a model are closed by points and welds alone");
    return true;
  }
  case MB_CONSTRAINT_DISTANCE: {
    const MbDistanceSpec *own = c->parameters;
    tie = add_tie(r, MB_RIG_ROPE, where, c->name, c->nbetween, c->between);
    if (tie) tie->length = own->length, tie->rigid = !own->rope;
    return tie != NULL;
  }
  case MB_CONSTRAINT_RATIO: {
    const MbRatioSpec *own = c->parameters;
    tie = add_tie(r, MB_RIG_RATIO, where, c->name, 0, NULL);
    if (!tie) return false;
    find_body(r, own->joints[0], &tie->body[0]), find_body(r, own->joints[1], &tie->body[1]);
    tie->ratio = own->ratio, tie->offset = own->offset, tie->reduced = own->enforce == MB_BY_REDUCTION;
    if (!is_single(r, tie->body[0]) || !is_single(r, tie->body[1]))
      unfit(r, format(r, "%s/joints", where), "joints of one coordinate each move in step in a model");
    return true;
  }
  default:
    unfit(r, where, "a model has no such constraint: points, welds, distances and ratios fit");
    return true;
  }
}

// ---- contact ----------------------------------------------------------------------------------------------

static bool read_pair(Reading *r, const char *const bodies[2], double friction) {
  MbRigPair *pair = mb_rig_add_pair(r->rig, (MbXmlPlace){0});
  if (!pair) return no_memory(r);
  for (int k = 0; k < 2; k++) find_body(r, bodies[k], &pair->body[k]);
  pair->friction = friction, pair->given = true;
  return true;
}

static bool read_contact(Reading *r) {
  const MbContactsSpec *contact = r->spec->contact;
  if (!r->rig->contact) return true;
  r->rig->friction = contact->friction;
  if (contact->compliance > 0)
    unfit(r, "/contact/compliance", "a model does not say in newtons how soft contact is");
  if (contact->cone == MB_NO_CONE)
    unfit(r, "/contact/cone", "give \"friction\": 0 instead: a model has no cones");
  for (size_t i = 0; i < contact->npairs; i++) {
    const MbContactPairSpec *pair = &contact->pairs[i];
    if (!isnan(pair->restitution) && pair->restitution > 0)
      unfit(r, format(r, "/contact/pairs/%zu/restitution", i),
            "a model says nothing of how bodies rebound: 0 is wanted");
    if (!read_pair(r, pair->bodies, isnan(pair->friction) ? -1 : pair->friction)) return false;
  }
  for (size_t i = 0; i < contact->nexclude; i++)
    if (!read_pair(r, contact->exclude[i].bodies, NAN)) return false;
  return true;
}

// ---- the scene --------------------------------------------------------------------------------------------

bool mb_rig_of_scene(const MbScene *scene, const MbModel *model, const MbRigAsk *ask, MbRig *rig,
                     MbReport *report) {
  Reading r = {.spec = &scene->spec,
               .model = model,
               .rig = rig,
               .planes = ask->planes,
               .directory = ask->directory,
               .q = ask->q,
               .v = ask->v,
               .report = report};
  const char *slash = strrchr(scene->name, '/');
  rig->format = "scene";
  rig->source = format(&r, "%s", slash ? slash + 1 : scene->name);
  rig->name = format(&r, "%s", scene->spec.name ? scene->spec.name : "");
  memcpy(rig->gravity, scene->spec.gravity, sizeof rig->gravity);
  rig->step = scene->spec.time.step;
  rig->contact = scene->spec.contact && scene->spec.contact->enabled;
  if (scene->spec.ndeformables)
    unfit(&r, "/deformables", "a model has rigid bodies alone: deformables do not fit");
  MbJsonElements elements = mb_json_elements(cJSON_GetObjectItemCaseSensitive(scene->resolved, "bodies"));
  bool fine = true;
  for (size_t i = 0; i < scene->spec.nbodies && fine; i++)
    fine = read_body(&r, i, mb_json_next_element(&elements));
  if (elements.failed) fine = no_memory(&r);
  mb_json_leave_elements(&elements);
  for (size_t i = 0; i < scene->spec.nconstraints && fine; i++) fine = read_constraint(&r, i);
  for (size_t i = 0; i < scene->spec.nforces && fine; i++) fine = read_force(&r, i);
  fine = fine && read_contact(&r);
  return fine && !r.status;
}
