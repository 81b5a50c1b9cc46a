// Derivatives backwards through friction inside joints, whose largest forces follow from what joints transmit, of scenes in tests/gradient, against differences of whole runs by every
// parameter of theirs: every kind of joint that rubs, trees and loops, what slips and what sticks.
#include "tests/io/gradient_cases.h"

#include <stdio.h>
#include <string.h>

static const GradientWay ways[] = {{"\"redmax\"", "symplectic", false},
                                   {"\"redmax\"", "implicit", false},
                                   {"\"maximal\"", "symplectic", false},
                                   {"\"maximal\"", "implicit", false}};
enum { WAYS = sizeof ways / sizeof *ways };
static const double MOVE = 1e-4, FEW = 1e-5, NEAR = 1e-6; // where another branch is as near

static void check(const char *scene, const char *set, double move) {
  printf("largest error back, of what is summed up: %s %.60s", scene, set ? set : "");
  for (size_t w = 0; w < WAYS; w++) printf("  %.1e", gradient_check_meets(scene, set, &ways[w], move));
  printf("\n");
}

// The same of the two integrators under "redmax", which "maximal" with "project" is one with.
static void check_two(const char *scene, const char *set) {
  printf("largest error back, of what is summed up: %s %.60s", scene, set ? set : "");
  for (size_t w = 0; w < 2; w++) printf("  %.1e", gradient_check_meets(scene, set, &ways[w], FEW));
  printf("\n");
}

Test(gradient_rubbed, derivatives_back_through_joints_that_rub_are_those_of_whole_runs) {
  check("rubbed", NULL, MOVE);
}

// A joint in the place of the chain's second, so that its load is of what hangs on it and loads another.
#define OTHER(what)                                                                                          \
  "/bodies/1/joint={\"parent\":\"upper\",\"in_parent\":{\"position\":[\"=side\",0,\"=-length/2\"]}," what "}"
#define PIN                                                                                                  \
  "\"friction\":{\"tolerance\":1e-12,\"coefficient\":\"=coefficient\",\"radius\":\"=radius\",\"length\":\"=" \
  "length/4\"}"
static const char *const others[] = {
    OTHER("\"type\":\"revolute\",\"axis\":[1,0,0],\"velocity\":2," PIN),
    OTHER("\"type\":\"screw\",\"pitch\":\"=length/8\",\"axis\":[1,0,0],\"velocity\":3," PIN),
    OTHER("\"type\":\"prismatic\",\"axis\":[1,0,0],\"velocity\":1.5,\"friction\":{\"coefficient\":"
          "\"=coefficient\",\"tolerance\":1e-12,\"size\":[\"=radius\",0.1,0.2]}"),
    OTHER("\"type\":\"euler\",\"order\":\"xyz\",\"position\":[0.2,-0.3,0.1],\"velocity\":[2,-1,1.5],"
          "\"friction\":{\"coefficient\":\"=coefficient\",\"tolerance\":1e-12,\"radius\":\"=radius\"}")};

Test(gradient_rubbed, so_they_are_through_every_kind_of_them, TEST_LONG) {
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) check("rubbed", others[i], MOVE);
}

// What holds, of the rows of one joint some and others not, and what comes to hold.
Test(gradient_rubbed, derivatives_back_where_joints_stop_and_stick_by_their_loads_are_those_of_whole_runs) {
  check("rubbed", "/parameters/coefficient=0.5", MOVE);
  check("rubbing", NULL, NEAR);
  check("thread", NULL, NEAR);
}

Test(gradient_rubbed, so_they_are_where_such_a_joint_closes_a_loop) { check("rubbed_bar", NULL, MOVE); }

// Limits, friction along coordinates and constraints push what joints transmit.
Test(gradient_rubbed, so_they_are_beside_what_else_holds, TEST_LONG) {
  check("rubbed", "/bodies/0/joint/frictionloss=[0.05,0.02]", MOVE);
  check("rubbed",
        "/constraints=[{\"type\":\"distance\",\"between\":[{\"body\":\"upper\",\"at\":[0.3,0.2,-0.1]},"
        "{\"body\":\"hand\"}]}]",
        MOVE);
  check("rubbed",
        "/constraints=[{\"type\":\"distance\",\"compliance\":\"=damp/100\",\"between\":[{\"body\":\"world\","
        "\"at\":[0.3,0.2,-0.1]},{\"body\":\"lower\"}]}]",
        MOVE);
  check("rubbed_bar", "/bodies/1/joint/frictionloss=0.1", MOVE);
}

// Contacts push what joints behind them transmit: what lands, slides, rebounds and gives way on a leg whose joints rub.
Test(gradient_rubbed, derivatives_back_where_what_touches_hangs_on_joints_that_rub_are_those_of_whole_runs) {
  check_two("limping", NULL);
}

Test(gradient_rubbed, so_they_are_however_it_touches, TEST_LONG) {
  check_two("limping", "/bodies/4/shape/restitution=0.7");
  check_two("limping", "/contact/compliance=1e-4");
  check_two("limping", "/bodies/3/joint/frictionloss=\"=c/12\"");
  check_two("limping", "/bodies/3/joint/limits=[-0.85,-0.78]");
}

// ---- what has none --------------------------------------------------------------------------------------------------

// A third bar beside crank and rocker: which of the three carries the coupler is the solver's affair, and by how much pins rub.
Test(gradient_rubbed, loads_that_are_not_unique_have_no_way_back) {
  enum { STEPS = 20 };
  static const char bar[] =
      "/constraints/-={\"type\":\"distance\",\"between\":[{\"body\":\"world\",\"at\":[0."
      "3,0,0]},{\"body\":\"coupler\"}]}";
  const GradientCase c = {"rubbed_bar", bar, &ways[0], "mass", 1.2, NEAR};
  MbReport report = {0};
  double back;
  cr_expect_neq(gradient_back_from(&c, STEPS, &back, &report), MB_OK);
  bool told = false;
  for (int i = 0; i < report.kept; i++)
    told |= strstr(report.issues[i].text, "loads that are not unique") != NULL;
  cr_expect(told, "\"%s\"", report.issues[0].text);
}
