// Lanes come to the bits of simulations of their own: every number of the state and of frames, step by step, over all kinds of joints
// and all that acts along them and on bodies, under both solvers of trees.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/lockstep.h"
#include "core/sim/lockstep_internal.h"
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

enum { L = MB_LOCKSTEP, STEPS = 300, HELD_STEPS = 70, LONGEST = 4000 };

// What acts in a study beside gravity.
enum {
  SPRINGS = 1,
  MOTORS = 2,
  DAMPING = 4,
  WRENCHES = 8,
  POINTS = 16,
  FLYING = 32,
  PLAIN_AXES = 64,
  LIMITS = 128,
  MAXIMAL = 256,
  DENSE = 512,
  SPINNING = 1024 // balls in sockets, turned so fast that their coordinates are exchanged for others
};

static MbSignalsSpec one_signal(MbSceneSpec *spec, MbSignalSpec signal) {
  MbSignalSpec *value = mb_arena_alloc(&spec->arena, 1, sizeof *value);
  *value = signal;
  return (MbSignalsSpec){.count = 1, .signal = value};
}

static void add_motor(MbSceneSpec *spec, MbBodySpec *body, uint64_t *seed) {
  MbMotorSpec *motor = mb_arena_alloc(&spec->arena, 1, sizeof *motor);
  *motor = (MbMotorSpec){.target = one_signal(spec, test_expression("0.3*sin(7*t)")),
                         .target_velocity = one_signal(spec, test_constant(test_random(seed))),
                         .stiffness = test_one_number(&spec->arena, 20 * test_random(seed)),
                         .damping = test_one_number(&spec->arena, test_random(seed)),
                         .max = test_one_number(&spec->arena, 1 + test_random(seed))};
  body->joint.motor = motor;
  body->joint.force = one_signal(spec, test_constant(test_around_zero(seed)));
}

static void add_spring(MbSceneSpec *spec, size_t a, size_t b, uint64_t *seed) {
  MbForceSpec *force = test_force(spec, MB_FORCE_SPRING, NULL);
  MbPointSpec *points = mb_arena_alloc(&spec->arena, 2, sizeof *points);
  points[0].body = spec->bodies[a].name, points[1].body = spec->bodies[b].name;
  points[0].frame.rotation[0] = points[1].frame.rotation[0] = 1;
  points[0].frame.position[0] = 0.5;
  force->points = points, force->npoints = 2;
  test_pull(force, (double[]){5 + test_random(seed), 0}, (double[]){0.1, 0}, test_random(seed));
}

// Some are far away, some near, some soft.
static void add_limits(MbSceneSpec *spec, MbBodySpec *body, uint64_t *seed) {
  double *bounds = mb_arena_alloc(&spec->arena, 2, sizeof *bounds);
  const double at = body->joint.position.value[0], room = 0.01 + 0.3 * test_random(seed);
  bounds[0] = at - room, bounds[1] = at + room;
  body->joint.limits = (MbLimitsSpec){.count = 1, .value = bounds};
}

static bool in_socket(const MbBodySpec *body) {
  return body->joint.kind == MB_JOINT_SPHERICAL || body->joint.kind == MB_JOINT_FREE3D;
}

static void spin(MbSceneSpec *spec, MbBodySpec *body, uint64_t *seed) {
  const size_t n = body->joint.kind == MB_JOINT_FREE3D ? 6 : 3;
  double *velocity = mb_arena_alloc(&spec->arena, n, sizeof *velocity);
  for (size_t i = 0; i < n; i++) velocity[i] = test_around_zero(seed) + (i == n - 3 ? 120 : 0);
  body->joint.velocity = (MbNumbersSpec){.count = n, .value = velocity};
  body->joint.position.count = 0;
}

// Sets a body off that is free in space.
static void throw_up(MbBodySpec *body, uint64_t *seed) {
  body->moving = true;
  for (int i = 0; i < 3; i++)
    body->angular[i] = 3 * test_around_zero(seed), body->linear[i] = test_around_zero(seed);
}

