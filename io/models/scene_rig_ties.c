// What ties the bodies of a scene together, as a rig has it: forces, constraints, and who collides with whom.
#include "core/base/alloc.h"
#include "core/constraints/closure.h"
#include "core/constraints/distance.h"
#include "core/constraints/ratio.h"
#include "core/forces/frame_spring.h"
#include "core/forces/muscle.h"
#include "core/forces/spring.h"
#include "core/math/vec3.h"
#include "core/model/builder.h"
#include "io/models/scene_rig_reading.h"

#include <math.h>
#include <string.h>

// ---- forces and constraints -------------------------------------------------------------------------------

static bool find_body(MbReading *r, const char *name, size_t *body) {
  *body = MB_RIG_WORLD;
  return !name || !strcmp(name, "world") || mb_names_find(&r->model->names, name, body);
}

static MbRigTie *add_tie(MbReading *r, MbRigTieKind kind, const char *where, const char *name, size_t n,
                         const MbPointSpec *points) {
  MbRigTie *tie = mb_rig_add_tie(r->rig, kind, (MbXmlPlace){0});
  if (tie && n) tie->path = mb_calloc(n, sizeof *tie->path);
  if (!tie || (n && !tie->path)) {
    mb_reading_no_memory(r);
    return NULL;
  }
  tie->where = where, tie->npath = n;
  tie->name = name ? mb_reading_format(r, "%s", name) : NULL;
  for (size_t k = 0; k < n; k++) {
    tie->path[k].frame = mb_rig_frame();
    memcpy(tie->path[k].frame.p, points[k].frame.position, sizeof tie->path[k].frame.p);
    memcpy(tie->path[k].frame.q, points[k].frame.rotation, sizeof tie->path[k].frame.q);
    find_body(r, points[k].body, &tie->path[k].body);
  }
  return tie;
}

// The way through a tie's points where the scene begins, which is the length that it does not give; a model's own would be that where it
// stands. NaN where memory ran out.
static double way_at_start(MbReading *r, const MbRigTie *tie) {
  const MbModel *model = r->model;
  MbPose *E = mb_calloc(model->nb, sizeof *E);
  double length = 0, before[3] = {0};
  if (!E) {
    mb_reading_no_memory(r);
    return NAN;
  }
  mb_model_poses(model, E);
  for (size_t k = 0; k < tie->npath; k++) {
    const size_t listed = tie->path[k].body;
    double at[3], way[3];
    mb_vec3_copy(at, tie->path[k].frame.p);
    if (listed != MB_RIG_WORLD) {
      MbPose own;
      mb_pose_inverse(&own, &model->C[model->number[listed]]);
      mb_pose_point(at, &own, at);
      mb_pose_point(at, &E[model->number[listed]], at);
    }
    mb_vec3_sub(way, at, before);
    if (k) length += mb_vec3_norm(way);
    mb_vec3_copy(before, at);
  }
  mb_free(E);
  return length;
}

// Where the scene gives no length, and begins elsewhere than where the model stands, that of the start.
static double length_of(MbReading *r, const MbRigTie *tie, double given) {
  static const double ROUNDING = 1e-12;
  if (!isnan(given)) return given;
  const double start = way_at_start(r, tie), stands = mb_rig_way(r->rig, tie->path, tie->npath);
  return fabs(start - stands) > ROUNDING * (start + stands) ? start : NAN;
}

// A damper between the two bodies of a ball joint is that joint's damping.
static bool read_twist(MbReading *r, const MbForceSpec *force, const char *where) {
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
  mb_reading_unfit(r, where, "a model has no spring between frames, but for the damping of a ball joint");
  return true;
}

bool mb_reading_add_force(MbReading *r, size_t i) {
  const MbForceSpec *force = &r->spec->forces[i];
  const char *where = mb_reading_format(r, "/forces/%zu", i);
  MbRigTie *tie = NULL;
  switch (force->kind) {
  case MB_FORCE_SPRING:
  case MB_FORCE_MULTI_SPRING: {
    const MbSpringSpec *own = force->parameters;
    if (own->law != MB_LAW_LINEAR)
      mb_reading_unfit(r, mb_reading_format(r, "%s/law", where), "a model's springs are linear");
    if (own->passive.count)
      mb_reading_unfit(r, mb_reading_format(r, "%s/passive", where),
                       "all segments count in the length of a model's tendon");
    tie = add_tie(r, MB_RIG_SPRING, where, force->name, force->npoints, force->points);
    if (tie) tie->stiffness = own->stiffness, tie->damping = own->damping;
    if (tie) tie->length = length_of(r, tie, own->length);
    return tie != NULL;
  }
  case MB_FORCE_FRAME_SPRING:
    return read_twist(r, force, where);
  case MB_FORCE_MUSCLE: {
    const MbMuscleSpec *own = force->parameters;
    tie = add_tie(r, MB_RIG_MUSCLE, where, force->name, force->npoints, force->points);
    if (!tie) return false;
    memcpy(tie->muscle, &own->numbers, sizeof tie->muscle);
    if (mb_reading_constant(r, &own->activation, mb_reading_format(r, "%s/activation", where)) > 0)
      mb_reading_unfit(r, mb_reading_format(r, "%s/activation", where),
                       "a model's muscles begin at rest: 0 is wanted");
    return true;
  }
  default:
    mb_reading_unfit(r, where, "a model has no such force: springs, dampers and muscles fit");
    return true;
  }
}

