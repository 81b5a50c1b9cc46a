// Laws of contact whose numbers are known: soft contact, impossible sliding, friction's work, heavy on light, the rest of a bouncing ball.
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define GROUND "{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}"

static double total(const MbSim *sim) { return mb_energy(sim->model, &sim->x).total; }

static const char soft[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 1000}, \"contact\": {\"compliance\": 1e-7}, "
    "\"bodies\": [" GROUND ", {\"name\": \"ball\", \"mass\": 1, \"shape\": {\"type\": \"sphere\", "
    "\"radius\": 0.1}, \"pose\": {\"position\": [0, 0, 0.12]}}]}";

// Stiff to soft for the step: what is stiff stops what comes down, as a hard contact does.
Test(contact_laws, soft_contacts_give_way_by_their_compliance_and_give_no_energy) {
  for (int k = 3; k < 12; k++) {
    char set[60];
    const double compliance = pow(10, -k), gravity = 9.81;
    snprintf(set, sizeof set, "/contact/compliance=%g", compliance);
    const char *const sets[] = {set, NULL};
    TestRun run = test_run(soft, sets);
    // elastic energy of the contact is gone from the scene's while it is pressed
    const double first = total(run.sim);
    double most = 0;
    for (int i = 0; i < 1000; i++) {
      test_steps(run.sim, 1);
      most = fmax(most, total(run.sim));
    }
    cr_expect_leq(most, first + 1e-12, "a compliance of %g: %g J of %g", compliance, most, first);
    const double depth = 0.1 - run.sim->x.E[1].p[2], wanted = gravity * compliance;
    if (k > 4) test_near(set, &depth, &wanted, 1, 1e-9 * (1 + wanted));
    test_run_free(&run);
  }
}

// A thin rod at 45° with its foot on the ground, which slides so that friction presses it down. With μ > 5/3 sliding on has no solution
// in forces: 1 + 3 c (c − μ s) < 0. An impulse stops the foot in one step, though nothing has fallen onto anything.
Test(contact_laws, painleves_rod_stops_where_sliding_is_impossible) {
  static const char rod[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 10}, \"contact\": {\"friction\": 2.5, "
      "\"tolerance\": "
      "1e-12}, \"bodies\": [" GROUND
      ", {\"name\": \"rod\", \"inertia\": {\"mass\": 1, \"matrix\": [\"=1/3\", "
      "\"=1/3\", 1e-4, 0, 0, 0]}, \"shape\": {\"type\": \"capsule\", \"radius\": 0.001, \"length\": 2}, "
      "\"pose\": {\"position\": [0, 0, \"=sqrt(0.5)+0.001\"], \"rotation\": {\"axis\": [0, 1, 0], \"angle\": "
      "\"=45*deg\"}}, \"velocity\": {\"linear\": [-1, 0, 0]}}]}";
  static const char *const methods[] = {"/contact/method=\"auto\"", "/contact/method=\"gauss_seidel\""};
  for (size_t k = 0; k < 2; k++) {
    const char *const sets[] = {methods[k], NULL};
    TestRun run = test_run(rod, sets);
    const double first = total(run.sim);
    test_steps(run.sim, 1);
    const MbPushes *last = &run.sim->touching->last;
    cr_assert_eq(last->n, 1, "%zu contacts push", last->n);
    cr_expect_gt(last->touch[0].lambda[0], 0.1, "an impulse of %g", last->touch[0].lambda[0]);
    const double still[3] = {0};
    test_near(methods[k], last->touch[0].rate, still, 3, 1e-9);
    cr_expect_lt(total(run.sim), first);
    // the other way it slides on
    test_run_free(&run);
    const char *const other[] = {methods[k], "/bodies/1/velocity/linear=[1, 0, 0]", NULL};
    run = test_run(rod, other);
    test_steps(run.sim, 1);
    cr_expect_lt(run.sim->touching->last.touch[0].lambda[0], 0.01);
    cr_expect_gt(run.sim->touching->last.touch[0].rate[1], 0.9);
    test_run_free(&run);
  }
}

