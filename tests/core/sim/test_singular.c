// Loops that go through positions where another motion branches off: all steps stay on their branch and keep the energy.
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

Test(singular_long, a_window_goes_round_by_adaptive_steps, TEST_LONG) {
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
Test(singular_long, a_square_stays_a_rhombus_and_keeps_its_energy) {
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

// Steps of first order under any stabilization keep the energy but for what their order explains, and opposite bars parallel.
static void check_square(int solver, const char *stabilization, MbIntegratorKind kind, double h) {
  static const double MOVES = 400, KEPT = 0.02,
                      AT_ONCE = 0.002; // J that there are to move with; of them, in 3 s and in a step
  char way[160], integrator[60], step[60];
  snprintf(way, sizeof way, "/solver={\"type\": \"%s\", \"stabilization\": %s}", solvers[solver],
           stabilization);
  snprintf(integrator, sizeof integrator, "/integrator=\"%s\"", mb_integrator_words[kind]);
  snprintf(step, sizeof step, "/time={\"step\": %g, \"duration\": 3}", h);
  const char *sets[] = {way, integrator, step, NULL};
  TestRun run = test_run(SQUARE, sets);
  const double first = total(&run);
  double worst = 0, jump = 0, off = 0, before = first;
  for (int n = 0; n < lrint(3 / h); n++) {
    test_steps(run.sim, 1);
    const double *q = test_channel(run.sim, "joint.position", NULL), now = total(&run);
    worst = fmax(worst, fabs(now - first)), jump = fmax(jump, fabs(now - before)), before = now;
    off = fmax(off, fabs(sin((q[0] + q[1]) / 2)) + fabs(cos((q[1] + q[2]) / 2)));
  }
  printf("%-66s %-15s %5g s  energy off by %.1e, at once by %.1e, bars parallel to %.1e\n", way + 8,
         mb_integrator_words[kind], h, worst / MOVES, jump / MOVES, off);
  cr_expect_lt(worst, KEPT * MOVES, "%s, %s, %g s: energy off by %g J", way, integrator, h, worst);
  cr_expect_lt(jump, AT_ONCE * MOVES, "%s, %s, %g s: energy off by %g J at once", way, integrator, h, jump);
  cr_expect_lt(off, 0.02, "%s, %s, %g s: bars off by %g", way, integrator, h, off);
  test_run_free(&run);
}

Test(singular_long, a_square_stays_a_rhombus_by_fixed_steps, TEST_LONG) {
  static const char *const ways[] = {"\"none\"", "{\"type\": \"baumgarte\", \"gamma\": 5}", "\"baumgarte\"",
                                     "\"post\""};
  static const double steps[] = {0.001, 0.002, 0.005, 0.01};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 4; k++)
      for (MbIntegratorKind kind = 0; kind < MB_RK45; kind++)
        for (int n = 0; n < 4; n++) check_square(i, ways[k], kind, steps[n]);
}

#define POST(name, x)                                                                                        \
  "{\"name\": \"" name "\", " UNIT ", \"joint\": {\"type\": \"revolute\", \"in_parent\": {\"position\": [" x \
  ", 0, 0]}, " HALF ", \"position\": 1.5707963267948966, \"velocity\": -1}}"
#define BEAM(name, on)                                                                                       \
  "{\"name\": \"" name "\", " UNIT ", \"joint\": {\"type\": \"revolute\", \"parent\": \"" on                 \
  "\", \"in_parent\": "                                                                                      \
  "{\"position\": [0.5, 0, 0]}, " HALF ", \"position\": -1.5707963267948966, \"velocity\": 1}}"
#define UNIT                                                                                                 \
  "\"inertia\": {\"mass\": 1, \"matrix\": [0.083333333333333, 0.083333333333333, 0.083333333333333, 0, 0, "  \
  "0]}"
#define HALF "\"in_body\": {\"position\": [-0.5, 0, 0]}"
#define CORNER(beam, post)                                                                                   \
  "{\"type\": \"point\", \"between\": [{\"body\": \"" beam "\", \"at\": [0.5, 0, 0]}, {\"body\": \"" post    \
  "\", \"at\": [0.5, 0, 0]}]}"

// Two windows side by side, flat four times in the first two seconds
static const char *const WINDOWS =
    "{\"mbsim\": 1, \"gravity\": [0, -9.81, 0], \"time\": {\"step\": 0.01, \"duration\": 2}, \"bodies\": "
    "[" POST("v0", "0") ", " POST("v1", "1") ", " POST("v2", "2") ", " BEAM("h0", "v0") ", " BEAM(
        "h1", "v1") "], \"constraints\": [" CORNER("h0", "v1") ", " CORNER("h1", "v2") "]}";

// Posts stay parallel.
static void check_posts(const char *const *sets, double kept, double parallel) {
  TestRun run = test_run(WINDOWS, sets);
  const double first = total(&run);
  double worst = 0, off = 0;
  for (int n = 0; n < 200; n++) {
    test_steps(run.sim, 1);
    const double *q = test_channel(run.sim, "joint.position", NULL);
    worst = fmax(worst, fabs(total(&run) - first));
    for (int i = 2; i <= 4; i += 2) off = fmax(off, fabs(sin((q[i] - q[0]) / 2))); // posts and beams in turn
  }
  cr_expect_lt(worst, kept, "%s, %s: energy off by %g J", sets[0], sets[1], worst);
  cr_expect_lt(off, parallel, "%s, %s: posts off by %g", sets[0], sets[1], off);
  test_run_free(&run);
}

Test(singular, two_windows_go_round_by_tight_tolerances) {
  const char *const branch[] = {"/solver=\"redmax\"",
                                "/integrator={\"type\": \"rk45\", \"relative\": 1e-10, \"absolute\": 1e-12}",
                                NULL};
  const char *const energy[] = {
      "/solver={\"type\": \"maximal\", \"stabilization\": {\"type\": \"baumgarte\", \"gamma\": 5}}",
      "/integrator={\"type\": \"rk45\", \"relative\": 1e-9, \"absolute\": 1e-11}", NULL};
  check_posts(branch, 1e-6, 1e-6);
  check_posts(energy, 1e-6, 1e-6);
}

Test(singular, two_windows_go_round_by_fixed_steps) {
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++)
      for (MbIntegratorKind kind = 0; kind < MB_RK45; kind++) {
        Sets sets;
        set(&sets, i, k, 0, NULL);
        snprintf(sets.integrator, sizeof sets.integrator, "/integrator=\"%s\"", mb_integrator_words[kind]);
        check_posts(sets.list, 2, 0.05);
      }
}