static bool is_single(const MbReading *r, size_t body) {
  return body != MB_RIG_WORLD && r->rig->body[body].njoints == 1 &&
         r->rig->body[body].joint[0].kind <= MB_RIG_SLIDE;
}

bool mb_reading_add_constraint(MbReading *r, size_t i) {
  const MbConstraintSpec *c = &r->spec->constraints[i];
  const char *where = mb_reading_format(r, "/constraints/%zu", i);
  MbRigTie *tie = NULL;
  if (c->compliance != 0)
    mb_reading_unfit(r, mb_reading_format(r, "%s/compliance", where),
                     "a model does not say in newtons how soft a constraint is");
  switch (c->kind) {
  case MB_CONSTRAINT_POINT:
    return add_tie(r, MB_RIG_POINT, where, c->name, c->nbetween, c->between) != NULL;
  case MB_CONSTRAINT_JOINT: {
    const MbClosureSpec *own = c->parameters;
    if (own->joint.kind == MB_JOINT_FIXED)
      return add_tie(r, MB_RIG_WELD, where, c->name, c->nbetween, c->between) != NULL;
    mb_reading_unfit(r, mb_reading_format(r, "%s/joint", where),
                     "loops of a model are closed by points and welds alone");
    return true;
  }
  case MB_CONSTRAINT_DISTANCE: {
    const MbDistanceSpec *own = c->parameters;
    tie = add_tie(r, MB_RIG_ROPE, where, c->name, c->nbetween, c->between);
    if (tie) tie->length = length_of(r, tie, own->length), tie->rigid = !own->rope;
    return tie != NULL;
  }
  case MB_CONSTRAINT_RATIO: {
    const MbRatioSpec *own = c->parameters;
    tie = add_tie(r, MB_RIG_RATIO, where, c->name, 0, NULL);
    if (!tie) return false;
    find_body(r, own->joints[0], &tie->body[0]), find_body(r, own->joints[1], &tie->body[1]);
    tie->ratio = own->ratio, tie->offset = own->offset, tie->reduced = own->enforce == MB_BY_REDUCTION;
    if (!is_single(r, tie->body[0]) || !is_single(r, tie->body[1]))
      mb_reading_unfit(r, mb_reading_format(r, "%s/joints", where),
                       "joints of one coordinate each move in step in a model");
    return true;
  }
  default:
    mb_reading_unfit(r, where, "a model has no such constraint: points, welds, distances and ratios fit");
    return true;
  }
}

// ---- contact ----------------------------------------------------------------------------------------------

static bool read_pair(MbReading *r, const char *const bodies[2], double friction) {
  MbRigPair *pair = mb_rig_add_pair(r->rig, (MbXmlPlace){0});
  if (!pair) return mb_reading_no_memory(r);
  for (int k = 0; k < 2; k++) find_body(r, bodies[k], &pair->body[k]);
  pair->friction = friction, pair->given = true;
  return true;
}

bool mb_reading_add_contact(MbReading *r) {
  const MbContactsSpec *contact = r->spec->contact;
  if (!r->rig->contact) return true;
  r->rig->friction = contact->friction;
  if (contact->compliance > 0)
    mb_reading_unfit(r, "/contact/compliance", "a model does not say in newtons how soft contact is");
  if (contact->cone == MB_NO_CONE)
    mb_reading_unfit(r, "/contact/cone", "give \"friction\": 0 instead: a model has no cones");
  for (size_t i = 0; i < contact->npairs; i++) {
    const MbContactPairSpec *pair = &contact->pairs[i];
    if (!isnan(pair->restitution) && pair->restitution > 0)
      mb_reading_unfit(r, mb_reading_format(r, "/contact/pairs/%zu/restitution", i),
                       "a model says nothing of how bodies rebound: 0 is wanted");
    if (!read_pair(r, pair->bodies, isnan(pair->friction) ? -1 : pair->friction)) return false;
  }
  for (size_t i = 0; i < contact->nexclude; i++)
    if (!read_pair(r, contact->exclude[i].bodies, NAN)) return false;
  return true;
}
