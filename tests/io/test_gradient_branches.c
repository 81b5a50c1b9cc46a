// Derivatives of runs that limits, ropes and dry friction take through branches, beside differences of whole runs: where these stay for many steps, and where they
// change; with a warning where a branch ends just where the run is.
#include "tests/io/gradient_cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Of the number, between whole runs: where no branch changes, and where changes are kinks of the run, which these have to lie beside.
static const double MOVE = 1e-4, NEAR = 1e-6;

#define REDMAX  "\"redmax\""
#define MAXIMAL "\"maximal\""
static const GradientWay ways[] = {{REDMAX, "symplectic", true}, {REDMAX, "implicit", true},
                                   {REDMAX, "bdf1", true},       {REDMAX, "bdf2", true},
                                   {REDMAX, "sdirk2", true},     {MAXIMAL, "symplectic", false},
                                   {MAXIMAL, "implicit", false}, {MAXIMAL, "bdf2", false}};
enum { WAYS = sizeof ways / sizeof *ways };

// No warning: at no step of these is another branch as near as differences of a step go.
static void check_ways(const char *scene, double move) {
  double worst[WAYS] = {0};
  for (size_t w = 0; w < WAYS; w++)
    cr_expect_eq(gradient_check_scene(scene, NULL, &ways[w], move, &worst[w]), 0, "%s under %s %s", scene,
                 ways[w].solver, ways[w].integrator);
  printf("largest error, of the largest derivative: %s", scene);
  for (size_t w = 0; w < WAYS; w++) printf("  %.1e", worst[w]);
  printf("\n");
}

// How far a step turns a stiff spring goes by the masses of its bodies.
Test(gradient_branches, derivatives_by_masses_on_stiff_springs_are_those_of_whole_runs) {
  double worst = 0;
  gradient_check_scene("swung", NULL, &(GradientWay){"\"redmax\"", "implicit", true}, 1e-4, &worst);
  printf("largest error, of the largest derivative: swung %.1e\n", worst);
}

Test(gradient_branches, derivatives_of_an_arm_that_comes_to_its_limit_and_presses_are_those_of_whole_runs) {
  check_ways("limit", NEAR);
}
Test(gradient_branches, derivatives_of_what_a_taut_rope_holds_are_those_of_whole_runs, TEST_LONG) {
  check_ways("taut", MOVE);
}
Test(gradient_branches, derivatives_of_what_a_rope_catches_are_those_of_whole_runs) {
  check_ways("caught", NEAR);
}

// What rounding leaves of a gap is asked for in a step: moves of a number have to be the longer where branches are told by the step's equations.
Test(gradient_branches, derivatives_where_a_loop_closes_an_arm_at_its_limit_are_those_of_whole_runs) {
  static const double LONG = 1e-3;
  double worst[2] = {0};
  for (size_t w = 0; w < 2; w++) gradient_check_scene("closed_limit", NULL, &ways[w], LONG, &worst[w]);
  printf("largest error, of the largest derivative: closed limit  %.1e  %.1e\n", worst[0], worst[1]);
}

// A motor is nearer to its most than differences of a frame go.
Test(gradient_branches, derivatives_of_a_frame_next_to_a_corner_are_those_of_its_side) {
  double worst = 0;
  gradient_check_scene("at_most", "/time/steps=0", &ways[0], NEAR, &worst);
  printf("largest error, of the largest derivative: at most  %.1e\n", worst);
}

// Dry friction takes integrators of one solution alone.
static const GradientWay rubs[] = {{REDMAX, "symplectic", false},
                                   {REDMAX, "implicit", false},
                                   {MAXIMAL, "symplectic", false},
                                   {MAXIMAL, "implicit", false}};
enum { RUBS = sizeof rubs / sizeof *rubs };

Test(gradient_branches, derivatives_of_joints_that_slide_stop_and_stick_are_those_of_whole_runs) {
  double worst = 0;
  for (size_t w = 0; w < RUBS; w++)
    cr_expect_eq(gradient_check_scene("rubbing", NULL, &rubs[w], NEAR, &worst), 0, "%s %s", rubs[w].solver,
                 rubs[w].integrator);
  printf("largest error, of the largest derivative: rubbing  %.1e\n", worst);
}

