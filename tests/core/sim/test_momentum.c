// What nothing pulls at keeps its momentum and its spin, under every integrator: bodies free in space, beside joints, and held by
// rows; and the scenes that once showed it otherwise.
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static const char *const ways[] = {"symplectic", "implicit", "trapezoidal", "bridson_marino", "rk45"};
enum { WAYS = 5, FIRST = 2 }; // the first two are of first order

typedef struct Kept {
  double linear, angular, energy[2]; // largest changes, of what was there; the energy's down and up
} Kept;

static void largest(double *worst, const double *now, const double *then) {
  double change[3];
  mb_vec3_sub(change, now, then);
  const double off = mb_vec3_norm(change) / mb_vec3_norm(then);
  *worst = off <= *worst ? *worst : off; // NaN stays
}

static Kept watch(TestRun *run, int rounds, int64_t steps) {
  double P0[3], L0[3], P[3], L[3];
  Kept kept = {0};
  mb_momentum(run->model, &run->sim->x, P0, L0);
  const double E0 = mb_energy(run->model, &run->sim->x).kinetic;
  for (int k = 0; k < rounds; k++) {
    test_steps(run->sim, steps);
    mb_momentum(run->model, &run->sim->x, P, L);
    largest(&kept.linear, P, P0);
    largest(&kept.angular, L, L0);
    const double gain = mb_energy(run->model, &run->sim->x).kinetic / E0 - 1;
    kept.energy[0] = fmin(kept.energy[0], gain), kept.energy[1] = fmax(kept.energy[1], gain);
  }
  return kept;
}

// ---- bodies free in space ---------------------------------------------------------------------------------

static const char *const shapes[] = {
    "{\"type\": \"sphere\", \"radius\": 0.1}",
    "[{\"type\": \"cylinder\", \"radius\": 0.03, \"length\": 0.01, \"frame\": {\"position\": [0, 0, 0.04]}}, "
    "{\"type\": "
    "\"cylinder\", \"radius\": 0.003, \"length\": 0.06, \"frame\": {\"position\": [0, 0, 0.03]}}]",
    "{\"type\": \"box\", \"size\": [0.1, 0.2, 0.3]}"};
static const char *const names[] = {"ball", "top", "box"};

// Alone; beside a body that hangs on a joint, so that there is a tree; and so that the solver holds joints.
static const char *const places[] = {"free", "free beside a joint", "maximal"};

static Kept fly(int shape, double spin, int place, const char *way) {
  static const char *const post =
      ", {\"name\": \"post\", \"mass\": 1, \"shape\": {\"type\": \"sphere\", \"radius\": "
      "0.1}, \"joint\": {\"type\": \"revolute\"}}";
  char text[2000];
  snprintf(
      text, sizeof text,
      "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"duration\": 10}, \"integrator\": "
      "\"%s\", "
      "\"solver\": \"%s\", \"bodies\": [{\"name\": \"body\", \"shape\": %s, \"density\": 1000, \"velocity\": "
      "{\"angular\": [%g, %g, %g], \"linear\": [3, 0, 0]}}%s], \"output\": {}}",
      way, place == 2 ? "maximal" : "redmax", shapes[shape], 0.0999 * spin, 0.2997 * spin, 0.949 * spin,
      place ? post : "");
  TestRun run = test_run(text, NULL);
  const Kept kept = watch(&run, 20, 500);
  test_run_free(&run);
  return kept;
}

// Bounds: rounding of 10⁴ steps in momenta and in the energy of what has an axis of symmetry; a box's energy swings by the square of
// what it turns in a part of its flight (flight.h) and does not drift; the steps of second order turn a body by the
// exponential of its mean spin, which is right to (h ω)²; rk45 by its tolerance.
Test(momentum_long, free_bodies_keep_momentum_and_spin_for_ten_seconds_under_every_integrator, TEST_LONG) {
  static const double ROUNDING = 1e-11, ANGULAR = 1e-9, SWING = 2e-5;
  printf("%-5s %5s %-20s %-15s %9s %9s %9s %9s\n", "10 s", "rad/s", "1 ms", "", "linear", "angular", "energy",
         "");
  for (int shape = 0; shape < 3; shape++)
    for (double spin = 10; spin < 2000; spin *= 10)
      for (int i = 0; i < WAYS; i++) {
        // every two of shape, spin, place and way meet
        const int place = (shape + (spin > 15) + (spin > 150) + i) % 3;
        const Kept kept = fly(shape, spin, place, ways[i]);
        printf("%-5s %5g %-20s %-15s %9.1e %9.1e %+9.1e %+9.1e\n", names[shape], spin, places[place], ways[i],
               kept.linear, kept.angular, kept.energy[0], kept.energy[1]);
        const bool exact = shape == 0 || i < FIRST;
        const double turn = spin * 1e-3, off = i < FIRST ? ANGULAR
                                               : i < 4   ? 10 * turn * turn
                                                         : 1e-3 * (1 + spin);
        const double gain = i < FIRST ? (shape < 2 ? ANGULAR : SWING) : 0.1 * turn * turn;
        cr_expect(kept.linear <= ROUNDING, "%s, %g rad/s, %s, %s: linear momentum off by %g", names[shape],
                  spin, places[place], ways[i], kept.linear);
        cr_expect(kept.angular <= (shape == 0 ? ANGULAR : off),
                  "%s, %g rad/s, %s, %s: angular momentum off by %g", names[shape], spin, places[place],
                  ways[i], kept.angular);
        cr_expect(kept.energy[1] <= gain || (i == 4 && kept.energy[1] < 1e-4),
                  "%s, %g rad/s, %s, %s: energy grows by %g", names[shape], spin, places[place], ways[i],
                  kept.energy[1]);
        cr_expect(!exact || i == 4 || kept.energy[0] >= -SWING, "%s, %g rad/s, %s, %s: energy falls by %g",
                  names[shape], spin, places[place], ways[i], kept.energy[0]);
      }
}

