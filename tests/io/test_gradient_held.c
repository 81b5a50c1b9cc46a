// Derivatives backwards under solver "maximal", where joints are rows, of scenes in tests/gradient, against differences of whole runs by every parameter
// of theirs: constraints of every kind, limits, ropes, dry friction, what is driven, pulled and made of elements.
#include "tests/io/gradient_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const GradientWay ways[2] = {{"\"maximal\"", "symplectic", false}, {"\"maximal\"", "implicit", false}};
static const GradientWay of_stages[3] = {
    {"\"maximal\"", "bdf1", false}, {"\"maximal\"", "bdf2", false}, {"\"maximal\"", "sdirk2", false}};
static const double MOVE = 1e-3, FEW = 1e-4, NEAR = 1e-6,
                    WIDE = 1e-2; // of numbers by which nothing bends, where rounding of gaps weighs on less

static void check(const char *scene, const char *set, double move) {
  double worst[2];
  for (size_t w = 0; w < 2; w++) worst[w] = gradient_check_meets(scene, set, &ways[w], move);
  printf("largest error back, of what is summed up: %s %s  %.1e  %.1e\n", scene, set ? set : "", worst[0],
         worst[1]);
}

// What is driven at a rate along an axis that turns with the arm that carries it. The numbers move the joint's frames and centres of mass, and turn its axis; one moves a frame, and nothing else that has to be
// asked for at each step.
enum { DRIVEN = 4 };
static const char *const driven[DRIVEN] = {
    "\"prismatic\",\"motion\":{\"velocity\":\"=start-0.3+t\"},\"axis\":[\"=0.3+start\",1,0.2]",
    "\"screw\",\"pitch\":0.1,\"motion\":{\"velocity\":\"=start+t\"},\"axis\":[\"=0.6+start\",1,0]",
    "\"universal\",\"motion\":{\"velocity\":[\"=start\",\"=t\"]}",
    "\"revolute\",\"motion\":{\"velocity\":\"=start\"},\"axis\":[\"=0.6+start\",1,0]"};

static void check_stages(const char *scene, const char *set, double move) {
  double worst[3];
  for (size_t w = 0; w < 3; w++) worst[w] = gradient_check_meets(scene, set, &of_stages[w], move);
  printf("largest error back through stages, of what is summed up: %s %s  %.1e  %.1e  %.1e\n", scene,
         set ? set : "", worst[0], worst[1], worst[2]);
}

Test(gradient_held, derivatives_back_through_stages_by_every_kind_of_constraint_are_those_of_whole_runs,
     TEST_LONG) {
  for (size_t i = 0; i < GRADIENT_CONSTRAINTS; i++) check_stages("chains", gradient_constraints[i], MOVE);
}

Test(gradient_held, derivatives_back_through_stages_of_what_is_tied_and_driven_are_those_of_whole_runs,
     TEST_LONG) {
  check_stages("rolls", NULL, MOVE);
  check_stages("driven", NULL, MOVE);
  check_stages("tied", NULL, FEW);
  check_stages("shares", NULL, FEW);
  check_stages("idle", NULL, FEW);
  check_stages("unequal", NULL, FEW);
}

Test(gradient_held, derivatives_back_through_stages_of_what_is_sprung_and_spins_are_those_of_whole_runs,
     TEST_LONG) {
  check_stages("balls", NULL, MOVE);
  check_stages("spins", NULL, FEW);
  check_stages("led", NULL, FEW);
  check_stages("given", NULL, FEW);
  check_stages("adrift", NULL, MOVE);
}

Test(gradient_held, derivatives_back_through_stages_by_what_turns_axes_are_those_of_whole_runs) {
  check_stages("turning_axes", NULL, WIDE);
  check_stages("shifted", NULL, MOVE);
}

Test(gradient_held, derivatives_back_through_stages_of_deformables_on_bodies_are_those_of_whole_runs,
     TEST_LONG) {
  check_stages("hand", "/deformables/0/attach/0/enforce=\"constraint\"", MOVE);
  check_stages("muscle", NULL, MOVE);
  check_stages("cloth", NULL, MOVE);
}

