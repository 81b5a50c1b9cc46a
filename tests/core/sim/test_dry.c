// Dry friction along coordinates: what it holds stays for ever, what slips feels all of it, and its work is counted.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static const char *const solvers[] = {"/solver={\"type\": \"redmax\", \"dynamics\": \"recursive\"}",
                                      "/solver={\"type\": \"redmax\", \"dynamics\": \"dense\"}",
                                      "/solver=\"maximal\"",
                                      "/solver={\"type\": \"maximal\", \"project\": true}",
                                      "/solver={\"type\": \"maximal\", \"linear\": \"sparse\"}"};
static const char *const integrators[] = {"/integrator=\"implicit\"", "/integrator=\"symplectic\""};
enum { SOLVERS = sizeof solvers / sizeof *solvers, WAYS = 2 * SOLVERS };

// A slide that a pendulum hangs on.
static const char slide[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 6000}, \"bodies\": ["
    "{\"name\": \"slide\", \"mass\": 2, \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, "
    "\"joint\": "
    "{\"type\": \"prismatic\", \"axis\": [1, 0, 0], \"velocity\": 2, \"frictionloss\": 5}}, "
    "{\"name\": \"pendulum\", \"mass\": 1, \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.5], "
    "\"frame\": "
    "{\"position\": [0, 0, -0.25]}}, \"joint\": {\"type\": \"revolute\", \"parent\": \"slide\", \"axis\": "
    "[0, "
    "1, 0], \"position\": 0.5, \"frictionloss\": 1.5}}]}";

static double coordinate(MbSim *sim, size_t i) { return test_channel(sim, "joint.position", NULL)[i]; }

// v_k = v₀ − k h F/m until it stops, within the step in which it would turn round.
Test(dry, a_slide_is_stopped_after_the_discrete_distance) {
  static const char one[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 100}, \"bodies\": [{\"name\": \"slide\", "
      "\"mass\": "
      "2, \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"joint\": {\"type\": \"prismatic\", "
      "\"axis\": [1, 0, 0], \"velocity\": 2, \"frictionloss\": 9.7}}]}";
  double wanted = 0;
  for (double v = 2 - 0.01 * 9.7 / 2; v > 0; v -= 0.01 * 9.7 / 2) wanted += 0.01 * v;
  for (size_t k = 0; k < WAYS; k++) {
    const char *const sets[] = {solvers[k / 2], integrators[k % 2], NULL};
    TestRun run = test_run(one, sets);
    test_steps(run.sim, 100);
    const double q = coordinate(run.sim, 0);
    test_near(solvers[k / 2], &q, &wanted, 1, 1e-12);
    // what it has taken is the energy of motion that there was
    const double *energy = test_channel(run.sim, "energy", NULL), all = -4;
    test_near("friction's work", &energy[4], &all, 1, 1e-12);
    test_run_free(&run);
  }
}

// A body on a spring loses 2 F/k of its amplitude in each half of a swing, and stops where the spring pulls no more than F.
Test(dry, a_body_on_a_spring_loses_as_much_of_its_way_in_every_swing) {
  static const char sprung[] =
      "{\"mbsim\": 1, \"integrator\": \"symplectic\", \"time\": {\"step\": 0.0002, \"steps\": 20000}, "
      "\"bodies\": [{\"name\": \"slide\", \"mass\": 1, \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, "
      "0.1]}, \"joint\": {\"type\": \"prismatic\", \"axis\": [1, 0, 0], \"stiffness\": 100, \"position\": 1, "
      "\"frictionloss\": 11}}]}";
  TestRun run = test_run(sprung, NULL);
  double turns[4] = {0}, before = 1;
  const double wanted[4] = {0.78, 0.56, 0.34, 0.12};
  int n = 0, sign = -1;
  for (int i = 0; i < 20000 && n < 4; i++, before = coordinate(run.sim, 0)) {
    test_steps(run.sim, 1);
    if (sign * (coordinate(run.sim, 0) - before) > 0) continue;
    turns[n++] = fabs(before);
    sign = -sign;
  }
  cr_assert_eq(n, 4);
  test_near("amplitudes", turns, wanted, 4, 2e-4);
  const int64_t left = 20000 - mb_sim_steps(run.sim);
  test_steps(run.sim, left);
  const double q = coordinate(run.sim, 0);
  // 0.12 − 0.11 is more than nothing: one more short way, then it rests
  cr_expect(fabs(q) <= 0.11 && fabs(q) > 0.09, "%g", q);
  cr_expect_lt(fabs(run.sim->state.v[0]), 1e-12);
  test_run_free(&run);
}

