// Inertia of joints' coordinates: a rotor behind a gear. It stands in A and in what the velocities carry, under every solver.
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

// A hinge, a composite of a slide and two turns, a slide and a closed loop's worth of branches, all with rotors.
static const char tree[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 1000},"
    " \"output\": {\"channels\": [\"joint.acceleration\", \"energy\", \"momentum\"]},"
    " \"bodies\": [{\"name\": \"base\", \"inertia\": {\"mass\": 4, \"matrix\": [1, 2, 1.5, 0, 0, 0]},"
    "   \"velocity\": {\"angular\": [0.3, 0.2, -0.4]}},"
    "  {\"name\": \"a\", \"inertia\": {\"mass\": 1, \"center\": [0.2, 0, 0.1], \"matrix\": [0.1, 0.2, 0.15, "
    "0.01, 0, "
    "0.02]},"
    "   \"joint\": {\"type\": \"revolute\", \"parent\": \"base\", \"axis\": [0, 1, 1], \"in_parent\": "
    "{\"position\": [0.5, 0, "
    "0]},"
    "     \"position\": 0.4, \"velocity\": 2, \"inertia\": 0.7, \"stiffness\": 3, \"rest\": 0.1}},"
    "  {\"name\": \"b\", \"inertia\": {\"mass\": 2, \"center\": [0, 0.3, 0], \"matrix\": [0.3, 0.2, 0.25, 0, "
    "0.03, 0]},"
    "   \"joint\": {\"type\": \"composite\", \"parent\": \"a\", \"in_parent\": {\"position\": [0.3, 0.1, 0]},"
    "     \"joints\": [{\"type\": \"prismatic\", \"axis\": [1, 0, 0]}, {\"type\": \"revolute\", \"axis\": "
    "[0, 0, 1]},"
    "       {\"type\": \"revolute\", \"axis\": [1, 0, 0], \"frame\": {\"position\": [0, 0.1, 0.2]}}],"
    "     \"position\": [0.1, 0.5, -0.3], \"velocity\": [0.2, -1, 1.5], \"inertia\": [0.4, 0.05, 0], "
    "\"stiffness\": [20, 1, "
    "2]}},"
    "  {\"name\": \"c\", \"inertia\": {\"mass\": 0.5, \"matrix\": [0.1, 0.1, 0.1, 0, 0, 0]},"
    "   \"joint\": {\"type\": \"universal\", \"parent\": \"base\", \"in_parent\": {\"position\": [-0.5, 0.2, "
    "0]},"
    "     \"in_body\": {\"position\": [0, 0, 0.4]}, \"position\": [0.3, 0.6], \"velocity\": [1, -2], "
    "\"inertia\": 0.2}}]}";

static const char *const ways[] = {"{\"type\": \"redmax\", \"dynamics\": \"recursive\"}",
                                   "{\"type\": \"redmax\", \"dynamics\": \"dense\"}",
                                   "{\"type\": \"maximal\"}",
                                   "{\"type\": \"maximal\", \"linear\": \"sparse\"}",
                                   "{\"type\": \"maximal\", \"linear\": \"dense\"}",
                                   "{\"type\": \"maximal\", \"project\": true}"};
enum { WAYS = sizeof ways / sizeof *ways };

static TestRun run_of(const char *text, const char *solver, const char *integrator) {
  char how[128], scheme[160];
  snprintf(how, sizeof how, "/solver=%s", solver);
  snprintf(scheme, sizeof scheme, "/integrator=%s", integrator);
  return test_run(text, (const char *const[]){how, scheme, NULL});
}

#define RK45 "{\"type\": \"rk45\", \"relative\": 1e-11, \"absolute\": 1e-13}"

// Torque τ on a wheel of inertia I behind a rotor of inertia J: q̈ = τ/(I + J)
Test(rotors, a_wheel_turns_as_if_it_were_heavier) {
  static const char wheel[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.1, \"steps\": 10},"
      " \"bodies\": [{\"name\": \"wheel\", \"inertia\": {\"mass\": 1, \"matrix\": [1, 1, 2, 0, 0, 0]},"
      "   \"joint\": {\"type\": \"revolute\", \"inertia\": 3, \"force\": 10}}]}";
  static const char *const integrators[] = {"\"symplectic\"", "\"implicit\"", "\"trapezoidal\"",
                                            "\"bridson_marino\"", RK45};
  for (size_t i = 0; i < WAYS; i++)
    for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
      TestRun run = run_of(wheel, ways[i], integrators[k]);
      test_steps(run.sim, 10);
      mb_sim_kinematics(run.sim, run.sim->state.q, run.sim->state.v);
      cr_assert_float_eq(run.sim->x.v[0], 2, 1e-9, "%s, %s: %.12g rad/s", ways[i], integrators[k],
                         run.sim->x.v[0]);
      test_run_free(&run);
    }
}

