// Derivatives of runs of scenes in tests/gradient against differences of whole runs, by every parameter of theirs: of deformables of every material,
// where nodes are bodies, exact and by single steps, and under solver projective; of what spins.
#include "core/base/alloc.h"
#include "tests/io/gradient_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const GradientWay ways[] = {{"\"redmax\"", "bdf1", true},
                                   {"\"redmax\"", "bdf2", true},
                                   {"\"redmax\"", "sdirk2", true},
                                   {"\"redmax\"", "implicit", true},
                                   {"\"maximal\"", "implicit", false},
                                   {"\"redmax\"", "trapezoidal", true},
                                   {"{\"type\":\"projective\",\"method\":\"newton\"}", "implicit", false}};
enum { WAYS = sizeof ways / sizeof *ways };
static const double MOVE = 1e-3,
                    WIDE = 1e-2; // of numbers by which nothing bends, where rounding of gaps weighs on less

static void tell(const char *what, const double worst[WAYS]) {
  printf("largest error, of the largest derivative: %s", what);
  for (size_t w = 0; w < WAYS; w++) printf("  %.1e", worst[w]);
  printf("\n");
}

static void check_ways(const char *scene) {
  double worst[WAYS] = {0};
  for (size_t w = 0; w < WAYS; w++) gradient_check_scene(scene, NULL, &ways[w], MOVE, &worst[w]);
  tell(scene, worst);
}

Test(gradient_deformables, derivatives_by_every_number_of_every_material_are_those_of_whole_runs, TEST_LONG) {
  for (size_t m = 0; mb_elastic_words[m]; m++) {
    double worst[WAYS] = {0};
    for (size_t w = 0; w < WAYS; w++)
      gradient_check_scene("beam", mb_elastic_words[m], &ways[w], MOVE, &worst[w]);
    tell(mb_elastic_words[m], worst);
  }
}

Test(gradient_deformables, derivatives_by_numbers_of_bodies_that_carry_deformables_are_those_of_whole_runs,
     TEST_LONG) {
  check_ways("hand");
}
Test(gradient_deformables, derivatives_by_fibres_and_wind_are_those_of_whole_runs, TEST_LONG) {
  check_ways("muscle");
}
// Fibres at rest stand at a corner: numbers that move where nodes are held, or what they are at rest, must not take them across it.
Test(gradient_deformables, fibres_at_rest_stay_on_their_side_while_a_number_is_moved) {
  static const GradientWay exact[] = {{"\"redmax\"", "symplectic", true},
                                      {"\"redmax\"", "implicit", true},
                                      {"\"redmax\"", "trapezoidal", true},
                                      {"\"redmax\"", "bdf1", true},
                                      {"\"redmax\"", "sdirk2", true}};
  double worst = 0;
  for (size_t w = 0; w < sizeof exact / sizeof *exact; w++)
    gradient_check_scene("slack", NULL, &exact[w], MOVE, &worst);
  printf("largest error, of the largest derivative: slack  %.1e\n", worst);
}
Test(gradient_deformables, derivatives_by_numbers_of_cloth_that_bends_are_those_of_whole_runs, TEST_LONG) {
  check_ways("cloth");
}
Test(gradient_deformables, derivatives_by_pressure_inside_are_those_of_whole_runs, TEST_LONG) {
  check_ways("balloon");
}

static void refused(const char *solver, const char *set, const char *why) {
  char chosen[200];
  snprintf(chosen, sizeof chosen, "/solver=%s", solver);
  const char *const sets[] = {chosen, set, NULL};
  char *text = test_text_of("tests/gradient/beam.json");
  TestRun run = test_run(text, sets);
  free(text);
  const MbSensitivityNumber number = {"p", run.model, run.model, 1};
  MbSensitivity *gradient = NULL;
  MbReport report = {0};
  cr_expect_eq(mb_sensitivity_create(run.model, &number, 1, &gradient, &report), MB_SCENE);
  cr_expect_not_null(strstr(report.issues[0].text, why), "%s", report.issues[0].text);
  mb_sensitivity_free(gradient);
  test_run_free(&run);
}

Test(gradient_deformables, steps_that_are_not_solved_to_their_end_have_no_derivative) {
  refused("\"projective\"", NULL, "solved to its end");
  refused("{\"type\":\"projective\",\"method\":\"newton\",\"tolerance\":1e-6}", NULL, "solved to its end");
  refused("{\"type\":\"projective\",\"method\":\"newton\"}", "/output/channels=[\"solver\"]",
          "output has others");
}

