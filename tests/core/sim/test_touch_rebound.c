// Restitution and friction together: no impact makes energy, and what makes none rebounds as the scene says.
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GROUND "{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}"

static double total(const MbSim *sim) { return mb_energy(sim->model, &sim->x).total; }

// Steps so often, and asks that no step ends with more energy than it began with. How many came with an impulse.
static int steps_down(const TestRun *run, int steps, const char *what) {
  const double first = total(run->sim);
  double before = first;
  int pushed = 0;
  for (int i = 0; i < steps; i++) {
    test_steps(run->sim, 1);
    const double now = total(run->sim);
    cr_expect(now <= before + 1e-9 * fabs(first), "%s, step %d: %g of %g J more", what, i, now - before,
              before);
    before = now;
    pushed += run->sim->touching->last.n > 0;
  }
  return pushed;
}

static const char box[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 300}, \"contact\": {\"restitution\": 1}, "
    "\"parameters\": {\"k\": 0}, \"bodies\": [" GROUND
    ", {\"name\": \"box\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.9, 1.1, 0.7]}, "
    "\"pose\": "
    "{\"position\": [0, 0, 0.85], \"rotation\": {\"axis\": [\"=sin(7*k+1)\", \"=cos(5*k)\", "
    "\"=sin(3*k+2)\"], "
    "\"angle\": \"=1+k\"}}, \"velocity\": {\"linear\": [\"=2*cos(11*k)\", \"=2*sin(2*k)\", -2], \"angular\": "
    "[\"=4*sin(13*k)\", \"=4*cos(3*k)\", \"=4*cos(8*k+1)\"]}}]}";

Test(touch_rebound, a_box_thrown_with_spin_gains_no_energy_by_friction_and_restitution) {
  static const double mu[] = {0.2, 0.5, 1}, e[] = {1, 0.9, 0.8};
  for (size_t m = 0; m < 3; m++)
    for (int k = 0; k < 20; k++) {
      char law[80], start[40];
      snprintf(law, sizeof law, "/contact={\"friction\": %g, \"restitution\": %g}", mu[m], e[k % 3]);
      snprintf(start, sizeof start, "/parameters/k=%d", k);
      const char *const sets[] = {law, start,
                                  k % 2 ? "/integrator=\"symplectic\"" : "/integrator=\"implicit\"", NULL};
      TestRun run = test_run(box, sets);
      cr_expect_gt(steps_down(&run, 200, law), 0);
      test_run_free(&run);
    }
}

Test(touch_rebound, it_gains_none_under_any_method_and_solver) {
  static const char *const ways[] = {
      "/contact/method=\"gauss_seidel\"",
      "/contact/method=\"nonsmooth_newton\"",
      "/contact/method=\"admm\"",
      "/contact/method=\"staggered\"",
      "/contact/cone=\"box\"",
      "/contact={\"friction\": 0.5, \"restitution\": 1, \"method\": \"pivoting\", \"cone\": \"pyramid\"}",
      "/contact={\"friction\": 0.5, \"restitution\": 1, \"method\": \"gauss_seidel\", \"iterations\": 10}",
      "/solver={\"type\": \"redmax\", \"dynamics\": \"dense\"}",
      "/solver={\"type\": \"maximal\", \"project\": false}",
      "/solver={\"type\": \"maximal\", \"project\": true}",
      "/solver={\"type\": \"maximal\", \"project\": false, \"linear\": \"sparse\"}"};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
    for (int k = 0; k < 8; k++) {
      char start[40];
      snprintf(start, sizeof start, "/parameters/k=%d", k);
      const char *const sets[] = {start, "/contact/friction=0.5", ways[w], NULL};
      TestRun run = test_run(box, sets);
      steps_down(&run, 150, ways[w]);
      test_run_free(&run);
    }
}

#define THROWN(NAME, X, Z, TURN)                                                                             \
  ", {\"name\": \"" NAME                                                                                     \
  "\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.3, 0.25]}, \"pose\": "             \
  "{\"position\": [" X ", 0, " Z "], \"rotation\": {\"axis\": [1, 2, 1], \"angle\": " TURN                   \
  "}}, \"velocity\": "                                                                                       \
  "{\"linear\": [\"=-3*(" X ")\", 0.3, -1], \"angular\": [3, " TURN ", -2]}}"

Test(touch_rebound, six_boxes_that_fall_over_one_another_gain_none) {
  static const char boxes[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 300}, \"contact\": {\"restitution\": 1, "
      "\"friction\": "
      "0.5}, \"bodies\": [" GROUND THROWN("a", "0", "0.4", "1") THROWN("b", "0.6", "0.5", "2")
          THROWN("c", "-0.6", "0.45", "3") THROWN("d", "0.1", "1", "0.5") THROWN("e", "0.65", "1.1", "1.5")
              THROWN("f", "-0.5", "1.05", "2.5") "]}";
  TestRun run = test_run(boxes, NULL);
  cr_expect_gt(steps_down(&run, 300, "six boxes"), 20);
  test_run_free(&run);
}

