// Steps whose stiff springs turn far within them are linearised along other directions: such a step is differentiated as a whole, along with the run alone.
#include "core/base/alloc.h"
#include "core/sim/sensitivity.h"
#include "tests/runs.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

enum { STEPS = 40, NUMBERS = 3 };

// Two balls go round on a spring each, the second on the first; p changes the stiffness, the damping or where the second hangs.
static MbModel *model_of(double stiffness, int which, double p) {
  static const char *channels[] = {"body.position"};
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, STEPS);
  spec.output.channels = channels, spec.output.nchannels = 1;
  for (int i = 0; i < 2; i++) {
    const char *name = i ? "b" : "a";
    MbBodySpec *body = test_body(&spec, name, 1, 0.1, 0.1, 0.1);
    mb_vec3_set(body->pose.position, 1 + i, 0, 0);
    mb_vec3_set(body->linear, 0, 0, i ? -1 : 1);
    MbForceSpec *force = test_force(&spec, MB_FORCE_SPRING, NULL);
    force->npoints = 2, force->points = mb_arena_alloc(&spec.arena, 2, sizeof *force->points);
    force->points[0].body = i ? "a" : "world", force->points[1].body = name;
    for (size_t k = 0; k < 2; k++) force->points[k].frame.rotation[3] = 1;
    force->points[0].frame.position[1] = which == 2 && i ? p : 0;
    force->points[1].frame.position[2] = 0.1;
    test_spring(force)->stiffness = stiffness * (which == 0 ? 1 + p : 1);
    test_spring(force)->damping = 0.3 + (which == 1 ? p : 0);
    test_spring(force)->length = 1;
  }
  MbModel *model = test_model(&spec);
  mb_arena_free(&spec.arena);
  return model;
}

static void end_of(double stiffness, int which, double p, double frame[6]) {
  MbModel *model = model_of(stiffness, which, p);
  MbSim *sim = test_sim(model, 1);
  MbReport report = {0};
  test_steps(sim, STEPS);
  test_ok(mb_sim_sample(sim, frame, &report), &report);
  mb_sim_free(sim);
  mb_model_free(model);
}

// How far the derivatives along with the run are off, of the largest; *wholes ← steps that were differentiated as a whole.
static double off_along(double stiffness, int which, int64_t *wholes) {
  static const double LITTLE = 3e-6, MOVE = 1e-4, weight[5] = {1, -8, 0, 8, -1};
  double frame[6], slope[6], wanted[6] = {0}, most = 1e-3, off = 0;
  MbReport report = {0};
  MbModel *model = model_of(stiffness, which, 0), *less = model_of(stiffness, which, -LITTLE),
          *more = model_of(stiffness, which, LITTLE);
  const MbSensitivityNumber number = {"p", less, more, LITTLE};
  MbSensitivity *run = NULL;
  test_ok(mb_sensitivity_create(model, &number, 1, &run, &report), &report);
  cr_expect_null(mb_sensitivity_by_steps(run));
  for (int i = 0; i < STEPS; i++) test_ok(mb_sensitivity_step(run, &report), &report);
  test_ok(mb_sensitivity_frame(run, frame, slope, &report), &report);
  *wholes = mb_sensitivity_wholes(run);
  for (int side = -2; side <= 2; side++) {
    double moved[6];
    if (!side) continue;
    end_of(stiffness, which, side * MOVE, moved);
    for (size_t i = 0; i < 6; i++) wanted[i] += weight[side + 2] / (12 * MOVE) * moved[i];
  }
  for (size_t i = 0; i < 6; i++)
    most = fmax(most, fabs(wanted[i])), off = fmax(off, fabs(slope[i] - wanted[i]));
  mb_sensitivity_free(run);
  mb_model_free(model), mb_model_free(less), mb_model_free(more);
  return off / most;
}

Test(sensitivity_turning, steps_whose_springs_turn_are_differentiated_as_a_whole) {
  static const double soft = 1e3, stiff = 1e5; // swings of 0.3 and of 3 radians a step
  for (int which = 0; which < NUMBERS; which++) {
    int64_t wholes[2];
    const double off[2] = {off_along(soft, which, &wholes[0]), off_along(stiff, which, &wholes[1])};
    cr_expect_lt(off[0], 1e-8, "number %d, soft: %g", which, off[0]);
    cr_expect_lt(off[1], 1e-6, "number %d, stiff: %g", which, off[1]);
    cr_expect_eq(wholes[0], 0);
    cr_expect_gt(wholes[1], STEPS / 2);
  }
}

static bool last(void *to, int64_t step, double t) {
  (void)to, (void)t;
  return step == STEPS;
}
static void weigh(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)to, (void)step, (void)t, (void)frame;
  weights[0] = 1;
}

Test(sensitivity_turning, there_is_no_way_back_through_such_steps_and_that_is_told) {
  static const double stiff = 1e5;
  MbModel *model = model_of(stiff, 0, 0), *less = model_of(stiff, 0, -1e-6), *more = model_of(stiff, 0, 1e-6);
  const MbSensitivityNumber number = {"p", less, more, 1e-6};
  const MbSensitivityWeights weights = {.wanted = last, .weigh = weigh};
  MbSensitivity *run = NULL;
  MbReport report = {0};
  double out = 0;
  test_ok(mb_sensitivity_create(model, &number, 1, &run, &report), &report);
  cr_expect_eq(mb_sensitivity_backward(run, STEPS, 1 << 20, &weights, &out, NULL, &report), MB_NUMBERS);
  cr_expect(mb_sensitivity_astray(run));
  cr_expect_not_null(strstr(report.issues[0].text, "stiff springs turn far within the step"), "%s",
                     report.issues[0].text);
  mb_sensitivity_free(run);
  mb_model_free(model), mb_model_free(less), mb_model_free(more);
}
