// Derivatives of runs against differences of whole runs: for every joint and every force as the place of the number that changes.
#include "core/base/alloc.h"
#include "core/forces/forces.h"
#include "core/sim/sensitivity.h"
#include "tests/pulled.h"
#include "tests/runs.h"
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 12 };
enum { KINDS = 7, EXACT = 3 }; // the others' are by differences of single steps, which round
static const MbIntegratorKind kinds[KINDS] = {MB_BDF1,     MB_BDF2,        MB_SDIRK2,        MB_SYMPLECTIC,
                                              MB_IMPLICIT, MB_TRAPEZOIDAL, MB_BRIDSON_MARINO};

// What of the scene changes with p, which is 0 here.
typedef enum Place { MASS, INERTIA, CENTER, FRAME, STIFFNESS, START, MOTION, WEIGHT, FORCE, PLACES } Place;
static const char *const places[PLACES] = {"mass",  "inertia",  "centre",  "joint's frame", "stiffness",
                                           "start", "velocity", "gravity", "force"};

typedef struct Case {
  MbIntegratorKind kind;
  MbJointKind joint; // of two bodies on one free in space
  MbForceKind force; // on the last
  Place place;
  bool held;   // that one hangs on the world by a hinge
  bool pulled; // by the force all the same
} Case;

static MbSceneSpec scene(const Case *c, double p) {
  static const char *channels[] = {"body.position", "body.velocity", "energy"};
  uint64_t seed = 77;
  MbSceneSpec spec = test_scene(c->kind, 0.01, STEPS);
  spec.output.channels = channels, spec.output.nchannels = 3;
  spec.gravity[2] = -9.81 + (c->place == WEIGHT ? p : 0);
  for (int i = 0; i < 3; i++) {
    MbBodySpec *body = test_random_body(&spec, &seed);
    if (i) test_hang(&spec, body, c->joint, spec.bodies[i - 1].name, &seed);
    if (!i && c->held) test_hang(&spec, body, MB_JOINT_REVOLUTE, NULL, &seed);
    if (!i && !c->held) mb_vec3_set(body->angular, 1.5, -2 + (c->place == MOTION ? p : 0), 1);
    if (!i && !c->held) mb_vec3_set(body->linear, 0.3, c->place == MOTION ? p : 0, 0.1);
    if (!i && c->held && c->place == MOTION) body->joint.velocity = test_one_number(&spec.arena, 0.5 + p);
    if (!i && !c->held) body->pose.position[1] += c->place == START ? p : 0;
    if (i < 2) continue;
    body->inertia->mass += c->place == MASS ? p : 0;
    body->inertia->matrix[0] += c->place == INERTIA ? p : 0;
    body->inertia->center[1] += c->place == CENTER ? p : 0;
    body->joint.in_parent.position[0] += c->place == FRAME ? p : 0;
    if (c->joint == MB_JOINT_FIXED) continue;
    if (c->place == STIFFNESS) body->joint.stiffness = test_one_number(&spec.arena, 2 + p);
    if (c->place == STIFFNESS && c->held) body->joint.damping = test_one_number(&spec.arena, 0.3 + p);
    if (c->place == START && c->joint < MB_JOINT_SPLINE_CURVE)
      body->joint.position = test_one_number(&spec.arena, 0.3 + p);
    if (c->place == MOTION) body->joint.velocity = test_one_number(&spec.arena, 0.5 + p);
  }
  if (!c->held || c->pulled) test_pull_last(&spec, c->force, c->place == FORCE ? p : 0, &seed);
  return spec;
}

static MbModel *model_of(const Case *c, double p) {
  MbSceneSpec spec = scene(c, p);
  MbModel *model = test_model(&spec);
  mb_arena_free(&spec.arena);
  return model;
}

static void end_of(const Case *c, double p, double *frame) {
  MbModel *model = model_of(c, p);
  MbSim *sim = test_sim(model, 1);
  MbReport report = {0};
  test_steps(sim, STEPS);
  test_ok(mb_sim_sample(sim, frame, &report), &report);
  mb_sim_free(sim);
  mb_model_free(model);
}

// How far the derivatives are off, of the largest.
static double check(const Case *c) {
  enum { MOST = 64 };
  static const double LITTLE = 3e-6, MOVE = 1e-3, weight[5] = {1, -8, 0, 8, -1};
  double frame[MOST], slope[MOST], wanted[MOST] = {0}, most = 0, off = 0;
  MbReport report = {0};
  MbModel *model = model_of(c, 0), *less = model_of(c, -LITTLE), *more = model_of(c, LITTLE);
  const MbSensitivityNumber number = {"p", less, more, LITTLE};
  MbSensitivity *run = NULL;
  test_ok(mb_sensitivity_create(model, &number, 1, &run, &report), &report);
  const size_t size = mb_sim_frame_size(mb_sensitivity_sim(run));
  cr_assert_leq(size, MOST);
  for (int i = 0; i < STEPS; i++) test_ok(mb_sensitivity_step(run, &report), &report);
  test_ok(mb_sensitivity_frame(run, frame, slope, &report), &report);
  for (int side = -2; side <= 2; side++) {
    double moved[MOST];
    if (!side) continue;
    end_of(c, side * MOVE, moved);
    for (size_t i = 0; i < size; i++) wanted[i] += weight[side + 2] / (12 * MOVE) * moved[i];
  }
  for (size_t i = 0; i < size; i++) most = fmax(most, fabs(wanted[i]));
  for (size_t i = 0; i < size; i++) off = fmax(off, fabs(slope[i] - wanted[i]));
  mb_sensitivity_free(run);
  mb_model_free(less), mb_model_free(more), mb_model_free(model);
  return off / fmax(most, 1e-3);
}