// Of bodies that a stiff spring couples A is not M.
Test(touch_rebound, bodies_on_a_spring_gain_none) {
  static const char pair[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 300}, \"contact\": {\"restitution\": 1, "
      "\"friction\": "
      "0.5}, \"integrator\": \"implicit\", \"forces\": [{\"type\": \"spring\", \"name\": \"s\", \"between\": "
      "[{\"body\": "
      "\"a\", \"at\": [0, 0, 0.125]}, {\"body\": \"d\", \"at\": [0, 0, -0.125]}], \"stiffness\": 1e4}], "
      "\"bodies\": [" GROUND THROWN("a", "0", "0.4", "1") THROWN("d", "0.1", "1", "0.5") "]}";
  TestRun run = test_run(pair, NULL);
  cr_expect_gt(steps_down(&run, 300, "a spring"), 5);
  test_run_free(&run);
}

// What falls on a box that lies on the ground is thrown back by both blows at once: with gravity's work in the step that would be more
// than it came with.
Test(touch_rebound, a_ball_on_a_box_on_the_ground_comes_back_no_higher) {
  static const char scene[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 1000}, \"contact\": {\"restitution\": 1}, "
      "\"bodies\": [" GROUND ", {\"name\": \"box\", \"mass\": 3, \"shape\": {\"type\": \"box\", \"size\": "
      "[0.5, 0.5, 0.2]}, \"pose\": "
      "{\"position\": [0, 0, 0.1]}}, {\"name\": \"ball\", \"mass\": 1, \"shape\": {\"type\": \"sphere\", "
      "\"radius\": "
      "0.1}, \"pose\": {\"position\": [0.02, 0.01, 0.8]}}]}";
  TestRun run = test_run(scene, NULL);
  steps_down(&run, 1000, "a ball");
  test_run_free(&run);
}

// Each island for itself: what one box loses is no other's to gain, and its rebound is what it would be alone.
Test(touch_rebound, boxes_that_do_not_touch_rebound_as_each_does_alone) {
  static const char other[] = "/bodies/-={\"name\": \"other\", \"density\": 2000, \"shape\": {\"type\": "
                              "\"box\", \"size\": [1, 1, 1]}, \"pose\": "
                              "{\"position\": [9, 0, 0.9], \"rotation\": {\"axis\": [1, 2, 1], \"angle\": "
                              "0.4}}, \"velocity\": {\"linear\": [1, "
                              "0, -5], \"angular\": [1, 3, 2]}}";
  for (int k = 0; k < 8; k++) {
    char start[40];
    snprintf(start, sizeof start, "/parameters/k=%d", k);
    const char *const sets[] = {start, "/contact/friction=0.5", NULL}, *const more[] = {
                                                                           start, "/contact/friction=0.5",
                                                                           other, NULL};
    TestRun one = test_run(box, sets), two = test_run(box, more);
    test_steps(one.sim, 150);
    test_steps(two.sim, 150);
    double v[2][6];
    memcpy(v[0], one.sim->state.v + one.model->v_first[1], sizeof *v);
    memcpy(v[1], two.sim->state.v + two.model->v_first[1], sizeof *v);
    test_near(start, v[0], v[1], 6, 1e-6);
    test_run_free(&one);
    test_run_free(&two);
  }
}

// What spins about no principal axis spins otherwise behind a blow, and flies on by that: by the flight of the spin before it a blow of a
// cylinder made 3e-4 of the energy more.
Test(touch_rebound, what_tumbles_gains_none_by_the_way_that_it_flies_on) {
  static const char text[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 200}, \"contact\": {\"restitution\": 1}, "
      "\"bodies\": [" GROUND
      ", {\"name\": \"b\", \"density\": 500, \"shape\": null, \"pose\": {\"position\": "
      "[0, 0, 0.8], \"rotation\": {\"axis\": [1, 2, 3], \"angle\": 1}}, \"velocity\": {\"angular\": "
      "[9, -14, 6], \"linear\": [0.5, 0, -1]}}]}";
  static const char *const shapes[] = {
      "/bodies/1/shape={\"type\": \"box\", \"size\": [0.5, 0.2, 0.3]}",
      "/bodies/1/shape={\"type\": \"ellipsoid\", \"radii\": [0.2, 0.1, 0.3]}",
      "/bodies/1/shape={\"type\": \"cylinder\", \"radius\": 0.1, \"length\": 0.5}"};
  static const char *const rules[] = {"/contact/friction=0", "/contact/friction=0.3"};
  for (int i = 0; i < 12; i++) {
    const char *const sets[] = {
        shapes[i % 3], rules[i / 3 % 2],
        i / 6 ? "/integrator=\"implicit\"" : "/solver={\"type\": \"maximal\", \"project\": false}", NULL};
    TestRun run = test_run(text, sets);
    const double first = total(run.sim);
    double before = first, most = -INFINITY;
    for (int step = 0; step < 200; step++) {
      test_steps(run.sim, 1);
      most = fmax(most, total(run.sim) - before);
      before = total(run.sim);
    }
    cr_expect(most < 1e-9 * first, "%s, %s: %g of %g J more", sets[0], sets[1], most, first);
    test_run_free(&run);
  }
}

