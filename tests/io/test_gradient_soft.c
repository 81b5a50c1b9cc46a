// Derivatives of runs in which deformables touch bodies and one another, by single steps, against differences of whole runs.
#include "core/sim/touch.h"
#include "tests/io/gradient_cases.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const double NEAR = 1e-6;
#define NEWTON "{\"type\":\"projective\",\"method\":\"newton\",\"iterations\":100,\"tolerance\":1e-12}"

static void check(const char *scene, const GradientWay *way) {
  double worst = 0;
  gradient_check_scene(scene, NULL, way, NEAR, &worst);
  printf("largest error, of the largest derivative: %s under %s %.1e\n", scene, way->solver, worst);
}

Test(gradient_soft, derivatives_of_what_lands_softly_are_those_of_whole_runs) {
  check("soft_landing", &(GradientWay){"\"redmax\"", "implicit", false});
}

// The run's own step has another contact than one of those beside it: the derivative is that of the other side's, and that is told. It is so of one
// speed in a million million, in the release build's own rounding.
Test(gradient_soft, derivatives_where_a_step_jumps_are_those_of_the_side_that_does_not, TEST_LONG) {
  double worst = 0;
  cr_expect_gt(gradient_check_ways("soft_jump", &(GradientWay){"\"redmax\"", "implicit", false}, &worst), 0);
  printf("largest difference, of what is summed up: along a run that jumps beside itself %.1e\n", worst);
}

// Returns in how many of a run's steps contacts push.
static size_t steps_that_push(const char *scene, const char *set, const GradientWay *way) {
  TestRun run = gradient_moved(&(GradientCase){.scene = scene, .material = set, .way = way}, 0);
  size_t steps = 0;
  for (int64_t k = 0; k < mb_model_steps(run.model); k++) {
    test_steps(run.sim, 1);
    steps += run.sim->touching->last.n > 0;
  }
  test_run_free(&run);
  return steps;
}

// Back through the run nodes, faces and edges that touch are told by the step's equations, whatever they touch.
static void check_back(const char *scene, const char *set, const char *solver) {
  const GradientWay way = {solver, "implicit", false};
  cr_expect_gt(steps_that_push(scene, set, &way), 0, "%s: nothing touches", scene);
  printf("largest error back, of what is summed up: %s %s under %s %.1e\n", scene, set ? set : "", solver,
         gradient_check_meets(scene, set, &way, NEAR));
}

Test(gradient_soft, derivatives_back_through_soft_contact_are_those_of_whole_runs) {
  check_back("soft_paw", "/time/duration=0.06", "\"redmax\"");
  check_back("soft_led", "/time/duration=0.03", NEWTON);
  check_back("soft_edges", NULL, NEWTON);
}

Test(gradient_soft, derivatives_back_through_soft_contact_of_every_kind_are_those_of_whole_runs, TEST_LONG) {
  static const char *const projected = "{\"type\":\"maximal\",\"project\":true}";
  check_back("soft_led", NULL, NEWTON);
  check_back("soft_led", "/contact/compliance=1e-5", NEWTON);
  check_back("draping", NULL, NEWTON);
  check_back("draping", "/contact/cone=\"box\"", NEWTON);
  check_back("soft_led", "/contact/cone=\"pyramid\"", NEWTON);
  check_back("soft_paw", "/contact/cone=\"pyramid\"", "\"redmax\"");
  check_back("soft_landing", NULL, "\"redmax\"");
  check_back("soft_landing", "/contact/compliance=1e-5", "\"redmax\"");
  check_back("draping", NULL, "\"redmax\"");
  check_back("soft_corners", NULL, "\"redmax\"");
  check_back("soft_corners", NULL, projected);
  check_back("soft_floating", NULL, "\"redmax\"");
  check_back("soft_floating", NULL, projected);
  check_back("soft_paw", NULL, "\"redmax\"");
  check_back("soft_paw", "/deformables/0/attach/0/enforce=\"reduction\"", "\"redmax\"");
}

// Bodies that move beside nodes that solver projective moves: what grips, is squeezed, pushed, turned and thrown.
Test(gradient_soft, derivatives_back_where_moving_bodies_touch_what_is_soft_are_those_of_whole_runs,
     TEST_LONG) {
  check_back("soft_squeeze", NULL, NEWTON);
  check_back("soft_squeeze", "/contact/cone=\"pyramid\"", NEWTON);
  check_back("soft_squeeze", "/contact/compliance=1e-5", NEWTON);
  check_back("soft_grip", NULL, NEWTON);
  check_back("soft_arm", NULL, NEWTON);
  check_back("soft_hit", NULL, NEWTON);
  check_back("soft_landing", NULL, NEWTON);
  check_back("soft_corners", NULL, NEWTON);
  check_back("soft_paw", NULL, NEWTON);
  check_back("soft_sprung", NULL, NEWTON);
}

// What is parted goes by masses of nodes, which densities change.
Test(gradient_soft, derivatives_by_densities_of_what_is_parted_are_those_of_whole_runs) {
  check_back("soft_pair", NULL, NEWTON);
}

// Nodes that forces hold are none of those that what is parted goes by.
Test(gradient_soft, derivatives_of_what_is_parted_beside_a_node_that_a_force_holds_are_those_of_whole_runs) {
  check_back("soft_port", NULL, NEWTON);
}

// Deformables that take no part in contact are moved by nothing of it, and there is nothing of theirs to be looked at behind the step.
Test(gradient_soft, bodies_that_are_parted_beside_what_takes_no_part_in_contact_are_refused_on_the_way_back) {
  static const GradientWay way = {NEWTON, "implicit", false};
  const GradientCase c = {"soft_aside", NULL, &way, "damp", 0.05, NEAR};
  MbReport report = {0};
  double back = 0;
  cr_expect_neq(gradient_back_from(&c, 5, &back, &report), MB_OK);
  cr_assert_gt(report.kept, 0);
  const char *told = report.issues[report.kept - 1].text;
  cr_expect(strstr(told, "bodies were parted from one another beside deformables"), "\"%s\"", told);
}

// Cloth is stiff along itself and light: steps under "maximal" tell derivatives of it by its stiffness to 4e-6.
Test(gradient_soft, derivatives_under_other_solvers_are_those_of_whole_runs, TEST_LONG) {
  static const GradientWay maximal = {"\"maximal\"", "implicit", false}, newton = {NEWTON, "implicit", false};
  check("soft_landing", &maximal);
  check("soft_landing", &newton);
  check("draping", &newton);
}
