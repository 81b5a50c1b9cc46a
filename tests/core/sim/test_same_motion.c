// Deformables of every kind and law move under "projective" as they do where each element is a force between nodes: the two differ in what
// they make linear in a step, and by less the shorter it is.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 600 };

#define SCENE                                                                                                \
  "{\"mbsim\": 1, \"solver\": \"redmax\", \"integrator\": \"bdf1\", \"time\": {\"step\": 0.001, \"steps\": " \
  "1000}, \"deformables\": [{\"name\": \"d\", \"type\": %s, \"velocity\": {\"linear\": [0.3, 0, 0], "        \
  "\"angular\": [1, 2, 3]}, \"pin\": [{\"select\": {\"vertices\": [0]}}]}]}"

// Positions of the nodes after `time` in steps of h; how many numbers.
static size_t places(const char *scene, const char *solver, const char *integrator, double h, double time,
                     double *out) {
  char step[40];
  size_t n = 0;
  snprintf(step, sizeof step, "/time/step=%.17g", h);
  TestRun run = test_run(scene, (const char *const[]){solver, integrator, step, NULL});
  test_steps(run.sim, lrint(time / h));
  const double *at = test_channel(run.sim, "deformable.d.position", &n);
  cr_assert_leq(n, MOST);
  memcpy(out, at, n * sizeof *out);
  test_run_free(&run);
  return n;
}