Test(rotors, all_solvers_find_the_same_accelerations) {
  double first[16];
  size_t n = 0;
  for (size_t i = 0; i < WAYS; i++) {
    TestRun run = run_of(tree, ways[i], RK45);
    const double *a = test_channel(run.sim, "joint.acceleration", &n);
    if (i == 0) memcpy(first, a, n * sizeof *first);
    test_near(ways[i], a, first, n, 1e-9);
    test_run_free(&run);
  }
  cr_assert_eq(n, 6);
}

// A rotor changes the accelerations, and by more where it has more: else the test above compares nothing.
Test(rotors, accelerations_differ_from_those_without) {
  size_t n = 0;
  double with[16];
  TestRun run = run_of(tree, ways[0], RK45);
  memcpy(with, test_channel(run.sim, "joint.acceleration", &n), 6 * sizeof *with);
  test_run_free(&run);
  run = test_run(tree, (const char *const[]){"/bodies/1/joint/inertia=0", "/bodies/2/joint/inertia=0",
                                             "/bodies/3/joint/inertia=0", NULL});
  cr_assert_gt(test_distance(with, test_channel(run.sim, "joint.acceleration", &n), 6), 1);
  test_run_free(&run);
}

// Nothing drives or damps the tree: energy, with the rotors', and the bodies' angular momentum about a free centre stay.
Test(rotors_long, energy_and_momentum_stay) {
  for (size_t i = 0; i < WAYS; i++) {
    TestRun run = run_of(tree, ways[i], RK45);
    size_t n = 0;
    double start[4], momentum[6];
    memcpy(start, test_channel(run.sim, "energy", &n), 4 * sizeof *start);
    memcpy(momentum, test_channel(run.sim, "momentum", &n), 6 * sizeof *momentum);
    test_steps(run.sim, 300);
    const double *end = test_channel(run.sim, "energy", &n);
    cr_assert_float_eq(end[3], start[3], 1e-7 * start[0], "%s: %.12g J became %.12g J", ways[i], start[3],
                       end[3]);
    cr_assert_gt(fabs(end[0] - start[0]), 0.01 * start[0]);
    const double *moved = test_channel(run.sim, "momentum", &n);
    test_near("linear momentum x, y", moved, momentum, 2, 1e-7);
    test_run_free(&run);
  }
}

Test(rotors, all_solvers_go_the_same_way_under_the_adaptive_integrator) {
  double first[128], other[128];
  size_t n = 0;
  for (size_t i = 0; i < WAYS; i++) {
    TestRun run = run_of(tree, ways[i], RK45);
    test_steps(run.sim, 200);
    const size_t count = test_bodies(run.sim, i ? other : first, 128);
    if (i) test_near(ways[i], other, first, count, 1e-6);
    n = count;
    test_run_free(&run);
  }
  cr_assert_eq(n, 4 * 18);
}

// Halving the step of the trapezoidal rule divides the error by four, with joints as rows and in their own coordinates.
Test(rotors_long, the_trapezoidal_rule_keeps_its_order) {
  double truth[128], ends[2][128];
  for (size_t i = 0; i < WAYS; i++) {
    TestRun run = run_of(tree, ways[i], RK45);
    test_steps(run.sim, 100);
    const size_t count = test_bodies(run.sim, truth, 128);
    test_run_free(&run);
    for (int k = 0; k < 2; k++) {
      char solver[128];
      snprintf(solver, sizeof solver, "/solver=%s", ways[i]);
      run = test_run(tree, (const char *const[]){solver, "/integrator=\"trapezoidal\"",
                                                 k ? "/time/step=0.001" : "/time/step=0.002", NULL});
      test_steps(run.sim, k ? 200 : 100);
      test_bodies(run.sim, ends[k], 128);
      test_run_free(&run);
    }
    const double coarse = test_distance(ends[0], truth, count), fine = test_distance(ends[1], truth, count);
    cr_assert(coarse / fine > 3.5 && coarse / fine < 4.5, "%s: errors %g and %g", ways[i], coarse, fine);
  }
}

