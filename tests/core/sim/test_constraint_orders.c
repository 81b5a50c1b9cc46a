// Constraints under the integrators of second order: measured orders, errors over many seconds, limits that are come to.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 400 }; // numbers of a state here

static void end(TestRun *run) {
  test_run_free(run);
  cr_assert_eq(mb_alloc_live(), 0);
}

// A scene of scenes/redmax, or one in a text that begins with a brace, with the integrator and the step that are asked for.
static TestRun load(const char *from, const char *integrator, double h, const char *more) {
  char way[160], step[64];
  snprintf(way, sizeof way, "/integrator=%s", integrator);
  snprintf(step, sizeof step, "/time/step=%.17g", h);
  const char *sets[] = {way, step, more, NULL};
  return test_run(from, sets);
}

static const char *const EXACT = "{\"type\": \"rk45\", \"relative\": 1e-11, \"absolute\": 1e-13}";

// Poses and twists of all bodies at `time`.
static size_t state_at(const char *from, const char *integrator, double h, double time, const char *more,
                       bool twists, double state[MOST]) {
  TestRun run = load(from, integrator, h, more);
  test_steps(run.sim, lrint(time / h));
  const size_t nb = run.model->nb, width = twists ? 18 : 12;
  cr_assert_leq(width * nb, MOST);
  for (size_t b = 0; b < nb; b++) {
    memcpy(state + width * b, run.sim->x.E[b].p, 3 * sizeof *state);
    mb_quat_to_mat3(state + width * b + 3, run.sim->x.E[b].q);
    if (twists) memcpy(state + width * b + 12, run.sim->x.phi + 6 * b, 6 * sizeof *state);
  }
  end(&run);
  return width * nb;
}