Test(momentum, a_spinning_ball_flies_straight) {
  static const char *const text = "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, "
                                  "\"duration\": 1}, \"bodies\": [{\"name\": "
                                  "\"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "
                                  "\"density\": 1000, \"velocity\": {\"angular\": "
                                  "[0, 30, 0], \"linear\": [3, 0, 0]}}]}";
  for (int i = 0; i < WAYS; i++) {
    char set[60];
    snprintf(set, sizeof set, "/integrator=\"%s\"", ways[i]);
    const char *const sets[] = {set, NULL};
    TestRun run = test_run(text, sets);
    double v[3];
    test_steps(run.sim, 1000);
    mb_quat_rotate(v, run.sim->x.E[0].q, run.sim->x.phi + 3);
    test_near(ways[i], v, (double[]){3, 0, 0}, 3, 1e-13);
    test_near(ways[i], run.sim->x.E[0].p, (double[]){3, 0, 0}, 3, 1e-12);
    test_near(ways[i], run.sim->x.phi, (double[]){0, 30, 0}, 3, 1e-12);
    test_run_free(&run);
  }
}

// ---- bodies held by rows ----------------------------------------------------------------------------------

static const char *const forms[] = {"tree", "sparse", "dense"};

static TestRun held(const char *text, const char *form, const char *way) {
  char sets[2][80];
  snprintf(sets[0], sizeof sets[0], "/solver={\"type\": \"maximal\", \"linear\": \"%s\"}", form);
  snprintf(sets[1], sizeof sets[1], "/integrator=\"%s\"", way);
  const char *const list[] = {sets[0], sets[1], NULL};
  return test_run(text, list);
}

Test(momentum_long, a_wheel_that_spins_on_a_cart_does_not_drive_it) {
  static const char *const text =
      "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"duration\": 1}, \"bodies\": "
      "[{\"name\": "
      "\"cart\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.2, 0.1]}, \"density\": 500, \"joint\": "
      "{\"type\": "
      "\"prismatic\", \"axis\": [1, 0, 0], \"velocity\": 3}}, {\"name\": \"wheel\", \"shape\": {\"type\": "
      "\"cylinder\", \"radius\": 0.2, \"length\": 0.05}, \"density\": 2000, \"joint\": {\"type\": "
      "\"revolute\", "
      "\"parent\": \"cart\", \"velocity\": 60}}]}";
  for (int f = 0; f < 3; f++)
    for (int i = 0; i < WAYS; i++) {
      TestRun run = held(text, forms[f], ways[i]);
      const double E = mb_energy(run.model, &run.sim->x).kinetic;
      test_steps(run.sim, 1000);
      test_near(ways[i], run.sim->x.v, (double[]){3, 60}, 2, i == 4 ? 1e-8 : 1e-10);
      test_near(ways[i], &(double){mb_energy(run.model, &run.sim->x).kinetic / E}, &(double){1}, 1, 1e-10);
      test_run_free(&run);
    }
}

// Two boxes on a hinge that is no principal axis of either, tumbling in space
Test(momentum_long, what_rows_hold_together_keeps_its_momentum_in_space) {
  static const char *const text =
      "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"duration\": 2}, \"bodies\": "
      "[{\"name\": \"a\", "
      "\"shape\": {\"type\": \"box\", \"size\": [0.4, 0.2, 0.1]}, \"density\": 500, \"velocity\": "
      "{\"angular\": "
      "[20, 3, 30], \"linear\": [3, 1, -2]}}, {\"name\": \"b\", \"shape\": {\"type\": \"box\", \"size\": "
      "[0.1, 0.2, "
      "0.3]}, \"density\": 700, \"joint\": {\"type\": \"revolute\", \"axis\": [1, 1, 0], \"parent\": \"a\", "
      "\"in_parent\": {\"position\": [0.2, 0, 0]}, \"in_body\": {\"position\": [0, 0, 0.2]}, \"velocity\": "
      "10}}]}";
  printf("%-8s %-15s %9s %9s %9s\n", "hinged", "", "linear", "angular", "energy");
  for (int f = 0; f < 3; f++)
    for (int i = 0; i < WAYS - 1; i++) {
      TestRun run = held(text, forms[f], ways[i]);
      const Kept kept = watch(&run, 4, 500);
      printf("%-8s %-15s %9.1e %9.1e %+9.1e %+9.1e\n", forms[f], ways[i], kept.linear, kept.angular,
             kept.energy[0], kept.energy[1]);
      cr_expect(kept.linear < 1e-11, "%s, %s: linear momentum off by %g", forms[f], ways[i], kept.linear);
      cr_expect(i >= FIRST || kept.angular < 1e-10, "%s, %s: angular momentum off by %g", forms[f], ways[i],
                kept.angular);
      cr_expect(kept.energy[1] < (i < FIRST ? 0.05 : 1e-3), "%s, %s: energy grows by %g", forms[f], ways[i],
                kept.energy[1]);
      test_run_free(&run);
    }
}