// Where no motion goes on a run ends as soon as the loop comes there, and says which: here a driven crank is too long for its rod.
Test(singular, a_loop_that_no_motion_leads_on_from_ends_there) {
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++)
      for (MbIntegratorKind kind = 0; kind < MB_RK45; kind++) {
        Sets sets;
        MbReport report = {0};
        set(&sets, i, k, 0, "/parameters/crank=0.65");
        snprintf(sets.integrator, sizeof sets.integrator, "/integrator=\"%s\"", mb_integrator_words[kind]);
        cr_expect_eq(test_try("prescribed_crank", sets.list, 200, &report), MB_NUMBERS, "%s, %s", sets.solver,
                     sets.integrator);
        const char *text = report.kept ? report.issues[report.kept - 1].text : "";
        cr_expect(strstr(text, "constraint \"pin.") && strstr(text, "at a singular position"), "%s, %s: %s",
                  sets.solver, sets.integrator, text);
      }
}

// A square whose joints are damped swings about a singular position, slower and slower, and rests there: loads are large, motion is small.
Test(singular_long, a_square_comes_to_rest_where_it_is_singular, TEST_LONG) {
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++)
      for (MbIntegratorKind kind = 0; kind < MB_RK45; kind++) {
        Sets sets;
        set(&sets, i, k, 0, NULL);
        snprintf(sets.integrator, sizeof sets.integrator, "/integrator=\"%s\"", mb_integrator_words[kind]);
        const char *list[] = {sets.solver,
                              sets.integrator,
                              "/gravity=[9.81, 0, 0]",
                              "/time={\"step\": 0.01, \"duration\": 20}",
                              "/bodies/0/joint/damping=5",
                              "/bodies/1/joint/damping=5",
                              "/bodies/2/joint/damping=5",
                              NULL};
        TestRun run = test_run(SQUARE, list);
        test_steps(run.sim, 2000);
        const double *q = test_channel(run.sim, "joint.position", NULL);
        cr_expect_lt(fabs(sin(q[0])) + fabs(sin(q[1])) + fabs(sin(q[2])), 0.005, "%s, %s: %g %g %g",
                     sets.solver, sets.integrator, q[0], q[1], q[2]);
        test_run_free(&run);
      }
}