Test(contact_laws_long, a_tower_of_light_boxes_under_heavy_ones_does_not_creep) {
  static const char tower[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 6000}, \"contact\": true, \"bodies\": [" GROUND
      ", {\"name\": \"a\", \"mass\": 1, \"shape\": {\"type\": \"box\", \"size\": [0.5, 0.5, 0.5]}, \"pose\": "
      "{\"position\": [0, 0, 0.25]}}, {\"name\": \"b\", \"mass\": 1000, \"shape\": {\"type\": \"box\", "
      "\"size\": "
      "[0.5, 0.5, 0.5]}, \"pose\": {\"position\": [0, 0, 0.75]}}, {\"name\": \"c\", \"mass\": 1, \"shape\": "
      "{\"type\": \"box\", \"size\": [0.4, 0.4, 0.4]}, \"pose\": {\"position\": [0.02, 0.01, 1.2]}}, "
      "{\"name\": "
      "\"d\", \"mass\": 1000, \"shape\": {\"type\": \"box\", \"size\": [0.5, 0.5, 0.5]}, \"pose\": "
      "{\"position\": "
      "[0, 0, 1.65]}}]}";
  TestRun run = test_run(tower, NULL);
  double from[5][3];
  for (size_t b = 1; b < 5; b++) memcpy(from[b], run.sim->x.E[b].p, sizeof from[b]);
  test_steps(run.sim, 6000);
  for (size_t b = 1; b < 5; b++) test_near("place", run.sim->x.E[b].p, from[b], 3, 1e-8);
  test_run_free(&run);
}

// Each bounce takes e of the last one's time: all of them together sqrt(2 H / g) (1 + e)/(1 − e).
Test(contact_laws, a_bouncing_ball_comes_to_rest_at_the_closed_forms_time) {
  const char *const sets[] = {"/contact={\"restitution\": 0.5}", "/bodies/1/pose/position=[0, 0, 1.1]",
                              "/time/step=0.0001", NULL};
  TestRun run = test_run(soft, sets);
  const double wanted = sqrt(2 / 9.81) * 3;
  double moves = 0;
  for (int i = 1; i <= 20000; i++) {
    test_steps(run.sim, 1);
    if (run.sim->x.E[1].p[2] > 0.1 + 1e-9) moves = i * 1e-4;
  }
  cr_expect(fabs(moves - wanted) < 0.01 * wanted, "it moves for %g s, wanted %g", moves, wanted);
  test_run_free(&run);
}

// A slab that tumbles and hits the ground: energy changes by what the impulses do, and by what a step leaves out, of the order h².
Test(contact_laws, work_of_contacts_is_the_impulses_and_not_the_tumbling_of_what_they_hit) {
  static const char *const slab =
      "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.002, \"steps\": 150}, \"contact\": "
      "{\"friction\": 0.5, \"restitution\": 0.3}, \"bodies\": [" GROUND ", {\"name\": \"slab\", \"density\": "
      "500, \"shape\": {\"type\": \"box\", \"size\": [0.5, 0.3, 0.1]}, \"pose\": {\"position\": [0, 0, 0.5], "
      "\"rotation\": {\"axis\": [1, 2, 3], \"angle\": 1}}, \"velocity\": {\"linear\": [1, 0, -2], "
      "\"angular\": "
      "[5, 9, -7]}}]}";
  static const char *const ways[] = {"/solver=\"redmax\"", "/solver=\"maximal\"", "/contact/iterations=20"};
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    double left[2];
    for (int i = 0; i < 2; i++) {
      const char *const sets[] = {ways[k], i ? "/time/step=0.001" : "/time/step=0.002", NULL};
      TestRun run = test_run(slab, sets);
      const double first = total(run.sim);
      test_steps(run.sim, i ? 300 : 150);
      const double work = test_channel(run.sim, "energy", NULL)[4];
      cr_expect_lt(work, -10);
      left[i] = fabs(total(run.sim) - first - work);
      test_run_free(&run);
    }
    cr_expect(left[0] < 2e-4 && left[1] < 0.3 * left[0], "%s: %g J, then %g J", ways[k], left[0], left[1]);
  }
}

