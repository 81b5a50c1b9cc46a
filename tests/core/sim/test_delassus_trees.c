// W of contacts of jointed bodies, which is put together from a block a tree: its columns are what A⁻¹ makes of a push along one row.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "tests/columns.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define BOX(X, Y, Z) "\"density\": 700, \"shape\": {\"type\": \"box\", \"size\": [" #X ", " #Y ", " #Z "]}"

// A limb of three parts: its root is free in space, a ball joint and a hinge with limits follow.
#define LIMB(NAME, X, Z)                                                                                     \
  "{\"name\": \"" NAME "\", " BOX(                                                                           \
      0.3, 0.2,                                                                                              \
      0.1) ", \"pose\": {\"position\": [" #X ", 0, " #Z "]}}, {\"name\": \"" NAME                            \
           " middle\", " BOX(                                                                                \
               0.3, 0.1,                                                                                     \
               0.1) ", \"joint\": {\"type\": \"spherical\", "                                                \
                    "\"parent\": \"" NAME                                                                    \
                    "\", \"in_parent\": {\"position\": [0.17, 0, 0]}, \"in_body\": {\"position\": "          \
                    "[-0.17, 0, 0]}}}, {\"name\": \"" NAME " end\", " BOX(                                   \
                        0.3, 0.1, 0.08) ", \"joint\": {\"type\": "                                           \
                                        "\"revolute\", \"parent\": \"" NAME                                  \
                                        " middle\", \"axis\": [0, 1, 0], \"in_parent\": {\"position\": "     \
                                        "[0.17, 0, 0]}, \"in_body\": {\"position\": [-0.17, 0, 0]}, "        \
                                        "\"limits\": [-0.1, 0.1]}}"

// Two limbs side by side, one that lies across the first, a box alone and an arm on a wall, on the ground.
#define BODIES                                                                                               \
  "\"bodies\": [{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": "             \
  "\"fixed\"}}, " LIMB("a", 0, 0.0501) ", " LIMB("b", 2, 0.0501) ", " LIMB(                                  \
      "c", 0.2,                                                                                              \
      0.1502) ", {\"name\": \"box\", " BOX(0.2, 0.2,                                                         \
                                           0.2) ", \"pose\": {\"position\": [4, 0, 0.1001]}}, {\"name\": "   \
                                                "\"arm\", " BOX(0.6, 0.1,                                    \
                                                                0.1) ", \"joint\": {\"type\": "              \
                                                                     "\"revolute\", \"axis\": [0, 1, 0], "   \
                                                                     "\"in_parent\": {\"position\": [5, 0, " \
                                                                     "0.05]}, \"in_body\": {\"position\": "  \
                                                                     "[-0.3, 0, 0]}, \"velocity\": "         \
                                                                     "0.1}}]"

static const char limbs[] =
    "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.005, \"steps\": 200}, "
    "\"contact\": {\"friction\": 0.5, \"tolerance\": 1e-11}, " BODIES "}";

