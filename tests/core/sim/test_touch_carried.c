// What rides on driven bodies that turn: a turntable carries what sticks to it round with it, and what rolls on it as is known.
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>

// A table that turns by `spin`, at a step h, and what lies on it.
static TestRun table(const char *solver, const char *integrator, double h, double spin, const char *rides) {
  char text[2000];
  snprintf(
      text, sizeof text,
      "{\"mbsim\": 1, \"time\": {\"step\": %.17g, \"steps\": %d}, \"solver\": %s, \"integrator\": \"%s\","
      " \"contact\": {\"friction\": 0.4, \"tolerance\": 1e-11}, \"bodies\": [{\"name\": \"table\", \"mass\": "
      "5,"
      " \"shape\": {\"type\": \"box\", \"size\": [4, 4, 0.2]}, \"pose\": {\"position\": [0, 0, -0.1]},"
      " \"motion\": {\"velocity\": {\"angular\": [0, 0, %.17g]}}}%s}",
      h, (int)lround(2 / h), solver, integrator, spin, rides);
  return test_run(text, NULL);
}

// Friction holds a box at a hair's breadth below what it can: it stays at its place, and is told to stick.
Test(touch_carried, a_box_that_sticks_to_a_turntable_stays_where_it_is) {
  static const char *const solvers[] = {"\"redmax\"", "\"maximal\""}, *const integrators[] = {"symplectic",
                                                                                              "implicit"};
  static const double radius = 0.5, h = 2e-3;
  const double spin = sqrt(0.999 * 0.4 * 9.81 / radius);
  char box[400];
  snprintf(
      box, sizeof box,
      ", {\"name\": \"box\", \"shape\": {\"type\": \"box\", \"size\": [0.04, 0.04, 0.04]}, \"density\": 1000,"
      " \"pose\": {\"position\": [0.5, 0, 0.02]}, \"velocity\": {\"linear\": [0, %.17g, 0], \"angular\": [0, "
      "0, %.17g]}}]",
      spin * radius, spin);
  for (size_t k = 0; k < 4; k++) {
    TestRun run = table(solvers[k / 2], integrators[k % 2], h, spin, box);
    test_steps(run.sim, mb_model_steps(run.model));
    const double *p = run.sim->x.E[1].p;
    cr_expect_lt(fabs(hypot(p[0], p[1]) / radius - 1), 1e-9, "%s, %s: at %.12g of the radius", solvers[k / 2],
                 integrators[k % 2], hypot(p[0], p[1]) / radius);
    cr_expect_lt(fabs(remainder(atan2(p[1], p[0]) - 2 * spin, 2 * acos(-1))), 1e-7);
    const MbPushes *last = &run.sim->touching->last;
    cr_assert_gt(last->n, 0);
    for (size_t i = 0; i < last->n; i++)
      cr_expect_lt(hypot(last->touch[i].rate[1], last->touch[i].rate[2]), 1e-8, "slips by %g, %g",
                   last->touch[i].rate[1], last->touch[i].rate[2]);
    test_run_free(&run);
  }
}

// A ball that rolls on a turntable goes round a circle by 2/7 of its spin, wherever that is.
static double off_circle(double h) {
  static const double spin = 3, radius = 0.1, x = 0.5, v = 0.3;
  const double turn = 2 * spin / 7;
  char ball[400];
  snprintf(ball, sizeof ball,
           ", {\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 1000,"
           " \"pose\": {\"position\": [%.17g, 0, 0.1]}, \"velocity\": {\"linear\": [%.17g, 0, 0], "
           "\"angular\": [%.17g, %.17g, 0]}}]",
           x, v, spin * x / radius, v / radius);
  TestRun run = table("\"redmax\"", "symplectic", h, spin, ball);
  double off = 0;
  for (int64_t k = 0; k < mb_model_steps(run.model); k++) {
    test_steps(run.sim, 1);
    const double *p = run.sim->x.E[1].p, angle = turn * run.sim->state.t;
    off = fmax(off, hypot(p[0] - x - v * sin(angle) / turn, p[1] - v * (1 - cos(angle)) / turn));
  }
  test_run_free(&run);
  return off;
}

Test(touch_carried, a_ball_rolls_round_a_circle_on_a_turntable, TEST_LONG) {
  const double coarse = off_circle(4e-3), fine = off_circle(2e-3);
  printf("a ball on a turntable: %.2e, %.2e m off its circle\n", coarse, fine);
  cr_expect_lt(coarse, 2e-5);
  cr_expect_gt(coarse / fine, 3.5);
}

// Nodes have no turn of their own: each keeps its place by itself.
Test(touch_carried, a_cloth_lies_still_on_a_turntable) {
  static const char *const solvers[] = {"\"redmax\"", "\"maximal\"",
                                        "{\"type\": \"projective\", \"method\": \"newton\"}"};
  static const char *const rag = "], \"deformables\": [{\"name\": \"rag\", \"type\": \"cloth\", \"mesh\": "
                                 "{\"grid\": [3, 3], \"size\": [0.1, 0.1]},"
                                 " \"pose\": {\"position\": [0.4, 0, 0]}, \"velocity\": {\"linear\": [0, "
                                 "0.8, 0], \"angular\": [0, 0, 2]},"
                                 " \"material\": {\"model\": \"corotational\", \"young\": 5e4, \"poisson\": "
                                 "0.3, \"density\": 300, \"thickness\": 0.001}}],"
                                 " \"output\": {\"channels\": [\"deformable.rag.position\"]}";
  for (size_t k = 0; k < 3; k++) {
    TestRun run = table(solvers[k], "implicit", 4e-3, 2, rag);
    double frame[64];
    MbReport report = {0};
    test_steps(run.sim, 250);
    test_ok(mb_sim_sample(run.sim, frame, &report), &report);
    cr_expect_lt(fabs(hypot(frame[0], frame[1]) / 0.4 - 1), 5e-9, "%s: at %.12g of the radius", solvers[k],
                 hypot(frame[0], frame[1]) / 0.4);
    test_run_free(&run);
  }
}