static const char pile[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.004, \"steps\": 300}, \"contact\": {\"friction\": 0.4}, "
    "\"bodies\": [" GROUND
    ", {\"name\": \"a\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.3, "
    "0.3, 0.2]}, \"pose\": {\"position\": [0, 0, 0.1]}}, {\"name\": \"b\", \"density\": 500, \"shape\": "
    "{\"type\": "
    "\"box\", \"size\": [0.3, 0.2, 0.2]}, \"pose\": {\"position\": [0.05, 0, 0.32]}, \"velocity\": "
    "{\"linear\": "
    "[0.5, 0, 0]}}, {\"name\": \"c\", \"density\": 500, \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "
    "\"pose\": {\"position\": [0.05, 0.02, 0.6]}}]}";

Test(contact_laws, a_piles_energy_never_rises_under_any_method) {
  static const char *const laws[] = {
      "/contact/method=\"auto\"",
      "/contact/method=\"gauss_seidel\"",
      "/contact/method=\"nonsmooth_newton\"",
      "/contact/method=\"auto\"",
      "/contact/method=\"staggered\"",
      "/contact={\"friction\": 0.4, \"method\": \"pivoting\", \"cone\": \"box\"}",
      "/contact={\"friction\": 0.4, \"method\": \"pivoting\", \"cone\": \"pyramid\"}",
      "/contact={\"friction\": 0.4, \"method\": \"pivoting\", \"cone\": \"none\"}",
  };
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
    const char *const sets[] = {laws[k], NULL};
    TestRun run = test_run(pile, sets);
    const double first = total(run.sim);
    double before = first;
    for (int step = 0; step < 200; step++) {
      test_steps(run.sim, 1);
      const double now = total(run.sim);
      cr_expect(now <= before + 1e-9 * first, "%s, step %d: %g J more", laws[k], step, now - before);
      before = now;
    }
    cr_expect_lt(before, first - 1, "%s", laws[k]);
    test_run_free(&run);
  }
}

// A flat box on an incline whose way down is between two corners of the pyramid, with 1.01 of the friction that holds it there.
Test(contact_laws, a_flat_box_sticks_in_pyramids_by_every_method) {
  static const char slab[] =
      "{\"mbsim\": 1, \"parameters\": {\"tilt\": \"=25*deg\", \"yaw\": 0}, \"gravity\": "
      "[\"=9.81*sin(tilt)*cos(yaw)\", \"=9.81*sin(tilt)*sin(yaw)\", \"=-9.81*cos(tilt)\"], \"time\": "
      "{\"step\": 0.005, \"steps\": 200}, \"contact\": {\"cone\": \"pyramid\", \"friction\": "
      "\"=1.01*tan(tilt)*cos(pi/4-yaw)/cos(pi/4)\"}, \"bodies\": [" GROUND
      ", {\"name\": \"slab\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.6, 0.35, 0.03]}, "
      "\"pose\": {\"position\": [0, 0, 0.015], \"rotation\": {\"axis\": [0, 0, 1], \"angle\": 0.7}}}]}";
  static const char *const methods[] = {"/contact/method=\"gauss_seidel\"", "/contact/method=\"auto\"",
                                        "/contact/method=\"nonsmooth_newton\"", "/contact/method=\"admm\"",
                                        "/contact/method=\"staggered\""};
  static const char *const yaws[] = {"/parameters/yaw=0", "/parameters/yaw=0.3", "/parameters/yaw=0.7"};
  for (size_t k = 0; k < 15; k++) {
    TestRun run = test_run(slab, (const char *const[]){methods[k / 3], yaws[k % 3], NULL});
    test_steps(run.sim, 200);
    const double *p = run.sim->x.E[1].p;
    cr_expect_lt(hypot(p[0], p[1]), 1e-9, "%s, %s: slipped by %g m", methods[k / 3], yaws[k % 3],
                 hypot(p[0], p[1]));
    test_run_free(&run);
  }
}

