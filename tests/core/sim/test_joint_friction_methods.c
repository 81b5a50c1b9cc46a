// Friction inside joints by bilateral staggered projections (RM 2.11: what joints transmit and what rubs in them, in turns) and by methods that
// solve for both at once: the passes of dry.c come to the same motion.
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