// Steps of first order carry the spin of a body free in space, and exchange rotation vectors that have become long.
// Velocity terms that are carried leave nothing to differentiate in a free body's spin; explicit ones are forces on it, under the same solver.
Test(gradient_spins, derivatives_of_a_free_body_are_those_of_whole_runs_however_its_velocity_terms_act) {
  static const GradientWay free[] = {
      {"\"redmax\"", "symplectic", true},
      {"\"maximal\"", "implicit", true},
      {"{\"type\":\"maximal\",\"velocity_terms\":\"explicit\"}", "symplectic", false},
      {"{\"type\":\"maximal\",\"velocity_terms\":\"explicit\"}", "implicit", false}};
  double worst = 0;
  for (size_t w = 0; w < sizeof free / sizeof *free; w++)
    gradient_check_scene("tumbling", NULL, &free[w], 1e-4, &worst);
  printf("largest error, of the largest derivative: tumbling  %.1e\n", worst);
}

Test(gradient_spins, derivatives_of_bodies_that_turn_often_are_those_of_whole_runs) {
  static const GradientWay turning[] = {{"\"redmax\"", "symplectic", true},
                                        {"\"redmax\"", "implicit", true},
                                        {"\"redmax\"", "trapezoidal", true}};
  double worst[3] = {0};
  for (size_t w = 0; w < 3; w++)
    cr_expect_eq(gradient_check_scene("spins", NULL, &turning[w], 1e-4, &worst[w]), 0);
  printf("largest error, of the largest derivative: spins  %.1e  %.1e  %.1e\n", worst[0], worst[1], worst[2]);
}

// A little of a moment turns principal axes far, in which coordinates of bodies free in space and under solver maximal are told: of such turns nothing may be left in what bodies do.
Test(gradient_spins, derivatives_by_moments_that_are_nearly_the_same_are_those_of_whole_runs) {
  static const GradientWay turning[] = {
      {"\"redmax\"", "symplectic", true},   {"\"redmax\"", "implicit", true},
      {"\"redmax\"", "trapezoidal", true},  {"\"redmax\"", "bdf1", true},
      {"\"redmax\"", "bdf2", true},         {"\"redmax\"", "sdirk2", true},
      {"\"maximal\"", "symplectic", false}, {"\"maximal\"", "bdf2", false}};
  double worst[8] = {0};
  for (size_t w = 0; w < 8; w++) gradient_check_scene("turning_axes", NULL, &turning[w], WIDE, &worst[w]);
  printf("largest error, of the largest derivative: turning axes");
  for (size_t w = 0; w < 8; w++) printf("  %.1e", worst[w]);
  printf("\n");
}

// The ends of constraints on bodies free in space, and joints' frames under solver maximal, are told from the centre of mass, which such a number moves with the axes.
Test(gradient_spins, derivatives_by_what_moves_centres_and_axes_are_those_of_whole_runs) {
  static const GradientWay ways_of[] = {{"\"redmax\"", "symplectic", true},  {"\"redmax\"", "implicit", true},
                                        {"\"redmax\"", "trapezoidal", true}, {"\"redmax\"", "bdf1", true},
                                        {"\"redmax\"", "bdf2", true},        {"\"redmax\"", "sdirk2", true},
                                        {"\"maximal\"", "implicit", false}};
  double worst[7] = {0};
  for (size_t w = 0; w < 7; w++) gradient_check_scene("shifted", NULL, &ways_of[w], MOVE, &worst[w]);
  printf("largest error, of the largest derivative: shifted");
  for (size_t w = 0; w < 7; w++) printf("  %.1e", worst[w]);
  printf("\n");
}

// Where they turn slowly the midpoint rule takes three passes, whose matrices have joints' springs, dampers and motors along velocities.
Test(gradient_spins, derivatives_of_sprung_joints_that_turn_about_any_axis_are_those_of_whole_runs) {
  static const GradientWay passes = {"\"redmax\"", "trapezoidal", true},
                           dense = {"{\"type\":\"redmax\",\"dynamics\":\"dense\"}", "trapezoidal", true};
  double worst = 0;
  cr_expect_eq(gradient_check_scene("balls", NULL, &passes, MOVE, &worst), 0);
  cr_expect_eq(gradient_check_scene("balls", NULL, &dense, MOVE, &worst), 0);
  printf("largest error, of the largest derivative: balls  %.1e\n", worst);
}

Test(gradient_constraints, derivatives_of_what_rolls_and_of_what_is_driven_are_those_of_whole_runs,
     TEST_LONG) {
  static const char *const names[] = {"rolls", "driven"};
  static const GradientWay exact[] = {{"\"redmax\"", "bdf1", true},
                                      {"\"redmax\"", "bdf2", true},
                                      {"\"redmax\"", "sdirk2", true},
                                      {"\"redmax\"", "symplectic", true},
                                      {"\"redmax\"", "implicit", true}};
  enum { EXACT = sizeof exact / sizeof *exact };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    double worst[EXACT] = {0};
    for (size_t k = 0; k < EXACT; k++) gradient_check_scene(names[i], NULL, &exact[k], MOVE, &worst[k]);
    printf("largest error, of the largest derivative: %s", names[i]);
    for (size_t k = 0; k < EXACT; k++) printf("  %.1e", worst[k]);
    printf("\n");
  }
}