// The shape of the tree by `tree`, its numbers by `seed`.
static MbSceneSpec study(MbIntegratorKind kind, unsigned acts, uint64_t tree, uint64_t seed) {
  MbSceneSpec spec = test_scene(kind, 1e-3 * (1 + 0.3 * test_random(&seed)), STEPS);
  for (int i = 0; i < 3; i++) spec.gravity[i] = 5 * test_around_zero(&seed);
  for (int i = 0; i < MB_JOINTS + 4; i++) {
    const size_t before = spec.nbodies, up = (size_t)(test_random(&tree) * (double)(before + 1));
    const bool hangs = i != 2 && (i != MB_JOINTS + 3 || !(acts & FLYING)), plain = i % 2 && acts & PLAIN_AXES;
    MbBodySpec *body = test_random_body(&spec, &seed);
    if (hangs)
      test_hang(&spec, body, plain ? MB_JOINT_REVOLUTE : (MbJointKind)(i % MB_JOINTS),
                up < before ? spec.bodies[up].name : NULL, &seed);
    else
      test_random_frame(&body->pose, &seed);
    if (plain && hangs) {
      const double one[4] = {1, 0, 0, 0};
      memcpy(body->joint.in_parent.rotation, one, sizeof one);
      memcpy(body->joint.in_body.rotation, one, sizeof one);
    }
    if (!(acts & SPRINGS)) body->joint.stiffness.count = body->joint.damping.count = 0;
    if (hangs && acts & MOTORS && i % 3 == 0 && body->joint.kind != MB_JOINT_FIXED)
      add_motor(&spec, body, &seed);
    if (acts & DAMPING) body->damping = test_random(&seed);
    const MbJointKind is = body->joint.kind;
    if (hangs && acts & LIMITS && i % 2 && (is == MB_JOINT_REVOLUTE || is == MB_JOINT_PRISMATIC))
      add_limits(&spec, body, &seed);
    if (hangs && acts & SPINNING && in_socket(body)) spin(&spec, body, &seed);
    if (!hangs && acts & FLYING && i == MB_JOINTS + 3) throw_up(body, &seed);
  }
  if (acts & MAXIMAL) spec.solver.kind = MB_SOLVER_MAXIMAL;
  if (acts & DENSE) spec.solver.dynamics = MB_DENSE;
  spec.bodies[3].joint.parent = spec.bodies[2].name; // what is free in space carries a tree
  if (acts & DAMPING && acts & MOTORS)
    test_damping(test_force(&spec, MB_FORCE_DAMPING, NULL))->coefficient = test_random(&seed);
  if (acts & WRENCHES) {
    MbForceSpec *force = test_force(&spec, MB_FORCE_POINT, spec.bodies[7].name);
    test_wrench(force)->force[1] = test_constant(5 * test_around_zero(&seed));
    MbForceSpec *wrench = test_force(&spec, MB_FORCE_WRENCH, spec.bodies[1].name);
    test_wrench(wrench)->force[0] = test_expression("3*sin(5*t)");
    test_wrench(wrench)->torque[2] = test_constant(test_random(&seed));
    MbForceSpec *space = test_force(&spec, MB_FORCE_WRENCH, spec.bodies[2].name);
    test_wrench(space)->force[2] = test_constant(9), test_wrench(space)->torque[0] = test_constant(2);
  }
  if (acts & POINTS) add_spring(&spec, 0, 4, &seed), add_spring(&spec, 1, 5, &seed);
  spec.output.nchannels = 7;
  static const char *channels[] = {"body.position",  "body.rotation", "body.velocity", "joint.position",
                                   "joint.velocity", "energy",        "momentum"};
  spec.output.channels = channels;
  return spec;
}

static void same(const char *what, unsigned acts, int64_t step, size_t lane, const double *a, const double *b,
                 size_t n) {
  for (size_t i = 0; i < n; i++)
    cr_assert(!memcmp(a + i, b + i, sizeof *a),
              "%s %zu of lane %zu at step %lld, study %x: %.17g, alone %.17g", what, i, lane, (long long)step,
              acts, a[i], b[i]);
}

static int64_t compared, offered; // lanes, step by step
static int64_t alone, all;        // steps that lanes' simulations have taken, of how many

static int64_t exchanged; // coordinates that have jumped by a turn, as those of the same rotation do

// `last` has the coordinates of the step before.
static void count_exchanged(int64_t step, double *last, const double *q, size_t n) {
  for (size_t i = 0; step && i < n; i++) exchanged += fabs(q[i] - last[i]) > 3;
  memcpy(last, q, n * sizeof *q);
}

