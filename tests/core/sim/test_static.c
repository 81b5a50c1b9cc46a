// Equilibrium: places at which nothing pulls, against closed forms, under every solver that looks for them.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static const double CLOSE = 1e-8; // the tolerance is 1e-9 m or rad, of a step that has converged
static const char *const SOLVERS[] = {"redmax", "maximal"};

static TestRun begin(const char *solver, const char *things, const char *keys) {
  char text[3000];
  snprintf(
      text, sizeof text,
      "{\"mbsim\": 1, \"time\": {\"step\": 1, \"steps\": 3}, \"solver\": \"%s\", \"integrator\": {\"type\": "
      "\"static\"%s}, %s}",
      solver, keys, things);
  return test_run(text, NULL);
}

// A rod of length l and mass m that hangs from a spring about its end, k θ = m g (l/2) cos θ with the angle down from level.
#define ROD                                                                                                  \
  "\"bodies\": [{\"name\": \"rod\", \"shape\": {\"type\": \"box\", \"size\": [1, 0.02, 0.02], \"frame\": "   \
  "{\"position\": [0.5, 0, 0]}}, \"mass\": 2, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], "     \
  "\"stiffness\": 5}}]"

Test(static, a_sprung_rod_sags_to_where_its_spring_holds_it) {
  double angle = 1;
  for (int i = 0; i < 50; i++) angle -= (5 * angle - 9.81 * cos(angle)) / (5 + 9.81 * sin(angle));
  for (int s = 0; s < 2; s++)
    for (int steps = 1; steps <= 4; steps += 3) {
      char keys[40];
      snprintf(keys, sizeof keys, ", \"load_steps\": %d", steps);
      TestRun run = begin(SOLVERS[s], ROD, keys);
      test_steps(run.sim, 2);
      size_t n = 0;
      const double told = *test_channel(run.sim, "joint.position", &n);
      cr_expect_float_eq(told, angle, CLOSE, "%s: %.12g, wanted %.12g", SOLVERS[s], told, angle);
      for (size_t i = 0; i < run.sim->nv; i++) cr_expect_eq(run.sim->state.v[i], 0);
      test_run_free(&run);
    }
  cr_assert_eq(mb_alloc_live(), 0);
}

// The same of any length: the angles that solver maximal finds of joints are those near the ones before, wherever the bodies are.
Test(static, a_sprung_rod_sags_by_the_same_angle_whatever_its_length) {
  static const double LENGTH[] = {0.01, 12, 300};
  double angle = 1;
  for (int i = 0; i < 50; i++) angle -= (2 * angle - cos(angle)) / (2 + sin(angle));
  for (int i = 0; i < 6; i++) {
    const double l = LENGTH[i / 2], mass = 2;
    char rod[500];
    snprintf(rod, sizeof rod,
             "\"bodies\": [{\"name\": \"rod\", \"shape\": {\"type\": \"box\", \"size\": [%g, %g, %g], "
             "\"frame\": {\"position\": [%g, 0, 0]}}, \"mass\": %g, \"joint\": {\"type\": \"revolute\", "
             "\"axis\": [0, 1, 0], \"stiffness\": %.17g}}]",
             l, 0.02 * l, 0.02 * l, l / 2, mass, mass * 9.81 * l);
    TestRun run = begin(SOLVERS[i % 2], rod, "");
    test_steps(run.sim, 1);
    size_t n = 0;
    const double told = *test_channel(run.sim, "joint.position", &n);
    cr_expect_float_eq(told, angle, CLOSE, "%s, %g m: %.12g, wanted %.12g", SOLVERS[i % 2], l, told, angle);
    test_run_free(&run);
  }
}

