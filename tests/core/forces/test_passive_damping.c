// Paths with passive segments and a damper: what they pull by is not what their rate is of, so that D is not symmetric, and steps of one
// solution have to come to the same motion all the same.
#include "tests/runs.h"

#include <stdio.h>

#define SCENE                                                                                                \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1000}, \"output\": {\"channels\": "                 \
  "[\"body.position\"]}, \"bodies\": [{\"name\": \"arm\", \"density\": 200, \"shape\": {\"type\": "          \
  "\"box\", \"size\": [0.5, 0.1, 0.1]}, \"joint\": {\"type\": \"spherical\", \"in_body\": {\"position\": "   \
  "[-0.25, 0, 0]}, \"velocity\": [1, 2, 3]}}, {\"name\": \"hand\", \"density\": 200, \"shape\": {\"type\": " \
  "\"box\", \"size\": [0.3, 0.1, 0.1]}, \"joint\": {\"type\": \"revolute\", \"parent\": \"arm\", \"axis\": " \
  "[0, 1, 0], \"in_parent\": {\"position\": [0.25, 0, 0]}, \"in_body\": {\"position\": [-0.15, 0, 0]}}}], "  \
  "\"forces\": [{\"type\": \"multi_spring\", \"stiffness\": 50, \"damping\": 5, \"passive\": [1], "          \
  "\"path\": "                                                                                               \
  "[{\"body\": \"world\", \"at\": [0, 1, 0.3]}, {\"body\": \"arm\", \"at\": [0.1, 0, 0.05]}, {\"body\": "    \
  "\"hand\", \"at\": [0.1, 0.05, 0]}, {\"body\": \"world\", \"at\": [1, -0.5, 0]}]}]}"

// ‖x − truth‖ after 0.1 s in steps of h
static double apart(const char *solver, double h, const double truth[6]) {
  char step[40];
  size_t n = 0;
  snprintf(step, sizeof step, "/time/step=%.17g", h);
  TestRun run = test_run(SCENE, (const char *const[]){solver, "/integrator=\"implicit\"", step, NULL});
  test_steps(run.sim, lrint(0.1 / h));
  const double far = test_distance(test_channel(run.sim, "body.position", &n), truth, 6);
  test_run_free(&run);
  return far;
}

// With D as it is on one side and symmetrised on the other they are 3.5e-3 m off in steps of whatever length.
Test(passive_damping, the_linearised_step_is_of_first_order_under_every_solver) {
  static const char *const solver[] = {"/solver={\"type\": \"redmax\", \"dynamics\": \"dense\"}",
                                       "/solver={\"type\": \"redmax\", \"dynamics\": \"recursive\"}",
                                       "/solver=\"maximal\""};
  double truth[6];
  size_t n = 0;
  TestRun run = test_run(
      SCENE, (const char *const[]){
                 "/integrator={\"type\": \"rk45\", \"relative\": 1e-10, \"absolute\": 1e-12}", NULL});
  test_steps(run.sim, 100);
  const double *at = test_channel(run.sim, "body.position", &n);
  cr_assert_eq(n, 6);
  for (size_t i = 0; i < n; i++) truth[i] = at[i];
  test_run_free(&run);
  for (size_t s = 0; s < sizeof solver / sizeof *solver; s++) {
    const double one = apart(solver[s], 1e-3, truth), half = apart(solver[s], 5e-4, truth);
    printf("%s: %.2g m off in steps of 1 ms, %.2g m in half as long ones\n", solver[s], one, half);
    cr_expect(half < 0.6 * one, "%s: %.2g m, then %.2g m", solver[s], one, half);
  }
}