// m g l (cos θ' − cos θ) = τ (|θ| + |θ'|) between two turns of a pendulum.
Test(dry, a_pendulum_turns_where_the_work_of_its_friction_has_it) {
  const char *const sets[] = {"/bodies/0/joint/velocity=0",
                              "/bodies/0/joint/frictionloss=1000",
                              "/bodies/1/joint/frictionloss=0.3",
                              "/bodies/1/joint/position=1.5",
                              "/time/step=0.0001",
                              "/integrator=\"symplectic\"",
                              NULL};
  TestRun run = test_run(slide, sets);
  double last = 1.5, before = 1.5;
  int turns = 0, sign = -1;
  for (int i = 0; i < 40000 && turns < 4; i++, before = coordinate(run.sim, 1)) {
    test_steps(run.sim, 1);
    if (sign * (coordinate(run.sim, 1) - before) >= 0) continue;
    const double fall = 9.81 * 0.25 * (cos(before) - cos(last)), lost = 0.3 * (fabs(before) + fabs(last));
    cr_expect(fabs(fall - lost) < 2e-3 * lost, "turn %d: %g J fallen, %g J lost", turns, fall, lost);
    last = before, sign = -sign;
    turns++;
  }
  cr_expect_eq(turns, 4);
  test_run_free(&run);
}

Test(dry, what_it_holds_does_not_creep) {
  for (size_t k = 0; k < WAYS; k++) {
    const char *const sets[] = {solvers[k / 2], integrators[k % 2], "/bodies/0/joint/velocity=0",
                                "/bodies/1/joint/position=0.6", NULL};
    TestRun run = test_run(slide, sets); // m g l sin 0.6 = 1.38 N m of 1.5
    test_steps(run.sim, k < 4 ? 6000 : 600);
    const double q[2] = {coordinate(run.sim, 0), coordinate(run.sim, 1)}, wanted[2] = {0, 0.6};
    test_near(solvers[k / 2], q, wanted, 2, 1e-10);
    test_run_free(&run);
    // and one per mille too little lets it go
    const double less = 9.81 * 0.25 * sin(0.6) * 0.999;
    char weak[60];
    snprintf(weak, sizeof weak, "/bodies/1/joint/frictionloss=%.17g", less);
    const char *const other[] = {solvers[k / 2],
                                 integrators[k % 2],
                                 "/bodies/0/joint/velocity=0",
                                 "/bodies/1/joint/position=0.6",
                                 weak,
                                 NULL};
    run = test_run(slide, other);
    test_steps(run.sim, 50);
    cr_expect_lt(coordinate(run.sim, 1), 0.6 - 1e-4);
    test_run_free(&run);
  }
}

Test(dry, solvers_take_the_same_steps) {
  double q[WAYS][2];
  for (size_t k = 0; k < WAYS; k++) {
    const char *const sets[] = {solvers[k / 2], integrators[k % 2], "/time/step=0.0005", NULL};
    TestRun run = test_run(slide, sets);
    test_steps(run.sim, 1500);
    for (size_t i = 0; i < 2; i++) q[k][i] = coordinate(run.sim, i);
    test_run_free(&run);
  }
  // integrators are the same where nothing is stiff; joints as rows drift by their own amount
  for (size_t k = 1; k < WAYS; k++)
    test_near(solvers[k / 2], q[k], q[0], 2, k < 4 || k / 2 == 3 ? 1e-9 : 1e-4);
}

