// Scenes in lockstep on a device, with loops on the processor in the device's place: every step is that of the scene's own simulation but
// for rounding, and so are frames. Where the machine has a device it takes them, too.
#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/report.h"
#include "core/sim/lockstep.h"
#include "core/sim/sim_internal.h"
#include "gpu/backend.h"
#include "gpu/flock.h"
#include "tests/trees.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCENES = 37, MANY = 60, LONGEST = 600, BODIES = 9 };
enum {
  SPRINGS = 1,
  MOTORS = 2,
  DAMPING = 4,
  PLAIN = 8,
  LIMITS = 16,
  CHANGING = 32,
  IMPLICIT = 64,
  FLYING = 128
};

static const double NEAR = 1e-12; // of a step, beside the largest number

static MbSignalsSpec one(MbSceneSpec *spec, MbSignalSpec signal) {
  MbSignalSpec *value = mb_arena_alloc(&spec->arena, 1, sizeof *value);
  *value = signal;
  return (MbSignalsSpec){.count = 1, .signal = value};
}

static void add_motor(MbSceneSpec *spec, MbBodySpec *body, unsigned acts, uint64_t *seed) {
  MbMotorSpec *motor = mb_arena_alloc(&spec->arena, 1, sizeof *motor);
  const double at = test_random(seed);
  *motor = (MbMotorSpec){
      .target = one(spec, acts & CHANGING ? test_expression("0.3*sin(70*t)") : test_constant(at)),
      .target_velocity = one(spec, test_constant(test_random(seed))),
      .stiffness = test_one_number(&spec->arena, 20 * test_random(seed)),
      .damping = test_one_number(&spec->arena, test_random(seed)),
      .max = test_one_number(&spec->arena, 1 + test_random(seed))};
  body->joint.motor = motor;
  body->joint.force = one(spec, test_constant(test_around_zero(seed)));
}

static void add_limits(MbSceneSpec *spec, MbBodySpec *body, double room) {
  double *bounds = mb_arena_alloc(&spec->arena, 2, sizeof *bounds);
  bounds[0] = body->joint.position.value[0] - room, bounds[1] = body->joint.position.value[0] + room;
  body->joint.limits = (MbLimitsSpec){.count = 1, .value = bounds};
}

// A trunk that is free in space, another that hangs on the world, and what hangs on both; the numbers by `seed`.
static MbSceneSpec study(unsigned acts, uint64_t seed, double room) {
  static const MbJointKind kinds[BODIES] = {0,
                                            MB_JOINT_REVOLUTE,
                                            MB_JOINT_REVOLUTE,
                                            MB_JOINT_PRISMATIC,
                                            MB_JOINT_REVOLUTE,
                                            MB_JOINT_FIXED,
                                            MB_JOINT_REVOLUTE,
                                            MB_JOINT_REVOLUTE,
                                            MB_JOINT_PRISMATIC};
  static const int parents[BODIES] = {-1, 0, 1, 1, 0, 4, -1, 6, 7};
  static const char *channels[] = {"body.position",  "body.rotation", "body.velocity", "joint.position",
                                   "joint.velocity", "energy",        "momentum"};
  MbSceneSpec spec =
      test_scene(acts & IMPLICIT ? MB_IMPLICIT : MB_SYMPLECTIC, 1e-3 * (1 + 0.3 * test_random(&seed)), MANY);
  for (int i = 0; i < 3; i++) spec.gravity[i] = 5 * test_around_zero(&seed);
  for (int i = 0; i < BODIES; i++) {
    MbBodySpec *body = test_random_body(&spec, &seed);
    if (i == 0) {
      test_random_frame(&body->pose, &seed);
    } else {
      test_hang(&spec, body, kinds[i], parents[i] < 0 ? NULL : spec.bodies[parents[i]].name, &seed);
      if (acts & PLAIN && i % 2 && kinds[i] == MB_JOINT_REVOLUTE) {
        const double none[4] = {1, 0, 0, 0};
        memcpy(body->joint.in_parent.rotation, none, sizeof none);
        memcpy(body->joint.in_body.rotation, none, sizeof none);
        for (int c = 0; c < 3; c++) body->joint.axis[c] = c == i / 2 % 3;
      }
      if (acts & MOTORS && i % 3 == 0) add_motor(&spec, body, acts, &seed);
      if (acts & LIMITS && (i == 2 || i == 3)) add_limits(&spec, body, room);
    }
    if (!(acts & SPRINGS)) body->joint.stiffness.count = body->joint.damping.count = 0;
    if (acts & DAMPING) body->damping = test_random(&seed);
  }
  if (acts & FLYING) test_random_frame(&test_random_body(&spec, &seed)->pose, &seed);
  if (acts & DAMPING && acts & MOTORS)
    test_damping(test_force(&spec, MB_FORCE_DAMPING, NULL))->coefficient = test_random(&seed);
  spec.output.nchannels = 7, spec.output.channels = channels;
  return spec;
}