Test(gradient_held, derivatives_back_by_every_kind_of_constraint_are_those_of_whole_runs, TEST_LONG) {
  for (size_t i = 0; i < GRADIENT_CONSTRAINTS; i++) check("chains", gradient_constraints[i], MOVE);
}

// What several numbers change of one parameter of a constraint, as of the length at the start, is found once for all of them.
Test(gradient_held, numbers_that_change_the_same_of_a_constraint_are_told_apart) {
  for (size_t i = 0; i < 2; i++)
    for (size_t w = 0; w < 2; w++) gradient_check_together("chains", gradient_lengths[i], &ways[w]);
}

Test(gradient_held, so_they_are_through_stages) {
  for (size_t i = 0; i < 2; i++) gradient_check_together("chains", gradient_lengths[i], &of_stages[1 + i]);
}

Test(gradient_held, derivatives_back_of_what_rolls_and_is_driven_are_those_of_whole_runs) {
  check("rolls", NULL, MOVE);
  check("driven", NULL, MOVE);
}

Test(gradient_held, derivatives_back_of_what_is_tied_are_those_of_whole_runs) {
  check("tied", NULL, FEW);
  check("shares", NULL, FEW);
  check("idle", NULL, FEW);
  check("unequal", NULL, FEW);
}

Test(gradient_held, derivatives_back_of_limits_and_ropes_are_those_of_whole_runs) {
  check("limit", NULL, NEAR);
  check("taut", NULL, FEW);
  check("caught", NULL, NEAR);
}

// A blow makes a step of sdirk2 and bdf2 one of bdf1, with one stage; velocities at its end agree with rows that press then.
Test(gradient_held, derivatives_back_through_stages_of_limits_and_ropes_are_those_of_whole_runs, TEST_LONG) {
  check_stages("limit", NULL, NEAR);
  check_stages("taut", NULL, FEW);
  check_stages("caught", NULL, NEAR);
}

Test(gradient_held, derivatives_back_of_what_is_accelerated_are_those_of_whole_runs) {
  check("accelerated", NULL, MOVE);
}

#define ACCELERATED_SCREW                                                                                    \
  "/bodies/1/"                                                                                               \
  "joint={\"type\":\"screw\",\"pitch\":0.1,\"axis\":[\"=0.6+start\",1,0],\"velocity\":\"=start\","           \
  "\"motion\":{\"acceleration\":{\"times\":[0,0.05,0.12],\"values\":[0,\"=10*start\",\"=-number\"]}},"       \
  "\"parent\":\"a1\",\"in_parent\":{\"position\":[\"=length/2\",0,0]},\"in_body\":{\"position\":["           \
  "\"=-length/3\",\"=mass/50\",0.02]}}"

// A stage asks for V a + V̇ v, where bodies tumble and the axis turns with the arm that carries it, and what agrees where it ends keeps its rate.
Test(gradient_held, derivatives_back_through_stages_of_what_is_accelerated_are_those_of_whole_runs) {
  check_stages("accelerated", NULL, MOVE);
  check_stages("accelerated", ACCELERATED_SCREW, MOVE);
}

// What is driven at a rate keeps to how far its joint moves in a step, by which velocities are felt otherwise than what it pushes, and places at the step's end.
Test(gradient_held, derivatives_back_of_what_is_driven_along_what_turns_are_those_of_whole_runs) {
  for (size_t i = 0; i < DRIVEN; i++) {
    char set[500];
    snprintf(
        set, sizeof set,
        "/bodies/1/joint={\"type\":%s,\"parent\":\"a1\",\"in_parent\":{\"position\":[\"=length/2\",0,0]},"
        "\"in_body\":{\"position\":[\"=-length/3\",\"=mass/50\",0.02]}}",
        driven[i]);
    check("accelerated", set, MOVE);
  }
}