static double distance(const double *a, const double *b, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static void expect_order(const char *name, const char *from, const char *integrator, double h, double time,
                         const char *more, bool twists, double wanted) {
  static const double SLOPE = 0.15; // the next power of h still shows at these steps
  double exact[MOST], state[MOST], error[3];
  size_t n = state_at(from, EXACT, h, time, NULL, twists, exact);
  for (int k = 0; k < 3; k++) {
    n = state_at(from, integrator, h / (1 << k), time, more, twists, state);
    error[k] = distance(state, exact, n);
  }
  const double order = log2(error[1] / error[2]);
  printf("  %-24s %-18s %10.3e %10.3e %10.3e  %.3f\n", name, integrator, error[0], error[1], error[2], order);
  cr_expect(fabs(order - wanted) < SLOPE, "%s of %s: order %.3f, errors %g %g", integrator, name, order,
            error[1], error[2]);
}

static const char *const SECOND[] = {"\"trapezoidal\"", "\"bridson_marino\""};

#define NONE  "/solver={\"type\": \"redmax\", \"stabilization\": \"none\"}"
#define GAMMA "/solver={\"type\": \"redmax\", \"stabilization\": {\"type\": \"baumgarte\", \"gamma\": 20}}"
#define POST  "/solver={\"type\": \"redmax\", \"dynamics\": \"dense\", \"stabilization\": \"post\"}"

#define HEAD  "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1}, "
#define ROD   "\"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.1]}, \"density\": 1000"
#define HINGE "\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_body\": {\"position\": [-0.2, 0, 0]}"

static const char *const RATIO =
    HEAD "\"bodies\": [{\"name\": \"a\", " ROD ", \"joint\": {" HINGE ", \"velocity\": 1}}, "
         "{\"name\": \"tip\", " ROD ", \"joint\": {" HINGE ", \"parent\": \"a\", "
         "\"in_parent\": {\"position\": [0.2, 0, 0]}}}, "
         "{\"name\": \"b\", " ROD ", \"joint\": {" HINGE ", \"velocity\": -2}}], "
         "\"constraints\": [{\"type\": \"ratio\", \"joints\": [\"a\", \"b\"], \"ratio\": -2}]}";

// Bodies free in space that hang on a rope, a soft rod and a ball joint.
#define HANGING                                                                                              \
  "\"bodies\": [{\"name\": \"a\", " ROD ", \"pose\": {\"position\": [0.2, 0, 0]}}, "                         \
  "{\"name\": \"b\", " ROD ", \"pose\": {\"position\": [0.6, 0, 0]}}], \"constraints\": ["                   \
  "{\"type\": \"distance\", \"rope\": true, \"between\": [{\"body\": \"world\", \"at\": [0, 0.3, 0.5]}, "    \
  "{\"body\": \"a\", \"at\": [-0.2, 0.05, 0]}]}, "                                                           \
  "{\"type\": \"point\", \"between\": [{\"body\": \"a\", \"at\": [0.2, 0, 0]}, "                             \
  "{\"body\": \"b\", \"at\": [-0.2, 0, 0]}]}, "                                                              \
  "{\"type\": \"distance\", \"compliance\": 1e-4, \"damping\": 0.02, \"between\": ["                         \
  "{\"body\": \"world\", \"at\": [0.6, 0.4, 0.5]}, {\"body\": \"b\", \"at\": [0.2, 0, 0]}]}]}"
static const char *const HUNG = HEAD HANGING;

static const char *const DRIVEN = HEAD
    "\"bodies\": [{\"name\": \"p\", " ROD ", \"joint\": {" HINGE ", \"position\": 0.1, \"motion\": "
    "{\"position\": \"=0.1 + sin(3*t)\"}}}, {\"name\": \"v\", " ROD ", \"joint\": {" HINGE ", \"parent\": "
    "\"p\", \"in_parent\": {\"position\": [0.2, 0, 0]}, \"motion\": {\"velocity\": \"=cos(4*t)\"}}}, "
    "{\"name\": \"a\", " ROD ", \"joint\": {" HINGE ", \"parent\": \"v\", \"in_parent\": {\"position\": "
    "[0.2, 0, 0]}, \"motion\": {\"acceleration\": \"=9*sin(5*t)\"}}}, "
    "{\"name\": \"tip\", " ROD ", \"joint\": {" HINGE ", \"parent\": \"a\", \"in_parent\": {\"position\": "
    "[0.2, 0, 0]}}}]}";

// Driven at rates in the world's axes while it turns, away from its centre of mass.
static const char *const TURNED = HEAD
    "\"bodies\": [{\"name\": \"b\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1, \"frame\": "
    "{\"position\": [0.3, 0, 0]}}, \"density\": 1000, \"motion\": {\"velocity\": {\"angular\": [\"=sin(t)\", "
    "2, 5], \"linear\": [1, \"=t\", 0]}}}]}";

Test(constraint_orders_long, steps_of_second_order_keep_it_with_constraints, TEST_LONG) {
  for (int i = 0; i < 2; i++) {
    expect_order("four_bar", "four_bar", SECOND[i], 0.004, 0.8, NULL, true, 2);
    expect_order("four_bar, none", "four_bar", SECOND[i], 0.004, 0.8, NONE, true, 2);
    expect_order("four_bar, gamma", "four_bar", SECOND[i], 0.004, 0.8, GAMMA, true, 2);
    expect_order("four_bar, post, dense", "four_bar", SECOND[i], 0.004, 0.8, POST, true, 2);
    expect_order("ratio pair", RATIO, SECOND[i], 0.002, 0.4, NULL, true, 2);
    expect_order("motions of each kind", DRIVEN, SECOND[i], 0.004, 0.4, NULL, true, 2);
    expect_order("body driven at rates", TURNED, SECOND[i], 0.004, 0.4, NULL, true, 2);
    expect_order("hung free bodies", HUNG, SECOND[i], 0.002, 0.4, NULL, true, 2);
  }
}

// Positions and velocities of the whole mechanism are given: at the ends of steps it is where it should be.
Test(constraint_orders, a_mechanism_that_is_driven_through_and_through_is_met_at_every_step) {
  for (int i = 0; i < 2; i++) {
    double exact[MOST], state[MOST];
    const size_t n = state_at("prescribed_crank", EXACT, 0.004, 0.8, NULL, true, exact);
    state_at("prescribed_crank", SECOND[i], 0.004, 0.8, NULL, true, state);
    test_near(SECOND[i], state, exact, n, 1e-9); // what rk45's tolerances leave
  }
}

static const char *const KINEMATIC =
    HEAD "\"solver\": {\"type\": \"maximal\", \"mode\": \"first_order\"}, "
         "\"bodies\": [{\"name\": \"a\", " ROD ", \"pose\": {\"position\": [0.2, 0, 0]}}, "
         "{\"name\": \"b\", " ROD ", \"pose\": {\"position\": [0.6, 0, 0]}}], \"constraints\": ["
         "{\"type\": \"distance\", \"between\": [{\"body\": \"world\", \"at\": [0, 0.3, 0.5]}, "
         "{\"body\": \"a\", \"at\": [-0.2, 0.05, 0]}]}, "
         "{\"type\": \"point\", \"between\": [{\"body\": \"a\", \"at\": [0.2, 0, 0]}, "
         "{\"body\": \"b\", \"at\": [-0.2, 0, 0]}]}, "
         "{\"type\": \"distance\", \"compliance\": 0.01, \"damping\": 0.02, \"between\": ["
         "{\"body\": \"world\", \"at\": [0.6, 0.4, 0.5]}, {\"body\": \"b\", \"at\": [0.2, 0, 0]}]}], "
         "\"forces\": [{\"type\": \"wrench\", \"body\": \"b\", \"force\": [0, \"=20*cos(9*t)\", 0]}]}";

Test(constraint_orders, the_kinematic_mode_keeps_its_orders_with_constraints) {
  expect_order("kinematic", KINEMATIC, "\"symplectic\"", 0.001, 0.2, NULL, false, 1);
  expect_order("kinematic", KINEMATIC, "\"implicit\"", 0.001, 0.2, NULL, false, 1);
  expect_order("kinematic", KINEMATIC, "\"trapezoidal\"", 0.002, 0.2, NULL, false, 2);
}

// ---- long runs --------------------------------------------------------------------------------------------

typedef struct Drift {
  double position, velocity, energy; // worst errors; the energy's over its largest
} Drift;

static Drift drift_of(const char *from, const char *integrator, double h, const char *more) {
  TestRun run = load(from, integrator, h, more);
  Drift drift = {0};
  const double first = mb_energy(run.model, &run.sim->x).total;
  double largest = 0;
  for (int64_t i = 0; i < lrint(10 / h); i++) {
    double error[2];
    test_steps(run.sim, 1);
    mb_constraint_errors(run.sim, error);
    const MbEnergy e = mb_energy(run.model, &run.sim->x);
    drift.position = fmax(drift.position, error[0]);
    drift.velocity = fmax(drift.velocity, error[1]);
    drift.energy = fmax(drift.energy, fabs(e.total - first));
    largest = fmax(largest, fmax(e.kinetic, fabs(e.gravity)));
  }
  end(&run);
  drift.energy /= largest;
  return drift;
}

Test(constraint_orders_long, constraints_hold_and_energy_stays_for_ten_seconds, TEST_LONG) {
  static const char *const scenes[] = {"four_bar", "slider_crank", NULL};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) {
      const char *from = scenes[k] ? scenes[k] : RATIO;
      const Drift whole = drift_of(from, SECOND[i], 0.002, NULL),
                  half = drift_of(from, SECOND[i], 0.001, NULL),
                  none = drift_of(from, SECOND[i], 0.002, NONE);
      printf("  %-14s %-18s gap %.2g rate %.2g energy %.2g, h/2 %.2g; none: gap %.2g\n",
             scenes[k] ? scenes[k] : "ratio pair", SECOND[i], whole.position, whole.velocity, whole.energy,
             half.energy, none.position);
      cr_expect_lt(whole.position, 1e-6); // what three passes of Newton's method leave
      cr_expect_lt(none.position, 1e-4);  // it adds up
      cr_expect_lt(whole.velocity, 1e-9); // solved for, to rounding
      cr_expect_lt(whole.energy, 2e-3);
      cr_expect_lt(half.energy, 0.35 * whole.energy); // a quarter, and higher powers of h
    }
}

