// W of contacts of deformables in a solution of all coordinates together, which is not formed: its columns are what A⁻¹ makes of a push along one row.
#include "core/sim/touch.h"
#include "tests/columns.h"
#include "tests/runs.h"

#define CLOTH(NAME, X, Z)                                                                                    \
  "{\"name\": \"" NAME "\", \"type\": \"cloth\", \"mesh\": {\"grid\": [13, 13], \"size\": [0.6, 0.6]}, "     \
  "\"pose\": {\"position\": [" #X ", 0, " #Z "]}, \"material\": {\"model\": \"corotational\", \"young\": "   \
  "50000, \"poisson\": 0.3, \"density\": 300, \"thickness\": 0.01, \"bending\": {}}}"

// Two cloths that lie on one another and on a table, and a ball on them.
#define SCENE                                                                                                \
  "{\"mbsim\": 1, \"solver\": {\"type\": \"redmax\", \"dynamics\": \"recursive\"}, \"integrator\": "         \
  "\"implicit\", \"time\": {\"step\": 0.005, \"steps\": 2}, \"contact\": {\"friction\": 0.4, "               \
  "\"tolerance\": 1e-6}, \"bodies\": [{\"name\": \"table\", \"shape\": {\"type\": \"plane\"}, \"joint\": "   \
  "{\"type\": \"fixed\"}}, {\"name\": \"ball\", \"density\": 500, \"shape\": {\"type\": \"sphere\", "        \
  "\"radius\": 0.05}, \"pose\": {\"position\": [0.3, 0.3, 0.0701]}}], \"deformables\": [" CLOTH(             \
      "below", 0, 0.0051) ", " CLOTH("above", 0.01, 0.0152) "]}"

typedef struct Seen {
  MbSim *sim;
  size_t times, rows, bodies;
  double worst;
} Seen;

static void see(void *context, const MbContactProblem *problem) {
  Seen *seen = context;
  const MbContactPoints *points = problem->W.points;
  if (!points) return;
  cr_assert(points->lone);
  seen->times++, seen->rows = problem->n, seen->bodies += points->nslots;
  seen->worst = fmax(seen->worst, test_columns_off(seen->sim, problem));
}

Test(delassus_nodes, columns_are_what_a_push_along_a_row_does) {
  TestRun run = test_run(SCENE, NULL);
  Seen seen = {.sim = run.sim};
  cr_assert(mb_touch_watch(run.sim, (MbTouchWatch){see, &seen}));
  test_steps(run.sim, 2);
  cr_expect_gt(seen.times, 1);
  cr_expect_gt(seen.rows, 600);
  cr_expect_gt(seen.bodies, 0, "the ball does not touch");
  cr_expect_lt(seen.worst, 1e-11, "%g", seen.worst);
  test_run_free(&run);
}
