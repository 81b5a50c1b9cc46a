// Velocities where forces give them, of forces that are not linear in these, under the adaptive integrator.
#include "tests/runs.h"

#include <stdio.h>

#define SCENE                                                                                                \
  "{\"mbsim\": 1, \"time\": {\"step\": 1e-3, \"steps\": 1000}, \"solver\": {\"type\": \"maximal\", "         \
  "\"mode\": \"first_order\"}, \"bodies\": [{\"name\": \"a\", \"density\": 1000, \"shape\": {\"type\": "     \
  "\"box\", \"size\": [0.5, 0.1, 0.1]}, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], "           \
  "\"in_body\": {\"position\": [-0.25, 0, 0]}}}], \"forces\": [%s]}"

static double angle(const char *force, const char *integrator, double step, int64_t steps) {
  char scene[1500], word[40];
  double x[18];
  snprintf(scene, sizeof scene, SCENE, force);
  snprintf(word, sizeof word, "/time/step=%.17g", step);
  TestRun run = test_run(scene, (const char *const[]){integrator, word, NULL});
  test_steps(run.sim, steps);
  test_bodies(run.sim, x, 18);
  test_run_free(&run);
  return atan2(x[3 + 2], x[3]);
}

// After one pass velocities depend on those of the instant before: 2.7e-5 off, by which no tolerance helps.
Test(kinematic_velocity, is_the_moments_whatever_the_forces) {
  static const char *const forces[] = {
      "{\"type\": \"muscle\", \"max_force\": 50, \"optimal_length\": 0.4, \"activation\": "
      "\"=0.5+0.5*sin(30*t)\", "
      "\"path\": [{\"body\": \"world\", \"at\": [0, 0, 0.3]}, {\"body\": \"a\", \"at\": [0.1, 0, 0.05]}]}",
      "{\"type\": \"multi_spring\", \"stiffness\": 50, \"damping\": 5, \"passive\": [1], \"length\": 0.1, "
      "\"path\": [{\"body\": "
      "\"world\", \"at\": [0, 0, 0.3]}, {\"body\": \"a\", \"at\": [0.1, 0, 0.05]}, {\"body\": \"world\", "
      "\"at\": [0.3, 0, -0.3]}]}"};
  for (size_t i = 0; i < 2; i++) {
    const double known = angle(forces[i], "/integrator=\"trapezoidal\"", 1e-4, 500);
    const double found = angle(
        forces[i], "/integrator={\"type\": \"rk45\", \"relative\": 1e-8, \"absolute\": 1e-10}", 2e-3, 25);
    printf("%.10g by the midpoint rule, %.3g from it\n", known, found - known);
    cr_expect_float_eq(found, known, 2e-6);
  }
}

// Forces that balance leave rounding, of which no pass is closer than another.
Test(kinematic_velocity, is_none_where_forces_balance) {
  TestRun run = test_run("{\"mbsim\": 1, \"time\": {\"step\": 1e-3, \"steps\": 10}, \"solver\": {\"type\": "
                         "\"maximal\", \"mode\": "
                         "\"first_order\"}, \"bodies\": [{\"name\": \"a\", \"inertia\": {\"mass\": 3, "
                         "\"matrix\": [1, 1, 1, 0, 0, 0]}}], \"forces\": "
                         "[{\"type\": \"spring\", \"stiffness\": 7e4, \"damping\": 11, \"length\": "
                         "0.49957957142857143, \"between\": [{\"body\": "
                         "\"world\", \"at\": [0.1, 0, 0.5]}, {\"body\": \"a\", \"at\": [0.1, 0, 0]}]}]}",
                         NULL);
  test_steps(run.sim, 10);
  test_run_free(&run);
}