// Loads of a thread had rounding of 1e-5 in them, and derivatives by its radius were twice as large and of the other sign.
Test(gradient_branches, derivatives_of_a_thread_and_a_ball_that_rub_are_those_of_whole_runs) {
  double worst = 0;
  for (size_t w = 0; w < RUBS; w++) gradient_check_scene("thread", NULL, &rubs[w], NEAR, &worst);
  printf("largest error, of the largest derivative: thread  %.1e\n", worst);
}

// Back through the run by its equations: what sticks is held, and what slips is pushed with all that it may be.
Test(gradient_branches, derivatives_back_where_joints_slide_stop_and_stick_are_those_of_whole_runs) {
  static const char *const sets[] = {NULL, "/bodies/2/joint/limits=[-0.5,0.5]",
                                     "/constraints=[{\"type\":\"distance\",\"between\":[{\"body\":\"sled\"},{"
                                     "\"body\":\"lower\"}],\"compliance\":1e-3}]"};
  for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
    double worst[2];
    for (size_t w = 0; w < 2; w++) worst[w] = gradient_check_meets("dragging", sets[k], &rubs[w], NEAR);
    printf("largest error back, of what is summed up: dragging %s  %.1e  %.1e\n", sets[k] ? sets[k] : "",
           worst[0], worst[1]);
  }
}

static double end_of(const GradientCase *c, double share) {
  TestRun run = gradient_moved(c, share);
  test_steps(run.sim, mb_model_steps(run.model));
  const double x = test_channel(run.sim, "body.position", NULL)[0];
  test_run_free(&run);
  return x;
}

// The sled is at rest after its last step of slipping, with all of its friction: what is a little slower sticks there before. The mean of the two slopes is nobody's.
Test(gradient_branches, where_a_branch_ends_the_derivative_is_that_of_the_one_taken_and_it_is_told) {
  for (size_t w = 0; w < 2; w++) {
    const GradientCase c = {"halting", NULL, &rubs[w], "speed", 0.390625, NEAR};
    MbReport warned = {0};
    double frame[100], slope[100];
    TestRun at = gradient_moved(&c, 0);
    gradient_by_derivatives(&c, &at, frame, slope, &warned);
    cr_assert_eq(warned.warnings, 1);
    cr_expect_not_null(strstr(warned.issues[0].text, "the branch taken"), "%s", warned.issues[0].text);
    const double x = end_of(&c, 0);
    const double before = (x - end_of(&c, -NEAR)) / NEAR, after = (end_of(&c, NEAR) - x) / NEAR;
    cr_expect_gt(fabs(after - before), 2e-3, "%g %g", before, after);
    cr_expect_lt(fmin(fabs(slope[0] - before), fabs(slope[0] - after)), 1e-6, "%g is neither %g nor %g",
                 slope[0], before, after);
    test_run_free(&at);
  }
}

static bool last(void *to, int64_t step, double t) {
  (void)to, (void)t;
  return step == 5;
}
static void first(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)to, (void)step, (void)t, (void)frame;
  weights[0] = 1;
}

#define FEW                                                                                                  \
  "\"solver\": \"redmax\", \"time\": {\"step\": 0.01, \"steps\": 5}, \"integrator\": \"symplectic\", "       \
  "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "         \
  "\"joint\": "

// How many warnings there are along the run and backwards where the number has this value.
static void warnings_of(const char *text, double value, int warnings[2]) {
  TestRun run[3];
  for (int i = 0; i < 3; i++) {
    char set[48];
    snprintf(set, sizeof set, "/parameters/number=%.17g", value + 1e-6 * (i == 0 ? 0 : i == 1 ? -1 : 1));
    run[i] = test_run(text, (const char *const[]){set, NULL});
  }
  const MbSensitivityNumber number = {"number", run[1].model, run[2].model, 1e-6};
  const MbSensitivityWeights weights = {.wanted = last, .weigh = first};
  for (int back = 0; back < 2; back++) {
    MbReport report = {0};
    MbSensitivity *g = NULL;
    double slope;
    test_ok(mb_sensitivity_create(run[0].model, &number, 1, &g, &report), &report);
    cr_expect_null(mb_sensitivity_by_steps(g));
    for (int k = 0; k < 5 && !back; k++) test_ok(mb_sensitivity_step(g, &report), &report);
    if (back) test_ok(mb_sensitivity_backward(g, 5, 1 << 20, &weights, &slope, NULL, &report), &report);
    warnings[back] = (int)report.warnings;
    mb_sensitivity_free(g);
  }
  for (int i = 0; i < 3; i++) test_run_free(&run[i]);
}

