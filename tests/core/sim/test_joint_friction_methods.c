// Friction inside joints by bilateral staggered projections (RM 2.11: what joints transmit and what rubs in them, in turns) and by methods that
// solve for both at once: the passes of dry.c come to the same motion.
#include "core/sim/constrain_internal.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define LINK(name_, parent_, joint_, out_)                                                                   \
  "{\"name\": \"" name_                                                                                      \
  "\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.05, 0.05]}, \"density\": 1000, \"joint\": "          \
  "{\"type\": " joint_ parent_ ", " out_                                                                     \
  "\"in_body\": {\"position\": [-0.2, 0, 0]}, \"friction\": {\"coefficient\": "                              \
  "0.3, \"radius\": 0.02, \"length\": 0.04}}}"
// Two links that fall from level, turn about skew axes and slip in both joints.
#define CHAIN                                                                                                \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 1000}, \"solver\": \"%s\", \"contact\": "           \
  "{\"method\": \"%s\", "                                                                                    \
  "\"tolerance\": 1e-11, \"iterations\": 10000}, \"bodies\": [" LINK(                                        \
      "upper", "", "\"revolute\", \"axis\": [0, 1, 0]",                                                      \
      "") ", " LINK("lower", ", \"parent\": \"upper\"", "\"revolute\", \"axis\": [0.3, 1, 0]",               \
                    "\"in_parent\": {\"position\": [0.2, 0, 0]}, ") "], \"output\": {\"channels\": "         \
                                                                    "[\"body.position\"]}}"

static void places(const char *solver, const char *method, int64_t steps, double x[6]) {
  char text[2000];
  size_t n = 0;
  snprintf(text, sizeof text, CHAIN, solver, method);
  TestRun run = test_run(text, NULL);
  test_steps(run.sim, steps);
  const double *at = test_channel(run.sim, "body.position", &n);
  cr_assert_eq(n, 6);
  memcpy(x, at, 6 * sizeof *x);
  test_run_free(&run);
}

Test(joint_friction_methods, staggered_projections_come_to_the_motion_of_methods_that_solve_at_once) {
  static const char *const solvers[] = {"redmax", "maximal"};
  static const char *const methods[] = {"gauss_seidel", "nonsmooth_newton", "auto"};
  static const double CLOSE = 1e-7, MOVED = 0.05; // m
  for (size_t s = 0; s < 2; s++) {
    double wanted[6], x[6], first[6];
    places(solvers[s], "staggered", 0, first);
    places(solvers[s], "staggered", 150, wanted);
    cr_expect_gt(test_distance(first, wanted, 6), MOVED);
    for (size_t m = 0; m < 3; m++) {
      places(solvers[s], methods[m], 150, x);
      printf("%s, %s: %.2g m from staggered\n", solvers[s], methods[m], test_distance(x, wanted, 6));
      test_near(methods[m], x, wanted, 6, CLOSE);
    }
  }
}

#define PIN(mu_) "\"friction\": {\"coefficient\": " #mu_ ", \"radius\": 0.03, \"length\": 0.1}"
#define BAR(name_, x_, z_, joint_)                                                                           \
  "{\"name\": \"" name_ "\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [" #x_              \
  ", 0.05, " #z_ "]}, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], " joint_ "}}"
#define AROUND "\"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"=-90*deg\"}"
// A loop of four hinges in a plane, of whose rows three follow from the others, or one where a ball closes it, which has nowhere to turn
// but about the hinges' axis.
static const char loop[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 40}, \"contact\": {\"method\": \"%s\", \"cone\": "
    "\"box\"}, "
    "\"bodies\": [" BAR(
        "crank", 0.05, 0.3,
        "\"force\": 1.1, \"in_body\": {\"position\": [0, 0, -0.15]}, " PIN(
            0.2)) ", " BAR("coupler", 0.6, 0.05,
                           "\"parent\": \"crank\", \"in_parent\": {\"position\": [0, 0, 0.15]}, \"in_body\": "
                           "{\"position\": [-0.3, 0, 0]}, " PIN(
                               0.3)) ", " BAR("rocker", 0.05, 0.5,
                                              "\"in_parent\": {\"position\": [1, 0, 0]}, \"in_body\": "
                                              "{\"position\": [0, 0, -0.25]}, "
                                              "\"position\": \"=atan2(-0.4, 0.3)\", " PIN(
                                                  0.25)) "], \"constraints\": [{\"type\": \"joint\", "
                                                         "\"name\": \"loop\", "
                                                         "\"joint\": %s, \"between\": [{\"body\": "
                                                         "\"rocker\", \"frame\": {\"position\": [0, 0, "
                                                         "0.25], " AROUND "}}, "
                                                         "{\"body\": \"coupler\", \"frame\": {\"position\": "
                                                         "[0.3, 0, 0], " AROUND "}}]}]}";

static void swing(const char *method, const char *joint, double x[9]) {
  char text[4000];
  snprintf(text, sizeof text, loop, method, joint);
  TestRun run = test_run(text, NULL);
  test_steps(run.sim, 40);
  memcpy(x, test_channel(run.sim, "body.position", NULL), 9 * sizeof *x);
  const double missed = mb_section(run.sim, MB_SECTION_TOLD)[MB_SOLVED_MISSED];
  cr_expect_eq(missed, 0, "%s, %s: %g steps missed", method, joint, missed);
  test_run_free(&run);
}

Test(joint_friction_methods, pivots_keep_loops_whose_rows_follow_from_one_another) {
  static const char *const joints[] = {"{\"type\": \"revolute\", " PIN(0.35) "}",
                                       "{\"type\": \"spherical\", \"friction\": {\"coefficient\": 0.35, "
                                       "\"radius\": 0.05}}"};
  for (int k = 0; k < 2; k++) {
    double wanted[9], x[9];
    swing("auto", joints[k], wanted);
    swing("pivoting", joints[k], x);
    printf("%s: pivots %.2g m from auto\n", joints[k], test_distance(x, wanted, 9));
    test_near(joints[k], x, wanted, 9, 1e-7);
  }
}