// A ball wedged between a wall and a peg as far apart as it is thick: sweeps get nowhere near.
static const char *const wedge =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1}, \"contact\": {\"friction\": 0.2, "
    "\"restitution\": 0.4, \"method\": \"gauss_seidel\"}, \"bodies\": [{\"name\": \"wall\", \"shape\": "
    "{\"type\": \"plane\", \"normal\": [-1, 0, 0], \"offset\": -0.24}, \"joint\": {\"type\": \"fixed\"}}, "
    "{\"name\": \"peg\", \"density\": 1000, \"shape\": {\"type\": \"cylinder\", \"radius\": 0.008, "
    "\"length\": 0.05, \"frame\": {\"position\": [0.21, 0, 0], \"rotation\": {\"axis\": [1, 0, 0], "
    "\"angle\": \"=90*deg\"}}}, \"joint\": {\"type\": \"fixed\"}}, {\"name\": \"ball\", \"density\": 7800, "
    "\"shape\": {\"type\": \"sphere\", \"radius\": 0.011}, \"pose\": {\"position\": [0.2285, 0, 0.05]}}]}";

Test(contact_laws, methods_have_a_patience_of_their_own_where_a_scene_says_none) {
  static const struct {
    const char *method;
    int iterations;
  } all[] = {{"auto", 200},      {"pivoting", 200},         {"gauss_seidel", 2000},
             {"staggered", 500}, {"nonsmooth_newton", 200}, {"admm", 5000}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char method[60];
    snprintf(method, sizeof method, "/contact={\"cone\": \"box\", \"method\": \"%s\"}", all[i].method);
    for (int said = 0; said < 2; said++) {
      TestRun run =
          test_run(wedge, (const char *const[]){method, said ? "/contact/iterations=7" : NULL, NULL});
      cr_expect_eq(run.model->contacts.iterations, said ? 7 : all[i].iterations, "%s", all[i].method);
      test_run_free(&run);
    }
  }
}

Test(contact_laws, what_sweeps_leave_ends_a_run_but_where_a_few_of_them_are_asked_for) {
  MbReport report = {0};
  const char *const all[] = {"/contact/iterations=200", NULL};
  cr_expect_eq(test_try(wedge, all, 1000, &report), MB_NUMBERS);
  cr_expect(strstr(report.issues[report.kept - 1].text, "no forces were found"));
  const char *const few[] = {"/contact/iterations=199", NULL};
  MbReport other = {0};
  test_ok(test_try(wedge, few, 1000, &other), &other);
}

// No step is small enough for a ram that is driven into an anvil: whom that is about is told.
Test(contact_laws, what_is_driven_into_what_cannot_give_way_is_told_by_name) {
  static const char ram[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 60}, \"contact\": {}, \"bodies\": [{\"name\": "
      "\"anvil\", "
      "\"joint\": {\"type\": \"fixed\"}, \"shape\": {\"type\": \"plane\"}}, {\"name\": \"ram\", \"mass\": 1, "
      "\"shape\": "
      "{\"type\": \"sphere\", \"radius\": 0.1}, \"joint\": {\"type\": \"prismatic\", \"axis\": [0, 0, 1], "
      "\"in_parent\": {\"position\": [0, 0, 0.3]}, \"motion\": {\"velocity\": -1}}}]}";
  MbReport report = {0};
  cr_expect_eq(test_try(ram, NULL, 60, &report), MB_NUMBERS);
  const char *text = report.issues[report.kept - 1].text;
  cr_expect(strstr(text, "\"anvil\" and \"ram\" would still come nearer by "), "%s", text);
  cr_expect(strstr(text, "where they are driven"), "%s", text);
}

// In each step v falls by μ g h, as long as that is less than it is; a body that is thin goes many times its height in a step.
static double slides(double v, double loss, double h) {
  double way = 0;
  for (v -= loss; v > 0; v -= loss) way += h * v;
  return way;
}

