// A bead on a straight wire and one on a slope, as scenes say them, against uniformly accelerated motion:
// along the direction a that is free and slopes down, s = ½ (g · a) t².
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>

static const char *const SOLVERS[] = {"redmax", "maximal"};
static const char *const INTEGRATORS[] = {"implicit", "symplectic", "trapezoidal", "bridson_marino", "rk45"};
static const double T = 1, G = 9.81, START[3] = {0.3, -0.2, 0.5};

// A bead of a kilogram on what `kind` says of direction [3, 0, 4], through the point where it starts, in the frame of the
// world or of a body that stands there and is turned about z by a right angle.
static TestRun start(const char *kind, const char *key, const char *solver, const char *integrator,
                     bool turned) {
  char text[1400];
  snprintf(text, sizeof text,
           "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1000}, \"solver\": \"%s\", \"integrator\": "
           "\"%s\","
           "\"bodies\": [{\"name\": \"stand\", \"inertia\": {\"mass\": 1, \"matrix\": [1, 1, 1, 0, 0, 0]},"
           "\"joint\": {\"type\": \"fixed\", \"in_parent\": {\"rotation\": {\"axis\": [0, 0, 1], \"angle\": "
           "\"=90*deg\"}}}},"
           "{\"name\": \"bead\", \"inertia\": {\"mass\": 1, \"matrix\": [1, 1, 1, 0, 0, 0]},"
           "\"pose\": {\"position\": [0.3, -0.2, 0.5]}}],"
           "\"constraints\": [{\"type\": \"%s\", \"%s\": [3, 0, 4], "
           "\"between\": [{\"body\": \"%s\", \"at\": [%s, 0.5]}, {\"body\": \"bead\"}]}]}",
           solver, integrator, kind, key, turned ? "stand" : "world", turned ? "-0.2, -0.3" : "0.3, -0.2");
  return test_run(text, NULL);
}

static void slides(bool plane, const char *solver, const char *integrator, bool turned) {
  static const double NEAR = 6e-3; // of schemes of first order: h g t/2
  TestRun run = start(plane ? "point_on_plane" : "point_on_line", plane ? "normal" : "axis", solver,
                      integrator, turned);
  test_steps(run.sim, 1000);
  // down the wire, (−3, 0, −4)/5; down the slope, (4, 0, −3)/5
  const double way = G * T * T / 2 * (plane ? 0.6 : 0.8),
               down[3] = {plane ? 0.8 : -0.6, 0, plane ? -0.6 : -0.8};
  const double *p = run.sim->x.E[run.model->number[1]].p;
  for (int i = 0; i < 3; i++) {
    const double a = turned ? (i == 1 ? down[0] : i == 0 ? -down[1] : down[2]) : down[i];
    cr_expect_lt(fabs(p[i] - START[i] - way * a), NEAR, "%s, %s, %s, %s: %g along %c, not %g",
                 plane ? "plane" : "line", solver, integrator, turned ? "turned" : "world", p[i] - START[i],
                 'x' + i, way * a);
  }
  cr_expect_lt(mb_sim_constraint_error(run.sim), 1e-9);
  test_run_free(&run);
}

Test(on_line, beads_slide_down_wires_and_slopes_as_scenes_say) {
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 5; i++)
      for (int turned = 0; turned < 2; turned++) {
        slides(false, SOLVERS[s], INTEGRATORS[i], turned);
        slides(true, SOLVERS[s], INTEGRATORS[i], turned);
      }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(on_line, two_points_that_are_one_stay_on_lines_and_planes) {
  for (int plane = 0; plane < 2; plane++) {
    char text[600];
    snprintf(
        text, sizeof text,
        "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 10},"
        "\"bodies\": [{\"name\": \"a\", \"inertia\": {\"mass\": 1, \"matrix\": [1, 1, 1, 0, 0, 0]}}],"
        "\"constraints\": [{\"type\": \"%s\", \"between\": [{\"body\": \"world\"}, {\"body\": \"a\"}]}]}",
        plane ? "point_on_plane" : "point_on_line");
    TestRun run = test_run(text, NULL);
    test_steps(run.sim, 10);
    const double z = run.sim->x.E[0].p[2], fallen = -G * 1e-6 * 55; // g h² (1 + 2 + … + 10)
    cr_expect_lt(fabs(z - (plane ? 0 : fallen)), 1e-12, "%g", z);
    test_run_free(&run);
  }
}