static void compare(MbLockstep *l, MbSim *const *sim, size_t count, unsigned acts) {
  static double frames[L][LONGEST], frame[LONGEST], q[LONGEST], v[LONGEST], last[L][LONGEST];
  MbReport report = {0};
  const size_t n = mb_sim_frame_size(sim[0]);
  const int64_t step = mb_lockstep_steps(l);
  mb_lockstep_sample(l, frames[0]);
  for (size_t k = 0; k < count; k++) {
    offered++;
    if (!(mb_lockstep_goes(l) >> k & 1)) continue;
    compared++;
    mb_lane_pick(q, l->q, l->qs, k);
    mb_lane_pick(v, l->v, l->vs, k);
    count_exchanged(step, last[k], sim[k]->state.q, l->qs);
    same("coordinate", acts, step, k, q, sim[k]->state.q, l->qs);
    same("velocity", acts, step, k, v, sim[k]->state.v, l->vs);
    test_ok(mb_sim_sample(sim[k], frame, &report), &report);
    same("number of the frame", acts, step, k, frames[0] + n * k, frame, n);
  }
}

static void runs_alike(MbIntegratorKind kind, unsigned acts, size_t count) {
  MbSceneSpec spec[L];
  MbModel *model[L];
  MbSim *sim[L];
  MbLane lane[L];
  const MbLane *lanes[L];
  MbReport report = {0};
  MbLockstep *l = NULL;
  for (size_t k = 0; k < count; k++) {
    spec[k] = study(kind, acts, 5 + acts, 100 * acts + k);
    model[k] = test_model(&spec[k]);
    cr_assert_null(mb_lane_refused(model[k]), "study %x: it %s", acts, mb_lane_refused(model[k]));
    const char *refused = NULL;
    MbReport ignored = {0};
    test_ok(mb_lane_create(model[k], &lane[k], &refused, &ignored), &ignored);
    cr_assert_null(refused, "study %x: it %s", acts, refused);
    cr_assert(mb_lanes_alike(&lane[0], &lane[k]));
    lanes[k] = &lane[k];
    sim[k] = test_sim(model[k], 1);
  }
  MbLane like;
  const char *none = NULL;
  test_ok(mb_lane_create(model[0], &like, &none, &report), &report);
  mb_report_clear(&report);
  test_ok(mb_lockstep_create(&like, &l, &report), &report);
  test_ok(mb_lockstep_load(l, lanes, count, &report), &report);
  const int64_t steps = acts & (MAXIMAL | DENSE) ? HELD_STEPS : STEPS, calls = mb_alloc_calls();
  for (int64_t step = 0; step < steps; step++) mb_lockstep_step(l);
  cr_assert_eq(mb_alloc_calls(), calls, "a step allocates");
  for (size_t k = 0; k < count; k++) { // once more, from what these have left
    const char *refused = NULL;
    MbReport ignored = {0};
    mb_lane_free(&lane[k]);
    test_ok(mb_lane_create(model[k], &lane[k], &refused, &ignored), &ignored);
  }
  test_ok(mb_lockstep_load(l, lanes, count, &report), &report);
  int64_t before[2], now[2];
  mb_lockstep_taken(l, &before[0], &before[1]);
  for (int64_t step = 0; step < steps; step++) {
    compare(l, sim, count, acts);
    mb_lockstep_step(l);
    for (size_t k = 0; k < count; k++)
      if (mb_sim_step(sim[k], &report)) cr_assert(!(mb_lockstep_goes(l) >> k & 1));
  }
  compare(l, sim, count, acts);
  cr_assert_neq(mb_lockstep_goes(l), 0, "study %x", acts);
  mb_lockstep_taken(l, &now[0], &now[1]);
  alone += now[0] - before[0], all += now[1] - before[1];
  mb_lockstep_free(l);
  mb_lane_free(&like);
  for (size_t k = 0; k < count; k++) {
    mb_sim_free(sim[k]);
    mb_lane_free(&lane[k]);
    mb_model_free(model[k]);
    mb_arena_free(&spec[k].arena);
  }
}

