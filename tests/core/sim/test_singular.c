// Loops that go through positions where another motion branches off: adaptive steps stay on their branch and keep the energy.
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static const char *const solvers[] = {"redmax", "maximal"};
static const char *const stabilizations[] = {"\"baumgarte\"", "\"none\"",
                                             "{\"type\": \"baumgarte\", \"gamma\": 5}"};
static const char *const tolerances[] = {"\"relative\": 1e-6, \"absolute\": 1e-9",
                                         "\"relative\": 1e-8, \"absolute\": 1e-10",
                                         "\"relative\": 1e-10, \"absolute\": 1e-12"};

typedef struct Sets {
  char solver[160], integrator[120];
  const char *list[4];
} Sets;

static void set(Sets *sets, int solver, int stabilization, int tolerance, const char *step) {
  snprintf(sets->solver, sizeof sets->solver, "/solver={\"type\": \"%s\", \"stabilization\": %s}",
           solvers[solver], stabilizations[stabilization]);
  snprintf(sets->integrator, sizeof sets->integrator, "/integrator={\"type\": \"rk45\", %s}",
           tolerances[tolerance]);
  sets->list[0] = sets->solver, sets->list[1] = sets->integrator, sets->list[2] = step, sets->list[3] = NULL;
}

static double total(const TestRun *run) { return mb_energy(run->model, &run->sim->x).total; }

// IFToMM benchmark A02, the tip of the first post by own integration of its one degree of freedom (test_constraints.c): flat
// twice a turn.
static void check_windows(const char *scene, double until, const double known[2], int solver,
                          int stabilization, int tolerance) {
  static const double CLOSE[] = {1e-4, 1e-6, 1e-6}; // some hundred steps with errors of 1e-6 to 1e-10 each
  Sets sets;
  set(&sets, solver, stabilization, tolerance, "/time/step=0.01");
  TestRun run = test_run(scene, sets.list);
  const double first = total(&run);
  test_steps(run.sim, lrint(until / 0.01));
  const double *q = test_channel(run.sim, "joint.position", NULL), tip[2] = {cos(q[0]), sin(q[0])};
  test_near(sets.solver, tip, known, 2, CLOSE[tolerance]);
  cr_expect_float_eq(total(&run), first, 1e-6 * fabs(first), "%s: energy %.12g, was %.12g", sets.solver,
                     total(&run), first);
  test_run_free(&run);
}

Test(singular, a_window_goes_round_by_adaptive_steps) {
  static const double known[2] = {0.47838505875888907, 0.8781501787923433};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++)
      for (int tolerance = 0; tolerance < 3; tolerance++)
        check_windows("one_window", 10, known, i, k, tolerance);
}

Test(singular, ten_windows_go_round_by_adaptive_steps) {
  static const double known[2] = {0.038567666597061866, 0.9992559907717631};
  for (int i = 0; i < 2; i++) check_windows("ten_windows", 2, known, i, 0, 1);
}

#define BAR "\"shape\": {\"type\": \"box\", \"size\": [1, 0.1, 0.1]}, \"density\": 1000, "
#define ON(parent, angle)                                                                                    \
  "\"joint\": {\"type\": \"revolute\", " parent                                                              \
  "\"axis\": [0, 1, 0], \"in_body\": {\"position\": [-0.5, 0, "                                              \
  "0]}, \"position\": " angle "}"
#define CHILD(of) "\"parent\": \"" of "\", \"in_parent\": {\"position\": [0.5, 0, 0]}, "
#define ACROSS    "\"rotation\": {\"axis\": [1, 0, 0], \"angle\": -1.5707963267948966}"