// ---- limits and ropes -------------------------------------------------------------------------------------

enum { STOPPING = 5 };
static const char *const STOPS[STOPPING] = {"\"trapezoidal\"", "\"bridson_marino\"", "\"bdf1\"", "\"bdf2\"",
                                            "\"sdirk2\""};
static const char *const STOPPED =
    HEAD "\"bodies\": [{\"name\": \"a\", " ROD ", \"joint\": {" HINGE ", \"limits\": [-1, 0.5]}}, "
         "{\"name\": \"tip\", " ROD ", \"joint\": {" HINGE ", \"parent\": \"a\", "
         "\"in_parent\": {\"position\": [0.2, 0, 0]}, \"damping\": 2}}]}";

Test(constraint_orders_long, limits_stop_a_joint_without_throwing_it_back) {
  for (int i = 0; i < STOPPING; i++)
    for (int given = 0; given < 2; given++) {
      TestRun run = load(STOPPED, STOPS[i], 0.002, given ? GAMMA : NULL);
      double most = 0, energy = mb_energy(run.model, &run.sim->x).total;
      const double first = energy;
      for (int64_t k = 0; k < 3000; k++) {
        test_steps(run.sim, 1);
        const double now = mb_energy(run.model, &run.sim->x).total;
        cr_assert_lt(now, energy + 1e-3 * fabs(first) + 1e-3, "%s: energy rises to %g in step %lld", STOPS[i],
                     now, (long long)k);
        energy = fmin(energy, now);
        most = fmax(most, run.sim->state.q[0]);
      }
      const double rest[] = {0.5, 0};
      const double is[] = {run.sim->state.q[0], run.sim->state.v[0]};
      printf("  %-18s most %.6f, at the end %.3g off\n", STOPS[i], most, is[0] - 0.5);
      cr_expect_lt(most, given ? 0.52 : 0.5 + 1e-9); // with a γ it acts once it is passed
      test_near("at rest", is, rest, 2, given ? 1e-3 : 1e-9);
      end(&run);
    }
}