Test(momentum, a_fast_top_held_by_rows_keeps_its_energy) {
  static const char *const text = "{\"mbsim\": 1, \"time\": {\"step\": 0.0005, \"duration\": 5}, \"bodies\": "
                                  "[{\"name\": \"top\", \"shape\": "
                                  "[{\"type\": \"cylinder\", \"radius\": 0.03, \"length\": 0.01, \"frame\": "
                                  "{\"position\": [0, 0, 0.04]}}, "
                                  "{\"type\": \"cylinder\", \"radius\": 0.003, \"length\": 0.06, \"frame\": "
                                  "{\"position\": [0, 0, 0.03]}}], "
                                  "\"density\": 2700, \"joint\": {\"type\": \"euler\", \"order\": \"zxz\", "
                                  "\"position\": [0, \"=20*deg\", 0], "
                                  "\"velocity\": [0, 0, 200]}}]}";
  for (int i = 0; i < FIRST; i++) {
    TestRun run = held(text, "tree", ways[i]);
    const double E = mb_energy(run.model, &run.sim->x).total;
    test_steps(run.sim, 10000);
    const double gain = mb_energy(run.model, &run.sim->x).total / E - 1;
    printf("top at 200 rad/s for 5 s, %s: energy %+.1e\n", ways[i], gain);
    cr_expect(fabs(gain) < 0.01, "%s: energy changes by %g", ways[i], gain);
    test_run_free(&run);
  }
}

// A pendulum in weightlessness goes round as it began, whatever keeps it on its circle: rows know the curve of the step.
Test(momentum, what_a_row_keeps_on_a_circle_goes_on_at_its_speed) {
  static const char *const text = "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, "
                                  "\"duration\": 5}, \"bodies\": [{\"name\": \"a\", "
                                  "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 500, "
                                  "\"joint\": {\"type\": \"revolute\", \"axis\": "
                                  "[0, 1, 0], \"in_body\": {\"position\": [1, 0, 0]}, \"velocity\": 20}}]}";
  static const char *const kinds[] = {"baumgarte", "post", "none"};
  for (int i = 0; i < FIRST; i++)
    for (int k = 0; k < 3; k++) {
      char sets[2][100];
      snprintf(sets[0], sizeof sets[0], "/solver={\"type\": \"maximal\", \"stabilization\": \"%s\"}",
               kinds[k]);
      snprintf(sets[1], sizeof sets[1], "/integrator=\"%s\"", ways[i]);
      const char *const list[] = {sets[0], sets[1], NULL};
      TestRun run = test_run(text, list);
      test_steps(run.sim, 5000);
      const double speed = run.sim->x.v[0], gap = mb_sim_constraint_error(run.sim);
      printf("round at 20 rad/s for 5 s, %s, %s: %.6f rad/s, gap %.1e m\n", ways[i], kinds[k], speed, gap);
      cr_expect_float_eq(speed, 20, 0.01, "%s, %s: %g", ways[i], kinds[k], speed);
      cr_expect(gap < (k == 2 ? 0.05 : 1e-4), "%s, %s: gap %g", ways[i], kinds[k], gap);
      test_run_free(&run);
    }
}

// ---- as in print ------------------------------------------------------------------------------------------

Test(momentum, explicit_velocity_terms_are_refused_where_they_do_nothing) {
  static const char *const sets[][3] = {
      {"/solver/project=true", NULL},
      {"/solver/mode=\"first_order\"", NULL},
      {"/integrator=\"trapezoidal\"", NULL},
  };
  static const char *const text = "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1}, \"solver\": "
                                  "{\"type\": \"maximal\", \"velocity_terms\": "
                                  "\"explicit\"}, \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": "
                                  "\"sphere\", \"radius\": 0.1}, \"mass\": 1, "
                                  "\"joint\": {\"type\": \"revolute\"}}]}";
  for (int i = 0; i < 3; i++) {
    MbReport report = {0};
    cr_expect_eq(test_try(text, sets[i], 0, &report), MB_SCENE, "%s", sets[i][0]);
    cr_expect(strstr(report.issues[0].text, "\"explicit\""), "%s", report.issues[0].text);
  }
}