// The midpoint rule asks rows by three places in each of its passes, and makes velocities agree at its end: of what is driven, and of what spins so fast that more passes follow.
Test(gradient_constraints, derivatives_of_what_is_driven_under_the_midpoint_rule_are_those_of_whole_runs,
     TEST_LONG) {
  static const char *const solvers[] = {
      "\"redmax\"", "{\"type\":\"redmax\",\"stabilization\":{\"type\":\"baumgarte\",\"gamma\":30}}",
      "{\"type\":\"redmax\",\"dynamics\":\"dense\",\"stabilization\":\"none\"}"};
  double worst = 0;
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    const GradientWay passes = {solvers[i], "trapezoidal", true};
    cr_expect_eq(gradient_check_scene("driven", NULL, &passes, MOVE, &worst), 0);
    cr_expect_eq(gradient_check_scene("tied", NULL, &passes, 1e-4, &worst), 0);
  }
  printf("largest error, of the largest derivative: driven and tied  %.1e\n", worst);
}

#define SPRING                                                                                               \
  "{\"type\":\"spring\",\"between\":[{\"body\":\"two\",\"at\":[0.05,0.1,0]},{\"body\":\"free\",\"at\":[0,0." \
  "1,0.1]}],"                                                                                                \
  "\"stiffness\":\"=gain*50\",\"damping\":\"=30*damping\",\"length\":\"=length\"}"
#define DAMPING "{\"type\":\"damping\",\"coefficient\":\"=4*damping\"}"
#define MUSCLE                                                                                               \
  "{\"type\":\"muscle\",\"path\":[{\"body\":\"one\",\"at\":[0.1,0.05,0]},{\"body\":\"two\",\"at\":[0,0.1,0." \
  "1]}],"                                                                                                    \
  "\"max_force\":5,\"activation\":\"=gain/2\",\"optimal_length\":0.2,\"tendon_length\":0.1}"

// Of forces on bodies A has K and D at the last pass, where velocities are made to agree elsewhere.
Test(gradient_constraints,
     derivatives_of_what_is_tied_and_pulled_under_the_midpoint_rule_are_those_of_whole_runs, TEST_LONG) {
  static const char *const forces[] = {"/forces=[" SPRING "," DAMPING "]", "/forces=[" MUSCLE "," DAMPING "]",
                                       "/forces=[" SPRING "," MUSCLE "]"};
  static const GradientWay passes = {"\"redmax\"", "trapezoidal", true};
  double worst = 0;
  for (size_t i = 0; i < sizeof forces / sizeof *forces; i++)
    cr_expect_eq(gradient_check_scene("tied", forces[i], &passes, 1e-4, &worst), 0);
  cr_expect_eq(gradient_check_scene("curtain", NULL, &passes, MOVE, &worst), 0);
  printf("largest error, of the largest derivative: tied and pulled  %.1e\n", worst);
}

// Rows that say the same as others, that hold nothing which could move, and that move what is far lighter than what others move.
Test(gradient_constraints, derivatives_where_rows_are_of_little_use_are_those_of_whole_runs, TEST_LONG) {
  static const char *const names[] = {"shares", "idle", "unequal"};
  static const char *const solvers[] = {"\"redmax\"", "{\"type\":\"redmax\",\"dynamics\":\"recursive\"}"};
  static const char *const integrators[] = {"bdf1",       "bdf2",     "sdirk2",
                                            "symplectic", "implicit", "trapezoidal"};
  enum { INTEGRATORS = sizeof integrators / sizeof *integrators };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    double worst[INTEGRATORS] = {0};
    for (size_t k = 0; k < 2 * INTEGRATORS; k++) {
      const GradientWay exact = {solvers[k % 2], integrators[k / 2], true};
      cr_expect_eq(gradient_check_scene(names[i], NULL, &exact, 1e-4, &worst[k / 2]), 0);
    }
    printf("largest error, of the largest derivative: %s", names[i]);
    for (size_t k = 0; k < INTEGRATORS; k++) printf("  %.1e", worst[k]);
    printf("\n");
  }
}

