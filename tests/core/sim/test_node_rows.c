// Rows about any nodes of deformables, which come and go from step to step: a floor that holds up whichever vertices of a soft block are
// near it, as a source of rows, under every solver.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 27, MOST = 2 * COUNT };
static const double FLOOR = -0.11;

// A block of rubber that falls onto the floor, and a ball on a rod with a limit beside it.
static const char scene[] =
    "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.004, \"steps\": 2000}, \"bodies\": ["
    "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, \"density\": 500, "
    "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_parent\": {\"position\": [3, 0, 5]}, "
    "\"in_body\": {\"position\": [-0.5, 0, 0]}, \"limits\": [-1, 1]}}], \"deformables\": [{\"name\": "
    "\"block\", \"type\": \"tets\", "
    "\"mesh\": {\"box\": [3, 3, 3], \"size\": [0.2, 0.2, 0.2]}, \"pose\": {\"position\": [0, 0, -0.07]}, "
    "\"material\": {\"model\": \"corotational\", \"young\": 5e4, \"poisson\": 0.3, \"density\": 1000}}], "
    "\"forces\": [{\"type\": \"damping\", \"coefficient\": 3}]}";

typedef struct Floor {
  const MbModel *model;
  size_t end[MOST], n, most, fewest; // what the rows listed name; of all steps
} Floor;

static double height(const MbSim *sim, size_t node, size_t end) {
  return end < sim->model->nb ? sim->x.E[end].p[2] : mb_nodes_places(sim)[3 * node + 2];
}

static bool list(void *context, const MbSim *sim, MbRowSet *set) {
  Floor *floor = context;
  floor->n = 0;
  for (size_t k = 0; k < COUNT; k++) {
    const size_t ends[2] = {mb_row_node(sim->model, 0, k), MB_WORLD};
    const MbRowTerms terms = {.kind = MB_ROW_ONE_WAY,
                              .target = true,
                              .two_bodies = true,
                              .name = "floor",
                              .key = k,
                              .claimed = MB_WORLD};
    if (height(sim, k, ends[0]) - FLOOR > 0.03) continue;
    if (!mb_row_set_add(sim, set, ends, 2, &terms)) return false;
    floor->end[floor->n++] = ends[0];
  }
  floor->most = floor->n > floor->most ? floor->n : floor->most;
  floor->fewest = floor->n < floor->fewest ? floor->n : floor->fewest;
  return true;
}

// g = z above the floor;  ġ = e_z · v
static void eval(void *context, const MbInstant *at, MbRowSet *set, size_t first, size_t n) {
  const Floor *floor = context;
  cr_assert_eq(n, floor->n);
  for (size_t i = 0; i < n; i++) {
    MbRow *row = &set->row[first + i];
    row->body[0] = floor->end[i];
    row->H[0][5] = 1;
    row->g = mb_row_place(at, floor->end[i])[2] - FLOOR;
    row->size = 1;
  }
}

static TestRun begin(Floor *floor, const char *const *sets) {
  TestRun run = test_run(scene, sets);
  MbReport report = {0};
  *floor = (Floor){.model = run.model, .fewest = COUNT};
  const MbRowSource source = {.name = "floor", .context = floor, .list = list, .eval = eval};
  test_ok(mb_rows_add_source(run.sim, &source, &report), &report);
  return run;
}

static void node_places(const MbSim *sim, double *out) {
  for (size_t k = 0; k < COUNT; k++) {
    const size_t end = mb_row_node(sim->model, 0, k);
    mb_vec3_copy(out + 3 * k, end < sim->model->nb ? sim->x.E[end].p : mb_nodes_places(sim) + 3 * k);
  }
}

static const char *const solvers[] = {"/solver=\"redmax\"", "/solver=\"maximal\"",
                                      "/solver={\"type\": \"projective\", \"iterations\": 60}",
                                      "/solver={\"type\": \"projective\", \"method\": \"projective\", "
                                      "\"iterations\": 60, \"bodies\": \"maximal\"}",
                                      "/solver={\"type\": \"projective\", \"method\": \"newton\"}"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

// Under the other solvers nodes are bodies, and their elements forces: both come to the same place at rest.
Test(node_rows_long, a_floor_carries_a_soft_block_under_every_solver_by_its_weight, TEST_LONG) {
  double places[SOLVERS][3 * COUNT];
  for (size_t k = 0; k < SOLVERS; k++) {
    Floor floor;
    TestRun run = begin(&floor, (const char *const[]){solvers[k], NULL});
    test_steps(run.sim, 700);
    const MbConstraining *c = run.sim->constraining;
    double pushed = 0, low = 1;
    const double weight = 1000 * 0.2 * 0.2 * 0.2 * mb_vec3_norm(run.model->gravity);
    for (size_t i = 0; i < floor.n; i++) pushed += c->force[c->set.fixed + i];
    node_places(run.sim, places[k]);
    for (size_t i = 0; i < COUNT; i++) low = fmin(low, places[k][3 * i + 2] - FLOOR);
    printf("%-100s pushed %.12f of the weight, %zu to %zu rows\n", solvers[k], pushed / weight, floor.fewest,
           floor.most);
    test_near(solvers[k], &pushed, &weight, 1, 1e-9 * weight);
    cr_expect(floor.fewest == 0 && floor.most == 9, "rows neither come nor go");
    cr_expect_geq(low, -1e-9, "%s: %g below the floor", solvers[k], -low);
    test_run_free(&run);
  }
  for (size_t k = 1; k < SOLVERS; k++) test_near(solvers[k], places[k], places[0], 3 * COUNT, 1e-9);
}

// While it falls and is squeezed the answers are those of two discretisations in time, and come together with the step.
static void check_method(const char *method) {
  double all[3 * COUNT], some[3 * COUNT], before = INFINITY;
  static const int counts[] = {400, 3, 10, 40};
  for (size_t i = 0; i < 4; i++) {
    char solver[120];
    Floor floor;
    snprintf(solver, sizeof solver,
             "/solver={\"type\": \"projective\", \"method\": \"%s\", \"iterations\": %d}",
             i ? method : "lbfgs", counts[i]);
    TestRun run = begin(&floor, (const char *const[]){solver, NULL});
    test_steps(run.sim, 30);
    node_places(run.sim, i ? some : all);
    test_run_free(&run);
    if (!i) continue;
    const double far = test_distance(all, some, 3 * COUNT);
    printf("%-10s %3d iterations: %.2e m\n", method, counts[i], far);
    cr_expect_lt(far, fmax(before, 1e-12), "%d iterations: %g m, fewer %g m", counts[i], far, before);
    before = far;
  }
  cr_expect_lt(before, strcmp(method, "lbfgs") ? 1e-6 : 1e-11);
}

Test(node_rows, iterations_come_to_the_solution_of_the_step) {
  check_method("projective"), check_method("lbfgs");
}