Test(contact_laws, what_goes_farther_in_a_step_than_it_is_high_slides_as_far_as_friction_says) {
  static const char *const shapes[] = {
      "/bodies/1/shape={\"type\": \"box\", \"size\": [0.06, 0.09, 0.002]}",
      "/bodies/1/shape={\"type\": \"cylinder\", \"radius\": 0.02, \"length\": 0.002}"};
  static const char thin[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 300}, \"contact\": {\"friction\": 0.3}, "
      "\"bodies\": [" GROUND
      ", {\"name\": \"thin\", \"mass\": 0.01, \"shape\": {\"type\": \"box\", \"size\": [1, 1, 1]}, "
      "\"pose\": {\"position\": [0, 0, 0.001]}, \"velocity\": {\"linear\": [\"=0.6*4\", \"=0.8*4\", 0]}}]}";
  for (size_t k = 0; k < 2; k++) {
    const char *const sets[] = {shapes[k], NULL};
    TestRun run = test_run(thin, sets);
    test_steps(run.sim, 300);
    const double way = slides(4, 0.3 * 9.81 * 0.005, 0.005), wanted[3] = {0.6 * way, 0.8 * way, 0.001};
    test_near(shapes[k], run.sim->x.E[1].p, wanted, 3, 1e-9);
    test_run_free(&run);
  }
}

// A plank on two rollers that turn towards one another swings as x'' = −μ g x / c, c half their distance. How its four corners share the load
// decides how it turns about the vertical, and the law leaves that open: a method that treats all alike keeps it straight.
Test(contact_laws, a_plank_on_two_rollers_swings_straight_where_its_corners_share_the_load_alike) {
  static const char text[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 1000}, \"contact\": {\"friction\": 0.25, "
      "\"method\": \"admm\"}, \"bodies\": [{\"name\": \"l\", \"mass\": 1, \"shape\": {\"type\": "
      "\"cylinder\", \"radius\": 0.1, \"length\": 0.6, \"frame\": {\"rotation\": {\"axis\": [1, 0, 0], "
      "\"angle\": \"=pi/2\"}}}, \"motion\": {\"pose\": {\"position\": [-0.4, 0, -0.1], \"turn\": {\"axis\": "
      "[0, 1, 0], \"angle\": \"=60*t\"}}}}, {\"name\": \"r\", \"mass\": 1, \"shape\": {\"type\": "
      "\"cylinder\", \"radius\": 0.1, \"length\": 0.6, \"frame\": {\"rotation\": {\"axis\": [1, 0, 0], "
      "\"angle\": \"=pi/2\"}}}, \"motion\": {\"pose\": {\"position\": [0.4, 0, -0.1], \"turn\": {\"axis\": "
      "[0, 1, 0], \"angle\": \"=-60*t\"}}}}, {\"name\": \"plank\", \"density\": 500, \"shape\": {\"type\": "
      "\"box\", \"size\": [2, 0.3, 0.02]}, \"pose\": {\"position\": [0.1, 0, 0.01]}}]}";
  static const double h = 0.002;
  const double rate = sqrt(0.25 * 9.81 / 0.4);
  TestRun run = test_run(text, NULL);
  double off = 0, ahead[3];
  for (int i = 1; i <= 1000; i++) {
    test_steps(run.sim, 1);
    off = fmax(off, fabs(run.sim->x.E[2].p[0] - 0.1 * cos(rate * i * h)));
  }
  mb_quat_rotate(ahead, run.sim->x.E[2].q, (double[]){1, 0, 0});
  cr_expect_lt(off, 0.1 * 4 * rate * h, "off by %g m", off);
  cr_expect_lt(fabs(run.sim->x.E[2].p[1]), 1e-6, "%g m aside", run.sim->x.E[2].p[1]);
  cr_expect_lt(fabs(ahead[1]), 1e-6, "turned by %g", ahead[1]);
  test_run_free(&run);
}