static void expect_told(const char *text, const double *values, size_t n) {
  int warnings[2];
  for (size_t i = 0; i < n; i++) {
    warnings_of(text, values[i], warnings);
    cr_expect_eq(warnings[0], i == 0, "number %g: %d warnings along", values[i], warnings[0]);
    cr_expect_eq(warnings[1], i == 0, "number %g: %d warnings back", values[i], warnings[1]);
  }
}

static bool at_last(void *to, int64_t step, double t) {
  (void)t;
  return step == *(const int64_t *)to;
}

// The same back: the sled comes to rest as its last step of slipping ends; a little faster or slower by more it does not.
Test(gradient_branches, friction_that_is_about_to_hold_is_told_on_the_way_back) {
  static const double speeds[] = {0.390625, 0.392};
  for (size_t k = 0; k < 2; k++) {
    const GradientCase c = {"halting", NULL, &rubs[0], "speed", speeds[k], NEAR};
    MbReport report = {0};
    MbSensitivity *g = NULL;
    TestRun run = gradient_moved(&c, 0), less = gradient_moved(&c, -NEAR), more = gradient_moved(&c, NEAR);
    const MbSensitivityNumber number = {"speed", less.model, more.model, NEAR * speeds[k]};
    int64_t end = mb_model_steps(run.model);
    const MbSensitivityWeights weights = {.to = &end, .wanted = at_last, .weigh = first};
    double slope;
    test_ok(mb_sensitivity_create(run.model, &number, 1, &g, &report), &report);
    test_ok(mb_sensitivity_backward(g, end, 1 << 20, &weights, &slope, NULL, &report), &report);
    cr_expect_eq(report.warnings, k == 0, "%zu warnings", (size_t)report.warnings);
    cr_expect(k == 1 || strstr(report.issues[0].text, "about to slip, or to stick"), "%s",
              report.issues[0].text);
    mb_sensitivity_free(g);
    test_run_free(&run), test_run_free(&less), test_run_free(&more);
  }
}

// At rest on the limit and pressed by nothing: a little more presses, a little less takes it away.
Test(gradient_branches, of_exact_steps_a_limit_that_is_about_to_press_is_told_both_ways) {
  expect_told("{\"mbsim\": 1, \"parameters\": {\"number\": 1}, \"gravity\": [\"=-number\", 0, 0], " FEW
              "{\"type\": \"prismatic\", \"axis\": [1, 0, 0], \"limits\": [0, 1]}}]}",
              (const double[]){0, 0.1, -0.1}, 3);
}

// A rotation vector comes to one turn and a half of π with the last step.
Test(gradient_branches, of_exact_steps_a_rotation_vector_that_is_about_to_be_exchanged_is_told_both_ways) {
  expect_told("{\"mbsim\": 1, \"parameters\": {\"number\": 1}, \"gravity\": [0, 0, 0], " FEW
              "{\"type\": \"spherical\", \"velocity\": [0, \"=number*1.5*pi/0.05\", 0]}}]}",
              (const double[]){1, 1.01, 0.99}, 3);
}

// Just at its soft limit the sled is within it in the first step, and so it is with the limit a little farther out, where x is linear in it. With that farther in the damper
// takes hold a step sooner, by which the middle of both sides grows beyond all bounds as they come nearer.
Test(gradient_branches, soft_limits_that_a_step_begins_at_hold_as_in_the_run) {
  static const GradientWay stopped[] = {{REDMAX, "symplectic", true},   {REDMAX, "implicit", true},
                                        {REDMAX, "trapezoidal", true},  {REDMAX, "bdf2", true},
                                        {MAXIMAL, "symplectic", false}, {MAXIMAL, "implicit", false}};
  for (size_t w = 0; w < sizeof stopped / sizeof *stopped; w++) {
    const GradientCase c = {"stopped", NULL, &stopped[w], "limit", 0.5, NEAR};
    MbReport warned = {0};
    double frame[100], slope[100];
    TestRun at = gradient_moved(&c, 0);
    gradient_by_derivatives(&c, &at, frame, slope, &warned);
    const double within = (end_of(&c, 0) - end_of(&c, -NEAR)) / NEAR;
    test_near(stopped[w].integrator, &slope[0], &within, 1, 1e-8);
    cr_expect_eq(warned.warnings, stopped[w].exact ? 0 : 1);
    test_run_free(&at);
  }
}

