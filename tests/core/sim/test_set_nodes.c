// The state of deformables' nodes, given by a program: what is set is what steps go on from, whoever moves the nodes.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A cloth that is pinned at two corners, along z at a third; two nodes are joined to bodies by a spring and a rope; a net beside it.
#define SCENE(more)                                                                                          \
  "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.005, \"steps\": 40}, \"bodies\": "    \
  "[{\"name\": \"box\", "                                                                                    \
  "\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"density\": 300, \"pose\": {\"position\": "   \
  "[0.2, 0.2, -0.4]}}], "                                                                                    \
  "\"forces\": [{\"type\": \"spring\", \"between\": [{\"node\": \"sheet\", \"index\": 12}, {\"body\": "      \
  "\"box\"}], "                                                                                              \
  "\"stiffness\": 40, \"damping\": 0.5}], \"deformables\": [{\"name\": \"sheet\", \"type\": \"cloth\", "     \
  "\"mesh\": {\"grid\": "                                                                                    \
  "[5, 5], \"size\": [0.4, 0.4], \"pattern\": \"diagonal\"}, \"material\": {\"model\": \"corotational\", "   \
  "\"young\": 2e4, \"poisson\": "                                                                            \
  "0.3, "                                                                                                    \
  "\"density\": 300, \"thickness\": 0.004}, \"pin\": [{\"select\": {\"vertices\": [0, 4]}}, {\"select\": "   \
  "{\"vertices\": [20]}, "                                                                                   \
  "\"axes\": \"z\"}]}" more "]}"

static const char *const scene = SCENE("");
static const char *const with_net = SCENE(
    ", {\"name\": \"net\", \"type\": \"springs\", \"mesh\": {\"grid\": [3, 3], \"size\": [0.2, 0.2]}, "
    "\"pose\": "
    "{\"position\": [1, 0, 0]}, \"material\": {\"stiffness\": 50, \"damping\": 0.1, \"mass\": 0.2}, \"pin\": "
    "[{\"select\": {\"vertices\": [0]}}]}");

static const char *const solvers[] = {
    "/solver={\"type\": \"redmax\"}", "/solver={\"type\": \"maximal\"}",
    "/solver={\"type\": \"projective\", \"method\": \"lbfgs\", \"iterations\": 200, \"tolerance\": 1e-13}",
    "/solver={\"type\": \"projective\", \"method\": \"newton\", \"iterations\": 50, \"tolerance\": 1e-11}"};
enum { SOLVERS = sizeof solvers / sizeof *solvers, MOST = 3 * 25 };

typedef struct Nodes {
  double x[MOST], v[MOST];
} Nodes;

static Nodes nodes_of(const MbSim *sim, const char *name) {
  Nodes nodes = {{0}, {0}};
  test_ok(mb_sim_get_nodes(sim, name, nodes.x, nodes.v, NULL), NULL);
  return nodes;
}