static void check(const char *type) {
  static const double time = 0.04;
  static const struct {
    const char *name, *solver;
  } ways[] = {{"newton", "/solver={\"type\": \"projective\", \"method\": \"newton\"}"},
              {"lbfgs", "/solver={\"type\": \"projective\", \"method\": \"lbfgs\", \"tolerance\": 1e-9}"}};
  double known[MOST], found[MOST];
  char scene[1000];
  cr_assert_lt(snprintf(scene, sizeof scene, SCENE, type), (int)sizeof scene);
  for (int k = 0; k < 2; k++) {
    double before = 0, apart = 0;
    for (double h = 2e-3; h > 2e-4; h /= 4) {
      const size_t n = places(scene, "/solver=\"redmax\"", "/integrator=\"bdf1\"", h, time, known);
      places(scene, ways[k].solver, "/integrator=\"implicit\"", h, time, found);
      before = apart, apart = test_distance(known, found, n);
    }
    cr_expect(apart < 3e-7 || apart < 0.35 * before,
              "%s, %s: %.2g m apart in short steps, %.2g m in steps four times as long", type, ways[k].name,
              apart, before);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(same_motion, springs_of_both_laws_with_their_dampers) {
  static const char *const law[] = {"linear", "strain"};
  for (int i = 0; i < 4; i++) {
    char type[300];
    snprintf(type, sizeof type,
             "\"springs\", \"mesh\": {\"grid\": [3, 3], \"size\": [0.3, 0.2]}, \"material\": {\"mass\": 0.5, "
             "\"stiffness\": 100, \"damping\": %s, \"law\": \"%s\"}",
             i % 2 ? "0.5" : "0", law[i / 2]);
    check(type);
  }
}

Test(same_motion_long, tetrahedra_of_every_model) {
  static const char *const model[] = {"arap", "corotational", "neo_hookean", "linear"};
  for (int i = 0; i < 8; i++) {
    char type[300];
    snprintf(type, sizeof type,
             "\"tets\", \"mesh\": {\"box\": [3, 2, 2], \"size\": [0.3, 0.1, 0.1]}, \"material\": {\"model\": "
             "\"%s\", \"young\": 5e4, \"density\": 500, \"damping\": %s}",
             model[i / 2], i % 2 ? "0.01" : "0");
    check(type);
  }
}

Test(same_motion_long, cloth_of_every_model_and_its_bending, TEST_LONG) {
  static const char *const model[] = {"arap", "corotational", "neo_hookean"};
  static const char *const bending[] = {"{\"model\": \"none\"}", "{\"model\": \"isometric\"}",
                                        "{\"model\": \"isometric\", \"damping\": 0.01}",
                                        "{\"model\": \"laplace_beltrami\"}"};
  for (int i = 0; i < 12; i++) {
    char type[400];
    snprintf(
        type, sizeof type,
        "\"cloth\", \"mesh\": {\"grid\": [3, 3], \"size\": [0.3, 0.2]}, \"material\": {\"model\": \"%s\", "
        "\"young\": 2e4, \"density\": 300, \"thickness\": 0.01, \"damping\": %s, \"bending\": %s}",
        model[i % 3], i % 2 ? "0.005" : "0", bending[i / 3]);
    check(type);
  }
}

Test(same_motion, rods_with_and_without_damping) {
  check("\"rod\", \"mesh\": {\"rope\": 4, \"length\": 0.3}, \"material\": {\"radius\": 0.01, \"young\": 1e6, "
        "\"density\": 1000}");
  check("\"rod\", \"mesh\": {\"helix\": {\"nodes\": 5, \"radius\": 0.1, \"turns\": 0.6}}, \"material\": "
        "{\"radius\": 0.01, \"young\": 1e6, \"density\": 1000, \"damping\": 0.01}");
}

Test(same_motion, what_draws_blows_and_presses) {
  check(
      "\"tets\", \"mesh\": {\"box\": [3, 2, 2], \"size\": [0.3, 0.1, 0.1]}, \"wind\": {\"velocity\": [\"=3 + "
      "sin(50*t)\", 1, 0], \"lift\": 1}, \"material\": {\"young\": 5e4, \"density\": 500, \"fibres\": "
      "[{\"direction\": [1, 1, 0], \"stiffness\": 2e4, \"limit\": 0.01, \"beyond\": 1e5, \"strength\": 1e4, "
      "\"activation\": \"=0.5 + 0.4*sin(50*t)\"}]}");
  check("\"cloth\", \"mesh\": {\"ball\": 2, \"radius\": 0.1}, \"pressure\": \"=100*sin(50*t)\", \"wind\": "
        "{\"velocity\": [2, 0, 0]}, \"material\": {\"young\": 2e4, \"density\": 300, \"thickness\": 0.01, "
        "\"bending\": {}}");
}

// Ropes that are exactly as long at the start as they may be ask for nothing but what rounding leaves of it, and nothing is wanted of that.
Test(same_motion_long, ropes_between_nodes_may_be_taut_at_the_start) {
  static const char *const ROPED =
      "{\"mbsim\": 1, \"time\": {\"step\": %s, \"steps\": 40}, \"deformables\": [{\"name\": \"d\", \"type\": "
      "\"tets\", \"mesh\": {\"box\": [4, 3, 2], \"size\": [0.4, 0.15, 0.1]}, \"pose\": {\"position\": [0.16, "
      "-0.113, -0.421], \"rotation\": {\"axis\": [0.3, -0.4, 1], \"angle\": -0.77}}, \"material\": "
      "{\"young\": "
      "5e4, \"density\": 500}}], \"constraints\": [{\"type\": \"distance\", \"rope\": true, \"between\": "
      "[{\"node\": \"d\", \"index\": %d}, {\"node\": \"d\", \"index\": %d}]}]}";
  static const char *const ways[] = {"/solver={\"type\": \"projective\", \"method\": \"newton\"}",
                                     "/solver=\"projective\"", "/solver=\"redmax\"", "/solver=\"maximal\""};
  int ran = 0;
  for (int i = 0; i < 23; i++)
    for (int k = 0; k < 4; k++) {
      char scene[800];
      MbReport report = {0};
      snprintf(scene, sizeof scene, ROPED, i % 2 ? "0.0005" : "0.002", i, i + 1);
      const MbStatus status = test_try(scene, (const char *const[]){ways[k], NULL}, 40, &report);
      cr_expect_eq(status, MB_OK, "%s, nodes %d and %d: %s", ways[k], i, i + 1,
                   report.kept ? report.issues[0].text : "");
      ran++;
    }
  cr_expect_eq(ran, 92);
}