// What load steps leave out is constant along coordinates that turn: on a ball joint it may have no equilibrium, and then all of it comes at once.
Test(static, loads_that_come_gradually_end_where_they_end_at_once) {
  static const char rods[] =
      "\"gravity\": [0, 0, 0], \"forces\": [{\"type\": \"point_force\", \"body\": \"a\", \"at\": [4, 0, 0], "
      "\"force\": [0, 3, -9]}], \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"box\", \"size\": [4, "
      "0.5, 0.5], \"frame\": {\"position\": [2, 0, 0]}}, \"mass\": 2.5, \"joint\": {\"type\": "
      "\"spherical\"}}, {\"name\": \"b\", \"shape\": {\"type\": \"box\", \"size\": [4, 0.5, 0.5], "
      "\"frame\": {\"position\": [2, 0, 0]}}, \"mass\": 0.75, \"joint\": {\"type\": \"universal\", "
      "\"parent\": \"a\", \"in_parent\": {\"position\": [2.5, 0, -0.05]}}}]";
  for (int s = 0; s < 2; s++)
    for (int steps = 1; steps <= 16; steps *= 4) {
      char keys[40];
      snprintf(keys, sizeof keys, ", \"load_steps\": %d", steps);
      TestRun run = begin(SOLVERS[s], rods, keys);
      test_steps(run.sim, 1);
      const double size = sqrt(90), known[3] = {0, 2 * 3 / size, -2 * 9 / size};
      test_near(SOLVERS[s], run.sim->x.E[0].p, known, 3, 1e-6);
      test_run_free(&run);
    }
}

// Velocities that a scene gives mean nothing there: energy channel and first frame have none.
Test(static, nothing_moves_in_the_first_frame_either) {
  static const char *const SETS[] = {"/bodies/0/joint/velocity=3", NULL};
  for (int s = 0; s < 2; s++) {
    char text[1000];
    snprintf(text, sizeof text,
             "{\"mbsim\": 1, \"time\": {\"step\": 1, \"steps\": 3}, \"solver\": \"%s\", \"integrator\": "
             "\"static\", %s, \"output\": {\"channels\": [\"body.velocity\", \"energy\"]}}",
             SOLVERS[s], ROD);
    TestRun run = test_run(text, SETS);
    size_t n = 0;
    const double *velocity = test_channel(run.sim, "body.velocity", &n);
    for (size_t i = 0; i < n; i++) cr_expect_eq(velocity[i], 0, "%s: %g", SOLVERS[s], velocity[i]);
    cr_expect_eq(*test_channel(run.sim, "energy", &n), 0, "%s: it has kinetic energy", SOLVERS[s]);
    test_run_free(&run);
  }
}

// Upside down it is in equilibrium too, but not stably: from a little off, it comes to hang.
Test(static, a_chain_that_is_thrown_over_comes_to_hang) {
  static const char chain[] =
      "\"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"box\", \"size\": [0.5, 0.05, 0.05], \"frame\": "
      "{\"position\": [0.25, 0, 0]}}, \"density\": 700, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, "
      "0], "
      "\"position\": -1.5}}, {\"name\": \"b\", \"shape\": {\"type\": \"box\", \"size\": [0.5, 0.05, 0.05], "
      "\"frame\": {\"position\": [0.25, 0, 0]}}, \"density\": 700, \"joint\": {\"type\": \"revolute\", "
      "\"axis\": "
      "[0, 1, 0], \"position\": 0.4, \"parent\": \"a\", \"in_parent\": {\"position\": [0.5, 0, 0]}}}]";
  for (int s = 0; s < 2; s++) {
    TestRun run = begin(SOLVERS[s], chain, "");
    test_steps(run.sim, 1);
    size_t n = 0;
    const double *told = test_channel(run.sim, "body.position", &n);
    const double known[2] = {0, -0.5}, is[2] = {told[3], told[5]};
    test_near(SOLVERS[s], is, known, 2, CLOSE);
    test_run_free(&run);
  }
}

// A weight on a rope whose end moves aside: it hangs straight below, at the rope's length, and the rope bears it.
Test(static, a_rope_bears_what_hangs_on_it) {
  static const char weight[] =
      "\"output\": {\"channels\": [\"body.position\", \"constraint.force\"]}, \"bodies\": [{\"name\": \"w\", "
      "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 3, \"pose\": {\"position\": [0.2, 0.1, "
      "-0.4]}}], \"constraints\": [{\"type\": \"distance\", \"rope\": true, \"length\": 0.7, \"between\": "
      "[{\"body\": \"world\", \"at\": [0.3, 0, 0]}, {\"body\": \"w\"}]}]";
  for (int s = 0; s < 2; s++) {
    TestRun run = begin(SOLVERS[s], weight, "");
    test_steps(run.sim, 2);
    size_t n = 0;
    const double known[3] = {0.3, 0, -0.7}, *told = test_channel(run.sim, "body.position", &n);
    test_near(SOLVERS[s], told, known, 3, CLOSE);
    const double force = fabs(*test_channel(run.sim, "constraint.force", &n));
    cr_expect_float_eq(force, 3 * 9.81, 1e-6, "%s: %.9g N", SOLVERS[s], force);
    test_run_free(&run);
  }
}

