#include "tests/trees.h"
#include "core/joints/joints.h"

#include <stdio.h>
#include <string.h>

double test_around_zero(uint64_t *seed) { return 2 * test_random(seed) - 1; }

void test_random_frame(MbFrameSpec *frame, uint64_t *seed) {
  for (int i = 0; i < 3; i++) frame->position[i] = test_around_zero(seed);
  for (int i = 0; i < 4; i++) frame->rotation[i] = test_around_zero(seed);
  mb_quat_normalise(frame->rotation);
}

MbNumbersSpec test_one_number(MbArena *arena, double value) {
  double *number = mb_arena_alloc(arena, 1, sizeof *number);
  *number = value;
  return (MbNumbersSpec){1, number};
}

MbBodySpec *test_random_body(MbSceneSpec *spec, uint64_t *seed) {
  char name[32];
  snprintf(name, sizeof name, "body%zu", spec->nbodies);
  MbBodySpec *body = test_body(spec, mb_arena_strdup(&spec->arena, name), 1 + test_random(seed), 1, 1.2, 1.5);
  for (int i = 0; i < 3; i++) body->inertia->center[i] = test_around_zero(seed);
  return body;
}

void test_hang(MbSceneSpec *spec, MbBodySpec *body, MbJointKind kind, const char *parent, uint64_t *seed) {
  MbJointSpec *joint = &body->joint;
  body->jointed = true;
  body->pose =
      (MbFrameSpec){.rotation = {1, 0, 0, 0}}; // of a joint's body they follow from the joint's coordinates
  memset(body->linear, 0, sizeof body->linear);
  memset(body->angular, 0, sizeof body->angular);
  *joint = (MbJointSpec){.kind = kind, .parent = parent, .axis = {0, 0, 1}};
  if (kind == MB_JOINT_EULER)
    joint->order = "xyz";
  else
    joint->pitch = 0.5;
  test_random_frame(&joint->in_parent, seed);
  test_random_frame(&joint->in_body, seed);
  if (kind == MB_JOINT_FIXED) return; // has no coordinates
  joint->position = test_one_number(&spec->arena, test_around_zero(seed));
  joint->velocity = test_one_number(&spec->arena, test_around_zero(seed));
  joint->stiffness = test_one_number(&spec->arena, 3 * test_random(seed));
  joint->damping = test_one_number(&spec->arena, test_random(seed));
  if (kind == MB_JOINT_COMPOSITE) {
    joint->nparts = 2;
    joint->parts = mb_arena_alloc(&spec->arena, 2, sizeof *joint->parts);
    joint->parts[0] = (MbJointSpec){.kind = MB_JOINT_SPHERICAL};
    joint->parts[1] = (MbJointSpec){.kind = MB_JOINT_PRISMATIC, .axis = {1, 0, 0}};
  }
  if (kind == MB_JOINT_SPLINE_CURVE) {
    joint->nframes = 5;
    joint->frames = mb_arena_alloc(&spec->arena, 5, sizeof *joint->frames);
    for (int i = 0; i < 5; i++) test_random_frame(&joint->frames[i], seed);
  }
  if (kind == MB_JOINT_SPLINE_SURFACE) { // along x and y, so that it goes two ways everywhere
    joint->surface = mb_arena_alloc(&spec->arena, 1, sizeof *joint->surface);
    joint->surface->rows = joint->surface->columns = 4;
    for (int k = 0; k < 6; k++) {
      double *control = mb_arena_alloc(&spec->arena, 16, sizeof *control);
      for (int i = 0; i < 16; i++)
        control[i] = test_around_zero(seed) + (k == 0 ? 2 * (i / 4) : k == 1 ? 2 * (i % 4) : 0);
      joint->surface->control[k] = control;
    }
  }
}

// Two bodies with every kind of joint and some free in space, hanging on random bodies before them.
MbSceneSpec test_forest(MbIntegratorKind kind, uint64_t *seed) {
  MbSceneSpec spec = test_scene(kind, 1e-3, 10);
  spec.gravity[2] = -9.81;
  for (int i = 0; i < 2 * (MB_JOINTS + 1); i++) {
    const size_t before = spec.nbodies, up = (size_t)(test_random(seed) * (double)(before + 1));
    MbBodySpec *body = test_random_body(&spec, seed);
    if (i % (MB_JOINTS + 1) < MB_JOINTS)
      test_hang(&spec, body, (MbJointKind)(i % (MB_JOINTS + 1)), up < before ? spec.bodies[up].name : NULL,
                seed);
    else
      test_random_frame(&body->pose, seed);
    body->damping = test_random(seed);
  }
  MbForceSpec *force = test_force(&spec, MB_FORCE_POINT, spec.bodies[7].name);
  test_wrench(force)->force[1] = test_constant(5);
  return spec;
}