// Of every kind of constraint.
static void check_constraints(const char *scene, const GradientWay *ways_of, size_t n) {
  double worst[8] = {0};
  for (size_t i = 0; i < GRADIENT_CONSTRAINTS; i++)
    for (size_t k = 0; k < n; k++)
      gradient_check_scene(scene, gradient_constraints[i], &ways_of[k], MOVE, &worst[k]);
  printf("largest error, of the largest derivative: constraints of %s", scene);
  for (size_t k = 0; k < n; k++) printf("  %.1e", worst[k]);
  printf("\n");
}

// What closes a loop about an axis next to −z: frames there were those of −z up to a millionth, and had lost digits behind it.
Test(gradient_constraints, derivatives_by_what_tilts_an_axis_opposite_to_z_are_those_of_whole_runs) {
  static const GradientWay ways_of[] = {{"\"redmax\"", "symplectic", true}, {"\"redmax\"", "bdf1", true}};
  double worst = 0;
  for (size_t k = 0; k < 2; k++)
    gradient_check_scene("chains", GRADIENT_CLOSURE("{\"type\":\"revolute\",\"axis\":[0,\"=mass-1\",-1]}"),
                         &ways_of[k], 1e-4, &worst);
  printf("largest error, of the largest derivative: opposite to z  %.1e\n", worst);
}

// Tilted the other way the frame turns over, and forces of rows were those of the others' negative: the derivative had the other sign.
Test(gradient_constraints, what_turns_the_frame_of_a_constraint_over_has_no_derivative) {
  static const GradientWay way = {"\"redmax\"", "symplectic", true};
  static const char *const turned = GRADIENT_CLOSURE("{\"type\":\"revolute\",\"axis\":[\"=mass-1\",0,-1]}");
  const GradientCase c = {"chains", turned, &way, "mass", 1, 0};
  TestRun run = gradient_moved(&c, 0), less = gradient_moved(&c, -1e-5), more = gradient_moved(&c, 1e-5);
  const MbSensitivityNumber number = {"mass", less.model, more.model, 1e-5};
  MbSensitivity *told = NULL;
  MbReport report = {0};
  cr_expect_eq(mb_sensitivity_create(run.model, &number, 1, &told, &report), MB_SCENE);
  cr_expect_not_null(strstr(report.issues[0].text, "opposite to z"), "%s", report.issues[0].text);
  mb_sensitivity_free(told);
  test_run_free(&less), test_run_free(&more), test_run_free(&run);
}

static void check_first_order(const char *scene) {
  static const GradientWay first_order[] = {{"\"redmax\"", "symplectic", true},
                                            {"\"redmax\"", "implicit", true}};
  double worst[2] = {0};
  for (size_t k = 0; k < 2; k++) gradient_check_scene(scene, NULL, &first_order[k], MOVE, &worst[k]);
  printf("largest error, of the largest derivative: %s  %.1e  %.1e\n", scene, worst[0], worst[1]);
}

// Of a body whose axes turn far for a little of its moments: what is left of the square of a turn is asked for in a step, of a gap.
Test(gradient_constraints, derivatives_back_by_moments_that_are_nearly_the_same_are_those_of_whole_runs) {
  static const GradientWay way = {"\"redmax\"", "symplectic", true};
  printf("largest error back, of what is summed up: nearly round  %.1e\n",
         gradient_check_meets("nearly_round", "/time/steps=1", &way, 1e-4));
}

// What several numbers change of one parameter of a constraint, as of the length at the start, is found once for all of them.
Test(gradient_constraints, numbers_that_change_the_same_of_a_constraint_are_told_apart) {
  static const char *const integrators[] = {"symplectic", "implicit", "trapezoidal", "bdf1"};
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < 4; k++)
      gradient_check_together("chains", gradient_lengths[i],
                              &(GradientWay){"\"redmax\"", integrators[k], true});
}

// Accelerations have them under steps of one solution alone.
Test(gradient_constraints, derivatives_of_what_is_accelerated_are_those_of_whole_runs) {
  check_first_order("accelerated");
}
Test(gradient_constraints, derivatives_of_nodes_that_follow_others_by_rows_are_those_of_whole_runs) {
  check_first_order("curtain");
}

Test(gradient_constraints, derivatives_of_every_kind_of_constraint_are_those_of_whole_runs, TEST_LONG) {
  static const GradientWay of[] = {{"\"redmax\"", "bdf1", true},
                                   {"\"redmax\"", "bdf2", true},
                                   {"\"redmax\"", "sdirk2", true},
                                   {"\"redmax\"", "symplectic", true},
                                   {"\"redmax\"", "implicit", true},
                                   {"{\"type\":\"redmax\",\"dynamics\":\"dense\"}", "symplectic", true},
                                   {"\"redmax\"", "trapezoidal", true},
                                   {"\"redmax\"", "bridson_marino", false}};
  check_constraints("chains", of, sizeof of / sizeof *of);
}