// Stages ask for the rate itself, where they end.
Test(gradient_held,
     derivatives_back_through_stages_of_what_is_driven_along_what_turns_are_those_of_whole_runs, TEST_LONG) {
  for (size_t i = 0; i < DRIVEN; i++) {
    char set[900];
    snprintf(
        set, sizeof set,
        "/bodies=[{\"name\":\"a1\",\"mass\":1,\"shape\":{\"type\":\"box\",\"size\":[\"=length\",0.06,0.04]},"
        "\"joint\":{\"type\":\"revolute\",\"axis\":[0,1,0],\"velocity\":\"=start+number\",\"in_body\":"
        "{\"position\":[-0.15,0,0]}}},{\"name\":\"a2\",\"mass\":\"=mass\",\"shape\":{\"type\":\"box\","
        "\"size\":"
        "[\"=length\",0.06,0.04]},\"joint\":{\"type\":%s,\"parent\":\"a1\",\"in_parent\":{\"position\":"
        "[\"=length/2\",0,0]},\"in_body\":{\"position\":[\"=-length/3\",\"=mass/50\",0.02]}}}]",
        driven[i]);
    check_stages("accelerated", set, MOVE);
  }
}

// Directions across a hinge's axis were chosen anew on both sides of a number that tilts it from an axis of the world: the derivative had the other sign.
Test(gradient_held, derivatives_back_by_what_tilts_a_hinge_are_those_of_whole_runs) {
  check("accelerated", "/bodies/0/joint/axis=[\"=start-0.4\",1,0]", MOVE);
}

// As an axis goes through the middle between two of the world's, other rows held the joint, and the run jumped: derivatives along it were the jump, and back there were none.
Test(gradient_held, derivatives_by_what_tilts_an_axis_between_two_of_the_world_are_those_of_whole_runs) {
  static const char *const thread =
      "/bodies/1/joint={\"type\":\"screw\",\"pitch\":0.1,\"axis\":[\"=0.6+start\",1,0],\"velocity\":3,"
      "\"parent\":\"a1\",\"in_parent\":{\"position\":[\"=length/"
      "2\",0,0]},\"in_body\":{\"position\":[-0.15,0,0]}}";
  double along = 0;
  check("accelerated", thread, MOVE);
  gradient_check_scene("accelerated", thread, &ways[0], MOVE, &along);
  printf("largest error along, of the largest derivative: %.1e\n", along);
}

// What sticks is held, and what slips is pushed with all that it may be.
Test(gradient_held, derivatives_back_where_joints_slide_stop_and_stick_are_those_of_whole_runs, TEST_LONG) {
  static const char stops[] =
      "/bodies/2/joint={\"type\":\"revolute\",\"axis\":[0,1,0],\"parent\":\"upper\",\"position\":-0.3,"
      "\"frictionloss\":\"=rub\",\"damping\":0.01,\"limits\":[-0.5,0.5],\"in_parent\":{\"position\":[0,0,"
      "\"=-length/2\"]},\"in_body\":{\"position\":[0,0,0.15]}}";
  check("dragging", "/bodies/2/joint/axis=[0,1,0]", NEAR);
  check("dragging", stops, NEAR);
}

// A sled that goes at 1 m/s and is pushed by 3 m/s² just does not come to its limit in the twentieth step, or just does; or it does so by more.
Test(gradient_held, a_limit_that_is_about_to_press_or_let_go_is_told_once_on_the_way_back) {
  static const GradientWay halves = {"\"maximal\"", "trapezoidal", false};
  static const GradientWay *const all[4] = {&of_stages[0], &of_stages[1], &of_stages[2], &halves};
  static const double over[] = {5e-10, -5e-10, 1e-4, -1e-4}, there[4] = {0.11575, 0.115, 0.115, 0.115};
  for (size_t w = 0; w < 4; w++)
    for (size_t i = 0; i < 4; i++) {
      char sled[GRADIENT_SLED];
      gradient_sled(sled, there[w] + over[i]);
      const GradientCase c = {"limit", sled, all[w], "push", 3, NEAR};
      const MbReport report = gradient_warned(&c, NEAR, 100, true);
      cr_expect_eq(report.warnings, i < 2, "%s, %g over: %zu warnings", all[w]->integrator, over[i],
                   (size_t)report.warnings);
      cr_expect(i > 1 || strstr(report.issues[0].text, "about to press, or to let go"), "%s",
                report.issues[0].text);
    }
}