// Of a chain on the ground every method comes to the same velocities.
static const char arm[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 400}, \"contact\": {\"tolerance\": 1e-11}, "
    "\"bodies\": [{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": "
    "\"fixed\"}}, "
    "{\"name\": \"upper\", \"density\": 700, \"shape\": {\"type\": \"capsule\", \"radius\": 0.04, "
    "\"length\": "
    "0.4}, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_parent\": {\"position\": [0, 0, "
    "0.56]}, "
    "\"in_body\": {\"position\": [0, 0, 0.2]}, \"position\": -1.2, \"frictionloss\": 0.5}}, "
    "{\"name\": \"lower\", \"density\": 700, \"shape\": {\"type\": \"capsule\", \"radius\": 0.04, "
    "\"length\": "
    "0.4}, \"joint\": {\"type\": \"universal\", \"parent\": \"upper\", \"in_parent\": {\"position\": [0, 0, "
    "-0.2]}, \"in_body\": {\"position\": [0, 0, 0.2]}, \"position\": [0.3, 0.2], \"limits\": [[-1, 1], "
    "null], \"frictionloss\": [0.2, 0.1]}}]}";

Test(dry, methods_agree_where_joints_rub_and_bodies_touch) {
  static const char *const methods[] = {"/contact/method=\"auto\"", "/contact/method=\"gauss_seidel\"",
                                        "/contact/method=\"nonsmooth_newton\"", "/contact/method=\"admm\""};
  double q[4][3];
  for (size_t k = 0; k < 4; k++) {
    const char *const sets[] = {methods[k], NULL};
    TestRun run = test_run(arm, sets);
    test_steps(run.sim, 100);
    for (size_t i = 0; i < 3; i++) q[k][i] = coordinate(run.sim, i);
    const double *energy = test_channel(run.sim, "energy", NULL);
    cr_expect_lt(energy[5], -0.1, "friction's work is %g", energy[5]);
    test_run_free(&run);
  }
  for (size_t k = 1; k < 4; k++) test_near(methods[k], q[k], q[0], 3, 1e-6);
}

Test(dry, a_run_that_is_resumed_goes_on_bit_for_bit_and_counts_on) {
  for (size_t k = 0; k < SOLVERS; k++) {
    const char *const sets[] = {solvers[k], NULL};
    TestRun one = test_run(arm, sets), other = test_run(arm, sets);
    test_resumes(one.sim, other.sim, 70, 50, solvers[k]);
    test_run_free(&one);
    test_run_free(&other);
  }
}

Test(dry, steps_do_not_allocate) {
  TestRun run = test_run(slide, NULL);
  const int64_t before = mb_alloc_calls();
  test_steps(run.sim, 200);
  cr_expect_eq(mb_alloc_calls(), before);
  test_run_free(&run);
}

// Not the first of several errors need be the one.
static void refused(const char *set, const char *where, const char *text) {
  MbReport report = {0};
  const char *const sets[] = {set, NULL};
  cr_assert_eq(test_try(slide, sets, 0, &report), MB_SCENE, "%s", set);
  bool found = false;
  for (int i = 0; i < report.kept; i++)
    found |= !strcmp(report.issues[i].where, where) && strstr(report.issues[i].text, text);
  cr_expect(found, "%s: %s", report.issues[0].where, report.issues[0].text);
}

Test(dry, what_makes_no_sense_is_refused_by_name) {
  refused("/integrator=\"rk45\"", "/bodies/0/joint/frictionloss", "\"rk45\" takes no dry friction");
  refused("/integrator=\"trapezoidal\"", "/bodies/0/joint/frictionloss",
          "take \"symplectic\" or \"implicit\"");
  refused("/solver={\"type\": \"maximal\", \"mode\": \"first_order\"}", "/bodies/0/joint/frictionloss",
          "makes no sense in mode \"first_order\"");
  refused("/bodies/1/joint/frictionloss=[1, 2]", "/bodies/1/joint/frictionloss", "found 2 numbers, wanted 1");
  refused("/bodies/1/joint={\"type\": \"spherical\", \"frictionloss\": 1}", "/bodies/1/joint/frictionloss",
          "dry friction");
  refused("/output={\"channels\": [\"joint.reaction\"]}", "/output/channels", "known over steps");
}