// Everything that a run has come to, put into another one, goes on as the first does.
Test(set_nodes, another_run_goes_on_from_what_it_is_given) {
  static const double NEAR = 1e-9; // of a sheet of 0.4 m: what iterations are solved to
  for (int s = 0; s < SOLVERS; s++) {
    const char *sets[] = {solvers[s], NULL};
    TestRun one = test_run(with_net, sets), other = test_run(with_net, sets);
    double q[16], v[16];
    test_steps(one.sim, 15);
    mb_sim_get(one.sim, q, v);
    test_ok(mb_sim_set(other.sim, q, v, NULL), NULL);
    for (int d = 0; d < 2; d++) {
      const char *name = d ? "net" : "sheet";
      const Nodes at = nodes_of(one.sim, name);
      test_ok(mb_sim_set_nodes(other.sim, name, at.x, at.v, NULL), NULL);
      const Nodes set = nodes_of(other.sim, name);
      test_near(solvers[s], set.x, at.x, 3 * mb_model_nodes_of(one.model, name), 1e-15);
    }
    test_steps(one.sim, 15), test_steps(other.sim, 15);
    for (int d = 0; d < 2; d++) {
      const Nodes a = nodes_of(one.sim, d ? "net" : "sheet"), b = nodes_of(other.sim, d ? "net" : "sheet");
      test_near(solvers[s], b.x, a.x, 3 * mb_model_nodes_of(one.model, d ? "net" : "sheet"), NEAR);
    }
    test_run_free(&one), test_run_free(&other);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

// What pins hold stays, along the axes that they hold; the rest goes where it is told, and a step moves it by its velocity.
Test(set_nodes, what_is_held_stays_where_it_is) {
  for (int s = 0; s < SOLVERS; s++) {
    TestRun run = test_run(scene, (const char *[]){solvers[s], "/gravity=[0,0,0]", NULL});
    const Nodes before = nodes_of(run.sim, "sheet");
    Nodes given = before;
    for (size_t c = 0; c < MOST; c++) given.x[c] += 0.01, given.v[c] = c % 3 == 1 ? 0.3 : 0;
    test_ok(mb_sim_set_nodes(run.sim, "sheet", given.x, given.v, NULL), NULL);
    const Nodes after = nodes_of(run.sim, "sheet");
    for (size_t k = 0; k < 25; k++)
      for (size_t axis = 0; axis < 3; axis++) {
        const bool held = k == 0 || k == 4 || (k == 20 && axis == 2);
        const size_t c = 3 * k + axis;
        cr_expect_float_eq(after.x[c], held ? before.x[c] : given.x[c], 1e-15, "%s: node %zu, axis %zu",
                           solvers[s], k, axis);
        cr_expect_float_eq(after.v[c], held ? 0 : given.v[c], 1e-15, "%s: node %zu, axis %zu", solvers[s], k,
                           axis);
      }
    test_steps(run.sim, 1);
    const Nodes then = nodes_of(run.sim, "sheet");
    cr_expect_gt(then.x[3 * 22 + 1], after.x[3 * 22 + 1] + 0.0005, "%s: it has not moved", solvers[s]);
    test_run_free(&run);
  }
}

// Places alone, velocities alone.
Test(set_nodes, what_is_not_given_stays) {
  for (int s = 0; s < SOLVERS; s++) {
    TestRun run = test_run(scene, (const char *[]){solvers[s], NULL});
    test_steps(run.sim, 5);
    const Nodes before = nodes_of(run.sim, "sheet");
    double zeros[MOST] = {0};
    test_ok(mb_sim_set_nodes(run.sim, "sheet", NULL, zeros, NULL), NULL);
    const Nodes still = nodes_of(run.sim, "sheet");
    test_near(solvers[s], still.x, before.x, MOST, 1e-15);
    test_near(solvers[s], still.v, zeros, MOST, 1e-15);
    test_ok(mb_sim_set_nodes(run.sim, "sheet", before.x, NULL, NULL), NULL);
    test_near(solvers[s], nodes_of(run.sim, "sheet").v, zeros, MOST, 1e-15);
    test_run_free(&run);
  }
}

Test(set_nodes, what_cannot_be_is_refused_and_changes_nothing) {
  for (int s = 0; s < SOLVERS; s++) {
    TestRun run = test_run(scene, (const char *[]){solvers[s], NULL});
    MbReport report = {0};
    test_steps(run.sim, 3);
    const Nodes before = nodes_of(run.sim, "sheet");
    Nodes given = before;
    given.x[7] = NAN;
    cr_expect_eq(mb_sim_set_nodes(run.sim, "sheet", given.x, NULL, &report), MB_USAGE);
    cr_expect_str_eq(report.issues[0].text,
                     "the place of node 2 of \"sheet\" along y is nan, wanted a finite number");
    report = (MbReport){0};
    given.v[74] = INFINITY;
    cr_expect_eq(mb_sim_set_nodes(run.sim, "sheet", NULL, given.v, &report), MB_USAGE);
    report = (MbReport){0};
    cr_expect_eq(mb_sim_set_nodes(run.sim, "shirt", before.x, NULL, &report), MB_USAGE);
    cr_expect_str_eq(report.issues[0].text, "there is no deformable \"shirt\" in the scene");
    cr_expect_eq(mb_sim_get_nodes(run.sim, "shirt", given.x, NULL, &report), MB_USAGE);
    cr_expect_eq(mb_model_nodes_of(run.model, "shirt"), 0);
    cr_expect_eq(mb_model_nodes_of(run.model, "sheet"), 25);
    const Nodes after = nodes_of(run.sim, "sheet");
    cr_expect_eq(memcmp(&after, &before, sizeof after), 0, "%s: something has changed", solvers[s]);
    test_run_free(&run);
  }
}
