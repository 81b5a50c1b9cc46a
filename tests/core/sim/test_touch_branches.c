// Contacts of many nodes, whose answers are told by branches of the factor: the same motion as by columns of the inverse.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <stdio.h>

// A sheet falls on a box's corner and edges and on a ball: contacts of nodes, of edges and of what pokes into faces.
static const char sheet[] =
    "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.005, \"steps\": 2000}, \"contact\": "
    "{\"friction\": 0.4, \"method\": \"gauss_seidel\", \"iterations\": 15}, \"bodies\": [{\"name\": \"box\", "
    "\"density\": 500, \"shape\": "
    "{\"type\": \"box\", \"size\": [0.4, 0.4, 0.4]}, \"joint\": {\"type\": \"fixed\", \"in_parent\": "
    "{\"position\": [0.1, 0.05, -0.2]}}}, {\"name\": \"ball\", \"density\": 300, \"shape\": {\"type\": "
    "\"sphere\", \"radius\": 0.05}, \"pose\": {\"position\": [0.1, 0, 0.08]}}], \"deformables\": "
    "[{\"name\": \"sheet\", \"type\": \"cloth\", \"mesh\": {\"grid\": [13, 13], \"size\": [0.6, 0.6]}, "
    "\"pose\": {\"position\": [-0.25, -0.3, 0.01]}, \"material\": {\"model\": \"arap\", \"young\": 2e4, "
    "\"poisson\": 0.3, \"density\": 200, \"thickness\": 0.002}}]}";

// Of the last problem that was solved.
static bool has_branches(const TestRun *run) { return run->sim->constraining->delassus.points.branch; }

// Of quasi-Newton steps what is apart grows tenfold in every 7 ms once it touches: these are fewer.
static void compare(const char *method, int steps, double apart) {
  char sets[2][200];
  TestRun run[2];
  size_t branched = 0;
  for (int k = 0; k < 2; k++) {
    snprintf(sets[k], sizeof sets[k],
             "/solver={\"type\": \"projective\", \"method\": \"%s\", \"iterations\": 6, \"global\": \"%s\"}",
             method, k ? "partitioned_inverse" : "cholesky");
    run[k] = test_run(sheet, (const char *const[]){sets[k], NULL});
  }
  for (int step = 0; step < steps; step++) {
    for (int k = 0; k < 2; k++) test_steps(run[k].sim, 1);
    branched += has_branches(&run[0]);
    cr_expect(!has_branches(&run[1]));
  }
  cr_expect_gt(branched, 4, "%s: %zu steps by branches", method, branched);
  cr_expect_gt(run[0].sim->touching->last.n, 50);
  const size_t n = 3 * mb_model_points(run[0].sim->model);
  test_near(method, mb_nodes_places(run[0].sim), mb_nodes_places(run[1].sim), n, apart);
  test_near("ball", run[0].sim->x.E[1].p, run[1].sim->x.E[1].p, 3, apart);
  test_run_free(&run[0]), test_run_free(&run[1]);
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(touch_branches_long, a_sheet_with_many_contacts_moves_as_by_columns, TEST_LONG) {
  compare("projective", 28, 1e-9);
  compare("lbfgs", 20, 1e-9);
}