// Under `implicit` steps hold what a motor does as it gives way, where it is not at its most, and so they jump where it comes to that. Its force has a corner there, so that
// one step of the 50 may count half.
Test(gradient_branches, a_motor_that_is_just_at_its_most_is_so_on_both_sides) {
  const GradientWay way = {REDMAX, "implicit", true};
  const GradientCase c = {"strained", NULL, &way, "most", 8, NEAR};
  MbReport warned = {0};
  double frame[100], slope[100];
  TestRun at = gradient_moved(&c, 0);
  gradient_by_derivatives(&c, &at, frame, slope, &warned);
  const double weaker = (end_of(&c, 0) - end_of(&c, -NEAR)) / NEAR;
  const double corner = fabs(weaker) / 25;
  test_near("by its most", &slope[0], &weaker, 1, corner);
  test_run_free(&at);
}

Test(gradient_branches, friction_inside_joints_that_is_found_roughly_is_refused_by_name) {
  const GradientCase c = {"rubbing", "/bodies/1/joint/friction/tolerance=1e-6", &ways[0], NULL, 0, 0};
  TestRun run = gradient_moved(&c, 0);
  const char *why = mb_sensitivity_refuses(run.model);
  cr_expect(why && strstr(why, "friction inside joints"), "%s", why ? why : "it is not");
  test_run_free(&run);
}

// A body behind a table: of a force that is held, or of a motion.
#define TABLED(what)                                                                                         \
  "{\"mbsim\": 1, \"parameters\": {\"at\": 0.02}, \"time\": {\"step\": 0.01, \"steps\": 5}, "                \
  "\"integrator\": "                                                                                         \
  "\"bdf2\", \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": "  \
  "1, "                                                                                                      \
  "\"joint\": {\"type\": \"prismatic\", " what "}}]}"
#define TABLE(shape)                                                                                         \
  "{\"times\": [0, \"=at\", 0.04], \"values\": [0, 1, -1], \"interpolation\": \"" shape "\"}"

// Why there is no derivative by the time; "" where there is.
static void why_none(const char *text, double at, char *why, size_t room) {
  MbReport report = {0};
  MbSensitivity *g = NULL;
  TestRun run[3];
  for (int i = 0; i < 3; i++) {
    char set[48];
    snprintf(set, sizeof set, "/parameters/at=%.17g", at + (i == 0 ? 0 : i == 1 ? -1e-8 : 1e-8));
    run[i] = test_run(text, (const char *const[]){set, NULL});
  }
  const MbSensitivityNumber number = {"at", run[1].model, run[2].model, 1e-8};
  if (mb_sensitivity_create(run[0].model, &number, 1, &g, &report) == MB_OK) mb_sensitivity_free(g);
  snprintf(why, room, "%s", report.errors ? report.issues[0].text : "");
  for (int i = 0; i < 3; i++) test_run_free(&run[i]);
}

// A step feels one value or the other, or one rate or the other: by how much a number moves over it is by chance.
Test(gradient_branches, times_at_which_tables_jump_just_at_a_step_are_refused_by_name) {
  static const struct {
    const char *text;
    double at;
    const char *why;
  } cases[] = {{TABLED("\"force\": " TABLE("hold")), 0.02, "jumps"},
               {TABLED("\"force\": " TABLE("hold")), 0.023, "jumps"},
               {TABLED("\"force\": " TABLE("linear")), 0.02, NULL},
               {TABLED("\"motion\": {\"position\": " TABLE("linear") "}"), 0.02, "bends"},
               {TABLED("\"motion\": {\"position\": " TABLE("linear") "}"), 0.023, NULL},
               {TABLED("\"motion\": {\"position\": " TABLE("cubic") "}"), 0.02, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char why[700];
    why_none(cases[i].text, cases[i].at, why, sizeof why);
    cr_expect(cases[i].why ? strstr(why, cases[i].why) != NULL : !*why, "case %zu: %s", i, why);
  }
}
