// Exact derivatives through fully implicit stages under solver "redmax", along the run and back through it, of scenes in tests/gradient with limits, ropes and prescribed accelerations,
// against differences of whole runs by every parameter of theirs.
#include "tests/io/gradient_cases.h"

#include <stdio.h>
#include <string.h>

static const GradientWay ways[] = {{"\"redmax\"", "bdf1", true},
                                   {"\"redmax\"", "bdf2", true},
                                   {"\"redmax\"", "sdirk2", true},
                                   {"\"redmax\"", "trapezoidal", true}};
enum { WAYS = sizeof ways / sizeof *ways };
static const double MOVE = 1e-3, FEW = 1e-4,
                    NEAR = 1e-6; // of the number, between whole runs: changes of branches are kinks of these

// No warning: at no step of these is another branch as near as differences of a step go.
static void check(const char *scene, const char *set, double move) {
  double worst[WAYS] = {0};
  for (size_t w = 0; w < WAYS; w++)
    cr_expect_eq(gradient_check_scene(scene, set, &ways[w], move, &worst[w]), 0, "%s %s under %s", scene,
                 set ? set : "", ways[w].integrator);
  printf("largest error through stages, of the largest derivative: %s %s", scene, set ? set : "");
  for (size_t w = 0; w < WAYS; w++) printf("  %.1e", worst[w]);
  printf("\n");
}

#define SECOND(joint)                                                                                        \
  "/bodies/1/joint={\"type\":" joint ",\"parent\":\"a1\",\"in_parent\":{\"position\":[\"=length/2\",0,0]},"  \
  "\"in_body\":{\"position\":[\"=-length/3\",\"=mass/50\",0.02]}}"

Test(gradient_stages, derivatives_of_what_is_accelerated_are_those_of_whole_runs) {
  check("accelerated", NULL, MOVE);
  check("accelerated",
        SECOND("\"screw\",\"pitch\":0.1,\"axis\":[\"=0.6+start\",1,0],\"velocity\":\"=start\",\"motion\":{"
               "\"acceleration\":{\"times\":[0,0.05,0.12],\"values\":[0,\"=10*start\",\"=-number\"]}}"),
        MOVE);
}

// What is accelerated is held by a loop too, and what agrees with both feels where bodies are.
Test(gradient_stages, derivatives_of_what_is_accelerated_and_tied_are_those_of_whole_runs) {
  check("accelerated",
        GRADIENT_CONSTRAINT("\"type\":\"distance\",\"between\":[{\"body\":\"world\",\"at\":[0.3,0.2,-0.1]},"
                            "{\"body\":\"a2\",\"at\":[\"=length/2\",0,0]}]"),
        MOVE);
}

#define LOWER(limits)                                                                                        \
  "/bodies/1/joint={\"type\":\"revolute\",\"axis\":[0,1,0],\"parent\":\"a\",\"position\":0.3,\"damping\":"   \
  "0.1,"                                                                                                     \
  "\"limits\":" limits ",\"in_parent\":{\"position\":[0,0,\"=length/2\"]},\"in_body\":{\"position\":[0,0,"   \
  "0.25]}}"
#define ROPE(more)                                                                                           \
  GRADIENT_CONSTRAINT("\"type\":\"distance\",\"rope\":true,\"length\":\"=length+0.04\"," more                \
                      "\"between\":[{\"body\":\"world\",\"at\":[0.6,0.1,0.3]},{\"body\":\"b\",\"at\":[0,0,"  \
                      "-0.25]}]")

// The second arm swings from one of its limits to the other, and is thrown back by neither, while the first is pressed against its own.
Test(gradient_stages, derivatives_of_arms_at_several_limits_at_once_are_those_of_whole_runs) {
  check("limit", LOWER("[\"=start-0.1\",0.35]"), FEW);
}

// A soft rope is a row of one way with a damper, which holds nothing on the way to where it is taut.
Test(gradient_stages, derivatives_of_what_a_rope_and_a_limit_hold_are_those_of_whole_runs, TEST_LONG) {
  check("limit", ROPE(""), NEAR);
  check("limit", ROPE("\"compliance\":\"=mass*1e-3\",\"damping\":0.001,"), NEAR);
}

Test(gradient_stages, derivatives_where_a_loop_closes_an_arm_at_its_limit_are_those_of_whole_runs) {
  check("closed_limit", "/time={\"step\":0.002,\"steps\":20}", FEW);
}

// Gaps that are closed in part are those at the state, too, and limits act where they have been passed, or take what is beyond further outward.
Test(gradient_stages, derivatives_of_limits_that_are_passed_are_those_of_whole_runs) {
  static const char *const sets[] = {
      "/solver={\"type\":\"redmax\",\"stabilization\":{\"type\":\"baumgarte\",\"gamma\":30}}",
      "/solver={\"type\":\"redmax\",\"stabilization\":{\"type\":\"baumgarte\",\"gamma\":30,"
      "\"upper_limits\":\"outward\"}}"};
  double worst = 0;
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    cr_expect_eq(gradient_check_scene("limit", sets[i], &ways[WAYS - 1], NEAR, &worst), 0);
  printf("largest error through halves, of the largest derivative: limit, with gamma %.1e\n", worst);
}

// It just does not come to its limit in the twentieth step, or just does; or it does so by more.
Test(gradient_stages, a_limit_that_is_about_to_press_or_let_go_is_told_once_both_ways) {
  static const double over[] = {5e-10, -5e-10, 1e-4, -1e-4}, there[WAYS] = {0.11575, 0.115, 0.115, 0.115};
  for (size_t w = 0; w < WAYS; w++)
    for (size_t i = 0; i < 4; i++) {
      char sled[GRADIENT_SLED];
      gradient_sled(sled, there[w] + over[i]);
      for (int back = 0; back < 2; back++) {
        const GradientCase c = {"limit", sled, &ways[w], "push", 3, NEAR};
        const MbReport report = gradient_warned(&c, NEAR, 100, back);
        cr_expect_eq(report.warnings, i < 2, "%s, %g over, %s: %zu warnings", ways[w].integrator, over[i],
                     back ? "back" : "along", (size_t)report.warnings);
        cr_expect(i > 1 || strstr(report.issues[0].text, "about to press, or to let go"), "%s",
                  report.issues[0].text);
      }
    }
}
