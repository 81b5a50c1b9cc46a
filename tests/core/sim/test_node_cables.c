// Cables that keep their length are rows of a step's one set: what they hold, under every method of deformables, alone and together with
// other rows.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/nodes.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define HEAD(integrator)                                                                                     \
  "{\"mbsim\": 1, \"integrator\": \"" integrator "\", \"time\": {\"step\": 0.01, \"steps\": 1000}, "

static const char *const methods[] = {"lbfgs", "projective", "newton"};

// The scene, which is solved to the end by a method.
static TestRun run_by(const char *scene, int method) {
  char solver[200];
  snprintf(
      solver, sizeof solver,
      "/solver={\"type\": \"projective\", \"method\": \"%s\", \"iterations\": 4000, \"tolerance\": 1e-12}",
      methods[method]);
  return test_run(scene, (const char *const[]){solver, NULL});
}

// The tension of the first cable in the last step.
static double tension_of(const MbSim *sim) { return sim->constraining->force[sim->constraining->set.fixed]; }

// ---- what they hold ---------------------------------------------------------------------------------------

// Two points of 2 kg, 1 m from one another, of which the first is pinned; what is written goes to the cable between them.
#define TWO(integrator, gravity, drag, cable)                                                                \
  HEAD(integrator)                                                                                           \
  "\"gravity\": [" gravity ", 0, 0], \"forces\": [{\"type\": \"damping\", \"coefficient\": " drag "}], "     \
  "\"deformables\": [{\"name\": \"two\", \"type\": \"particles\", \"mesh\": {\"rope\": 2, \"length\": 1}, "  \
  "\"material\": {\"mass\": 4}, \"pin\": [{\"select\": {\"vertices\": [0]}}], \"cables\": [{\"path\": "      \
  "[{\"vertices\": [0]}, {\"vertices\": [1]}]" cable "}]}]}"

Test(node_cables, a_weight_on_a_cable_stretches_it_by_compliance_times_weight) {
  const double TOLERANCE = 1e-8, e = 1e-3, weight = 2 * 9.81; // m, relative; it has come to rest
  for (int method = 0; method < 3; method++) {
    TestRun run = run_by(TWO("implicit", "9.81", "50", ", \"compliance\": 1e-3"), method);
    test_steps(run.sim, 400);
    const double *q = mb_nodes_places(run.sim);
    cr_expect_float_eq(q[3], 1 + e * weight, TOLERANCE, "%s: at %.12g, not %.12g", methods[method], q[3],
                       1 + e * weight);
    cr_expect_float_eq(tension_of(run.sim) / weight, 1, TOLERANCE, "%s: %.12g N, not %.12g", methods[method],
                       tension_of(run.sim), weight);
    test_run_free(&run);
  }
}

// It is thrown towards its other end, and comes back.
Test(node_cables, a_hard_cable_is_slack_until_it_holds) {
  const double TOLERANCE = 1e-10; // m; the iterations' tolerance
  for (int method = 0; method < 3; method++) {
    TestRun run = run_by(TWO("implicit", "9.81", "0", ""), method);
    double *v = (double *)mb_nodes_velocities(run.sim);
    v[3] = -1;
    double least = 1;
    for (int k = 0; k < 40; k++) {
      test_steps(run.sim, 1);
      const double x = mb_nodes_places(run.sim)[3];
      cr_expect_leq(x, 1 + TOLERANCE, "%s, step %d: %.15g", methods[method], k, x);
      if (k == 4) cr_expect_float_eq(x, 1 - 0.05 + 9.81 * 1e-4 * 15, TOLERANCE, "flew to %.15g", x);
      if (x < 1 - 1e-6) cr_expect_eq(tension_of(run.sim), 0, "a slack cable pulls");
      least = fmin(least, x);
    }
    cr_expect_lt(least, 0.97);
    cr_expect_float_eq(mb_nodes_places(run.sim)[3], 1, TOLERANCE);
    cr_expect_float_eq(tension_of(run.sim), 2 * 9.81, 1e-6);
    test_run_free(&run);
  }
}