typedef struct Herd {
  MbSceneSpec spec[SCENES];
  MbModel *model[SCENES];
  MbLane lane[SCENES];
  const MbLane *lanes[SCENES];
  size_t count;
} Herd;

static void herd_make(Herd *h, unsigned acts, size_t count, double room) {
  h->count = count;
  for (size_t k = 0; k < count; k++) {
    MbReport ignored = {0};
    const char *refused = NULL;
    h->spec[k] = study(acts, 100 * acts + k, k == 0 ? room : 100);
    h->model[k] = test_model(&h->spec[k]);
    cr_assert_null(mb_lane_refused(h->model[k]), "it %s", mb_lane_refused(h->model[k]));
    test_ok(mb_lane_create(h->model[k], &h->lane[k], &refused, &ignored), &ignored);
    cr_assert_null(mb_flock_refused(h->model[k]), "it %s", mb_flock_refused(h->model[k]));
    cr_assert(mb_lanes_alike(&h->lane[0], &h->lane[k]));
    h->lanes[k] = &h->lane[k];
  }
}

static void herd_free(Herd *h) {
  for (size_t k = 0; k < h->count; k++) {
    mb_lane_free(&h->lane[k]);
    mb_model_free(h->model[k]);
    mb_arena_free(&h->spec[k].arena);
  }
}

static const MbEngine *engine_of(int k) {
  bool there = false;
  if (k == 1) (void)mb_engine_text(&mb_cuda_engine, &there);
  return k == 0 ? &mb_loops_engine : k == 1 && there ? &mb_cuda_engine : NULL;
}

static MbFlock *flock_of(const MbEngine *engine, const Herd *h) {
  static bool all[LONGEST];
  MbReport report = {0};
  MbFlock *flock = NULL;
  test_ok(mb_flock_create(engine, &h->lane[0], h->count, &flock, &report), &report);
  memset(all, 1, sizeof all);
  test_ok(mb_flock_want(flock, all, &report), &report);
  return flock;
}

// ---- the same numbers -----------------------------------------------------------------------------------------

static double apart(const double *a, const double *b, size_t n) {
  double most = 0, size = 1;
  for (size_t i = 0; i < n; i++) size = fmax(size, fabs(b[i]));
  for (size_t i = 0; i < n; i++) most = fmax(most, isfinite(a[i]) ? fabs(a[i] - b[i]) : INFINITY);
  return most / size;
}