static void check_all(MbJointKind joint, MbForceKind force, Place from, Place to, double worst[2]) {
  for (size_t k = 0; k < KINDS; k++)
    for (Place place = from; place < to; place++) {
      const Case c = {.kind = kinds[k], .joint = joint, .force = force, .place = place};
      const double off = check(&c);
      worst[k >= EXACT] = fmax(worst[k >= EXACT], off);
      cr_expect_lt(off, k < EXACT ? 1e-7 : 1e-6, "%s, joint %s, force %s, by its %s: %g",
                   mb_integrator_words[kinds[k]], mb_joint_words[joint], mb_force_words[force], places[place],
                   off);
    }
}

Test(sensitivity_long, derivatives_by_numbers_of_every_joint_are_those_of_whole_runs, TEST_LONG) {
  double worst[2] = {0};
  for (MbJointKind joint = 0; joint < MB_JOINTS; joint++) check_all(joint, MB_FORCE_WRENCH, 0, FORCE, worst);
  printf("largest error, of the largest derivative: %.1e, by differences of steps %.1e\n", worst[0],
         worst[1]);
}

Test(sensitivity, derivatives_by_numbers_of_every_force_are_those_of_whole_runs) {
  double worst[2] = {0};
  for (MbForceKind force = 0; force < MB_FORCES; force++)
    check_all(MB_JOINT_UNIVERSAL, force, FORCE, PLACES, worst);
  printf("largest error, of the largest derivative: %.1e, by differences of steps %.1e\n", worst[0],
         worst[1]);
}

// Of trees on which gravity and what acts along joints act these two are exact as well.
Test(sensitivity_long,
     derivatives_of_trees_that_nothing_pulls_at_are_exact_under_steps_of_one_solution_and_of_passes,
     TEST_LONG) {
  static const MbIntegratorKind once[] = {MB_IMPLICIT, MB_TRAPEZOIDAL};
  size_t exact[2] = {0};
  double worst = 0;
  for (size_t k = 0; k < 2; k++)
    for (MbJointKind joint = 0; joint < MB_JOINTS; joint++) {
      Case c = {.kind = once[k], .joint = joint, .held = true};
      MbModel *model = model_of(&c, 0);
      exact[k] += !mb_sensitivity_inexact(model);
      mb_model_free(model);
      for (; c.place < FORCE; c.place++) {
        const double off = check(&c);
        worst = fmax(worst, off);
        cr_expect_lt(off, 1e-7, "%s, joint %s, by its %s: %g", mb_integrator_words[c.kind],
                     mb_joint_words[joint], places[c.place], off);
      }
    }
  for (size_t k = 0; k < 2; k++)
    cr_expect_eq(exact[k], MB_JOINTS, "%s: %zu joints", mb_integrator_words[once[k]], exact[k]);
  printf("largest error, of the largest derivative: %.1e\n", worst);
}

// The last frame's numbers, each by a weight of its own.
static bool last(void *to, int64_t step, double t) {
  (void)to, (void)t;
  return step == STEPS;
}
static double weight_of(size_t i) { return sin(1.0 + (double)i); }
static void weigh(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)step, (void)t, (void)frame;
  for (size_t i = 0; i < *(const size_t *)to; i++) weights[i] = weight_of(i);
}

// How far derivatives back through the run are from those that go along with it, of what they are sums of.
static double both_ways(const Case *c) {
  enum { MOST = 64 };
  static const double LITTLE = 3e-6;
  double frame[MOST], slope[MOST], along = 0, terms = 1e-3, back;
  MbReport report = {0};
  MbModel *model = model_of(c, 0), *less = model_of(c, -LITTLE), *more = model_of(c, LITTLE);
  const MbSensitivityNumber number = {"p", less, more, LITTLE};
  MbSensitivity *run[2] = {NULL, NULL};
  for (int i = 0; i < 2; i++) test_ok(mb_sensitivity_create(model, &number, 1, &run[i], &report), &report);
  size_t size = mb_sim_frame_size(mb_sensitivity_sim(run[0]));
  const MbSensitivityWeights weights = {.to = &size, .wanted = last, .weigh = weigh};
  for (int i = 0; i < STEPS; i++) test_ok(mb_sensitivity_step(run[0], &report), &report);
  test_ok(mb_sensitivity_frame(run[0], frame, slope, &report), &report);
  for (size_t i = 0; i < size; i++) along += weight_of(i) * slope[i], terms += fabs(weight_of(i) * slope[i]);
  test_ok(mb_sensitivity_backward(run[1], STEPS, 1 << 20, &weights, &back, NULL, &report), &report);
  cr_expect_eq(mb_sensitivity_wholes(run[0]), 0);
  for (int i = 0; i < 2; i++) mb_sensitivity_free(run[i]);
  mb_model_free(less), mb_model_free(more), mb_model_free(model);
  return fabs(back - along) / terms;
}

