// Stiff springs that turn in steps of one solution beside the same steps solved to their end (bdf1), and soft ones beside the formula in print.
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

enum { NODES = 30 };

#define HEAD                                                                                                 \
  "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"integrator\": \"%s\", \"solver\": \"%s\", \"time\": {\"step\": " \
  "0.002, "                                                                                                  \
  "\"steps\": 1000}, "
#define SPIN "\"velocity\": {\"angular\": [1, 2, 4], \"linear\": [0, 0, 0.5]}"

// Where all is after so many steps, `text` with the words for integrator and solver.
static size_t places(const char *text, const char *integrator, const char *solver, const char *channel,
                     int64_t steps, double x[3 * NODES]) {
  char scene[4000];
  size_t n = 0;
  snprintf(scene, sizeof scene, text, integrator, solver);
  TestRun run = test_run(scene, NULL);
  test_steps(run.sim, steps);
  const double *at = test_channel(run.sim, channel, &n);
  cr_assert_leq(n, 3 * NODES);
  memcpy(x, at, n * sizeof *x);
  test_run_free(&run);
  return n;
}

static void as_solved_to_the_end(const char *what, const char *text, const char *channel, double close) {
  static const char *const solvers[] = {"redmax", "maximal"};
  static const double APART = 0.1; // m: it has gone some way
  double x[3 * NODES], wanted[3 * NODES], first[3 * NODES];
  const size_t n = places(text, "bdf1", "redmax", channel, 250, wanted);
  places(text, "bdf1", "redmax", channel, 0, first);
  cr_expect_gt(test_distance(first, wanted, n), APART);
  for (size_t s = 0; s < 2; s++) {
    places(text, "implicit", solvers[s], channel, 250, x);
    printf("%s under %s: %.2g m from steps solved to their end\n", what, solvers[s],
           test_distance(x, wanted, n));
    test_near(what, x, wanted, n, close);
  }
}

// Linearised where they are, nodes come 0.2 m from these, and the net has lost a third of its energy.
Test(path_turn, a_net_of_stiff_springs_that_spins_goes_as_by_steps_solved_to_their_end) {
  as_solved_to_the_end(
      "a net",
      HEAD "\"deformables\": [{\"name\": \"it\", \"type\": \"springs\", \"mesh\": {\"grid\": [3, 3], "
           "\"size\": [1, 1]}, \"material\": {\"mass\": 1, \"stiffness\": 1e7, \"damping\": 1}, " SPIN
           "}], \"output\": {\"channels\": [\"deformable.it.position\"]}}",
      "deformable.it.position", 1e-4);
}

// Points away from bodies' centres go on arcs as the bodies turn.
Test(path_turn, bodies_that_stiff_springs_hold_spin_as_by_steps_solved_to_their_end) {
  static char text[4000];
  static const double at[4][2] = {{-0.1, -0.1}, {-0.1, 0.1}, {0.1, -0.1}, {0.1, 0.1}};
  size_t used = (size_t)snprintf(
      text, sizeof text, "%s",
      HEAD "\"bodies\": [{\"name\": \"a\", \"shape\": [{\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]}], "
           "\"density\": 125, "
           "\"pose\": {\"position\": [0.25, 0, 0]}, \"velocity\": {\"angular\": [1, 2, 4], \"linear\": [0, "
           "1, -0.5]}}, "
           "{\"name\": \"b\", \"shape\": [{\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]}], \"density\": 125, "
           "\"pose\": {\"position\": [-0.25, 0, 0]}, \"velocity\": {\"angular\": [1, 2, 4], \"linear\": [0, "
           "-1, 0.5]}}], "
           "\"output\": {\"channels\": [\"body.position\"]}, \"forces\": [");
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      used += (size_t)snprintf(
          text + used, sizeof text - used,
          "%s{\"type\": \"spring\", \"stiffness\": 1e7, \"between\": [{\"body\": \"a\", \"at\": [-0.1, "
          "%g, %g]}, {\"body\": \"b\", \"at\": [0.1, %g, %g]}]}",
          i + j ? ", " : "", at[i][0], at[i][1], at[j][0], at[j][1]);
  snprintf(text + used, sizeof text - used, "]}");
  as_solved_to_the_end("two boxes", text, "body.position", 2e-4);
}

// One step of two points, 2 m apart, that part at 0.3 m/s and go round at 0.8 m/s: M v⁺ = M v + h (f + h K v⁺) with K as it is at the start.
Test(path_turn, a_spring_that_is_soft_in_a_step_takes_the_step_in_print) {
  static const double m = 1, k = 1e5, l = 2, h = 0.002, along = 0.3, across = 0.8;
  static const double ROUNDING = 1e-12;
  const double given = 2 * h * h * k / m;
  const double wanted = along / (1 + given);
  char scene[1500];
  double x[3 * NODES];
  cr_assert_lt(given, 1, "it has to be soft");
  snprintf(
      scene, sizeof scene,
      HEAD
      "\"deformables\": [{\"name\": \"it\", \"type\": \"springs\", \"mesh\": {\"rope\": 2, \"length\": %g}, "
      "\"material\": {\"mass\": %g, \"stiffness\": %g}}], \"output\": {\"channels\": "
      "[\"deformable.it.position\", \"deformable.it.velocity\"]}}",
      "implicit", "redmax", l, 2 * m, k);
  TestRun run = test_run(scene, NULL);
  const double v[6] = {-along / 2, -across / 2, 0, along / 2, across / 2, 0};
  size_t n = 0;
  const double *at = test_channel(run.sim, "deformable.it.position", &n);
  memcpy(x, at, n * sizeof *x);
  test_ok(mb_sim_set_nodes(run.sim, "it", x, v, NULL), NULL);
  test_steps(run.sim, 1);
  const double *v1 = test_channel(run.sim, "deformable.it.velocity", &n);
  const double by[3] = {v1[3] - v1[0], v1[4] - v1[1], v1[5] - v1[2]}, to[3] = {wanted, across, 0};
  test_near("what parts them", by, to, 3, ROUNDING);
  test_run_free(&run);
}