static const char *const FALLING =
    HEAD "\"bodies\": [{\"name\": \"a\", " ROD ", \"joint\": {" HINGE ", \"limits\": [-1, 0.5]}}]}";
static const char *const DROPPED = HEAD
    "\"bodies\": [{\"name\": \"a\", " ROD "}], \"constraints\": [{\"type\": \"distance\", \"rope\": true, "
    "\"length\": 1, \"between\": [{\"body\": \"world\", \"at\": [0, 0, 0.5]}, {\"body\": \"a\"}]}]}";

Test(constraint_orders, what_has_come_to_its_bound_stays_there_at_once) {
  for (int i = 0; i < STOPPING; i++)
    for (int rope = 0; rope < 2; rope++) {
      TestRun run = load(rope ? DROPPED : FALLING, STOPS[i], 0.002, NULL);
      bool there = false;
      double worst = 0, fastest = 0;
      for (int64_t k = 0; k < 500; k++) {
        test_steps(run.sim, 1);
        const double *q = run.sim->state.q, *v = run.sim->state.v;
        const double gap = rope ? q[2] + 0.5 : 0.5 - q[0], speed = rope ? v[5] : v[0];
        if (there) worst = fmax(worst, fabs(gap)), fastest = fmax(fastest, fabs(speed));
        there |= gap < 1e-9;
      }
      cr_expect(there);
      cr_expect_lt(worst, 1e-9, "%s: %g away from its bound again", STOPS[i], worst);
      cr_expect_lt(fastest, 1e-9, "%s: moves at %g at its bound", STOPS[i], fastest);
      end(&run);
    }
}

#define LINK(NAME, PARENT, AT, LOW, HIGH, VELOCITY)                                                          \
  "{\"name\": \"" NAME                                                                                       \
  "\", \"shape\": {\"type\": \"box\", \"size\": [0.05, 0.08, 0.3]}, \"density\": 1000, "                     \
  "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], " PARENT "\"velocity\": " VELOCITY               \
  ", \"limits\": [" LOW ", " HIGH "], \"in_parent\": {\"position\": [0, 0, " AT "]}, "                       \
  "\"in_body\": {\"position\": [0, 0, 0.15]}}}"
static const char *const LINKS = HEAD "\"bodies\": [" LINK("a", "", "0", "-0.41", "0.47", "1.8") ", " LINK(
    "b", "\"parent\": \"a\", ", "-0.3", "-0.57", "0.47", "2.5") ", " LINK("c", "\"parent\": \"b\", ", "-0.3",
                                                                          "-0.11", "0.33", "2.7") "]}";

// One joint is stopped while another rests at its limit: what a blow leaves is that of rk45's events.
Test(constraint_orders_long, blows_within_a_chain_leave_what_events_do) {
  double exact[MOST], state[MOST];
  const double h = 2.5e-4;
  const size_t n = state_at(LINKS, EXACT, 1e-3, 0.6, NULL, true, exact);
  for (int i = 0; i < STOPPING; i++) {
    state_at(LINKS, STOPS[i], h, 0.6, NULL, true, state);
    const double off = test_distance(state, exact, n);
    printf("  %-18s %.1e from rk45 after blows\n", STOPS[i], off);
    cr_expect_lt(off, 0.02, "%s: %g from rk45", STOPS[i], off);
  }
}