// What a step makes of velocities besides what it solves for, rotors feel as well: the flight of bodies, and twists that stay. Without it
// steps of whatever length end 0.02 to 0.03 off.
Test(rotors, steps_of_one_solution_are_of_first_order_on_bodies_that_turn) {
  static const char *const held[] = {"{\"type\": \"maximal\"}",
                                     "{\"type\": \"maximal\", \"linear\": \"dense\"}",
                                     "{\"type\": \"maximal\", \"velocity_terms\": \"explicit\"}"};
  static const char *const schemes[] = {"\"symplectic\"", "\"implicit\""};
  double truth[128], end[128], off[2];
  TestRun run = run_of(tree, ways[0], RK45);
  test_steps(run.sim, 100);
  const size_t count = test_bodies(run.sim, truth, 128);
  test_run_free(&run);
  for (size_t i = 0; i < 6; i++) {
    char solver[128], scheme[64];
    snprintf(solver, sizeof solver, "/solver=%s", held[i / 2]);
    snprintf(scheme, sizeof scheme, "/integrator=%s", schemes[i % 2]);
    for (int k = 0; k < 2; k++) {
      run = test_run(
          tree, (const char *const[]){solver, scheme, k ? "/time/step=0.0005" : "/time/step=0.002", NULL});
      test_steps(run.sim, k ? 400 : 100);
      test_bodies(run.sim, end, 128);
      off[k] = test_distance(end, truth, count);
      test_run_free(&run);
    }
    printf("%s, %s: %.2g off, %.2g in steps of a quarter\n", held[i / 2], schemes[i % 2], off[0], off[1]);
    cr_expect(off[1] < 0.35 * off[0], "%s, %s: %.3g and %.3g", held[i / 2], schemes[i % 2], off[0], off[1]);
  }
}

// Where forces give velocities a rotor is what a damper is.
Test(rotors, where_motion_stops_with_forces_they_resist_as_dampers_do) {
  static const char *const text = "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 10}, \"solver\": "
                                  "{\"type\": \"maximal\", \"mode\": "
                                  "\"first_order\"}, \"bodies\": [{\"name\": \"a\", \"inertia\": {\"mass\": "
                                  "2, \"matrix\": [1, 2, 1.5, 0, 0, 0]}, "
                                  "\"joint\": {\"type\": \"spherical\", \"in_body\": {\"position\": [0.3, "
                                  "0.2, 0.1]}}}, {\"name\": \"b\", \"inertia\": "
                                  "{\"mass\": 3, \"matrix\": [1, 1, 2, 0, 0, 0]}, \"joint\": {\"type\": "
                                  "\"prismatic\", \"parent\": \"a\", \"axis\": "
                                  "[0, 1, 1], \"in_body\": {\"position\": [0, 0.2, 0]}, \"%s\": 4}}]}";
  static const char *const what[] = {"inertia", "damping"};
  double end[2][128];
  size_t count = 0;
  for (int k = 0; k < 2; k++) {
    char scene[1000];
    snprintf(scene, sizeof scene, text, what[k]);
    TestRun run = test_run(scene, NULL);
    test_steps(run.sim, 10);
    count = test_bodies(run.sim, end[k], 128);
    test_run_free(&run);
  }
  test_near("with a rotor and with a damper", end[0], end[1], count, 1e-12);
}

// Forces that couple bodies make the recursive solver iterate on A: it must have the rotors too.
Test(rotors, iterations_know_them) {
  static const char *const spring = "/forces=[{\"type\": \"spring\", \"stiffness\": 4000, \"damping\": 10, "
                                    "\"length\": 0.3, \"between\": [{\"body\": "
                                    "\"b\", \"at\": [0.1, 0, 0]}, {\"body\": \"c\", \"at\": [0, 0.1, 0]}]}]";
  double first[128], other[128];
  for (size_t i = 0; i < 2; i++) {
    char solver[128];
    snprintf(solver, sizeof solver, "/solver=%s", ways[i]);
    TestRun run = test_run(tree, (const char *const[]){solver, "/integrator=\"implicit\"", spring, NULL});
    test_steps(run.sim, 100);
    const size_t count = test_bodies(run.sim, i ? other : first, 128);
    if (i) test_near("dense and recursive", other, first, count, 1e-7);
    test_run_free(&run);
  }
}

// A body without mass or inertia turns by its rotor alone.
Test(rotors, a_joint_may_have_nothing_but_its_rotor) {
  static const char empty[] = "{\"mbsim\": 1, \"time\": {\"step\": 0.1, \"steps\": 10},"
                              " \"bodies\": [{\"name\": \"wheel\", \"joint\": {\"type\": \"revolute\", "
                              "\"inertia\": 5, \"force\": 10}}]}";
  TestRun run = run_of(empty, ways[0], RK45);
  test_steps(run.sim, 10);
  cr_assert_float_eq(run.sim->state.v[0], 2, 1e-9);
  test_run_free(&run);
}

Test(rotors, rotation_vectors_are_refused) {
  static const char ball[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.1, \"steps\": 10},"
      " \"bodies\": [{\"name\": \"ball\", \"inertia\": {\"mass\": 1, \"matrix\": [1, 1, 2, 0, 0, 0]},"
      "   \"joint\": {\"type\": \"spherical\", \"inertia\": 3}}]}";
  MbReport report = {0};
  cr_assert_eq(test_try(ball, NULL, 0, &report), MB_SCENE);
  cr_assert(strstr(report.issues[0].text, "rotation vector"), "%s", report.issues[0].text);
}
