// Deformables in contact with the shapes of bodies, under every solver by the same rows.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define FIXED  "\"joint\": {\"type\": \"fixed\"}"
#define GROUND "{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, " FIXED "}"
#define RUBBER(young_)                                                                                       \
  "\"material\": {\"model\": \"corotational\", \"young\": " young_ ", \"poisson\": 0.3, \"density\": 1000}"

static const char *const solvers[] = {"/solver=\"redmax\"", "/solver=\"maximal\"",
                                      "/solver={\"type\": \"projective\", \"iterations\": 60}",
                                      "/solver={\"type\": \"projective\", \"method\": \"projective\", "
                                      "\"iterations\": 60, \"bodies\": \"maximal\"}"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

// Where a deformable's node is.
static const double *node_place(const MbSim *sim, size_t deformable, size_t node) {
  const size_t end = mb_row_node(sim->model, deformable, node);
  return end < sim->model->nb ? sim->x.E[end].p : mb_nodes_places(sim) + 3 * (end - sim->model->nb);
}

// What pushes `a`, a body's solid or a deformable, in the contacts of the last step.
static void force_on(const MbSim *sim, uint32_t a, double force[3]) {
  const MbTouches *last = &sim->touching->last;
  mb_vec3_set(force, 0, 0, 0);
  for (size_t i = 0; i < last->n; i++) {
    const MbTouch *touch = &last->touch[i];
    const double sign = touch->a == a ? -1 : touch->b == a ? 1 : 0;
    for (int k = 0; k < 3; k++)
      mb_vec3_add_scaled(force, force, sign * touch->lambda[k] / sim->model->h, touch->axis[k]);
  }
}

// ---- rest -------------------------------------------------------------------------------------------------

static const char block[] =
    "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.004, \"steps\": 2000}, \"contact\": "
    "{\"friction\": 0.4, \"tolerance\": 1e-11}, \"bodies\": [" GROUND
    "], \"deformables\": [{\"name\": \"block\", "
    "\"type\": \"tets\", \"mesh\": {\"box\": [3, 3, 3], \"size\": [0.2, 0.2, 0.2]}, \"pose\": {\"position\": "
    "[0, "
    "0, 0.03]}, " RUBBER("5e4") "}], \"forces\": [{\"type\": \"damping\", \"coefficient\": 3}]}";

Test(touch_soft, a_soft_block_comes_to_lie_on_the_ground_and_the_forces_sum_to_its_weight) {
  double places[SOLVERS][3 * 27];
  for (size_t k = 0; k < SOLVERS; k++) {
    TestRun run = test_run(block, (const char *const[]){solvers[k], NULL});
    test_steps(run.sim, 800);
    double f[3], low = 1;
    const double weight[3] = {0, 0, 1000 * 0.008 * 9.81};
    force_on(run.sim, 1, f);
    for (size_t i = 0; i < 27; i++) {
      mb_vec3_copy(places[k] + 3 * i, node_place(run.sim, 0, i));
      low = fmin(low, places[k][3 * i + 2]);
    }
    test_near(solvers[k], f, weight, 3, 1e-9 * weight[2]);
    cr_expect(fabs(low) < 1e-9, "%s: the lowest node is at %g", solvers[k], low);
    cr_expect_eq(run.sim->touching->last.n, 9);
    test_run_free(&run);
  }
  (void)places;
}
