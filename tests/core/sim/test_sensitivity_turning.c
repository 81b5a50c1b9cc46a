// Derivatives where implicit steps linearise springs in ways of their own: stiff ones that turn far within a step along directions to come, and none of the sideways push of what
// is pressed so much that the step would be singular, which is differentiated as a whole, along with the run alone.
#include "core/base/alloc.h"
#include "core/sim/sensitivity.h"
#include "tests/runs.h"
#include "tests/trees.h"

#include <math.h>
#include <string.h>

enum { STEPS = 40, NUMBERS = 3 };
typedef enum Way {
  SOFT,
  STIFF,
  PRESSED
} Way; // swings of 0.3 and of 3 radians a step; a strut that gives way

static void pull(MbSceneSpec *spec, const char *from, const char *to, double stiffness, int which, double p) {
  MbForceSpec *force = test_force(spec, MB_FORCE_SPRING, NULL);
  force->npoints = 2, force->points = mb_arena_alloc(&spec->arena, 2, sizeof *force->points);
  force->points[0].body = from, force->points[1].body = to;
  for (size_t k = 0; k < 2; k++) mb_quat_identity(force->points[k].frame.rotation);
  force->points[0].frame.position[1] = which == 2 ? p : 0;
  force->points[1].frame.position[2] = 0.1;
  test_spring(force)->stiffness = stiffness * (which == 0 ? 1 + p : 1);
  test_spring(force)->damping = 0.3 + (which == 1 ? p : 0);
  test_spring(force)->length = 1;
}

static void slide(MbSceneSpec *spec, MbBodySpec *body, int i) {
  static const MbFrameSpec same = {.rotation = {1, 0, 0, 0}};
  body->jointed = true, body->pose = same;
  body->joint =
      (MbJointSpec){.kind = MB_JOINT_PRISMATIC, .parent = i ? "a" : NULL, .in_parent = same, .in_body = same};
  body->joint.axis[i ? 2 : 0] = 1;
  body->joint.position = test_one_number(&spec->arena, i ? 0.01 : 0.5);
}

// Two balls go round on a spring each, the second on the first. Or a slide on a slide is pressed by a spring that it can only leave sideways.
static MbModel *model_of(Way way, int which, double p) {
  static const char *channels[] = {"body.position"};
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, STEPS);
  spec.output.channels = channels, spec.output.nchannels = 1;
  for (int i = 0; i < 2; i++) {
    const char *name = i ? "b" : "a";
    MbBodySpec *body = test_body(&spec, name, 1, 0.1, 0.1, 0.1);
    if (way == PRESSED) {
      slide(&spec, body, i);
      continue;
    }
    mb_vec3_set(body->pose.position, 1 + i, 0, 0);
    mb_vec3_set(body->linear, 0, 0, i ? -1 : 1);
    pull(&spec, i ? "a" : "world", name, way == SOFT ? 1e3 : 1e5, which, p);
  }
  if (way == PRESSED) pull(&spec, "world", "b", 5e4, which, p);
  MbModel *model = test_model(&spec);
  mb_arena_free(&spec.arena);
  return model;
}

static void end_of(Way way, int which, double p, double frame[6]) {
  MbModel *model = model_of(way, which, p);
  MbSim *sim = test_sim(model, 1);
  MbReport report = {0};
  test_steps(sim, STEPS);
  test_ok(mb_sim_sample(sim, frame, &report), &report);
  mb_sim_free(sim);
  mb_model_free(model);
}

// How far the derivatives along with the run are off, of the largest; *wholes ← steps that were differentiated as a whole.
static double off_along(Way way, int which, int64_t *wholes) {
  static const double little[NUMBERS] = {3e-5, 3e-5, 3e-7}, MOVE = 1e-4, weight[5] = {1, -8, 0, 8, -1};
  double frame[6], slope[6], wanted[6] = {0}, most = 1e-3, off = 0;
  MbReport report = {0};
  const double by = little[which]; // where a place changes, what differences lose by its square counts first
  MbModel *model = model_of(way, which, 0), *less = model_of(way, which, -by),
          *more = model_of(way, which, by);
  const MbSensitivityNumber number = {"p", less, more, by};
  MbSensitivity *run = NULL;
  test_ok(mb_sensitivity_create(model, &number, 1, &run, &report), &report);
  cr_expect_null(mb_sensitivity_by_steps(run));
  for (int i = 0; i < STEPS; i++) test_ok(mb_sensitivity_step(run, &report), &report);
  test_ok(mb_sensitivity_frame(run, frame, slope, &report), &report);
  *wholes = mb_sensitivity_wholes(run);
  for (int side = -2; side <= 2; side++) {
    double moved[6];
    if (!side) continue;
    end_of(way, which, side * MOVE, moved);
    for (size_t i = 0; i < 6; i++) wanted[i] += weight[side + 2] / (12 * MOVE) * moved[i];
  }
  for (size_t i = 0; i < 6; i++)
    most = fmax(most, fabs(wanted[i])), off = fmax(off, fabs(slope[i] - wanted[i]));
  mb_sensitivity_free(run);
  mb_model_free(model), mb_model_free(less), mb_model_free(more);
  return off / most;
}