// A pendulum of a cable; three groups of nodes, the middle one free to slide.
Test(node_cables, a_cable_through_the_middle_of_groups_keeps_its_whole_length) {
  static const char text[] = HEAD("implicit") "\"gravity\": [0, 0, -9.81], \"deformables\": [{\"name\": "
                                              "\"four\", \"type\": \"particles\", "
                                              "\"mesh\": {\"rope\": 4, \"length\": 1.5}, \"material\": "
                                              "{\"mass\": 8}, \"pin\": [{\"select\": "
                                              "{\"vertices\": [0]}}], \"cables\": [{\"path\": "
                                              "[{\"vertices\": [0]}, {\"vertices\": [1, 2]}, "
                                              "{\"vertices\": [3]}]}]}]}";
  for (int method = 0; method < 3; method++) {
    TestRun run = run_by(text, method);
    test_steps(run.sim, 30);
    const double *x = mb_nodes_places(run.sim);
    double middle[3], one[3], other[3];
    for (int k = 0; k < 3; k++) middle[k] = (x[3 + k] + x[6 + k]) / 2;
    mb_vec3_sub(one, middle, x), mb_vec3_sub(other, x + 9, middle);
    const double length = mb_vec3_norm(one) + mb_vec3_norm(other);
    cr_expect_float_eq(length, 1.5, 1e-9, "%s: %.12g m", methods[method], length);
    cr_expect_lt(x[11], -0.1, "%s: the end has not fallen", methods[method]);
    test_run_free(&run);
  }
}

// ---- together with other rows -----------------------------------------------------------------------------

// A bar with a hard and a soft cable in it, one of them through ports, at whose end a weight hangs on hinges; a ball falls onto it.
static const char together[] = HEAD(
    "implicit") "\"contact\": {\"friction\": 0.5}, \"bodies\": ["
                "{\"name\": \"weight\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"mass\": "
                "0.3, \"pose\": {\"position\": [0.46, 0.05, 0.05]}}, "
                "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.04}, \"mass\": 0.1, "
                "\"pose\": {\"position\": [0.2, 0.05, 0.15]}}], "
                "\"deformables\": [{\"name\": \"bar\", \"type\": \"tets\", \"mesh\": {\"box\": [5, 3, 3], "
                "\"size\": [0.4, 0.1, 0.1]}, \"material\": {\"model\": \"corotational\", \"young\": 5e4, "
                "\"poisson\": 0.3, \"density\": 300}, \"pin\": [{\"select\": {\"side\": \"-x\"}}], "
                "\"attach\": [{\"select\": {\"side\": \"+x\"}, \"body\": \"weight\"}], "
                "\"cables\": [{\"path\": [{\"nearest\": [0, 0.05, 0.1]}, {\"nearest\": [0.2, 0.05, 0.1]}, "
                "{\"nearest\": [0.4, 0.05, 0.1]}]}, {\"path\": [{\"nearest\": [0.1, 0, 0.1]}, {\"nearest\": "
                "[0.3, 0.1, 0.1]}], \"compliance\": 1e-3}]}]}";

Test(node_cables_long, cables_contacts_and_attachments_hold_at_once_under_every_method, TEST_LONG) {
  double *newton = NULL;
  size_t n = 0;
  for (int method = 2; method >= 0; method--) {
    TestRun run = run_by(together, method);
    double most = 0;
    for (int step = 0; step < 25; step++) {
      test_steps(run.sim, 1);
      most = fmax(most, tension_of(run.sim));
    }
    n = 3 * run.sim->nodes->n;
    if (method == 2) {
      newton = mb_calloc(n, sizeof *newton);
      memcpy(newton, mb_nodes_places(run.sim), n * sizeof *newton);
    }
    const double far = test_distance(mb_nodes_places(run.sim), newton, n);
    printf("%-10s %.1e m from \"newton\", tension up to %.3g N\n", methods[method], far, most);
    cr_expect_lt(far, 1e-8, "%s: %g m from \"newton\"", methods[method], far);
    cr_expect_gt(most, 1, "%s: the cable never pulls", methods[method]);
    test_run_free(&run);
  }
  mb_free(newton);
}

// A bar whose upper side cannot get longer, under its weight: where it comes to rest, and where the equilibrium is looked for.
#define HANGS(integrator)                                                                                    \
  HEAD(integrator)                                                                                           \
  "\"forces\": [{\"type\": \"damping\", \"coefficient\": 0.1}], \"deformables\": [{\"name\": \"bar\", "      \
  "\"type\": "                                                                                               \
  "\"tets\", \"mesh\": {\"box\": [5, 3, 3], \"size\": [0.4, 0.1, 0.1]}, \"material\": {\"model\": "          \
  "\"corotational\", \"young\": 2e4, \"poisson\": 0.3, \"density\": 300}, \"pin\": [{\"select\": "           \
  "{\"side\": "                                                                                              \
  "\"-x\"}}], \"cables\": [{\"path\": [{\"nearest\": [0, 0.05, 0.1]}, {\"nearest\": [0.2, 0.05, 0.1]}, "     \
  "{\"nearest\": [0.4, 0.05, 0.1]}]}]}]}"