// A four-bar linkage, of which one bar is turned: the loop is closed at every step, at the angle that is asked for.
Test(static, prescribed_motions_are_met_and_loops_stay_closed) {
  for (int s = 0; s < 2; s++) {
    char solver[60];
    snprintf(solver, sizeof solver, "/solver=\"%s\"", SOLVERS[s]);
    TestRun run =
        test_run("prescribed_crank", (const char *const[]){"/integrator=\"static\"", solver,
                                                           "/time={\"step\": 0.1, \"steps\": 5}", NULL});
    double errors[2];
    for (int k = 0; k < 5; k++) {
      test_steps(run.sim, 1);
      mb_constraint_errors(run.sim, errors);
      cr_expect_lt(errors[0], CLOSE, "%s: step %d: %g", SOLVERS[s], k, errors[0]);
    }
    test_run_free(&run);
  }
}

// Nodes are bodies under redmax and maximal, and points under projective.
static void bend(const char *solver, const char *keys, double *out, size_t most) {
  static const char beam[] =
      "\"deformables\": [{\"name\": \"beam\", \"type\": \"tets\", \"mesh\": {\"box\": [7, 2, 2], \"size\": "
      "[0.6, "
      "0.1, 0.1]}, \"material\": {\"young\": 1e5, \"poisson\": 0.3, \"density\": 1000}, \"pin\": "
      "[{\"select\": "
      "{\"side\": \"-x\"}, \"motion\": {\"rotate\": {\"axis\": [1, 0, 0], \"angle\": \"=t/2\"}}}]}]";
  static const char fixed[] = "\"deformables\": [{\"name\": \"beam\", \"type\": \"tets\", \"mesh\": "
                              "{\"box\": [7, 2, 2], \"size\": [0.6, "
                              "0.1, 0.1]}, \"material\": {\"young\": 1e5, \"poisson\": 0.3, \"density\": "
                              "1000}, \"pin\": [{\"select\": "
                              "{\"side\": \"-x\"}}]}]";
  const bool turning = strstr(keys, "turn") != NULL;
  TestRun run = begin(solver, turning ? beam : fixed, turning ? "" : keys);
  test_steps(run.sim, turning ? 2 : 1);
  size_t n = 0;
  const double *told = test_channel(run.sim, "deformable.beam.position", &n);
  cr_assert_leq(3 * n, most);
  memcpy(out, told, 84 * sizeof *out);
  test_run_free(&run);
}

Test(static, a_soft_beam_sags_to_the_same_place_under_every_solver_and_by_any_number_of_load_steps) {
  double redmax[300], other[300];
  bend("redmax", "", redmax, 300);
  cr_assert_lt(redmax[83], -0.05, "it sags by a good part of its length: %g", redmax[83]);
  bend("maximal", "", other, 300);
  test_near("maximal", other, redmax, 84, CLOSE);
  bend("projective", "", other, 300);
  test_near("projective", other, redmax, 84, CLOSE);
  bend("projective", ", \"load_steps\": 3", other, 300);
  test_near("projective, by load steps", other, redmax, 84, CLOSE);
  bend("redmax", ", \"load_steps\": 3", other, 300);
  test_near("redmax, by load steps", other, redmax, 84, CLOSE);
}

Test(static, pins_take_a_beam_along) {
  double turned[300];
  bend("projective", "turn", turned, 300);
  cr_expect_float_eq(turned[3 * 7 + 1], 0.1 * cos(1), 1e-12, "a held corner is turned by 1 rad: %g",
                     turned[3 * 7 + 1]);
}