// A second hinge repeats what the first says, in every pose: no singular position, and without stabilization nothing puts it back.
Test(singular, rows_that_repeat_others_have_lost_no_hold) {
  static const char *const DOOR =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 500}, \"gravity\": [0, 0, -9.81], \"solver\": "
      "{\"type\": "
      "\"maximal\", \"stabilization\": \"none\"}, \"bodies\": [{\"name\": \"door\", " BAR ON(
          "", "0") "}], \"constraints\": [{\"type\": \"joint\", \"joint\": \"revolute\", \"axis\": [0, 1, "
                   "0], \"between\": ["
                   "{\"body\": \"world\", \"frame\": {\"position\": [0, 0.3, 0]}}, "
                   "{\"body\": \"door\", \"frame\": {\"position\": [-0.5, 0.3, 0]}}]}]}";
  for (MbIntegratorKind kind = 0; kind <= MB_IMPLICIT; kind++) {
    char integrator[60];
    snprintf(integrator, sizeof integrator, "/integrator=\"%s\"", mb_integrator_words[kind]);
    const char *const sets[] = {integrator, NULL};
    TestRun run = test_run(DOOR, sets);
    test_steps(run.sim, 500);
    cr_expect_gt(mb_sim_constraint_error(run.sim), 1e-7);
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

// By fixed steps too: what rows have been free is part of the state.
Test(singular, fixed_steps_resumed_near_a_singular_position_go_on_bit_for_bit) {
  const char *const sets[] = {"/solver={\"type\": \"maximal\", \"stabilization\": \"none\"}",
                              "/integrator=\"implicit\"", NULL};
  static char bytes[1 << 16];
  MbReport report = {0};
  TestRun a = test_run(SQUARE, sets);
  test_steps(a.sim, 360);
  for (int n = 360; n < 380; n++) {
    TestRun b = test_run(SQUARE, sets);
    mb_sim_checkpoint(a.sim, bytes);
    test_ok(mb_sim_restore(b.sim, bytes, mb_sim_checkpoint_size(a.sim), &report), &report);
    test_steps(a.sim, 1);
    test_steps(b.sim, 1);
    cr_assert_eq(memcmp(a.sim->state.q, b.sim->state.q, a.sim->nq * sizeof(double)), 0);
    test_run_free(&b);
  }
  test_run_free(&a);
}

// Where things touch no step looks at how free rows are: what is known of it stays known to a run that goes on from there.
Test(singular, what_is_known_of_rows_is_resumed_while_things_touch) {
  TestRun one = test_run("contact/chain", NULL), other = test_run("contact/chain", NULL);
  test_resumes(one.sim, other.sim, 48, 2, "a chain that catches balls");
  test_run_free(&other);
  test_run_free(&one);
}

// What the joints' rows ask for and what the loop's do must agree: else a redundant loop is driven as it passes through its flat pose.
Test(singular, a_square_gains_nothing_in_maximal_coordinates_by_steps_of_first_order) {
  static const char *const sets[][4] = {
      {"/solver=\"maximal\"", "/integrator=\"implicit\"", NULL},
      {"/solver=\"maximal\"", "/integrator=\"symplectic\"", NULL},
      {"/solver={\"type\": \"maximal\", \"stabilization\": \"post\"}", "/integrator=\"implicit\"", NULL}};
  static const double OFF[] = {0.02, 0.02, 0.02}; // of the energy, in 1,500 steps
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
