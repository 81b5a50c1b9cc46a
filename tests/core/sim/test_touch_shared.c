// Loads that the law leaves open, of what slips: contacts share them as if all gave way a little.
#include "core/math/quat.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <stdio.h>

// A plank on two rollers that turn towards one another swings as x'' = −μ g x / (c − μ e), c half their distance, e half its thickness. How its
// four corners share the load decides how it turns about the vertical, which grows by itself.
static void swing(const char *solver, const char *shape, double h) {
  static const char form[] =
      "{\"mbsim\": 1, \"time\": {\"step\": %g, \"duration\": 4}, \"solver\": \"%s\", \"contact\": "
      "{\"friction\": "
      "0.25}, \"bodies\": [{\"name\": \"l\", \"mass\": 1, \"shape\": {\"type\": \"%s\", \"radius\": 0.1, "
      "\"length\": 0.6, \"frame\": {\"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"=pi/2\"}}}, \"pose\": "
      "{\"position\": [-0.4, 0, -0.1]}, \"motion\": {\"velocity\": {\"angular\": [0, 60, 0], \"linear\": [0, "
      "0, "
      "0]}}}, {\"name\": \"r\", \"mass\": 1, \"shape\": {\"type\": \"%s\", \"radius\": 0.1, \"length\": 0.6, "
      "\"frame\": {\"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"=pi/2\"}}}, \"pose\": {\"position\": "
      "[0.4, 0, "
      "-0.1]}, \"motion\": {\"velocity\": {\"angular\": [0, -60, 0], \"linear\": [0, 0, 0]}}}, {\"name\": "
      "\"plank\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [2, 0.3, 0.02]}, \"pose\": "
      "{\"position\": [0.1, 0, 0.01]}}]}";
  const double rate = sqrt(0.25 * 9.81 / (0.4 - 0.25 * 0.01));
  char text[2000];
  snprintf(text, sizeof text, form, h, solver, shape, shape);
  TestRun run = test_run(text, NULL);
  double off = 0, ahead[3];
  for (int i = 1; i * h < 4; i++) {
    test_steps(run.sim, 1);
    off = fmax(off, fabs(run.sim->x.E[2].p[0] - 0.1 * cos(rate * (i + 0.5) * h)));
  }
  mb_quat_rotate(ahead, run.sim->x.E[2].q, (double[]){1, 0, 0});
  cr_expect_lt(off, 0.1 * 0.5 * rate * h, "%s, %s: off by %g m", solver, shape, off);
  cr_expect_lt(fabs(ahead[1]), 1e-6, "%s, %s: turned by %g", solver, shape, ahead[1]);
  test_run_free(&run);
}

Test(touch_shared, a_plank_on_two_rollers_swings_straight) {
  swing("redmax", "cylinder", 0.002);
  swing("redmax", "capsule", 0.004);
  swing("maximal", "cylinder", 0.004);
}