static const char *const solvers[] = {"/solver={\"type\": \"redmax\", \"dynamics\": \"recursive\"}",
                                      "/solver={\"type\": \"redmax\", \"dynamics\": \"dense\"}",
                                      "/solver=\"maximal\"",
                                      "/solver={\"type\": \"maximal\", \"project\": true}",
                                      "/solver={\"type\": \"maximal\", \"linear\": \"sparse\"}"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

typedef struct Seen {
  MbSim *sim;
  size_t times, rows, values, most;
  double worst;
} Seen;

static void see(void *context, const MbContactProblem *problem) {
  Seen *seen = context;
  MbSim *sim = seen->sim;
  const MbConstraining *c = sim->constraining;
  const MbContactOperator *W = &problem->W;
  if (!W->value) return;
  seen->times++, seen->rows = problem->n, seen->values = W->first[problem->n];
  seen->most = c->delassus.trees.most;
  double most = 0;
  for (size_t e = 0; e < seen->values; e++) most = fmax(most, fabs(W->value[e]));
  for (size_t i = 0; i < problem->n; i++) {
    double own;
    for (size_t e = W->first[i] + 1; e < W->first[i + 1]; e++) cr_assert(W->index[e] > W->index[e - 1]);
    seen->worst = fmax(seen->worst, test_column_off(sim, problem, i, &own) / most);
  }
}

static Seen watch(const char *text, const char *const *sets, int steps) {
  TestRun run = test_run(text, sets);
  Seen seen = {.sim = run.sim};
  cr_assert(mb_touch_watch(run.sim, (MbTouchWatch){see, &seen}));
  test_steps(run.sim, steps);
  test_run_free(&run);
  cr_assert_eq(mb_alloc_live(), 0);
  return seen;
}

Test(delassus_trees, columns_are_what_a_push_along_a_row_does_under_every_solver) {
  for (size_t k = 0; k < SOLVERS; k++) {
    const Seen seen = watch(limbs, (const char *const[]){solvers[k], NULL}, 8);
    cr_expect_geq(seen.times, 5, "%s: %zu times", solvers[k], seen.times);
    cr_expect_gt(seen.rows, 60, "%zu rows", seen.rows);
    cr_expect_lt(seen.worst, 1e-10, "%s: %g", solvers[k], seen.worst);
    // what lies on one another has rows together, what does not has none
    cr_expect_lt(seen.values, seen.rows * seen.rows * 2 / 3, "%zu of %zu rows", seen.values, seen.rows);
    cr_expect_lt(seen.most, seen.rows * 2 / 3, "%zu of %zu rows", seen.most, seen.rows);
  }
}

// A spring and a bar of two bodies, both stiff: A couples the first under `implicit`, the factor of `maximal` has the second where it takes
// it for a joint. A wheel in step with another one by reduction follows it.
Test(delassus_trees, trees_that_the_matrix_couples_are_taken_for_one, TEST_LONG) {
  static const char coupled[] =
      "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.005, \"steps\": 200}, "
      "\"contact\": {\"friction\": 0.5, \"tolerance\": 1e-11}, " BODIES
      ", \"forces\": [{\"type\": \"spring\", \"stiffness\": 1e5, \"between\": [{\"body\": \"a end\"}, "
      "{\"body\": \"b\"}]}], \"constraints\": [{\"type\": \"joint\", \"joint\": {\"type\": \"spherical\"}, "
      "\"between\": [{\"body\": \"c end\", \"frame\": {\"position\": [0.2, 0, 0]}}, {\"body\": \"box\", "
      "\"frame\": {\"position\": [-2.72, 0, 0.0501]}}]}]}";
  for (size_t k = 0; k < SOLVERS; k++) {
    const Seen seen = watch(coupled, (const char *const[]){solvers[k], NULL}, 6);
    cr_expect_geq(seen.times, 4, "%s: %zu times", solvers[k], seen.times);
    cr_expect_lt(seen.worst, 1e-8, "%s: %g", solvers[k], seen.worst);
  }
}

// Limbs that touch no other ones move as each does alone, whatever else there is.
Test(delassus_trees_long, limbs_that_do_not_touch_one_another_move_as_each_does_alone, TEST_LONG) {
  static const char *const alone =
      "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.005, \"steps\": 200}, "
      "\"contact\": {\"friction\": 0.5, \"tolerance\": 1e-11}, \"bodies\": [{\"name\": \"ground\", "
      "\"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}, " LIMB("b", 2, 0.3) "]}";
  static const char *const fall = "/bodies/4/pose/position=[2, 0, 0.3]",
                           *const turn[] = {"/bodies/4/pose/rotation={\"axis\": [1, 2, 3], \"angle\": 0.4}",
                                            "/bodies/1/pose/rotation={\"axis\": [1, 2, 3], \"angle\": 0.4}"};
  for (size_t k = 0; k < SOLVERS; k++) {
    TestRun many = test_run(limbs, (const char *const[]){solvers[k], fall, turn[0], NULL}),
            one = test_run(alone, (const char *const[]){solvers[k], turn[1], NULL});
    test_steps(many.sim, 60);
    test_steps(one.sim, 60);
    for (size_t b = 0; b < 3; b++)
      test_near(solvers[k], many.sim->x.E[4 + b].p, one.sim->x.E[1 + b].p, 3, 1e-7);
    cr_expect_gt(one.sim->touching->last.n, 2);
    test_run_free(&many);
    test_run_free(&one);
  }
}

Test(delassus_trees_long, steps_do_not_allocate) {
  TestRun run = test_run(limbs, NULL);
  test_steps(run.sim, 150);
  const int64_t before = mb_alloc_calls();
  test_steps(run.sim, 30);
  cr_expect_eq(mb_alloc_calls(), before);
  test_run_free(&run);
}
