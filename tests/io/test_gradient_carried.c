// Derivatives of runs in which what is driven, and links of trees, carry contacts round, back through the run, against differences of whole runs.
#include "tests/io/gradient_cases.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const double NEAR = 1e-4,
                    NEARER = 1e-5; // of a number: an arm that has begun to push comes to other branches soon
#define DENSE     "{\"type\":\"redmax\",\"dynamics\":\"dense\"}"
#define RECURSIVE "{\"type\":\"redmax\",\"dynamics\":\"recursive\"}"
#define PROJECTED "{\"type\":\"maximal\",\"project\":true}"

static void check(const char *scene, const char *set, const char *solver, const char *integrator) {
  const GradientWay way = {solver, integrator, false};
  const bool far = strcmp(scene, "gripping") == 0 || strcmp(scene, "turntable") == 0;
  printf("largest error back, of what is summed up: %s %s under %s, %s %.1e\n", scene, set ? set : "", solver,
         integrator, gradient_check_meets(scene, set, &way, far ? NEAR : NEARER));
}

// An arm pushes: its normals and tangents ask for the chords of arcs that the step itself finds.
Test(gradient_carried, derivatives_back_through_what_an_arm_pushes_are_those_of_whole_runs) {
  check("pushing", "/time/duration=0.1", RECURSIVE, "symplectic");
}

// A roll lies along two lines between plates, and moves with them as one.
Test(gradient_carried, derivatives_back_through_what_a_hand_swings_are_those_of_whole_runs) {
  check("gripping", "/time/duration=0.028", PROJECTED, "implicit");
}

// Across the plane in which both turn rows push nothing, and what they ask for is rounding.
Test(gradient_carried, derivatives_back_through_what_rubs_in_one_plane_are_those_of_whole_runs) {
  check("elbows", NULL, RECURSIVE, "implicit");
  check("elbows", "/contact={\"tolerance\":1e-13,\"friction\":\"=mu/2\"}", DENSE, "symplectic");
}

// A board comes to slide and to roll on rollers.
Test(gradient_carried, derivatives_back_through_what_rollers_convey_are_those_of_whole_runs) {
  check("conveying", "/time/duration=0.028", DENSE, "implicit");
}

// What a path drives carries by the velocities before the step, which are known.
Test(gradient_carried, derivatives_back_through_what_a_path_carries_are_those_of_whole_runs) {
  check("turntable", "/time/duration=0.06", RECURSIVE, "symplectic");
}

static const char *const solvers[] = {DENSE, RECURSIVE, PROJECTED};

Test(gradient_carried, so_they_are_under_every_solver_and_by_both_integrators, TEST_LONG) {
  static const struct {
    const char *scene, *set;
  } cases[] = {{"pushing", NULL},
               {"gripping", NULL},
               {"conveying", "/time/duration=0.08"},
               {"turntable", "/time/duration=0.1"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
      check(cases[i].scene, cases[i].set, solvers[k], "symplectic");
      check(cases[i].scene, cases[i].set, solvers[k], "implicit");
    }
}

// A thread from the hand to the egg, or a slot in which that goes, holds it while it is parted from what it is pressed into.
Test(gradient_carried, so_they_are_where_constraints_hold_what_is_parted) {
  check("pushing",
        "/constraints=[{\"type\":\"distance\",\"between\":[{\"body\":\"egg\",\"at\":[\"=mass/14\",0.02,0]},"
        "{\"body\":\"hand\",\"at\":[0.02,0.03,0.01]}]}]",
        RECURSIVE, "symplectic");
}

Test(gradient_carried, so_they_are_where_other_constraints_do, TEST_LONG) {
  check("pushing",
        "/constraints=[{\"type\":\"point_on_line\",\"between\":[{\"body\":\"egg\",\"at\":[\"=mass/20\",0,0]},"
        "{\"body\":\"hand\",\"at\":[0,0,0]}],\"axis\":[0,1,0.1]}]",
        DENSE, "implicit");
}

// Boxes and rollers, rounds and rods, with rules of every kind.
Test(gradient_carried, so_they_are_of_other_shapes_and_by_other_rules, TEST_LONG) {
  static const struct {
    const char *scene, *set;
  } cases[] = {
      {"pushing", "/bodies/4/shape={\"type\":\"sphere\",\"radius\":\"=size\"}"},
      {"pushing", "/bodies/4/shape={\"type\":\"capsule\",\"radius\":\"=size\",\"length\":0.1,\"frame\":"
                  "{\"rotation\":{\"axis\":[0,1,0],\"angle\":\"=90*deg\"}}}"},
      {"pushing", "/contact={\"tolerance\":1e-13,\"friction\":\"=mu\",\"cone\":\"pyramid\"}"},
      {"pushing", "/contact={\"tolerance\":1e-13,\"friction\":\"=mu\",\"cone\":\"box\"}"},
      {"pushing", "/contact={\"tolerance\":1e-13,\"friction\":0}"},
      {"pushing", "/contact={\"tolerance\":1e-13,\"friction\":\"=mu\",\"compliance\":1e-5}"},
      {"pushing", "/bodies/3/joint/limits=[0.45,0.6]"},
      {"pushing", "/bodies/3/joint/inertia=\"=m_hand/50\""},
      {"gripping", "/bodies/3/shape={\"type\":\"sphere\",\"radius\":\"=size\"}"},
      {"gripping", "/bodies/3/shape={\"type\":\"ellipsoid\",\"radii\":[0.09,\"=size\",0.08]}"},
      {"conveying", "/bodies/3/shape={\"type\":\"capsule\",\"radius\":\"=thick/2\",\"length\":0.9,\"frame\":"
                    "{\"rotation\":{\"axis\":[0,1,0],\"angle\":\"=90*deg\"}}}"},
      {"turntable", "/contact={\"tolerance\":1e-13,\"friction\":\"=mu\",\"cone\":\"pyramid\"}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check(cases[i].scene, cases[i].set, RECURSIVE, i % 2 ? "symplectic" : "implicit");
}

// Blocks of rubber land on a ball that a motor turns about an axis beside it, or that goes along a path and turns.
Test(gradient_carried, so_they_are_of_deformables_on_what_turns, TEST_LONG) {
  static const char *const motor =
      "/bodies/"
      "1={\"name\":\"ball\",\"mass\":\"=mass\",\"shape\":{\"type\":\"sphere\",\"radius\":\"=radius\"},"
      "\"joint\":{\"type\":\"revolute\",\"axis\":[0.2,1,0],\"in_parent\":{\"position\":[0.02,0.01,\"="
      "radius\"]},"
      "\"in_body\":{\"position\":[0.02,0,0]},\"motor\":{\"stiffness\":5,\"damping\":0.1,\"target\":\"=20*"
      "speed*t\"}}}";
  static const char *const path =
      "/bodies/1={\"name\":\"ball\",\"mass\":1,\"shape\":{\"type\":\"sphere\",\"radius\":\"=radius\"},"
      "\"pose\":{\"position\":[0.02,0.01,\"=radius\"]},\"motion\":{\"velocity\":{\"linear\":[0.1,0,0],"
      "\"angular\":"
      "[\"=3*mass\",1,0.5]}}}";
  check("soft_landing", motor, RECURSIVE, "implicit");
  check("soft_landing", path, RECURSIVE, "implicit");
  check("soft_landing", path, PROJECTED, "implicit");
}