Test(sensitivity_turning, steps_that_turn_stiff_springs_are_exact) {
  for (int which = 0; which < NUMBERS; which++)
    for (Way way = SOFT; way <= STIFF; way++) {
      int64_t wholes;
      const double off = off_along(way, which, &wholes);
      cr_expect_lt(off, 3e-8, "number %d, %s: %g", which, way == STIFF ? "stiff" : "soft", off);
      cr_expect_eq(wholes, 0);
    }
}

// A ball on a stiff spring that it draws out as fast as it goes round it, but for p: there the spring begins to be turned.
static MbModel *drawn(double p) {
  static const char *channels[] = {"body.position"};
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 2);
  spec.output.channels = channels, spec.output.nchannels = 1;
  MbBodySpec *body = test_body(&spec, "a", 1, 0.1, 0.1, 0.1);
  mb_vec3_set(body->pose.position, 1, 0, 0);
  mb_vec3_set(body->linear, 1 + p, 0, 1);
  pull(&spec, "world", "a", 1e5, -1, 0);
  mb_vec3_set(spec.forces[0].points[1].frame.position, 0, 0, 0);
  MbModel *model = test_model(&spec);
  mb_arena_free(&spec.arena);
  return model;
}

static double drawn_to(double p, size_t axis) {
  double frame[3];
  MbModel *model = drawn(p);
  MbSim *sim = test_sim(model, 1);
  MbReport report = {0};
  test_steps(sim, 2);
  test_ok(mb_sim_sample(sim, frame, &report), &report);
  mb_sim_free(sim);
  mb_model_free(model);
  return frame[axis];
}

// With a kink there the slopes on both sides would differ.
Test(sensitivity_turning, runs_have_one_slope_where_springs_begin_to_be_turned) {
  static const double MOVE = 1e-5;
  for (size_t axis = 0; axis < 3; axis += 2) {
    const double at = drawn_to(0, axis), less = (at - drawn_to(-MOVE, axis)) / MOVE,
                 more = (drawn_to(MOVE, axis) - at) / MOVE;
    cr_expect_lt(fabs(more - less), 1e-6, "axis %zu: %.9g before, %.9g behind", axis, less, more);
  }
}

Test(sensitivity_turning, steps_that_leave_out_what_presses_sideways_are_differentiated_as_a_whole) {
  for (int which = 0; which < NUMBERS; which++) {
    int64_t wholes;
    const double off = off_along(PRESSED, which, &wholes);
    cr_expect_lt(off, 1e-6, "number %d: %g", which, off);
    cr_expect(wholes > 0 && wholes < STEPS);
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

static MbStatus back(Way way, double *out, bool *astray, MbReport *report) {
  MbModel *model = model_of(way, 0, 0), *less = model_of(way, 0, -1e-6), *more = model_of(way, 0, 1e-6);
  const MbSensitivityNumber number = {"p", less, more, 1e-6};
  const MbSensitivityWeights weights = {.wanted = last, .weigh = weigh};
  MbSensitivity *run = NULL;
  test_ok(mb_sensitivity_create(model, &number, 1, &run, report), report);
  const MbStatus status = mb_sensitivity_backward(run, STEPS, 1 << 20, &weights, out, NULL, report);
  *astray = mb_sensitivity_astray(run);
  mb_sensitivity_free(run);
  mb_model_free(model), mb_model_free(less), mb_model_free(more);
  return status;
}

Test(sensitivity_turning, there_is_no_way_back_through_what_is_differentiated_as_a_whole_and_that_is_told) {
  MbReport report = {0};
  double out = 0;
  bool astray;
  cr_expect_eq(back(STIFF, &out, &astray, &report), MB_OK);
  cr_expect(!astray && out != 0);
  cr_expect_eq(back(PRESSED, &out, &astray, &report), MB_NUMBERS);
  cr_expect(astray);
  cr_expect_not_null(strstr(report.issues[0].text, "leaves out what would make it singular"), "%s",
                     report.issues[0].text);
}
