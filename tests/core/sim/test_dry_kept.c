// What dry friction holds keeps its place in its joint while that is swung about: bodies with velocities of their own go straight on in a step, so that
// a slide that was asked for no rate alone has gone 0.12 m along its rails in 4 s.
#include "tests/runs.h"

#include <stdio.h>

#define ARM                                                                                                  \
  "{\"name\": \"arm\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.6, 0.1, 0.1]}, "        \
  "\"joint\": {\"type\": \"spherical\", \"in_body\": {\"position\": [-0.3, 0, 0]}, "                         \
  "\"velocity\": {\"angular\": [0, 3, 2]}}}"
#define HEAD "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 100}, \"bodies\": [" ARM ", "
#define LOAD                                                                                                 \
  "{\"name\": \"load\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.05]}"

static const char on_a_joint[] = HEAD LOAD
    ", \"joint\": {\"type\": %s, \"parent\": \"arm\", \"in_parent\": {\"position\": [0.3, 0.05, 0], "
    "\"rotation\": {\"axis\": [1, 2, 0.5], \"angle\": 0.8}}, \"in_body\": {\"position\": [-0.2, "
    "0.03, 0], \"rotation\": {\"axis\": [0, 1, 1], \"angle\": 0.5}}}}]}";

static const char *const joints[] = {
    "\"prismatic\", \"friction\": {\"coefficient\": 2.5, \"size\": [0.1, 0.1, 0.1]}",
    "\"cylindrical\", \"friction\": {\"coefficient\": 20, \"radius\": 0.1, \"length\": 0.1}",
    "\"universal\", \"friction\": {\"coefficient\": 20, \"radius\": 0.1, \"length\": 0.1}",
    "\"spherical\", \"friction\": {\"coefficient\": 20, \"radius\": 0.1}",
    "\"prismatic\", \"frictionloss\": 1000",
    "\"planar\", \"frictionloss\": 1000"};

Test(dry_kept, what_swings_keeps_its_place_in_its_joint) {
  static const double STAYS = 1e-7; // m, rad: parts of steps that are solved to 1e-11 of how fast they are
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
    for (int k = 0; k < 2; k++) {
      const char *const sets[] = {"/solver=\"maximal\"",
                                  k ? "/integrator=\"implicit\"" : "/integrator=\"symplectic\"", NULL};
      char text[2000];
      size_t n = 0;
      snprintf(text, sizeof text, on_a_joint, joints[i]);
      TestRun run = test_run(text, sets);
      test_steps(run.sim, 100);
      const double *q = test_channel(run.sim, "joint.position", &n);
      for (size_t j = 3; j < n; j++)
        cr_expect_lt(fabs(q[j]), STAYS, "%s, coordinate %zu: %g", joints[i], j - 3, q[j]);
      test_run_free(&run);
    }
}

static const char closed[] = HEAD LOAD
    ", \"pose\": {\"position\": [0.8, 0, 0]}, \"velocity\": {\"angular\": [0, 3, 2], \"linear\": "
    "[0, 1.6, -2.4]}}], \"constraints\": [{\"type\": \"joint\", \"name\": \"slide\", \"axis\": [1, "
    "0.3, 0.2], \"joint\": {\"type\": \"prismatic\", \"friction\": {\"coefficient\": 2.5, \"size\": "
    "[0.1, 0.1, 0.1]}}, \"between\": [{\"body\": \"arm\", \"frame\": {\"position\": [0.3, 0, 0]}}, "
    "{\"body\": \"load\", \"frame\": {\"position\": [-0.2, 0, 0]}}]}]}";

Test(dry_kept, what_a_joint_that_closes_a_loop_holds_keeps_its_place) {
  static const char *const solvers[] = {"/solver=\"redmax\"", "/solver=\"maximal\""};
  static const double STAYS = 1e-3; // m, what other rows of the loop leave open at 2.5 m/s
  for (size_t k = 0; k < 2; k++) {
    const char *const sets[] = {solvers[k], NULL};
    TestRun run = test_run(closed, sets);
    test_steps(run.sim, 100);
    const double *p = test_channel(run.sim, "body.position", NULL);
    const double far = hypot(hypot(p[3] - p[0], p[4] - p[1]), p[5] - p[2]);
    cr_expect_lt(fabs(far - 0.5), STAYS, "%s: %g m", solvers[k], far);
    test_run_free(&run);
  }
}
