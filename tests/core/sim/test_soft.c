// Soft constraints (AR 0.11): α is how far they give way for each newton, β the time in which they come back. A mass m on one is
// an oscillator of stiffness 1/α and damping β/α:  ω² = 1/(α m),  ζ = β ω/2.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

enum { INTEGRATORS = 5, FIRST_ORDER = 2 };
static const char *const ALL[INTEGRATORS] = {
    "\"symplectic\"", "\"implicit\"", "\"trapezoidal\"", "\"bridson_marino\"",
    "{\"type\": \"rk45\", \"relative\": 1e-10, \"absolute\": 1e-13}"};
// What a mass of 2 kg is held by: in space or on a rail, by a point, a frame or a rope.
static const char *const JOINT[] = {"", ", \"joint\": {\"type\": \"prismatic\"}"};
#define ENDS "\"between\": [{\"body\": \"world\"}, {\"body\": \"m\"}]"
static const char *const HOLD[] = {"\"type\": \"point\", " ENDS, "\"joint\": \"fixed\", " ENDS,
                                   "\"type\": \"distance\", \"rope\": true, \"length\": 0.5, \"between\": "
                                   "[{\"body\": \"world\", \"at\": [0, 0, 0.5]}, {\"body\": \"m\"}]"};
static const double M = 2, G = 9.81;

static TestRun start(const char *integrator, const char *joint, const char *hold, const char *solver,
                     double alpha, double beta, double h, double up, double gravity) {
  char text[1000];
  snprintf(
      text, sizeof text,
      "{\"mbsim\": 1, \"time\": {\"step\": %.17g, \"steps\": 1}, \"gravity\": [0, 0, %.17g], "
      "\"integrator\": %s, \"solver\": {\"type\": \"redmax\", \"dynamics\": \"%s\"}, \"bodies\": "
      "[{\"name\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"mass\": %.17g%s}], "
      "\"constraints\": [{%s, \"compliance\": %.17g, \"damping\": %.17g}]}",
      h, -gravity, integrator, solver, M, joint, hold, alpha, beta);
  TestRun run = test_run(text, NULL);
  run.sim->state.q[run.model->jointed ? 0 : 2] = up;
  return run;
}

static void end(TestRun *run) {
  test_run_free(run);
  cr_assert_eq(mb_alloc_live(), 0);
}

static double height(const TestRun *run) { return run->sim->state.q[run->model->jointed ? 0 : 2]; }
static double speed(const TestRun *run) { return run->sim->state.v[run->model->jointed ? 0 : 5]; }

Test(soft, at_rest_it_gives_way_by_its_compliance_times_the_load) {
  static const double ALPHA = 1e-3, CLOSE = 1e-9; // of the way
  const double omega = 1 / sqrt(ALPHA * M);       // damped as fast as can be: e^(−ω t)
  for (int i = 0; i < INTEGRATORS; i++)
    for (int joint = 0; joint < 2; joint++)
      for (int hold = 0; hold < 3; hold++)
        for (int dense = 0; dense < 2; dense++) {
          TestRun run = start(ALL[i], JOINT[joint], HOLD[hold], dense ? "dense" : "recursive", ALPHA,
                              2 / omega, 1e-2, 0, G);
          test_steps(run.sim, lrint(50 / omega / run.model->h));
          const double known = -ALPHA * M * G, is = height(&run);
          test_near(ALL[i], &is, &known, 1, CLOSE * fabs(known));
          end(&run);
        }
}

// Amplitude A of x = A e^(−ζ ω t) cos(…) from x and ẋ: ln A/A₀ = −ζ ω t.
static double decrement(const char *integrator, int joint, int hold, double h, double zeta) {
  static const double ALPHA = 1e-3, START = 0.01, TURNS = 10;
  const double omega = 1 / sqrt(ALPHA * M), beta = 2 * zeta / omega, damped = omega * sqrt(1 - zeta * zeta);
  TestRun run = start(integrator, JOINT[joint], HOLD[hold], "auto", ALPHA, beta, h, START, 0);
  test_steps(run.sim, lrint(2 * M_PI * TURNS / damped / h));
  const double x = height(&run), v = speed(&run), t = mb_sim_time(run.sim);
  const double first = START * sqrt(1 + pow(zeta * omega / damped, 2));
  const double last = sqrt(x * x + pow((v + zeta * omega * x) / damped, 2));
  end(&run);
  return log(first / last) / (omega * t);
}

// Of first order, steps damp by their own: λ is that of the step's middle, its impulse that of the end.
Test(soft_long, swings_die_out_as_its_damping_says, TEST_LONG) {
  static const double ZETA = 0.05, H = 1e-3;
  static const double CLOSE[INTEGRATORS] = {0.2, 0.2, 1e-3, 1e-3, 1e-6}; // of ζ
  for (int i = 0; i < INTEGRATORS; i++)
    for (int joint = 0; joint < 2; joint++)
      for (int hold = 0; hold < 2; hold++) {
        const double whole = decrement(ALL[i], joint, hold, H, ZETA) - ZETA,
                     half = decrement(ALL[i], joint, hold, H / 2, ZETA) - ZETA;
        if (!hold) printf("  %-60s off by %9.2g of %g, h/2 %9.2g\n", ALL[i], whole, ZETA, half);
        cr_expect_lt(fabs(whole), CLOSE[i] * ZETA, "%s: %g", ALL[i], whole);
        cr_expect_lt(fabs(half), (i < FIRST_ORDER ? 0.6 : 0.3) * fabs(whole) + 1e-6 * ZETA, "%s: %g, h/2 %g",
                     ALL[i], whole, half);
      }
}

// A soft rope pulls only: what is thrown up into it flies as if it were not there until it falls back.
Test(soft, a_soft_rope_pulls_and_never_pushes) {
  static const double ALPHA = 1e-3, UP = 0.1, H = 1e-3;
  for (int i = 0; i < INTEGRATORS; i++)
    for (int joint = 0; joint < 2; joint++) {
      TestRun run = start(ALL[i], JOINT[joint], HOLD[2], "auto", ALPHA, 0.02, H, UP, G);
      const double fall = sqrt(2 * UP / G);
      test_steps(run.sim, (int64_t)(fall / H) - 1);
      const double t = mb_sim_time(run.sim), known[2] = {UP - G * t * t / 2, -G * t};
      const double is[2] = {height(&run), speed(&run)};
      test_near(ALL[i], is, known, 2, i < FIRST_ORDER ? G * H * t : 1e-9); // of first order: g h t/2
      double least = 0;
      for (int k = 0; k < 3000; k++) {
        test_steps(run.sim, 1);
        least = fmin(least, height(&run));
      }
      const double rest = -ALPHA * M * G, last = height(&run);
      test_near("at rest", &last, &rest, 1, 1e-6 * UP); // e^(−15) is left of the swing
      cr_expect_lt(least, rest);
      end(&run);
    }
}