// So they are with forces on bodies, of which A has K and D: of a tree on a hinge, and of one on a body free in space.
Test(sensitivity, by_numbers_of_every_force_they_are_exact_where_steps_linearise_it, TEST_LONG) {
  static const MbIntegratorKind once[] = {MB_IMPLICIT, MB_TRAPEZOIDAL};
  size_t exact[2] = {0};
  double worst = 0, apart = 0;
  for (size_t k = 0; k < 2; k++)
    for (MbForceKind force = 0; force < MB_FORCES; force++)
      for (int held = 0; held < 2; held++) {
        Case c = {once[k], MB_JOINT_UNIVERSAL, force, MASS, held, true};
        MbModel *model = model_of(&c, 0);
        exact[k] += !mb_sensitivity_inexact(model);
        mb_model_free(model);
        for (; c.place < PLACES; c.place++) {
          const double off = check(&c), ways = both_ways(&c);
          worst = fmax(worst, off), apart = fmax(apart, ways);
          cr_expect(off < 1e-7 && ways < 1e-9, "%s, force %s, %s, by its %s: %g, both ways %g",
                    mb_integrator_words[c.kind], mb_force_words[force], held ? "held" : "free",
                    places[c.place], off, ways);
        }
      }
  cr_expect(exact[0] == 2 * MB_FORCES && exact[1] == 2 * MB_FORCES);
  printf("largest error, of the largest derivative: %.1e; both ways apart by %.1e\n", worst, apart);
}

Test(sensitivity, what_changes_more_than_numbers_has_no_derivative) {
  const Case c = {MB_BDF1, MB_JOINT_REVOLUTE, MB_FORCE_WRENCH, MASS, false, false},
             other = {MB_BDF1, MB_JOINT_EULER, MB_FORCE_WRENCH, MASS, false, false},
             first = {MB_RK45, MB_JOINT_REVOLUTE, MB_FORCE_WRENCH, MASS, false, false};
  MbModel *model = model_of(&c, 0), *less = model_of(&other, 0), *refused = model_of(&first, 0);
  const MbSensitivityNumber number = {"p", less, model, 1e-6};
  MbSensitivity *run = NULL;
  MbReport report = {0};
  cr_expect_eq(mb_sensitivity_create(model, &number, 1, &run, &report), MB_SCENE);
  cr_expect_null(run);
  cr_expect_not_null(strstr(report.issues[0].text, "p: it changes how many coordinates"), "%s",
                     report.issues[0].text);
  cr_expect_not_null(mb_sensitivity_refuses(refused));
  cr_expect_null(mb_sensitivity_refuses(model));
  cr_expect_null(mb_sensitivity_inexact(model));
  mb_model_free(model), mb_model_free(less), mb_model_free(refused);
}

Test(sensitivity, the_run_that_derivatives_go_along_with_is_the_one_without_them) {
  const MbIntegratorKind both[] = {MB_BDF2, MB_BRIDSON_MARINO};
  for (size_t k = 0; k < 2; k++) {
    const Case c = {both[k], MB_JOINT_REVOLUTE, MB_FORCE_WRENCH, MOTION, false, false};
    MbModel *model = model_of(&c, 0), *less = model_of(&c, -3e-6), *more = model_of(&c, 3e-6);
    const MbSensitivityNumber numbers[2] = {{"p", less, more, 3e-6}, {"again", less, more, 3e-6}};
    MbSensitivity *run = NULL;
    MbReport report = {0};
    test_ok(mb_sensitivity_create(model, numbers, 2, &run, &report), &report);
    cr_expect_eq(mb_sensitivity_by_steps(run) != NULL, both[k] == MB_BRIDSON_MARINO);
    double frame[64], slope[128];
    for (int i = 0; i < 3000; i++) test_ok(mb_sensitivity_step(run, &report), &report);
    test_ok(mb_sensitivity_frame(run, frame, slope, &report), &report);
    // the run itself is untouched by what goes along with it
    MbSim *alone = test_sim(model, 1);
    double plain[64];
    test_steps(alone, 3000);
    test_ok(mb_sim_sample(alone, plain, &report), &report);
    const size_t size = mb_sim_frame_size(alone);
    cr_expect_arr_eq(plain, frame, size * sizeof *plain);
    cr_expect_arr_eq(slope, slope + size, size * sizeof *slope);
    mb_sensitivity_free(run);
    mb_sim_free(alone);
    mb_model_free(less), mb_model_free(more), mb_model_free(model);
  }
}
