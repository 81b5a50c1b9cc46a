// Rows that come and go from step to step: a floor that holds up balls near it, as a source of rows, under every solver that takes rows.
#include "core/sim/constrain_internal.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static const double FLOOR = -1.2, RADIUS = 0.1;

// Two balls on rods that swing down to the floor, and one that falls onto it. The scene itself has no constraint.
static const char scene[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 600}, \"bodies\": ["
    "{\"name\": \"first\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 500, "
    "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_body\": {\"position\": [-0.6, 0, 0]}}},"
    "{\"name\": \"second\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 500, "
    "\"joint\": {\"type\": \"spherical\", \"parent\": \"first\", \"in_parent\": {\"position\": [0.1, 0, 0]}, "
    "\"in_body\": {\"position\": [-0.7, 0, 0]}}},"
    "{\"name\": \"loose\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 500, "
    "\"pose\": {\"position\": [2, 0, -0.6]}, \"velocity\": {\"linear\": [1, 0.5, 0]}}]}";

typedef struct Floor {
  const MbModel *model;
  size_t body[8], n; // of the rows listed
  size_t most;       // of all steps
} Floor;

static bool list(void *context, const MbSim *sim, MbRowSet *set) {
  Floor *floor = context;
  floor->n = 0;
  for (size_t b = 0; b < sim->model->nb; b++) {
    const size_t bodies[2] = {b, MB_WORLD};
    const MbRowTerms terms = {.kind = MB_ROW_ONE_WAY,
                              .target = true,
                              .two_bodies = true,
                              .name = "floor",
                              .key = b,
                              .claimed = MB_WORLD};
    if (sim->x.E[b].p[2] - RADIUS - FLOOR > 0.05) continue;
    if (!mb_row_set_add(sim, set, bodies, 2, &terms)) return false;
    floor->body[floor->n++] = b;
  }
  floor->most = floor->n > floor->most ? floor->n : floor->most;
  return true;
}

// g = z − r above the floor;  ġ = e_z · ṗ
static void eval(void *context, const MbInstant *at, MbRowSet *set, size_t first, size_t n) {
  const Floor *floor = context;
  const double up[3] = {0, 0, 1};
  cr_assert_eq(n, floor->n);
  for (size_t i = 0; i < n; i++) {
    MbRow *row = &set->row[first + i];
    const size_t b = floor->body[i];
    row->body[0] = b;
    mb_quat_unrotate(row->H[0] + 3, at->x->E[b].q, up);
    row->g = at->x->E[b].p[2] - RADIUS - FLOOR;
    row->size = 1;
  }
}

typedef struct Run {
  TestRun of;
  Floor floor;
} Run;

static void begin(Run *run, const char *solver, const char *integrator) {
  char sets[2][96];
  snprintf(sets[0], sizeof sets[0], "/solver=%s", solver);
  snprintf(sets[1], sizeof sets[1], "/integrator=\"%s\"", integrator);
  MbReport report = {0};
  *run = (Run){.of = test_run(scene, (const char *[]){sets[0], sets[1], NULL})};
  const MbRowSource source = {.name = "floor", .context = &run->floor, .list = list, .eval = eval};
  run->floor.model = run->of.model;
  test_ok(mb_rows_add_source(run->of.sim, &source, &report), &report);
}

static const char *const solvers[] = {"{\"type\": \"redmax\", \"dynamics\": \"dense\"}",
                                      "{\"type\": \"redmax\", \"dynamics\": \"recursive\"}",
                                      "{\"type\": \"maximal\", \"project\": true}", "\"maximal\""};