// All that has gone in lanes, but for this share of steps by the lanes' simulations.
static void went_in_lanes(double share) {
  printf("%lld of %lld steps of lanes by their own simulations\n", (long long)alone, (long long)all);
  cr_assert_gt((double)compared, 0.9 * (double)offered, "%lld of %lld", (long long)compared,
               (long long)offered);
  cr_assert_leq((double)alone, share * (double)all);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(lockstep_long, explicit_lanes_have_the_bits_of_runs_of_their_own, TEST_LONG) {
  for (unsigned acts = 0; acts < LIMITS; acts += 5) runs_alike(MB_SYMPLECTIC, acts, 1 + (acts + 7) % L);
  went_in_lanes(0);
}

Test(lockstep_long, implicit_lanes_have_the_bits_of_runs_of_their_own, TEST_LONG) {
  for (unsigned acts = 0; acts < LIMITS; acts += 5) runs_alike(MB_IMPLICIT, acts, 1 + (acts + 7) % L);
  went_in_lanes(0.01);
}

Test(lockstep_long, lanes_at_limits_have_the_bits_of_runs_of_their_own, TEST_LONG) {
  for (unsigned acts = LIMITS; acts < 2 * LIMITS; acts += 7)
    runs_alike(acts % 2 ? MB_IMPLICIT : MB_SYMPLECTIC, acts, 1 + (acts + 7) % L);
  went_in_lanes(0.7);
  cr_assert_gt(alone, 0);
}

Test(lockstep_long, maximal_lanes_have_the_bits_of_runs_of_their_own, TEST_LONG) {
  for (unsigned acts = MAXIMAL; acts < MAXIMAL + LIMITS; acts += 11)
    runs_alike(acts % 2 ? MB_IMPLICIT : MB_SYMPLECTIC, acts & (acts % 2 ? ~(unsigned)POINTS : ~0u),
               1 + (acts + 7) % L);
  went_in_lanes(0.01);
}

Test(lockstep_long, maximal_lanes_at_limits_have_the_bits_of_runs_of_their_own) {
  for (unsigned acts = MAXIMAL + LIMITS; acts < 2 * MAXIMAL; acts += 17)
    runs_alike(acts % 2 ? MB_IMPLICIT : MB_SYMPLECTIC, acts & (acts % 2 ? ~(unsigned)POINTS : ~0u),
               1 + (acts + 7) % L);
  went_in_lanes(0.7);
  cr_assert_gt(alone, 0);
}

Test(lockstep_long, maximal_lanes_take_other_coordinates_of_a_rotation_where_runs_of_their_own_do,
     TEST_LONG) {
  const unsigned acts[] = {0, DAMPING, WRENCHES | FLYING, SPRINGS | DAMPING};
  for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
    runs_alike(MB_SYMPLECTIC, MAXIMAL | SPINNING | acts[i], 3);
    runs_alike(MB_IMPLICIT, MAXIMAL | SPINNING | acts[i], L);
  }
  went_in_lanes(0.01);
  cr_assert_gt(exchanged, 0, "no rotation has gone far enough");
}

Test(lockstep_long, dense_lanes_have_the_bits_of_runs_of_their_own) {
  for (unsigned acts = DENSE; acts < DENSE + 2 * LIMITS; acts += 29)
    runs_alike(acts % 2 ? MB_IMPLICIT : MB_SYMPLECTIC, acts, 1 + (acts + 7) % L);
  went_in_lanes(1);
}

// A thing of a kind that nobody has told lanes of, whatever it does: here one that does what known ones do.
Test(lockstep, kinds_that_lanes_do_not_know_are_refused) {
  MbSceneSpec spec = study(MB_SYMPLECTIC, WRENCHES | LIMITS | POINTS, 5, 100);
  MbModel *model = test_model(&spec);
  cr_assert_null(mb_lane_refused(model));
  cr_assert(model->nforces > 2 && model->nconstraints > 0);
  for (size_t i = 0; i < model->nforces; i++) {
    MbModel other = *model;
    MbForceOps ops = *model->forces[i].ops;
    MbForce forces[16];
    memcpy(forces, model->forces, model->nforces * sizeof *forces);
    forces[i].ops = &ops, other.forces = forces;
    cr_expect_str_eq(mb_lane_refused(&other), "has forces of other kinds than lanes know");
  }
  for (size_t i = 0; i < model->nconstraints; i++) {
    MbModel other = *model;
    MbConstraintOps ops = *model->constraints[i].ops;
    MbConstraint constraints[64];
    memcpy(constraints, model->constraints, model->nconstraints * sizeof *constraints);
    constraints[i].ops = &ops, other.constraints = constraints;
    cr_expect_str_eq(mb_lane_refused(&other), "has constraints");
  }
  for (int kind = 0; kind < MB_INTEGRATORS; kind++) {
    MbModel other = *model;
    other.integrator.kind = (MbIntegratorKind)kind;
    cr_expect_eq(mb_lane_refused(&other) == NULL, kind == MB_SYMPLECTIC || kind == MB_IMPLICIT, "%d", kind);
  }
  MbModel other = *model;
  const char *const channels[] = {"joint.position", "of.no.kind"};
  other.channels = (const char **)channels, other.nchannels = 2;
  cr_expect_neq(mb_lane_refused(&other), NULL);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}