// Steps one by one, each from the simulations' own state.
static void goes_as_alone(unsigned acts) {
  static Herd herd;
  static double frame[LONGEST], other[LONGEST];
  for (int e = 0; engine_of(e); e++) {
    MbReport report = {0};
    double worst = 0;
    herd_make(&herd, acts, SCENES, 100);
    MbFlock *flock = flock_of(engine_of(e), &herd);
    const size_t n = mb_sim_frame_size(herd.lane[0].sim);
    cr_assert_lt(n, LONGEST);
    for (int step = 0; step < MANY; step++) {
      test_ok(mb_flock_load(flock, herd.lanes, herd.count, &report), &report);
      if (acts & CHANGING && step) break; // signals are of the flock's own time
      test_ok(mb_flock_step(flock, 1, &report), &report);
      test_ok(mb_flock_look(flock, &report), &report);
      for (size_t k = 0; k < herd.count; k++) {
        test_ok(mb_sim_step(herd.lane[k].sim, &report), &report);
        test_ok(mb_sim_sample(herd.lane[k].sim, other, &report), &report);
        cr_assert(mb_flock_frame(flock, k, frame));
        worst = fmax(worst, apart(frame, other, n));
        cr_assert_leq(worst, NEAR, "study %x, step %d, scene %zu: %g apart", acts, step, k, worst);
      }
    }
    mb_flock_free(flock);
    herd_free(&herd);
    printf("  study %2x %-5s %.1e\n", acts, mb_engine_name(engine_of(e)), worst);
  }
}

Test(flock, a_step_of_trees_under_gravity_is_that_of_their_simulations) { goes_as_alone(0); }
Test(flock, a_step_with_springs_is_that_of_their_simulations) { goes_as_alone(SPRINGS); }
Test(flock, a_step_with_plain_axes_and_damping_is_that_of_their_simulations) {
  goes_as_alone(SPRINGS | DAMPING | PLAIN);
}
Test(flock, a_step_with_motors_is_that_of_their_simulations) { goes_as_alone(SPRINGS | DAMPING | MOTORS); }
Test(flock, a_step_between_limits_that_are_far_is_that_of_their_simulations) { goes_as_alone(LIMITS); }

Test(flock, an_implicit_step_is_that_of_their_simulations) { goes_as_alone(IMPLICIT); }
Test(flock, an_implicit_step_with_springs_and_damping_is_that_of_their_simulations) {
  goes_as_alone(IMPLICIT | SPRINGS | DAMPING | PLAIN);
}
Test(flock, an_implicit_step_with_motors_is_that_of_their_simulations) {
  goes_as_alone(IMPLICIT | SPRINGS | MOTORS | LIMITS);
}
Test(flock, a_step_of_bodies_that_fly_is_that_of_their_simulations) {
  goes_as_alone(FLYING | SPRINGS | DAMPING);
}
Test(flock, an_implicit_step_of_bodies_that_fly_is_that_of_their_simulations) {
  goes_as_alone(FLYING | IMPLICIT | DAMPING);
}

// Many steps in one go, with signals of time: what is apart grows with the steps.
Test(flock, many_steps_with_signals_of_time_go_as_the_simulations) {
  static Herd herd;
  static double frame[SCENES][LONGEST], other[LONGEST];
  const unsigned acts = SPRINGS | MOTORS | DAMPING | CHANGING;
  for (int e = 0; engine_of(e); e++) {
    MbReport report = {0};
    herd_make(&herd, acts, SCENES, 100);
    MbFlock *flock = flock_of(engine_of(e), &herd);
    test_ok(mb_flock_load(flock, herd.lanes, herd.count, &report), &report);
    test_ok(mb_flock_step(flock, 1, &report), &report);
    test_ok(mb_flock_step(flock, MANY - 1, &report), &report);
    test_ok(mb_flock_look(flock, &report), &report);
    cr_expect_eq(mb_flock_steps(flock), MANY);
    for (size_t k = 0; k < herd.count; k++) cr_assert(mb_flock_frame(flock, k, frame[k]));
    mb_flock_free(flock);
    herd_free(&herd); // whose bodies are the flock's
    herd_make(&herd, acts, SCENES, 100);
    for (size_t k = 0; k < herd.count; k++) {
      for (int step = 0; step < MANY; step++) test_ok(mb_sim_step(herd.lane[k].sim, &report), &report);
      test_ok(mb_sim_sample(herd.lane[k].sim, other, &report), &report);
      const double most = apart(frame[k], other, mb_sim_frame_size(herd.lane[k].sim));
      cr_assert_leq(most, 1e-10, "scene %zu: %g apart", k, most);
    }
    herd_free(&herd);
  }
}

// ---- who leaves ------------------------------------------------------------------------------------------------