// What holds a joint whose axis turns asks for where the joint gets to, by which velocities are felt otherwise than what it pushes: where that was left out derivatives were off by some thousandths.
Test(gradient_held, derivatives_back_where_dry_friction_holds_what_turns_are_those_of_whole_runs) {
  check("dragging", NULL, NEAR);
  check("dragging", "/bodies/2/joint/limits=[-0.5,0.5]", NEAR);
}

// What a joint's own inertia takes has in it how fast coordinates speed up by themselves, as bodies tumble and joints' columns turn.
Test(gradient_held, derivatives_back_of_joints_with_inertia_of_their_own_are_those_of_whole_runs) {
  check("rotors", NULL, MOVE);
  check("rotors", "/bodies/2/joint/frictionloss=0.2", MOVE);
}

// A stage has them where it ends, and what agrees there has them as masses.
Test(gradient_held, so_they_are_back_through_stages) { check_stages("rotors", NULL, MOVE); }

// Passes of the midpoint rule have them half way.
static void check_halves(const char *scene, const char *set, double move) {
  static const GradientWay halves = {"\"maximal\"", "trapezoidal", false};
  printf("largest error back through halves, of what is summed up: %s %s %.1e\n", scene, set ? set : "",
         gradient_check_meets(scene, set, &halves, move));
}

Test(gradient_held, so_they_are_back_through_halves) { check_halves("rotors", NULL, MOVE); }

Test(gradient_held, so_they_are_back_through_halves_beside_what_pulls, TEST_LONG) {
  check_halves("rotors",
               "/forces=[{\"type\":\"spring\",\"between\":[{\"body\":\"world\",\"at\":[0.3,0.2,0.1]},{"
               "\"body\":\"hand\","
               "\"at\":[0,0.02,-0.1]}],\"stiffness\":\"=100*pull\",\"damping\":3,\"length\":0.2}]",
               MOVE);
  check_halves("rotors", "/time={\"step\":0.02,\"steps\":5}", MOVE);
}

// A pass asks for the rate that the step begins with, where that begins.
Test(gradient_held, derivatives_back_through_halves_of_what_is_accelerated_are_those_of_whole_runs) {
  check_halves("accelerated", NULL, MOVE);
  check_halves("accelerated", ACCELERATED_SCREW, MOVE);
  check_halves("accelerated", "/bodies/1/joint/limits=[[-0.02,1],[-1,0.01]]", FEW);
}

// What damps a stop in the last pass is a part of A at the step's end, which may be beyond it or not: there a number was asked about what is damped where the step ends.
Test(gradient_held, derivatives_back_through_halves_by_what_damps_a_stop_are_those_of_whole_runs) {
  check_halves("stopping", NULL, NEAR);
}

// Rows are asked where a pass is and where it leads, limits and ropes as each of them presses; a blow makes a step one of passes of one stage.
Test(gradient_held, derivatives_back_through_halves_of_limits_and_ropes_are_those_of_whole_runs, TEST_LONG) {
  check_halves("limit", NULL, NEAR);
  check_halves("taut", NULL, FEW);
  check_halves("caught", NULL, NEAR);
}

Test(gradient_held, derivatives_back_through_halves_by_every_kind_of_constraint_are_those_of_whole_runs,
     TEST_LONG) {
  for (size_t i = 0; i < GRADIENT_CONSTRAINTS; i++) check_halves("chains", gradient_constraints[i], MOVE);
}

Test(gradient_held, derivatives_back_through_halves_of_what_is_tied_and_driven_are_those_of_whole_runs,
     TEST_LONG) {
  check_halves("driven", NULL, MOVE);
  check_halves("tied", NULL, FEW);
  check_halves("shares", NULL, FEW);
  check_halves("idle", NULL, FEW);
  check_halves("unequal", NULL, FEW);
  check_halves("led", NULL, FEW);
}

Test(gradient_held, so_they_are_back_through_stages_beside_what_holds_and_stops, TEST_LONG) {
  check_stages(
      "rotors",
      GRADIENT_CONSTRAINT("\"type\":\"distance\",\"between\":[{\"body\":\"world\",\"at\":[0.3,0.2,-0.1]},"
                          "{\"body\":\"hand\"}]"),
      MOVE);
  check_stages(
      "rotors",
      GRADIENT_CONSTRAINT("\"type\":\"distance\",\"compliance\":\"=rotor/100\",\"between\":[{\"body\":"
                          "\"world\",\"at\":[0.3,0.2,-0.1]},{\"body\":\"lower\",\"at\":[\"=side\",0,0]}]"),
      MOVE);
  check_stages("rotors", "/bodies/2/joint/limits=[-0.05,0.1]", FEW);
}

