// Derivatives backwards against those that go along with the run, of a chain with springs under every scheme that has both.
#include "core/base/alloc.h"
#include "core/joints/joints.h"
#include "core/sim/sensitivity.h"
#include "tests/runs.h"
#include "tests/trees.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 6, MOST = 100 };
static const double LITTLE = 3e-6;

static MbSceneSpec scene(MbIntegratorKind kind, MbJointKind joint, int steps, int which, double p) {
  static const char *channels[] = {"body.position",  "body.rotation",  "body.velocity",
                                   "joint.position", "joint.velocity", "energy"};
  uint64_t seed = 77;
  MbSceneSpec spec = test_scene(kind, 0.01, steps);
  spec.output.channels = channels, spec.output.nchannels = 6;
  spec.gravity[2] = -9.81 + (which == 0 ? p : 0);
  for (int i = 0; i < 3; i++) {
    MbBodySpec *body = test_random_body(&spec, &seed);
    if (i) test_hang(&spec, body, joint, spec.bodies[i - 1].name, &seed);
    if (!i) mb_vec3_set(body->angular, 1.5, -2 + (which == 1 ? p : 0), 1);
    body->inertia->matrix[0] += which == 2 ? p : 0;
    body->inertia->center[1] += which == 3 ? p : 0;
    body->joint.in_parent.position[0] += which == 4 ? p : 0;
    if (i) body->joint.stiffness = test_one_number(&spec.arena, 2 + (which == 5 ? p : 0));
  }
  return spec;
}

static MbModel *model_of(MbIntegratorKind kind, MbJointKind joint, int steps, int which, double p) {
  MbSceneSpec spec = scene(kind, joint, steps, which, p);
  MbModel *model = test_model(&spec);
  mb_arena_free(&spec.arena);
  return model;
}

// Every fifth frame counts, each of its numbers by another weight.
static bool wanted(void *to, int64_t step, double t) {
  (void)to, (void)t;
  return step % 5 == 0;
}
static double weight_of(int64_t step, size_t i) { return sin(1.0 + (double)i + 0.3 * (double)step); }
static void weigh(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)t, (void)frame;
  for (size_t i = 0; i < *(const size_t *)to; i++) weights[i] = weight_of(step, i);
}

typedef struct Models {
  MbModel *model, *less[NUMBERS], *more[NUMBERS];
  MbSensitivityNumber numbers[NUMBERS];
} Models;

static Models models_of(MbIntegratorKind kind, MbJointKind joint, int steps) {
  Models m = {.model = model_of(kind, joint, steps, -1, 0)};
  for (int k = 0; k < NUMBERS; k++) {
    m.less[k] = model_of(kind, joint, steps, k, -LITTLE), m.more[k] = model_of(kind, joint, steps, k, LITTLE);
    m.numbers[k] = (MbSensitivityNumber){"p", m.less[k], m.more[k], LITTLE};
  }
  return m;
}

static void models_free(Models *m) {
  for (int k = 0; k < NUMBERS; k++) mb_model_free(m->less[k]), mb_model_free(m->more[k]);
  mb_model_free(m->model);
}

static MbSensitivity *begin(const Models *m) {
  MbSensitivity *run = NULL;
  MbReport report = {0};
  test_ok(mb_sensitivity_create(m->model, m->numbers, NUMBERS, &run, &report), &report);
  return run;
}

// Derivatives of the sum, and the sizes of what they are sums of: terms cancel.
static void along(const Models *m, int steps, double sum[NUMBERS], double sizes[NUMBERS]) {
  MbSensitivity *run = begin(m);
  MbReport report = {0};
  double frame[MOST], slopes[NUMBERS * MOST];
  const size_t size = mb_sim_frame_size(mb_sensitivity_sim(run));
  cr_assert_leq(size, MOST);
  memset(sum, 0, NUMBERS * sizeof *sum), memset(sizes, 0, NUMBERS * sizeof *sizes);
  for (int step = 0; step <= steps; step++) {
    if (step) test_ok(mb_sensitivity_step(run, &report), &report);
    if (!wanted(NULL, step, 0)) continue;
    test_ok(mb_sensitivity_frame(run, frame, slopes, &report), &report);
    for (size_t k = 0; k < NUMBERS; k++)
      for (size_t i = 0; i < size; i++) {
        const double term = weight_of(step, i) * slopes[size * k + i];
        sum[k] += term, sizes[k] += fabs(term);
      }
  }
  mb_sensitivity_free(run);
}

static int64_t backwards(const Models *m, int steps, size_t memory, double sum[NUMBERS]) {
  MbSensitivity *run = begin(m);
  MbReport report = {0};
  size_t size = mb_sim_frame_size(mb_sensitivity_sim(run));
  int64_t stepped = 0;
  const MbSensitivityWeights weights = {.to = &size, .wanted = wanted, .weigh = weigh};
  test_ok(mb_sensitivity_backward(run, steps, memory, &weights, sum, &stepped, &report), &report);
  mb_sensitivity_free(run);
  return stepped;
}