Test(flock, a_scene_that_comes_to_its_limit_leaves_and_the_others_go_on) {
  static Herd herd;
  static double frame[LONGEST];
  MbReport report = {0};
  herd_make(&herd, LIMITS, SCENES, 1e-4);
  MbFlock *flock = flock_of(&mb_loops_engine, &herd);
  test_ok(mb_flock_load(flock, herd.lanes, herd.count, &report), &report);
  test_ok(mb_flock_step(flock, MANY, &report), &report);
  test_ok(mb_flock_look(flock, &report), &report);
  for (size_t k = 0; k < herd.count; k++) {
    cr_expect_eq(mb_flock_goes(flock, k), k != 0, "scene %zu", k);
    cr_expect_eq(mb_flock_frame(flock, k, frame), k != 0, "scene %zu", k);
  }
  mb_flock_free(flock);
  herd_free(&herd);
}

Test(flock, a_scene_whose_numbers_leave_their_bounds_leaves_and_the_others_go_on) {
  static Herd herd;
  MbReport report = {0};
  herd_make(&herd, 0, SCENES, 100);
  herd.lane[5].sim->state.v[7] = 9e5, herd.lane[6].sim->state.v[8] = NAN;
  MbFlock *flock = flock_of(&mb_loops_engine, &herd);
  test_ok(mb_flock_load(flock, herd.lanes, herd.count, &report), &report);
  test_ok(mb_flock_step(flock, MANY, &report), &report);
  test_ok(mb_flock_look(flock, &report), &report);
  for (size_t k = 0; k < herd.count; k++)
    cr_expect_eq(mb_flock_goes(flock, k), k != 5 && k != 6, "scene %zu", k);
  mb_flock_free(flock);
  herd_free(&herd);
}

// ---- bits and memory --------------------------------------------------------------------------------------------