Test(node_cables_long, what_comes_to_rest_on_a_cable_is_in_equilibrium, TEST_LONG) {
  static const char *const sets[] = {"/solver={\"type\": \"projective\", \"method\": \"newton\"}", NULL};
  TestRun falls = test_run(HANGS("implicit"), sets), rests = test_run(HANGS("static"), sets);
  test_steps(falls.sim, 800), test_steps(rests.sim, 1);
  const double *x = mb_nodes_places(rests.sim);
  const double far = test_distance(mb_nodes_places(falls.sim), x, 3 * rests.sim->nodes->n);
  printf("at rest %.1e m from equilibrium, tensions %.9g N and %.9g N\n", far, tension_of(falls.sim),
         tension_of(rests.sim));
  cr_expect_lt(far, 1e-7, "%g m from equilibrium", far);
  cr_expect_float_eq(tension_of(rests.sim) / tension_of(falls.sim), 1, 1e-5);
  cr_expect_gt(tension_of(rests.sim), 1);
  test_run_free(&falls), test_run_free(&rests);
}

// What is free in space, a weight on a bar with cables in it, keeps its momentum.
Test(node_cables, cables_change_no_momentum) {
  static const char *const sets[] = {"/gravity=[0, 0, 0]",
                                     "/deformables/0/pin=[]",
                                     "/contact/enabled=false",
                                     "/bodies/0/velocity={\"linear\": [1, 0, 2], \"angular\": [0, 3, 1]}",
                                     "/output={\"channels\": [\"momentum\"]}",
                                     "/solver={\"type\": \"projective\", \"iterations\": 5}",
                                     NULL};
  TestRun run = test_run(together, sets);
  double before[3];
  size_t n = 0;
  memcpy(before, test_channel(run.sim, "momentum", &n), sizeof before);
  for (int step = 0; step < 50; step++) {
    test_steps(run.sim, 1);
    const double *now = test_channel(run.sim, "momentum", &n);
    for (int k = 0; k < 3; k++) cr_expect_float_eq(now[k], before[k], 1e-9, "step %d: %g", step, now[k]);
  }
  test_run_free(&run);
}

// ---- what cannot be ---------------------------------------------------------------------------------------

Test(node_cables, a_cable_whose_ends_are_drawn_apart_is_told) {
  MbReport report = {0};
  const MbStatus status =
      test_try(TWO("implicit", "0", "0", ""),
               (const char *const[]){"/solver=\"projective\"",
                                     "/deformables/0/pin=[{\"select\": {\"vertices\": [0]}}, {\"select\": "
                                     "{\"vertices\": [1]}, \"motion\": {\"translate\": [\"=t\", 0, 0]}}]",
                                     NULL},
               20, &report);
  cr_expect_eq(status, MB_NUMBERS);
  cr_expect(strstr(report.issues[0].text, "\"cable\" contradicts others"), "%s", report.issues[0].text);
}

Test(node_cables, a_segment_is_rows_about_its_own_points_alone) {
  enum { POINTS = 40 };
  char text[4000];
  size_t at =
      (size_t)snprintf(text, sizeof text,
                       "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"solver\": \"projective\", "
                       "\"integrator\": \"implicit\", \"deformables\": [{\"name\": \"beads\", \"type\": "
                       "\"particles\", \"mesh\": {\"rope\": %d, \"length\": 1}, \"material\": {\"mass\": "
                       "1}, \"pin\": [{\"select\": {\"vertices\": [0]}}], \"cables\": [{\"path\": [",
                       POINTS);
  for (int i = 0; i < POINTS; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s{\"vertices\": [%d]}", i ? ", " : "", i);
  snprintf(text + at, sizeof text - at, "]}]}]}");
  TestRun run = test_run(text, NULL);
  const MbRowSet *set = &run.sim->constraining->set;
  cr_assert_eq(set->n, 1 + 2 * (POINTS - 1));
  cr_expect_eq(set->first[1], 3 * POINTS);
  for (size_t s = 1; s < set->n; s++)
    cr_expect_eq(set->first[s + 1] - set->first[s], 6, "row %zu has %zu numbers", s,
                 set->first[s + 1] - set->first[s]);
  test_run_free(&run);
}