Test(sensitivity_backward_long, of_every_joint_they_are_those_that_go_along, TEST_LONG) {
  enum { STEPS = 40 };
  static const MbIntegratorKind kinds[] = {MB_BDF1,       MB_BDF2,     MB_SDIRK2,
                                           MB_SYMPLECTIC, MB_IMPLICIT, MB_TRAPEZOIDAL};
  enum { KINDS = sizeof kinds / sizeof *kinds };
  double worst = 0;
  size_t of[KINDS] = {0};
  for (size_t i = 0; i < KINDS; i++)
    for (MbJointKind joint = 0; joint < MB_JOINTS; joint++) {
      if (joint == MB_JOINT_FIXED) continue;
      Models m = models_of(kinds[i], joint, STEPS);
      of[i] += !mb_sensitivity_inexact(m.model);
      double forwards[NUMBERS], back[NUMBERS], sizes[NUMBERS];
      along(&m, STEPS, forwards, sizes);
      cr_expect_eq(backwards(&m, STEPS, 1 << 24, back), STEPS);
      for (int k = 0; k < NUMBERS; k++) {
        const double off = fabs(back[k] - forwards[k]) / fmax(sizes[k], 1e-3);
        worst = fmax(worst, off);
        cr_expect_lt(off, 1e-10, "%s, joint %s, number %d: %.15g backwards, %.15g along",
                     mb_integrator_words[kinds[i]], mb_joint_words[joint], k, back[k], forwards[k]);
      }
      models_free(&m);
    }
  for (size_t i = 0; i < KINDS; i++)
    cr_expect_eq(of[i], MB_JOINTS - 1, "%s: %zu joints", mb_integrator_words[kinds[i]], of[i]);
  printf("backwards and along are apart by %.1e at most, of what they are sums of\n", worst);
}

Test(sensitivity_backward_long, with_little_memory_steps_are_done_anew_to_the_same_bits) {
  enum { STEPS = 300 };
  static const MbIntegratorKind kinds[] = {MB_BDF1, MB_BDF2, MB_SDIRK2, MB_TRAPEZOIDAL};
  for (size_t i = 0; i < 4; i++) {
    Models m = models_of(kinds[i], MB_JOINT_UNIVERSAL, STEPS);
    double all[NUMBERS], some[NUMBERS];
    cr_expect_eq(backwards(&m, STEPS, 1 << 24, all), STEPS);
    static const size_t memory[] = {0, 8 << 10, 40 << 10};
    static const int64_t most[] = {100 * STEPS, 6 * STEPS, 3 * STEPS};
    for (size_t k = 0; k < 3; k++) {
      const int64_t stepped = backwards(&m, STEPS, memory[k], some);
      cr_expect_arr_eq(all, some, sizeof all, "%s in %zu bytes", mb_integrator_words[kinds[i]], memory[k]);
      cr_expect(stepped > STEPS && stepped <= most[k], "%lld steps in %zu bytes", (long long)stepped,
                memory[k]);
    }
    models_free(&m);
  }
}

// Of steps of one solution with M alone the solver's factors are kept where there is room for them, and made anew where not, as the run has made them: to the same bits.
Test(sensitivity_backward_long, with_little_memory_what_solvers_leave_is_made_anew, TEST_LONG) {
  enum { STEPS = 300 };
  static const MbIntegratorKind kinds[] = {MB_SYMPLECTIC, MB_IMPLICIT};
  static const MbJointKind joints[] = {MB_JOINT_REVOLUTE, MB_JOINT_UNIVERSAL, MB_JOINT_FREE3D};
  for (size_t i = 0; i < 6; i++) {
    Models m = models_of(kinds[i / 3], joints[i % 3], STEPS);
    double all[NUMBERS], some[NUMBERS];
    cr_expect_eq(backwards(&m, STEPS, 1 << 24, all), STEPS);
    for (size_t memory = 0; memory < 1 << 22; memory = memory ? 8 * memory : 8 << 10) {
      backwards(&m, STEPS, memory, some);
      cr_expect_arr_eq(all, some, sizeof all, "%s, %s, %zu bytes", mb_integrator_words[kinds[i / 3]],
                       mb_joint_words[joints[i % 3]], memory);
    }
    models_free(&m);
  }
}

Test(sensitivity_backward, what_has_no_exact_steps_is_refused) {
  Models m = models_of(MB_BRIDSON_MARINO, MB_JOINT_REVOLUTE, 3);
  MbSensitivity *run = begin(&m);
  MbReport report = {0};
  double out[NUMBERS];
  size_t size = 0;
  const MbSensitivityWeights weights = {.to = &size, .wanted = wanted, .weigh = weigh};
  cr_expect_eq(mb_sensitivity_backward(run, 3, 1 << 20, &weights, out, NULL, &report), MB_SCENE);
  mb_sensitivity_free(run);
  models_free(&m);
}