MbSceneSpec test_chain_of(int links, MbIntegratorKind kind, double h) {
  MbSceneSpec spec = test_scene(kind, h, 1);
  spec.gravity[2] = -9.81;
  for (int i = 0; i < links; i++) {
    char name[32];
    snprintf(name, sizeof name, "link%d", i);
    MbBodySpec *body = test_body(&spec, mb_arena_strdup(&spec.arena, name), 1, 0.002, 0.01, 0.01);
    body->inertia->center[0] = 0.15;
    body->jointed = true;
    body->joint = (MbJointSpec){.kind = MB_JOINT_REVOLUTE};
    body->joint.axis[1 + i % 2] = 1;
    body->joint.in_parent.rotation[0] = body->joint.in_body.rotation[0] = 1;
    if (i) body->joint.parent = spec.bodies[i - 1].name, body->joint.in_parent.position[0] = 0.3;
    body->joint.position = test_one_number(&spec.arena, 0.2);
  }
  return spec;
}

MbSceneSpec test_chain(MbIntegratorKind kind, double h) { return test_chain_of(10, kind, h); }

void test_random_joint(TestJoint *s, MbJointKind kind, uint64_t *seed) {
  enum { KNOTS = TEST_KNOTS };
  MbJoint *joint = &s->joint;
  *joint =
      (MbJoint){.ops = mb_joint_table[kind], .n = mb_joint_table[kind]->n, .lead = 0.3, .order = {2, 0, 1}};
  for (int i = 0; i < 3; i++) joint->axis[i] = test_around_zero(seed);
  mb_vec3_scale(joint->axis, 1 / mb_vec3_norm(joint->axis), joint->axis);
  const bool closed = test_random(seed) < 0.5;
  for (int k = 0; k < KNOTS; k++) {
    double phi[6];
    for (int i = 0; i < 6; i++) phi[i] = test_around_zero(seed);
    mb_se3_exp(&s->frame[k], phi);
  }
  for (int k = 0; k < KNOTS; k++) {
    MbPose inverse, D;
    mb_pose_inverse(&inverse, &s->frame[(k + KNOTS - 1) % KNOTS]);
    mb_pose_mul(&D, &inverse, &s->frame[k]);
    mb_se3_log(s->step + 6 * k, &D);
  }
  for (int i = 0; i < 6 * KNOTS * KNOTS; i++) s->control[i] = test_around_zero(seed);
  s->spline = (MbSpline){.rows = KNOTS,
                         .columns = KNOTS - 1,
                         .closed = closed,
                         .frame = s->frame,
                         .step = s->step,
                         .control = s->control};
  joint->spline = &s->spline;
  if (kind != MB_JOINT_COMPOSITE) return;
  // a composite of a screw, a composite of a spherical and a prismatic joint, and a universal joint
  const MbJointKind kinds[3] = {MB_JOINT_SCREW, MB_JOINT_COMPOSITE, MB_JOINT_UNIVERSAL};
  const MbJointKind inside[2] = {MB_JOINT_SPHERICAL, MB_JOINT_PRISMATIC};
  for (int i = 0; i < 3; i++) {
    s->part[i] = *joint;
    s->part[i].ops = mb_joint_table[kinds[i]], s->part[i].n = mb_joint_table[kinds[i]]->n;
  }
  for (int i = 0; i < 2; i++) {
    s->inner[i] = *joint;
    s->inner[i].ops = mb_joint_table[inside[i]], s->inner[i].n = mb_joint_table[inside[i]]->n;
  }
  // the last part, and the last of the inner composite, stand in frames of their own
  s->part[2].base = &s->frame[0], s->inner[1].base = &s->frame[1];
  s->part[1].part = s->inner, s->part[1].nparts = 2, s->part[1].n = 4;
  joint->part = s->part, joint->nparts = 3, joint->n = 7;
}