// Beads 1 m apart on cables of that length and compliance 1e-3 from bead to bead, pinned where `pins` says: at rest what cables pull
// by their stretch bears each of the others.
static void check_beads(const char *pins, size_t n, bool hangs) {
  static const double COMPLIANCE = 1e-3, BALANCED = 1e-5; // N: the tolerance over the compliance is 1e-6
  char text[2000];
  size_t at = (size_t)snprintf(text, sizeof text,
                               "\"deformables\": [{\"name\": \"beads\", \"type\": \"particles\", \"mesh\": "
                               "{\"rope\": %zu, \"length\": %zu}, \"material\": {\"mass\": 2}, \"pin\": "
                               "[{\"select\": {\"vertices\": %s}}], \"cables\": [",
                               n, n - 1, pins);
  for (size_t i = 0; i + 1 < n; i++)
    at += (size_t)snprintf(text + at, sizeof text - at,
                           "%s{\"path\": [{\"vertices\": [%zu]}, {\"vertices\": [%zu]}], \"compliance\": %g}",
                           i ? ", " : "", i, i + 1, COMPLIANCE);
  snprintf(text + at, sizeof text - at, "]}], \"output\": {\"channels\": [\"deformable.beads.position\"]}");
  TestRun run = begin("projective", text, "");
  test_steps(run.sim, 2);
  size_t count = 0;
  const double *p = test_channel(run.sim, "deformable.beads.position", &count);
  const double *mass = run.model->deformables[0].elements->mass;
  cr_assert_eq(count, 3 * n);
  for (size_t i = 1; i + 1 < n || (hangs && i < n); i++) {
    double pull[3] = {0, 0, -9.81 * mass[i]};
    for (size_t k = i - 1; k <= i + 1 && k < n; k += 2) {
      double d[3];
      for (size_t c = 0; c < 3; c++) d[c] = p[3 * k + c] - p[3 * i + c];
      const double l = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), T = fmax(l - 1, 0) / COMPLIANCE;
      for (size_t c = 0; c < 3; c++) pull[c] += T * d[c] / l;
    }
    for (size_t c = 0; c < 3; c++)
      cr_expect_float_eq(pull[c], 0, BALANCED, "bead %zu of %zu, pinned %s: %g N are left", i, n, pins,
                         pull[c]);
  }
  cr_expect_lt(p[3 * (n - 1 - !hangs) + 2], hangs ? 1.0 - (double)n : -0.05, "it hangs at %g",
               p[3 * (n - 1 - !hangs) + 2]);
  test_run_free(&run);
}

Test(static, beads_hang_on_cables_alone) {
  check_beads("[0]", 2, true);
  check_beads("[0]", 4, true);
  check_beads("[0]", 10, true);
  check_beads("[0, 3]", 4, false);
}

static void check_none(const char *solver, const char *things, const char *word) {
  char text[2000];
  snprintf(text, sizeof text,
           "{\"mbsim\": 1, \"time\": {\"step\": 1, \"steps\": 1}, \"solver\": \"%s\", \"integrator\": "
           "\"static\", %s}",
           solver, things);
  MbReport report = {0};
  cr_expect_eq(test_try(text, NULL, 1, &report), MB_NUMBERS, "%s, %s", solver, word);
  cr_expect(strstr(report.issues[report.kept - 1].text, word), "%s", report.issues[report.kept - 1].text);
}

Test(static, what_nothing_holds_has_no_equilibrium_and_is_named) {
  for (int s = 0; s < 2; s++)
    check_none(SOLVERS[s],
               "\"bodies\": [{\"name\": \"stone\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "
               "\"mass\": 1}]",
               "stone");
  check_none(
      "projective",
      "\"deformables\": [{\"name\": \"jelly\", \"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 2], \"size\": "
      "[1, 1, 1]}, \"material\": {\"young\": 1e4, \"density\": 1000}}]",
      "jelly");
}

Test(static, what_has_no_meaning_there_is_refused_by_name) {
  static const char *const set[] = {"/solver={\"type\": \"maximal\", \"mode\": \"first_order\"}",
                                    "/solver={\"type\": \"redmax\", \"stabilization\": \"post\"}",
                                    "/contact={}", "/bodies/0/joint/motion={\"velocity\": 1}",
                                    "/constraints=[{\"type\": \"distance\", \"compliance\": 0.1, "
                                    "\"between\": [{\"body\": \"world\"}, {\"body\": \"rod\", "
                                    "\"at\": [1, 0, 0]}]}]"};
  for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
    MbReport report = {0};
    const char text[] =
        "{\"mbsim\": 1, \"time\": {\"step\": 1, \"steps\": 1}, \"integrator\": \"static\", " ROD "}";
    cr_expect_eq(test_try(text, (const char *const[]){set[i], NULL}, 0, &report), MB_SCENE, "%s", set[i]);
    bool named = false;
    for (int k = 0; k < report.kept; k++) named |= strstr(report.issues[k].text, "static") != NULL;
    cr_expect(named, "%s", set[i]);
  }
}
