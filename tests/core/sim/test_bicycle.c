// A bicycle that nobody steers, beside the linear theory of Meijaard, Papadopoulos, Ruina and Schwab (Linearized dynamics equations for the
// balance and steer of a bicycle, Proc. R. Soc. A 463, 2007): M q̈ + v C q̇ + (g K0 + v² K2) q = 0 of q = (lean, steer), with the numbers of their
// benchmark. Its wheels roll by constraints, or by contact and friction alone.
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLES = 20 };
static const double SECONDS = 1;

// d/dt of lean, steer and their rates at a speed.
static void slope(double v, const double y[4], double out[4]) {
  static const double M[2][2] = {{80.81722, 2.31941332208709}, {2.31941332208709, 0.29784188199686}},
                      C[2][2] = {{0, 33.86641391492494}, {-0.85035641456978, 1.68540397397560}},
                      K0[2][2] = {{-80.95, -2.59951685249872}, {-2.59951685249872, -0.80329488458618}},
                      K2[2][2] = {{0, 76.59734589573222}, {0, 2.65431523794604}}, GRAVITY = 9.81;
  double f[2] = {0};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      f[i] -= v * C[i][k] * y[2 + k] + (GRAVITY * K0[i][k] + v * v * K2[i][k]) * y[k];
  const double whole = M[0][0] * M[1][1] - M[0][1] * M[1][0];
  out[0] = y[2], out[1] = y[3];
  out[2] = (M[1][1] * f[0] - M[0][1] * f[1]) / whole, out[3] = (M[0][0] * f[1] - M[1][0] * f[0]) / whole;
}

// Lean and steer after each sample's time of one that has been shoved, by the method of Runge and Kutta.
static void theory(double v, double shove, double out[SAMPLES][2]) {
  enum { FINE = 2000 };
  const double h = SECONDS / SAMPLES / FINE;
  double y[4] = {0, 0, shove, 0}, k[4][4], at[4];
  for (int s = 0; s < SAMPLES; s++) {
    for (int i = 0; i < FINE; i++) {
      for (int stage = 0; stage < 4; stage++) {
        const double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
        for (int j = 0; j < 4; j++) at[j] = y[j] + (stage ? part * k[stage - 1][j] : 0);
        slope(v, at, k[stage]);
      }
      for (int j = 0; j < 4; j++) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
    out[s][0] = y[0], out[s][1] = y[1];
  }
}

// The axis that wheels have at rest, as a body of this name has it in the world.
static void axle(const TestRun *run, const char *name, double out[3]) {
  for (size_t b = 0; b < run->model->nb; b++)
    if (!strcmp(run->model->body_name[b], name)) mb_quat_rotate(out, run->sim->x.E[b].q, (double[]){0, 1, 0});
}

// The angle that the fork has turned by about its axis, which is upright but for 18 degrees: counted down, as they do.
static double steer_of(const TestRun *run) {
  double fork[3] = {0}, frame[3] = {0}, axis[3];
  axle(run, "fork", fork);
  axle(run, "frame", frame);
  mb_vec3_cross(axis, fork, frame);
  return copysign(asin(mb_vec3_norm(axis)), axis[2]);
}

// How far the run is from that at most, by the largest lean.
static double apart(const char *const *sets, double v, double shove, double h) {
  double known[SAMPLES][2], y[3] = {0}, worst = 0, most = 0;
  TestRun run = test_run("contact/bicycle", sets);
  theory(v, shove, known);
  for (int s = 0; s < SAMPLES; s++) {
    test_steps(run.sim, (int64_t)(SECONDS / SAMPLES / h + 0.5));
    axle(&run, "frame", y);
    const double lean = asin(y[2]), steer = steer_of(&run);
    worst = fmax(worst, fmax(fabs(lean - known[s][0]), fabs(steer - known[s][1])));
    most = fmax(most, fabs(known[s][0]));
  }
  test_run_free(&run);
  return worst / most;
}

Test(bicycle, on_wheels_that_roll_it_is_that_of_the_theory) {
  static const double SPEEDS[] = {3, 4.5, 5, 8}, SHOVE = 1e-4, STEP = 1e-3;
  static const char *const SOLVERS[] = {"/solver=\"redmax\"", "/solver=\"maximal\""};
  for (int i = 0; i < 8; i++) {
    char speed[64], shove[64];
    const double v = SPEEDS[i / 2];
    snprintf(speed, sizeof speed, "/parameters/speed=%g", v);
    snprintf(shove, sizeof shove, "/parameters/shove=%g", SHOVE);
    const char *sets[] = {
        "/contact={\"enabled\": false}",
        "/constraints=[{\"type\": \"rolling\", \"body\": \"rear wheel\"}, {\"type\": \"rolling\", \"body\": "
        "\"front wheel\"}]",
        "/integrator=\"trapezoidal\"",
        "/output/channels=[\"body.position\"]",
        SOLVERS[i % 2],
        speed,
        shove,
        NULL};
    const double off = apart(sets, v, SHOVE, STEP);
    cr_expect_lt(off, 1e-4, "%s at %g m/s: off by %.2g of its lean", SOLVERS[i % 2], v, off);
  }
}

Test(bicycle, by_contact_and_friction_it_comes_to_the_theory_as_steps_fall) {
  static const double SPEEDS[] = {3, 5}, SHOVE = 1e-3, STEP = 1e-3;
  for (int i = 0; i < 2; i++) {
    double off[2];
    for (int k = 0; k < 2; k++) {
      char speed[64], shove[64], step[64];
      const double h = k ? STEP / 2 : STEP;
      snprintf(speed, sizeof speed, "/parameters/speed=%g", SPEEDS[i]);
      snprintf(shove, sizeof shove, "/parameters/shove=%g", SHOVE);
      snprintf(step, sizeof step, "/time/step=%g", h);
      const char *sets[] = {speed, shove, step, NULL};
      off[k] = apart(sets, SPEEDS[i], SHOVE, h);
    }
    cr_expect_lt(off[0], 0.05, "at %g m/s: off by %.2g of its lean", SPEEDS[i], off[0]);
    cr_expect_lt(fabs(log2(off[0] / off[1]) - 1), 0.15, "at %g m/s: %.3g, then %.3g", SPEEDS[i], off[0],
                 off[1]);
  }
}