#define WALL(NAME, X, Y, Z, AT)                                                                              \
  "{\"name\": \"" NAME "\", \"shape\": {\"type\": \"plane\", \"normal\": [" X ", " Y ", " Z                  \
  "], \"offset\": " AT "}, \"joint\": {\"type\": \"fixed\"}}, "
#define LINK(NAME, PARENT, RATE)                                                                             \
  ", {\"name\": \"" NAME "\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.3, 0.1, 0.1]}, " \
  "\"joint\": {\"type\": \"spherical\", \"parent\": \"" PARENT                                               \
  "\", \"in_parent\": {\"position\": [0.2, 0, 0]}, \"in_body\": {\"position\": [-0.2, 0, 0]}, "              \
  "\"velocity\": [" RATE "]}}"

// Three links that tumble between six walls, e = 1 and no friction: what the total is off by is of the order h², as in free flight.
Test(touch_rebound, links_that_bounce_keep_their_energy_in_maximal_coordinates_to_second_order) {
  static const char *const links =
      "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"solver\": {\"type\": \"maximal\", \"project\": false}, "
      "\"time\": {\"step\": 0.002, "
      "\"steps\": 1000}, \"contact\": {\"friction\": 0, \"restitution\": 1, \"tolerance\": 1e-10}, "
      "\"bodies\": [" WALL("1", "0", "0", "1", "0") WALL("2", "0", "0", "-1", "-1.5")
          WALL("3", "1", "0", "0", "-1") WALL("4", "-1", "0", "0", "-1") WALL("5", "0", "1", "0", "-1")
              WALL("6", "0", "-1", "0", "-1") "{\"name\": \"a\", \"density\": 500, \"shape\": {\"type\": "
                                              "\"box\", \"size\": [0.3, 0.1, 0.1]}, \"pose\": "
                                              "{\"position\": [0, 0, 0.6], \"rotation\": {\"axis\": [1, 2, "
                                              "3], \"angle\": 1}}, \"velocity\": {\"linear\": [1, 0.5, -1], "
                                              "\"angular\": [3, 6, -4]}}" LINK("b", "a", "2, -3, 1")
                                                  LINK("c", "b", "-2, 1, 4") "]}";
  double off[2];
  for (int i = 0; i < 2; i++) {
    const char *const sets[] = {i ? "/time/step=0.001" : "/time/step=0.002", NULL};
    TestRun run = test_run(links, sets);
    const double first = total(run.sim);
    test_steps(run.sim, i ? 2000 : 1000);
    off[i] = total(run.sim) - first;
    cr_expect_lt(fabs(off[i]), (i ? 6e-4 : 2.5e-3) * first, "%g of %g J", off[i], first);
    test_run_free(&run);
  }
  printf("off by %.3g J in steps of 2 ms, by %.3g J in steps of 1 ms\n", off[0], off[1]);
}

// A light cylinder and a heavy capsule on a ball joint that turn fast, e = 1 and more friction than it takes to stick: what the joint pulls
// with on its curve is no constant force, and is not counted as one. One step alone made an eighth more otherwise.
Test(touch_rebound, bodies_on_a_joint_that_turn_fast_gain_none_by_an_impact) {
  static const char pair[] =
      "{\"mbsim\": 1, \"solver\": {\"type\": \"maximal\", \"project\": false}, \"time\": {\"step\": 0.005, "
      "\"steps\": 300}, \"contact\": "
      "{\"friction\": 2, \"restitution\": 1, \"method\": \"pivoting\", \"cone\": \"box\"}, \"bodies\": "
      "[" GROUND
      ", {\"name\": \"b0\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.129, \"length\": 0.326}, "
      "\"density\": 100, \"pose\": {\"position\": [0.078, 0.079, 0.6], \"rotation\": {\"axis\": "
      "[0.11817075654423959, -0.6333785553212494, 1], \"angle\": 1.3890042770556703}}, \"velocity\": "
      "{\"linear\": [1.286, 0.429, 0], \"angular\": [-0.975, 2.45, 1.797]}}, {\"name\": \"b1\", \"shape\": "
      "{\"type\": \"capsule\", \"radius\": 0.175, \"length\": 0.21}, \"density\": 5000, \"joint\": "
      "{\"type\": "
      "\"spherical\", \"parent\": \"b0\", \"in_parent\": {\"position\": [0.35, 0, 0]}, \"in_body\": "
      "{\"position\": [-0.35, 0, 0]}}}]}";
  TestRun run = test_run(pair, NULL);
  const double first = total(run.sim);
  double before = first, most = -INFINITY;
  for (int i = 0; i < 300; i++) {
    test_steps(run.sim, 1);
    const double now = total(run.sim);
    most = fmax(most, now - before), before = now;
    cr_expect_leq(now, first * (1 + 1e-9));
  }
  cr_expect_lt(most, 0.02 * first, "%g of %g J in a step", most, first);
  printf("at most %.2g of the energy more in a step\n", most / first);
  test_run_free(&run);
}

