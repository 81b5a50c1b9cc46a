// Derivatives backwards under solver "maximal", where joints are rows, against differences of whole runs, and beside those of solver "redmax".
#include "core/base/alloc.h"
#include "core/forces/forces.h"
#include "core/joints/joints.h"
#include "core/sim/sensitivity.h"
#include "tests/pulled.h"
#include "tests/runs.h"
#include "tests/trees.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 24, MOST = 120 };
enum { KINDS = 6, ONCE = 2 }; // the first are of one solution
static const MbIntegratorKind kinds[KINDS] = {MB_SYMPLECTIC, MB_IMPLICIT, MB_BDF1,
                                              MB_BDF2,       MB_SDIRK2,   MB_TRAPEZOIDAL};

// What of the scene changes with p, which is 0 here.
typedef enum Place {
  MASS,
  INERTIA,
  CENTER,
  FRAME,
  BACK_FRAME,
  STIFFNESS,
  DAMPING,
  START,
  MOTION,
  WEIGHT,
  FORCE,
  PLACES
} Place;
static const char *const places[PLACES] = {"mass",         "inertia",   "centre",  "joint's frame",
                                           "body's frame", "stiffness", "damping", "start",
                                           "velocity",     "gravity",   "force"};

typedef struct Case {
  MbIntegratorKind kind;
  MbJointKind joint;
  MbForceKind force;
  Place place;
  bool hung; // the first body, too, by a hinge on the world
} Case;

// Under solver "redmax", or in steps that are so many times as short.
typedef struct Way {
  MbSolverKind solver;
  int finer;
} Way;
static const Way HELD = {MB_SOLVER_MAXIMAL, 1};

static MbSceneSpec scene(const Case *c, const Way *way, double p) {
  static const char *channels[] = {"body.position",  "body.rotation",  "body.velocity",
                                   "joint.position", "joint.velocity", "energy"};
  uint64_t seed = 77;
  MbSceneSpec spec = test_scene(c->kind, 0.01 / way->finer, STEPS * way->finer);
  spec.solver.kind = way->solver;
  spec.output.channels = channels, spec.output.nchannels = 6;
  spec.gravity[2] = -9.81 + (c->place == WEIGHT ? p : 0);
  for (int i = 0; i < 3; i++) {
    MbBodySpec *body = test_random_body(&spec, &seed);
    body->inertia->matrix[1] +=
        0.07; // no two differences of moments' inverses are the same, by which flights go (model/flight.h)
    if (i) test_hang(&spec, body, c->joint, spec.bodies[i - 1].name, &seed);
    if (!i && c->hung) test_hang(&spec, body, MB_JOINT_REVOLUTE, NULL, &seed);
    if (!i && !c->hung) mb_vec3_set(body->angular, 1.5, -2 + (c->place == MOTION ? p : 0), 1);
    if (!i && !c->hung) mb_vec3_set(body->linear, 0.3, c->place == MOTION ? p : 0, 0.1);
    if (!i && !c->hung) body->pose.position[1] += c->place == START ? p : 0;
    if (i < 2) continue;
    body->inertia->mass += c->place == MASS ? p : 0;
    body->inertia->matrix[0] += c->place == INERTIA ? p : 0;
    body->inertia->center[1] += c->place == CENTER ? p : 0;
    body->joint.in_parent.position[0] += c->place == FRAME ? p : 0;
    body->joint.in_body.position[1] += c->place == BACK_FRAME ? p : 0;
    if (c->joint == MB_JOINT_FIXED) continue;
    if (c->place == STIFFNESS) body->joint.stiffness = test_one_number(&spec.arena, 2 + p);
    if (c->place == DAMPING) body->joint.damping = test_one_number(&spec.arena, 0.3 + p);
    if (c->place == START && c->joint < MB_JOINT_SPLINE_CURVE)
      body->joint.position = test_one_number(&spec.arena, 0.3 + p);
    if (c->place == MOTION) body->joint.velocity = test_one_number(&spec.arena, 0.5 + p);
  }
  if (!c->hung) test_pull_last(&spec, c->force, c->place == FORCE ? p : 0, &seed);
  return spec;
}

static MbModel *model_of(const Case *c, const Way *way, double p) {
  MbSceneSpec spec = scene(c, way, p);
  MbModel *model = test_model(&spec);
  mb_arena_free(&spec.arena);
  return model;
}

// Every sixth frame counts, each of its numbers by another weight.
static bool wanted(void *to, int64_t step, double t) {
  (void)to, (void)t;
  return step % 6 == 0;
}
static double weight_of(int64_t step, size_t i) { return sin(1.0 + (double)i + 0.3 * (double)step); }
static void weigh(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)step, (void)frame;
  const int64_t coarse = (int64_t)rint(t / 0.01);
  for (size_t i = 0; i < *(const size_t *)to; i++) weights[i] = weight_of(coarse, i);
}

// The sum of a whole run.
static double sum_of(const Case *c, double p) {
  MbModel *model = model_of(c, &HELD, p);
  MbSim *sim = test_sim(model, 1);
  MbReport report = {0};
  double frame[MOST], sum = 0;
  for (int64_t step = 0; step <= STEPS; step++) {
    if (step) test_steps(sim, 1);
    if (!wanted(NULL, step, 0)) continue;
    test_ok(mb_sim_sample(sim, frame, &report), &report);
    for (size_t i = 0; i < mb_sim_frame_size(sim); i++) sum += weight_of(step, i) * frame[i];
  }
  mb_sim_free(sim);
  mb_model_free(model);
  return sum;
}