Test(flock, runs_come_to_the_same_bits_whatever_goes_beside) {
  static Herd herd;
  static double frame[LONGEST];
  for (int e = 0; engine_of(e); e++) {
    char first[33] = "", hash[33];
    for (int run = 0; run < 20; run++) {
      MbReport report = {0};
      herd_make(&herd, SPRINGS | MOTORS | DAMPING, run % 2 ? SCENES : 5, 100);
      MbFlock *flock = flock_of(engine_of(e), &herd);
      test_ok(mb_flock_load(flock, herd.lanes, herd.count, &report), &report);
      for (int steps = 1; steps <= 4; steps++) test_ok(mb_flock_step(flock, 10, &report), &report);
      test_ok(mb_flock_look(flock, &report), &report);
      MbHash of;
      mb_hash_begin(&of);
      for (size_t k = 0; k < 5; k++) {
        cr_assert(mb_flock_frame(flock, k, frame));
        mb_hash_doubles(&of, frame, mb_sim_frame_size(herd.lane[k].sim));
      }
      mb_hash_hex(&of, hash);
      if (run == 0) memcpy(first, hash, sizeof first);
      cr_expect_str_eq(hash, first, "run %d", run);
      mb_flock_free(flock);
      herd_free(&herd);
    }
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(flock, steps_and_looks_allocate_nothing) {
  static Herd herd;
  static double frame[LONGEST];
  MbReport report = {0};
  herd_make(&herd, SPRINGS | MOTORS | DAMPING | CHANGING | LIMITS, SCENES, 100);
  MbFlock *flock = flock_of(&mb_loops_engine, &herd);
  test_ok(mb_flock_load(flock, herd.lanes, herd.count, &report), &report);
  const int64_t before = mb_alloc_calls();
  test_ok(mb_flock_step(flock, 40, &report), &report);
  test_ok(mb_flock_look(flock, &report), &report);
  for (size_t k = 0; k < herd.count; k++) (void)mb_flock_frame(flock, k, frame);
  cr_expect_eq(mb_alloc_calls(), before);
  mb_flock_free(flock);
  herd_free(&herd);
}

Test(flock, as_many_scenes_are_taken_as_there_is_room_for) {
  static Herd herd;
  MbReport report = {0};
  MbFlock *flock = NULL;
  char wanted[256];
  herd_make(&herd, 0, 1, 100);
  const size_t some = mb_flock_bytes(&herd.lane[0], 32), more = mb_flock_bytes(&herd.lane[0], 96);
  cr_assert_lt(some, more);
  mb_loops_room = more;
  test_ok(mb_flock_create(&mb_loops_engine, &herd.lane[0], 1000, &flock, &report), &report);
  cr_expect_eq(mb_flock_room(flock), 96);
  mb_flock_free(flock);
  mb_loops_room = more - 1;
  test_ok(mb_flock_create(&mb_loops_engine, &herd.lane[0], 1000, &flock, &report), &report);
  cr_expect_eq(mb_flock_room(flock), 64);
  mb_flock_free(flock);
  mb_loops_room = some - 1;
  cr_expect_eq(mb_flock_create(&mb_loops_engine, &herd.lane[0], 1000, &flock, &report), MB_DEVICE);
  snprintf(wanted, sizeof wanted,
           "device loops: loops on the processor has %.1f MB of memory left, and 32 scenes, the fewest, take "
           "%.1f MB there",
           (double)(some - 1) / 1048576, (double)some / 1048576);
  cr_expect_str_eq(report.issues[0].text, wanted);
  mb_loops_room = SIZE_MAX;
  herd_free(&herd);
}

Test(flock, what_memory_runs_out_of_is_given_back) {
  static Herd herd;
  herd_make(&herd, MOTORS, 2, 100);
  const int64_t live = mb_alloc_live();
  bool made = false;
  for (int64_t fail = 0; !made; fail++) {
    MbReport report = {0};
    MbFlock *flock = NULL;
    mb_alloc_fail_after(fail);
    made = mb_flock_create(&mb_loops_engine, &herd.lane[0], 2, &flock, &report) == MB_OK;
    mb_alloc_fail_after(-1);
    mb_flock_free(flock);
    cr_assert_eq(mb_alloc_live(), live, "with %lld blocks", (long long)fail);
  }
  herd_free(&herd);
}

Test(flock, a_device_that_fails_is_what_is_told) {
  static Herd herd;
  MbReport report = {0};
  herd_make(&herd, 0, 3, 100);
  MbFlock *flock = flock_of(&mb_loops_engine, &herd);
  test_ok(mb_flock_load(flock, herd.lanes, herd.count, &report), &report);
  mb_loops_fail_after = 0;
  cr_expect_eq(mb_flock_step(flock, 40, &report), MB_DEVICE);
  mb_loops_fail_after = -1;
  cr_expect_str_eq(report.issues[0].text,
                   "device loops: loops on the processor: a launch fails, as a test wants it");
  mb_flock_free(flock);
  herd_free(&herd);
}

// ---- what it does not take ----------------------------------------------------------------------------------------

static void refuses(MbSceneSpec *spec, const char *why) {
  MbModel *model = test_model(spec);
  const char *says = mb_flock_refused(model);
  cr_expect(says && strstr(says, why), "%s", says ? says : "taken");
  mb_model_free(model);
  mb_arena_free(&spec->arena);
}

Test(flock, what_the_device_has_not_is_refused_by_name) {
  uint64_t seed = 3;
  MbSceneSpec spec = study(0, 1, 1);
  spec.solver.kind = MB_SOLVER_MAXIMAL;
  refuses(&spec, "another solver than redmax by recursion");
  spec = study(0, 1, 1);
  spec.solver.dynamics = MB_DENSE;
  refuses(&spec, "another solver than redmax by recursion");
  spec = study(0, 1, 1);
  test_wrench(test_force(&spec, MB_FORCE_WRENCH, spec.bodies[1].name))->force[0] = test_constant(1);
  refuses(&spec, "other forces than gravity");
  spec = study(0, 1, 1);
  test_hang(&spec, test_random_body(&spec, &seed), MB_JOINT_SPHERICAL, NULL, &seed);
  refuses(&spec, "joints of other kinds than revolute");
}
