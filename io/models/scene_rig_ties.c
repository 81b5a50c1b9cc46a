// What ties the bodies of a scene together, as a rig has it: forces, constraints, and who collides with whom.
#include "core/base/alloc.h"
#include "core/constraints/closure.h"
#include "core/constraints/distance.h"
#include "core/constraints/ratio.h"
#include "core/forces/frame_spring.h"
#include "core/forces/muscle.h"
#include "core/forces/spring.h"
#include "io/models/scene_rig_reading.h"

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
