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
static const GradientWay ways[] = {{REDMAX, "symplectic", false}, {REDMAX, "implicit", false},
                                   {REDMAX, "bdf1", false},       {REDMAX, "bdf2", false},
                                   {REDMAX, "sdirk2", false},     {MAXIMAL, "symplectic", false},
                                   {MAXIMAL, "implicit", false},  {MAXIMAL, "bdf2", false}};
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

Test(gradient_branches, derivatives_of_an_arm_that_comes_to_its_limit_and_presses_are_those_of_whole_runs) {
  check_ways("limit", NEAR);
}
Test(gradient_branches, derivatives_of_what_a_taut_rope_holds_are_those_of_whole_runs) {
  check_ways("taut", MOVE);
}
Test(gradient_branches, derivatives_of_what_a_rope_catches_are_those_of_whole_runs) {
  check_ways("caught", NEAR);
}

// Dry friction takes integrators of one solution alone.
Test(gradient_branches, derivatives_of_joints_that_slide_stop_and_stick_are_those_of_whole_runs) {
  double worst = 0;
  for (size_t w = 0; w < WAYS; w++)
    if (!strcmp(ways[w].integrator, "symplectic") || !strcmp(ways[w].integrator, "implicit"))
      cr_expect_eq(gradient_check_scene("rubbing", NULL, &ways[w], NEAR, &worst), 0, "%s %s", ways[w].solver,
                   ways[w].integrator);
  printf("largest error, of the largest derivative: rubbing  %.1e\n", worst);
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
    const GradientCase c = {"halting", NULL, &ways[w], "speed", 0.390625, NEAR};
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

Test(gradient_branches, friction_inside_joints_that_is_found_roughly_is_refused_by_name) {
  const GradientCase c = {"rubbing", "/bodies/1/joint/friction/tolerance=1e-6", &ways[0], NULL, 0, 0};
  TestRun run = gradient_moved(&c, 0);
  const char *why = mb_sensitivity_refuses(run.model);
  cr_expect(why && strstr(why, "friction inside joints"), "%s", why ? why : "it is not");
  test_run_free(&run);
}