// The derivative of the sum of the frames that are wanted, in so much memory.
static double back_in(const Case *c, const Way *way, size_t memory,
                      bool (*of)(void *to, int64_t step, double t)) {
  static const double LITTLE = 1e-5;
  MbReport report = {0};
  MbModel *model = model_of(c, way, 0), *less = model_of(c, way, -LITTLE), *more = model_of(c, way, LITTLE);
  const MbSensitivityNumber number = {"p", less, more, LITTLE};
  MbSensitivity *run = NULL;
  double back = 0;
  test_ok(mb_sensitivity_create(model, &number, 1, &run, &report), &report);
  size_t size = mb_sim_frame_size(mb_sensitivity_sim(run));
  cr_assert_leq(size, MOST);
  cr_assert_null(mb_sensitivity_no_way_back(run), "%s", mb_sensitivity_no_way_back(run));
  const MbSensitivityWeights weights = {.to = &size, .wanted = of, .weigh = weigh};
  test_ok(mb_sensitivity_backward(run, mb_model_steps(model), memory, &weights, &back, NULL, &report),
          &report);
  mb_sensitivity_free(run);
  mb_model_free(less), mb_model_free(more), mb_model_free(model);
  return back;
}

static double back_of(const Case *c, const Way *way, bool (*of)(void *to, int64_t step, double t)) {
  return back_in(c, way, 1 << 24, of);
}

// By how much the derivative backwards is off differences of whole runs, of itself.
static double check(const Case *c) {
  static const double MOVE = 1e-3, weight[5] = {1, -8, 0, 8, -1};
  const double back = back_of(c, &HELD, wanted);
  double by_runs = 0;
  for (int side = -2; side <= 2; side++)
    if (side) by_runs += weight[side + 2] / (12 * MOVE) * sum_of(c, side * MOVE);
  const double off = fabs(back - by_runs) / fmax(fabs(by_runs), 1);
  cr_expect_lt(off, 1e-6, "%s, joint %s, force %s, by its %s: %.12g back, %.12g by whole runs",
               mb_integrator_words[c->kind], mb_joint_words[c->joint], mb_force_words[c->force],
               places[c->place], back, by_runs);
  return off;
}

Test(sensitivity_held, of_every_joint_derivatives_backwards_are_those_of_whole_runs, TEST_LONG) {
  double worst = 0;
  for (size_t k = 0; k < ONCE; k++)
    for (MbJointKind joint = 0; joint < MB_JOINTS; joint++)
      for (Place place = 0; place < FORCE; place++)
        for (int hung = 0; hung < 2; hung++) {
          const Case c = {kinds[k], joint, MB_FORCE_WRENCH, place, hung};
          worst = fmax(worst, check(&c));
        }
  printf("under maximal derivatives backwards are off by %.1e at most\n", worst);
}

// Every joint by every place, by the three schemes in turn.
Test(sensitivity_held, of_every_joint_derivatives_back_through_stages_are_those_of_whole_runs, TEST_LONG) {
  double worst = 0;
  for (MbJointKind joint = 0; joint < MB_JOINTS; joint++)
    for (Place place = 0; place < FORCE; place++) {
      const size_t turn = (size_t)joint + (size_t)place;
      const Case c = {kinds[ONCE + turn % (KINDS - ONCE)], joint, MB_FORCE_WRENCH, place, joint % 2};
      worst = fmax(worst, check(&c));
    }
  printf("through stages under maximal derivatives backwards are off by %.1e at most\n", worst);
}

Test(sensitivity_held, of_every_force_derivatives_backwards_are_those_of_whole_runs) {
  double worst = 0;
  for (size_t k = 0; k < KINDS; k++)
    for (MbForceKind force = 0; force < MB_FORCES; force++) {
      const Case c = {kinds[k], MB_JOINT_UNIVERSAL, force, FORCE, false};
      worst = fmax(worst, check(&c));
    }
  printf("by forces: %.1e\n", worst);
}

Test(sensitivity_held, with_little_memory_stages_are_done_anew_to_the_same_bits) {
  for (size_t k = ONCE; k < KINDS; k++) {
    const Case c = {kinds[k], MB_JOINT_UNIVERSAL, MB_FORCE_WRENCH, CENTER, true};
    const double all = back_of(&c, &HELD, wanted);
    for (size_t memory = 0; memory < 1 << 15; memory = memory ? 4 * memory : 4 << 10)
      cr_expect_eq(back_in(&c, &HELD, memory, wanted), all, "%s in %zu bytes", mb_integrator_words[c.kind],
                   memory);
  }
}

static bool at_the_end(void *to, int64_t step, double t) {
  (void)to, (void)step;
  return fabs(t - 0.24) < 1e-9;
}

// Steps of the two solvers are others, and come together by first order: what is left falls by half with the steps.
Test(sensitivity_held, derivatives_backwards_come_to_those_of_redmax_as_steps_become_shorter) {
  const Case c = {MB_SYMPLECTIC, MB_JOINT_REVOLUTE, MB_FORCE_WRENCH, CENTER, true};
  double apart[2];
  for (int i = 0; i < 2; i++) {
    const Way held = {MB_SOLVER_MAXIMAL, 20 << i}, reduced = {MB_SOLVER_REDMAX, 20 << i};
    const double one = back_of(&c, &held, at_the_end), other = back_of(&c, &reduced, at_the_end);
    apart[i] = fabs(one - other) / fabs(other);
  }
  printf("redmax and maximal are apart by %.2e and, with half the step, %.2e\n", apart[0], apart[1]);
  cr_expect_lt(apart[1], 1e-2);
  cr_expect_lt(fabs(apart[0] / apart[1] - 2), 0.3, "%g %g", apart[0], apart[1]);
}