// Two fingers press a box with `share` of the force that holds it as the hand rises with 0.1 π² at first: the hand's way less the box's, and by how
// much the box is turned.
static double lift(double share, double h, double *turned) {
  static const char form[] =
      "{\"mbsim\": 1, \"time\": {\"step\": %g, \"duration\": 2.2}, \"contact\": {\"friction\": 0.5}, "
      "\"bodies\": "
      "[{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}, "
      "{\"name\": "
      "\"hand\", \"mass\": 2, \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.5, 0.05]}, \"joint\": "
      "{\"type\": "
      "\"prismatic\", \"axis\": [0, 0, 1], \"in_parent\": {\"position\": [0, 0, 0.5]}, \"motion\": "
      "{\"position\": "
      "\"=t<1?0:t<2?0.1*(1-cos(pi*(t-1))):0.2\"}}}, {\"name\": \"left\", \"mass\": 0.1, \"shape\": "
      "{\"type\": "
      "\"box\", \"size\": [0.04, 0.02, 0.1]}, \"joint\": {\"type\": \"prismatic\", \"parent\": \"hand\", "
      "\"axis\": [0, 1, 0], \"in_parent\": {\"position\": [0, -0.08, -0.4]}, \"force\": %.17g}}, {\"name\": "
      "\"right\", \"mass\": 0.1, \"shape\": {\"type\": \"box\", \"size\": [0.04, 0.02, 0.1]}, \"joint\": "
      "{\"type\": \"prismatic\", \"parent\": \"hand\", \"axis\": [0, -1, 0], \"in_parent\": {\"position\": "
      "[0, "
      "0.08, -0.4]}, \"force\": %.17g}}, {\"name\": \"box\", \"mass\": 1, \"shape\": {\"type\": \"box\", "
      "\"size\": [0.1, 0.1, 0.2]}, \"pose\": {\"position\": [0, 0, 0.1]}}]}";
  const double force = share * (9.81 + 0.1 * M_PI * M_PI);
  char text[2000];
  snprintf(text, sizeof text, form, h, force, force);
  TestRun run = test_run(text, NULL);
  test_steps(run.sim, (int)round(2.2 / h));
  const double *q = run.sim->x.E[4].q;
  *turned = 2 * sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double behind = 0.2 - (run.sim->x.E[4].p[2] - 0.1);
  test_run_free(&run);
  return behind;
}

Test(touch_shared, fingers_hold_a_box_to_the_force_that_statics_tells) {
  static const double steps[] = {0.005, 0.002};
  for (size_t i = 0; i < 2; i++) {
    double turned, behind = lift(1.005, steps[i], &turned);
    cr_expect_lt(fabs(behind), 1e-8, "%g s: it has slipped by %g m", steps[i], behind);
    cr_expect_lt(turned, 1e-7, "%g s: it is turned by %g", steps[i], turned);
    behind = lift(0.99, steps[i], &turned);
    cr_expect(behind > 1e-4 && behind < 1e-2, "%g s: it has slipped by %g m", steps[i], behind);
    cr_expect_lt(turned, 1e-7, "%g s: slipping it is turned by %g", steps[i], turned);
  }
}

// Loads of four corners as if all gave way are those of a plane, N = a + b x + c y: those across sum up alike.
Test(touch_shared, a_box_that_turns_as_it_slides_bears_on_its_corners_as_a_plane) {
  static const char text[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"duration\": 0.3}, \"contact\": {\"friction\": 0.3}, "
      "\"bodies\": [{\"name\": \"floor\", \"joint\": {\"type\": \"fixed\"}, \"shape\": {\"type\": "
      "\"plane\"}}, "
      "{\"name\": \"block\", \"mass\": 2, \"shape\": {\"type\": \"box\", \"size\": [0.3, 0.2, 0.1]}, "
      "\"pose\": "
      "{\"position\": [0, 0, 0.05]}, \"velocity\": {\"linear\": [2, 0, 0], \"angular\": [0, 0, 6]}}]}";
  TestRun run = test_run(text, NULL);
  for (int i = 0; i < 60; i++) {
    test_steps(run.sim, 1);
    const MbPushes *last = &run.sim->touching->last;
    double across = 0, sum = 0;
    for (size_t k = 0; k < last->n; k++) {
      const double *place = run.sim->x.E[1].p, *point = last->touch[k].point;
      const double arm[3] = {point[0] - place[0], point[1] - place[1], 0};
      double local[3];
      mb_quat_unrotate(local, run.sim->x.E[1].q, arm);
      across += (local[0] * local[1] > 0 ? 1 : -1) * last->touch[k].lambda[0];
      sum += last->touch[k].lambda[0];
    }
    cr_expect(last->n == 4 && fabs(sum - 2 * 9.81 * 0.005) < 1e-9);
    cr_expect_lt(fabs(across), 1e-8 * sum, "step %d: %g of the load", i, across / sum);
  }
  test_run_free(&run);
}