// A ball falls into a groove, along the x axis of whose sides' normals it is pushed out less than friction would hold it back: no impulses make it
// rebound, and it stays there. In a wider groove friction lets it out, and it rebounds.
#define SIDE(NAME, SIGN)                                                                                     \
  "{\"name\": \"" NAME "\", \"shape\": {\"type\": \"plane\", \"normal\": [\"=" SIGN                          \
  "cos(angle)\", 0, \"=sin(angle)\"]}, \"joint\": {\"type\": \"fixed\"}}, "

static const char groove[] =
    "{\"mbsim\": 1, \"parameters\": {\"angle\": 0.35}, \"time\": {\"step\": 0.002, \"steps\": 200}, "
    "\"contact\": {\"friction\": 0.67, \"restitution\": 0.4}, \"bodies\": [" SIDE("left", "")
        SIDE("right", "-") "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "
                           "\"density\": 1000, \"pose\": {\"position\": [0, 0, 0.5]}}]}";

// How fast the ball rises at most, after it has fallen.
static double rises(const char *const *sets, double *height) {
  TestRun run = test_run(groove, sets);
  const size_t ball = run.model->nb - 1;
  double most = -INFINITY;
  for (int i = 0; i < 200; i++) {
    const double before = run.sim->x.E[ball].p[2];
    test_steps(run.sim, 1);
    most = fmax(most, (run.sim->x.E[ball].p[2] - before) / 0.002);
  }
  *height = run.sim->x.E[ball].p[2];
  test_run_free(&run);
  return most;
}

Test(touch_rebound, a_ball_in_a_groove_that_holds_it_does_not_rebound) {
  static const char *const ways[] = {
      "/contact/method=\"auto\"",
      "/contact/method=\"nonsmooth_newton\"",
      "/contact/method=\"admm\"",
      "/contact/cone=\"box\"",
      "/contact={\"friction\": 0.67, \"restitution\": 0.4, \"method\": \"pivoting\", \"cone\": \"pyramid\"}",
      "/solver={\"type\": \"maximal\", \"project\": false}",
      "/solver={\"type\": \"redmax\", \"dynamics\": \"dense\"}",
      "/integrator=\"implicit\""};
  double height;
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    const double most = rises((const char *const[]){ways[w], NULL}, &height);
    cr_expect_lt(most, 1e-6, "%s: rises at %g m/s", ways[w], most);
    cr_expect_float_eq(height, 0.1 / sin(0.35), 1e-9, "%s: at %.12g", ways[w], height);
  }
  cr_expect_gt(rises((const char *const[]){"/parameters/angle=1", NULL}, &height), 0.5);
}

// A jam takes its own rebounds alone: a ball beside it comes back as it would without.
Test(touch_rebound, what_rebounds_beside_a_jam_is_as_without) {
  static const char ball[] =
      "/bodies/-={\"name\": \"other\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": "
      "1000, \"pose\": {\"position\": [0, 3, 0.3]}}";
  static const char ground[] =
      "/bodies/-={\"name\": \"post\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]}, "
      "\"density\": 1000, \"joint\": {\"type\": \"fixed\", \"in_parent\": {\"position\": [0, 3, 0]}}}";
  TestRun both = test_run(groove, (const char *const[]){ball, ground, "/parameters/angle=0.35", NULL});
  TestRun alone = test_run(groove, (const char *const[]){ball, ground, "/bodies/2/pose/position/2=50", NULL});
  const size_t at = both.model->nb - 2;
  for (int i = 0; i < 200; i++) {
    test_steps(both.sim, 1);
    test_steps(alone.sim, 1);
    cr_expect_float_eq(both.sim->x.E[at].p[2], alone.sim->x.E[at].p[2], 1e-9, "step %d", i);
  }
  test_run_free(&both);
  test_run_free(&alone);
}