#define TURNED(what)                                                                                         \
  "/bodies/2/joint={\"parent\":\"upper\",\"in_parent\":{\"position\":[\"=loss/10\",0,\"=-length/2\"]},"      \
  "\"in_body\":{\"position\":[0,0.02,0.15]}," what "}"
Test(gradient_held, so_they_are_of_every_kind_of_joint_that_it_holds, TEST_LONG) {
  static const char *const joints[] = {
      TURNED("\"type\":\"prismatic\",\"axis\":[0.3,1,\"=loss\"],\"frictionloss\":\"=20*loss\""),
      TURNED("\"type\":\"universal\",\"position\":[0.3,-0.2],\"frictionloss\":[\"=loss*5\",\"=loss/5\"]"),
      TURNED("\"type\":\"cylindrical\",\"axis\":[1,0.2,0],\"frictionloss\":[\"=rub\",\"=loss*30\"]"),
      TURNED("\"type\":\"screw\",\"pitch\":\"=loss\",\"axis\":[0.1,1,0],\"frictionloss\":\"=10*loss\"")};
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) check("dragging", joints[i], NEAR);
}

// What is so stiff that explicit steps are too long for it.
static void check_implicit(const char *scene, const char *set, double move) {
  const double worst = gradient_check_meets(scene, set, &ways[1], move);
  printf("largest error back, of what is summed up: %s  %.1e\n", scene, worst);
}

Test(gradient_held, derivatives_back_of_sprung_joints_and_of_what_spins_are_those_of_whole_runs, TEST_LONG) {
  check_implicit("balls", NULL, MOVE);
  check("spins", NULL, FEW);
}

Test(gradient_held, derivatives_back_by_moments_that_are_nearly_the_same_are_those_of_whole_runs) {
  check("turning_axes", NULL, WIDE);
}

// Joints' frames are told from the centre of mass, which such a number moves with the axes: derivatives lacked what it is to them, half of them and more.
Test(gradient_held, derivatives_back_by_what_moves_centres_and_axes_are_those_of_whole_runs) {
  check("shifted", NULL, MOVE);
}

Test(gradient_held, derivatives_back_of_free_bodies_that_nothing_joins_are_those_of_whole_runs) {
  check("adrift", NULL, MOVE);
}

Test(gradient_held, derivatives_back_of_deformables_on_bodies_are_those_of_whole_runs, TEST_LONG) {
  check_implicit("hand", "/deformables/0/attach/0/enforce=\"constraint\"", MOVE);
  check_implicit("muscle", NULL, MOVE);
  check_implicit("cloth", NULL, MOVE);
}

Test(gradient_held, derivatives_back_of_motors_tables_and_stops_are_those_of_whole_runs) {
  check("led", NULL, FEW);
  check("limit", "/bodies/0/joint/stops={\"stiffness\":200,\"damping\":2}", NEAR);
  check_implicit("given", NULL, FEW);
}

// Differences of frames along coordinates step over where their norm bends: derivatives were a hundred times off.
Test(gradient_held, how_far_joints_have_come_apart_has_no_derivative) {
  static const char *const sets[] = {"/solver=\"maximal\"", "/output/channels=[\"constraint.error\"]", NULL};
  char *text = test_text_of("tests/gradient/spins.json");
  TestRun run = test_run(text, sets);
  const MbSensitivityNumber number = {"p", run.model, run.model, 1};
  MbSensitivity *gradient = NULL;
  MbReport report = {0};
  free(text);
  cr_expect_eq(mb_sensitivity_create(run.model, &number, 1, &gradient, &report), MB_SCENE);
  cr_expect_not_null(strstr(report.issues[0].text, "constraint.error"), "%s", report.issues[0].text);
  mb_sensitivity_free(gradient);
  test_run_free(&run);
}