// Three bars and the ground, all as long: flat several times a second, with rows that the plane makes redundant
static const char *const SQUARE =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 1500}, \"gravity\": [3, 0, -9.81], \"bodies\": ["
    "{\"name\": \"a\", " BAR ON("", "-1.5707963267948966") "}, {\"name\": \"b\", " BAR
        ON(CHILD("a"), "1.5707963267948966") "}, {\"name\": \"c\", " BAR ON(
            CHILD("b"),
            "1.5707963267948966") "}], "
                                  "\"constraints\": [{\"type\": \"joint\", \"name\": \"close\", \"joint\": "
                                  "\"revolute\", \"between\": ["
                                  "{\"body\": \"c\", \"frame\": {\"position\": [0.5, 0, 0], " ACROSS "}}, "
                                  "{\"body\": \"world\", \"frame\": {\"position\": [1, 0, 0], " ACROSS
                                  "}}]}]}";

// Opposite bars stay parallel, under every solver and stabilization.
Test(singular, a_square_stays_a_rhombus_and_keeps_its_energy) {
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) {
      Sets sets;
      set(&sets, i, k, 1, NULL);
      TestRun run = test_run(SQUARE, sets.list);
      const double first = total(&run);
      double worst = 0, off = 0;
      for (int n = 0; n < 1500; n++) {
        test_steps(run.sim, 1);
        const double *q = test_channel(run.sim, "joint.position", NULL);
        worst = fmax(worst, fabs(total(&run) - first));
        off = fmax(off, fabs(sin((q[0] + q[1]) / 2)) + fabs(cos((q[1] + q[2]) / 2)));
      }
      printf("%s: energy to %.1e of %.4g J, bars parallel to %.1e\n", sets.solver, worst, first, off);
      cr_expect_lt(worst, 1e-5 * first);
      cr_expect_lt(off, 1e-5);
      test_run_free(&run);
    }
}

// A run resumed near such a position goes on bit for bit.
Test(singular, what_is_resumed_near_a_singular_position_goes_on_bit_for_bit) {
  Sets sets;
  set(&sets, 1, 2, 2, "/time/step=0.0005");
  TestRun a = test_run("one_window", sets.list), b = test_run("one_window", sets.list);
  static char bytes[1 << 16];
  MbReport report = {0};
  const size_t size = mb_sim_checkpoint_size(a.sim);
  cr_assert_leq(size, sizeof bytes);
  for (int n = 0; n < 600; n++) {
    test_steps(a.sim, 1);
    if (n % 7) continue;
    mb_sim_checkpoint(a.sim, bytes);
    test_ok(mb_sim_restore(b.sim, bytes, size, &report), &report);
    test_steps(b.sim, 3);
    test_steps(a.sim, 3);
    cr_assert_eq(memcmp(a.sim->state.q, b.sim->state.q, a.sim->nq * sizeof(double)), 0);
    cr_assert_eq(memcmp(a.sim->state.v, b.sim->state.v, a.sim->nv * sizeof(double)), 0);
  }
  test_run_free(&a);
  test_run_free(&b);
}

// What the joints' rows ask for and what the loop's do must agree: else a redundant loop is driven as it passes through its flat pose.
Test(singular, a_square_gains_nothing_in_maximal_coordinates_by_steps_of_first_order) {
  static const char *const sets[][4] = {
      {"/solver=\"maximal\"", "/integrator=\"implicit\"", NULL},
      {"/solver=\"maximal\"", "/integrator=\"symplectic\"", NULL},
      {"/solver={\"type\": \"maximal\", \"stabilization\": \"post\"}", "/integrator=\"implicit\"", NULL}};
  static const double OFF[] = {0.02, 0.02,
                               0.2}; // of the energy, in 1,500 steps; post takes some in every step
  for (int i = 0; i < 3; i++) {
    TestRun run = test_run(SQUARE, sets[i]);
    const double first = total(&run);
    double worst = 0;
    for (int n = 0; n < 1500; n++) {
      test_steps(run.sim, 1);
      worst = fmax(worst, fabs(total(&run) - first) / first);
    }
    cr_expect_lt(worst, OFF[i], "%s: off by %.2g", sets[i][0], worst);
    test_run_free(&run);
  }
}
