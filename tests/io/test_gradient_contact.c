// Derivatives of runs in which bodies touch, against differences of whole runs. Where contacts begin, end, and come to slide are kinks of the run:
// whole runs on both sides have to lie near.
#include "core/base/alloc.h"
#include "tests/io/gradient_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double NEAR = 1e-6;

static void check_scene(const char *scene) {
  static const GradientWay steps[] = {{"\"redmax\"", "symplectic", false},
                                      {"\"redmax\"", "implicit", false},
                                      {"\"maximal\"", "symplectic", false}};
  double worst[3] = {0};
  for (size_t w = 0; w < 3; w++) gradient_check_scene(scene, NULL, &steps[w], NEAR, &worst[w]);
  printf("largest error, of the largest derivative: %s  %.1e  %.1e  %.1e\n", scene, worst[0], worst[1],
         worst[2]);
}

Test(gradient_contact, derivatives_of_balls_that_touch_are_those_of_whole_runs, TEST_LONG) {
  check_scene("rolling");
  check_scene("colliding");
  check_scene("foot");
}

Test(gradient_contact, derivatives_of_a_box_that_tips_over_its_edge_are_those_of_whole_runs) {
  check_scene("tipping");
}

// The next step begins at the impulses of this one, which change with the number as well.
Test(gradient_contact, derivatives_where_loads_are_not_unique_are_those_of_whole_runs) {
  check_scene("sliding");
}

// A step beside the run's parts what is deep as often as that, and closes the same contacts, however little deep they are.
Test(gradient_contact, derivatives_of_what_is_deep_and_is_parted_are_those_of_whole_runs) {
  check_scene("rod");
}

Test(gradient_contact, derivatives_of_a_leg_that_hops_are_those_of_whole_runs, TEST_LONG) {
  check_scene("hopping");
}

// Back through the run what has touched is told by its equations, step by step.
Test(gradient_contact, derivatives_back_through_contact_are_those_of_whole_runs, TEST_LONG) {
  static const GradientWay ways[] = {{"\"redmax\"", "symplectic", false}, {"\"redmax\"", "implicit", false}};
  static const struct {
    const char *scene, *set;
  } cases[] = {{"rolling", NULL},   {"colliding", NULL},
               {"foot", NULL},      {"tipping", NULL},
               {"rod", NULL},       {"hopping", NULL},
               {"rolling", "/contact/compliance=1e-4"}, {"hopping", "/contact/compliance=2e-5"},
               {"hopping", "/bodies/3/joint/limits=[-0.85,-0.75]"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double worst[2];
    for (size_t w = 0; w < 2; w++) worst[w] = gradient_check_meets(cases[k].scene, cases[k].set, &ways[w], NEAR);
    printf("largest error back, of what is summed up: %s %s  %.1e  %.1e\n", cases[k].scene,
           cases[k].set ? cases[k].set : "", worst[0], worst[1]);
  }
}

// The run's own decisions are its state's: what a step beside it has been told is no part of them.
Test(gradient_contact, a_run_with_derivatives_beside_is_the_run) {
  static const GradientWay symplectic = {"\"redmax\"", "symplectic", false};
  const GradientCase c = {"rod", NULL, &symplectic, "mu", 0.3, NEAR};
  TestRun run = gradient_moved(&c, 0), alone = gradient_moved(&c, 0);
  MbReport report = {0};
  double frame[64], slope[64], wanted[64];
  const size_t size = mb_sim_frame_size(run.sim);
  cr_assert_leq(size, 64);
  gradient_by_derivatives(&c, &run, frame, slope, &report);
  test_steps(alone.sim, mb_model_steps(alone.model));
  test_ok(mb_sim_sample(alone.sim, wanted, &report), &report);
  cr_expect_arr_eq(frame, wanted, size * sizeof *frame);
  test_run_free(&run), test_run_free(&alone);
}

// A box that stands on the floor is lifted off by its own height, and pressed in by less of it.
Test(gradient_contact, a_number_that_lifts_off_what_rests_is_told) {
  static const GradientWay symplectic = {"\"redmax\"", "symplectic", false};
  static const char *const shifted = "/bodies/1/pose/position/2=\"=height - 0.2\"";
  const GradientCase rests = {"tipping", NULL, &symplectic, "height", 0.4, NEAR},
                     lifted = {"tipping", shifted, &symplectic, "height", 0.4, NEAR};
  const GradientCase *const cases[] = {&rests, &lifted};
  for (size_t k = 0; k < 2; k++) {
    MbReport warned = {0};
    double frame[64], slope[64];
    TestRun run = gradient_moved(cases[k], 0);
    gradient_by_derivatives(cases[k], &run, frame, slope, &warned);
    cr_expect_eq(warned.warnings, k, "%zu warnings", (size_t)warned.warnings);
    cr_expect(k == 0 || strstr(warned.issues[0].text, "contact"), "%s", warned.issues[0].text);
    test_run_free(&run);
  }
}

// The box of tests/gradient/sliding.json, which begins at a height, in a run of one step.
static TestRun box_at(double height) {
  char set[80];
  snprintf(set, sizeof set, "/bodies/1/pose/position/2=%.17g", height);
  const char *const sets[] = {"/time={\"step\": 0.005, \"steps\": 1}", "/integrator=\"symplectic\"", set,
                              NULL};
  char *text = test_text_of("tests/gradient/sliding.json");
  const TestRun run = test_run(text, sets);
  free(text);
  return run;
}

// Where the run closes what touches, or parts what is deep by just more than the slop, so do the steps beside it, which begin above and below:
// the box comes to lie on the floor in all of them. What is deep by just less stays so in all.
Test(gradient_contact, steps_beside_a_run_decide_by_its_depths) {
  enum { HEIGHT = 5 }; // of the box, in a frame
  static const double least = 0.05, slop = 1e-6 * 0.05, move = 1e-9;
  const struct {
    double begin, kept;
  } cases[] = {{least, 0}, {least - 1.001 * slop, 0}, {least - 0.999 * slop, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    MbReport report = {0};
    double frame[64], slope[64];
    TestRun run = box_at(cases[k].begin), less = box_at(cases[k].begin - move),
            more = box_at(cases[k].begin + move);
    const MbSensitivityNumber number = {"height", less.model, more.model, move};
    MbSensitivity *gradient = NULL;
    test_ok(mb_sensitivity_create(run.model, &number, 1, &gradient, &report), &report);
    test_ok(mb_sensitivity_step(gradient, &report), &report);
    test_ok(mb_sensitivity_frame(gradient, frame, slope, &report), &report);
    cr_expect_float_eq(slope[HEIGHT], cases[k].kept, 1e-5, "from %.17g: %g", cases[k].begin, slope[HEIGHT]);
    mb_sensitivity_free(gradient);
    test_run_free(&run), test_run_free(&less), test_run_free(&more);
  }
}

static void refused(const char *set, const char *why) {
  const char *const sets[] = {"/integrator=\"symplectic\"", set, NULL};
  char *text = test_text_of("tests/gradient/rolling.json");
  TestRun run = test_run(text, sets);
  free(text);
  const char *told = mb_sensitivity_refuses(run.model);
  cr_expect(told && strstr(told, why), "%s: %s", set, told);
  test_run_free(&run);
}

Test(gradient_contact, contacts_that_differences_do_not_follow_are_refused_by_name) {
  refused("/bodies/1/shape/restitution=0.5", "restitution");
  refused("/contact={}", "1e-12");
}