// All that reduce the joints' coordinates take the same steps; that of the bodies' own comes near as steps get small.
static void all_solvers(const char *integrator, double lowest, double near) {
  double places[4][9];
  size_t fewest[4], most[4];
  for (size_t k = 0; k < 4; k++) {
    Run run;
    double low = 1;
    begin(&run, solvers[k], integrator);
    fewest[k] = 9, most[k] = 0;
    for (int step = 0; step < 300; step++) {
      test_steps(run.of.sim, 1);
      const MbRowSet *set = &run.of.sim->constraining->set;
      const size_t n = set->n - set->fixed;
      fewest[k] = n < fewest[k] ? n : fewest[k], most[k] = n > most[k] ? n : most[k];
      for (size_t b = 0; b < run.of.model->nb; b++) low = fmin(low, run.of.sim->x.E[b].p[2] - RADIUS - FLOOR);
    }
    for (size_t b = 0; b < 3; b++) memcpy(places[k] + 3 * b, run.of.sim->x.E[b].p, 3 * sizeof(double));
    cr_expect_geq(low, -lowest, "%s, %s: %g below the floor", integrator, solvers[k], -low);
    cr_expect(fewest[k] == 0 && most[k] >= 2, "%s, %s: %zu to %zu rows", integrator, solvers[k], fewest[k],
              most[k]);
    test_run_free(&run.of);
  }
  for (size_t k = 1; k < 4; k++) test_near(solvers[k], places[k], places[0], 9, k < 3 ? 1e-9 : near);
}

Test(row_source, rows_that_come_and_go_hold_bodies_up_under_every_solver) {
  all_solvers("symplectic", 1e-3, 2e-2);
  all_solvers("implicit", 1e-3, 2e-2);
  all_solvers("trapezoidal", 1e-3, 1e-2);
  all_solvers("bridson_marino", 1e-3, 1e-2);
}

Test(row_source, what_lies_on_the_floor_is_pushed_by_its_weight) {
  for (size_t k = 0; k < 4; k++) {
    Run run;
    begin(&run, solvers[k], "implicit");
    test_steps(run.of.sim, 600);
    const MbConstraining *c = run.of.sim->constraining;
    double force = NAN;
    for (size_t i = 0; i < run.floor.n; i++)
      if (run.floor.body[i] == 2) force = c->force[c->set.fixed + i];
    const double weight = run.of.model->M[6 * 2 + 3] * mb_vec3_norm(run.of.model->gravity);
    test_near(solvers[k], &force, &weight, 1, 1e-9 * weight);
    test_run_free(&run.of);
  }
}

// A row of a source that has more than two bodies: the mean of the two balls' heights is held.
static bool list_mean(void *context, const MbSim *sim, MbRowSet *set) {
  (void)context;
  const size_t bodies[] = {0, 1, 2};
  const MbRowTerms terms = {.kind = MB_ROW_BOTH_WAYS, .name = "mean", .claimed = MB_WORLD};
  return mb_row_set_add(sim, set, bodies, 3, &terms);
}

static void eval_mean(void *context, const MbInstant *at, MbRowSet *set, size_t first, size_t n) {
  (void)context, (void)n;
  MbRow *row = &set->row[first];
  const double up[3] = {0, 0, 1.0 / 3};
  double *const H[3] = {row->H[0], row->H[1], set->ends[set->end[first]].H};
  row->body[0] = 0, row->body[1] = 1;
  row->g = -(-0.6 / 3);
  for (size_t b = 0; b < 3; b++) {
    memset(H[b], 0, 6 * sizeof *H[b]);
    mb_quat_unrotate(H[b] + 3, at->x->E[b].q, up);
    row->g += at->x->E[b].p[2] / 3;
  }
  row->size = 1;
}

Test(row_source, a_row_may_be_about_any_number_of_bodies) {
  double places[4][9];
  for (size_t k = 0; k < 4; k++) {
    Run run;
    MbReport report = {0};
    begin(&run, solvers[k], "trapezoidal");
    const MbRowSource source = {.name = "mean", .list = list_mean, .eval = eval_mean};
    test_ok(mb_rows_add_source(run.of.sim, &source, &report), &report);
    test_steps(run.of.sim, 100);
    double mean = 0;
    const double wanted = -0.6 / 3;
    for (size_t b = 0; b < 3; b++) {
      memcpy(places[k] + 3 * b, run.of.sim->x.E[b].p, 3 * sizeof(double));
      mean += run.of.sim->x.E[b].p[2] / 3;
    }
    test_near(solvers[k], &mean, &wanted, 1, 1e-6);
    test_run_free(&run.of);
  }
  for (size_t k = 1; k < 4; k++) test_near(solvers[k], places[k], places[0], 9, k < 3 ? 1e-9 : 1e-5);
}
