// Engines are given to core from outside: whatever brings a solver for a model computes its steps, and what cannot be had is told.
#include "core/solvers/engine.h"
#include "core/base/alloc.h"
#include "core/solvers/solvers.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static const char *const scene =
    "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.01, \"steps\": 20}, \"bodies\": "
    "[{\"name\": \"a\", \"shape\": {\"type\": "
    "\"box\", \"size\": [0.4, 0.1, 0.1]}, \"density\": 500, \"joint\": "
    "{\"type\": \"revolute\", \"axis\": [0, 1, 0], "
    "\"in_body\": {\"position\": [-0.2, 0, 0]}}}]}";

// ---- an engine of the test's own --------------------------------------------------------------------------

static int asked, made, factored;
static const MbSolverOps *inner;

static MbSolverWork *create(const MbModel *model, int threads) {
  made++;
  return inner->create(model, threads);
}

static bool factor(MbSolverWork *work, const MbMaximal *x, double a, double b, bool exact, size_t *blame) {
  factored++;
  return inner->factor(work, x, a, b, exact, blame);
}

static const char *here(bool *available) {
  *available = true;
  return "the test's";
}

static const char *takes_one_body(const MbModel *model) {
  return model->nb == 1 ? NULL : "it takes scenes of one body";
}

static const MbSolverOps *solver(const MbModel *model, MbArena *arena) {
  MbSolverOps *ops = mb_arena_alloc(arena, 1, sizeof *ops);
  asked++;
  inner = mb_solver_for(model, arena);
  cr_assert(ops && inner);
  *ops = *inner;
  ops->create = create, ops->factor = factor;
  return ops;
}

static const MbEngine own = {.name = "own", .text = here, .refuses = takes_one_body, .solver = solver};

Test(engine, one_given_from_outside_computes_every_step) {
  MbReport report = {0};
  TestRun run = test_run(scene, NULL);
  MbSim *sim = NULL;
  asked = made = factored = 0;
  test_ok(mb_sim_create(run.model, &(MbSimOptions){.engine = &own}, &sim, &report), &report);
  cr_assert(asked == 1 && made == 1);
  factored = 0;
  test_steps(run.sim, 20);
  test_steps(sim, 20);
  cr_expect_eq(factored, 20, "%d", factored);
  cr_expect_arr_eq(sim->state.q, run.sim->state.q, sim->nq * sizeof *sim->state.q);
  cr_expect_arr_eq(sim->state.v, run.sim->state.v, sim->nv * sizeof *sim->state.v);
  mb_sim_free(sim);
  test_run_free(&run);
  cr_assert_eq(mb_alloc_live(), 0);
}

// ---- an engine that moves nodes of elements by itself --------------------------------------------------------

static const char *const sheet =
    "{\"mbsim\": 1, \"solver\": \"projective\", \"integrator\": \"implicit\", \"gravity\": [0, 0, -8], "
    "\"time\": {\"step\": 0.25, \"steps\": 4}, \"output\": {\"channels\": [\"energy\", \"solver\", "
    "\"solver.history\", "
    "\"deformable.sheet.position\", \"deformable.sheet.volume\", \"deformable.sheet.strain\"]}, "
    "\"deformables\": [{\"name\": \"sheet\", \"type\": \"cloth\", \"mesh\": {\"grid\": [3, 3], \"size\": [1, "
    "1]}, "
    "\"material\": {\"thickness\": 0.01, \"young\": 1e5, \"poisson\": 0.3, \"density\": 100}}]}";

enum { NODES = 13, ROUNDS = 3 };
static size_t steps_made;
static double carried;

// Nodes fly freely: v ← v + h g, q ← q + h v. What goes from step to step is how many there were.
static MbStatus make_nodes(MbSolverWork *work, MbReport *report) {
  (void)work, (void)report;
  return MB_OK;
}
static MbNodePlan plan_nodes(const MbModel *model) {
  (void)model;
  return (MbNodePlan){.iterations = ROUNDS, .carried = 1};
}
static bool nothing_tied(const MbSolverWork *work) {
  (void)work;
  return false;
}
static bool name_none(MbSolverWork *work, size_t n, const uint32_t *node) {
  (void)work, (void)node;
  return n == 0;
}
static bool room_for(MbSolverWork *work, size_t rows) {
  (void)work;
  return rows == 0;
}
static bool fly(MbSolverWork *work, const MbNodeStart *start, double *q1, double *v1) {
  const double h = 0.25;
  (void)work;
  for (size_t c = 0; c < 3 * NODES; c++) {
    v1[c] = start->v[c] + h * start->gravity[c % 3];
    q1[c] = start->q[c] + h * v1[c];
  }
  steps_made++, carried++;
  return true;
}
static void set_out(MbSolverWork *work, const double *q) {
  (void)work, (void)q;
  carried = 10;
}
static void keep(const MbSolverWork *work, double *to) {
  (void)work;
  *to = carried;
}
static void recall(MbSolverWork *work, const double *from) {
  (void)work;
  carried = *from;
}
static MbNodeStats stats_of(const MbSolverWork *work) {
  (void)work;
  return (MbNodeStats){.iterations = 2, .residual = 0.125, .converged = true};
}
static const double *history_of(const MbSolverWork *work) {
  static const double history[ROUNDS] = {0.25, 0.125, 0};
  (void)work;
  return history;
}
static double energy_of(const MbSolverWork *work, const double *q) {
  (void)work, (void)q;
  return 5;
}
static void measure(const MbSolverWork *work, size_t i, const double *q, double *volume, double *strain) {
  (void)work, (void)i, (void)q;
  *volume = 3, *strain = 0.5;
}

static const MbPassOps flight = {.make = make_nodes,
                                 .plan = plan_nodes,
                                 .tied = nothing_tied,
                                 .name = name_none,
                                 .room = room_for,
                                 .step = fly,
                                 .set_out = set_out,
                                 .keep = keep,
                                 .recall = recall,
                                 .stats = stats_of,
                                 .history = history_of,
                                 .energy = energy_of,
                                 .measure = measure};

static const char *takes_all(const MbModel *model) {
  (void)model;
  return NULL;
}
static const MbSolverOps *flier(const MbModel *model, MbArena *arena) {
  MbSolverOps *ops = mb_arena_alloc(arena, 1, sizeof *ops);
  cr_assert(ops);
  *ops = *mb_solver_of_model_bodies(model);
  ops->passes = &flight;
  return ops;
}
static const MbEngine flying = {.name = "flying", .text = here, .refuses = takes_all, .solver = flier};

// Nothing of the projective solver's is made: what steps, frames and checkpoints ask of nodes comes by the engine's table alone.
Test(engine, its_table_is_all_that_steps_know_of_what_moves_nodes) {
  MbReport report = {0};
  TestRun run = test_run(sheet, NULL);
  MbSim *sim[2] = {0};
  for (int k = 0; k < 2; k++)
    test_ok(mb_sim_create(run.model, &(MbSimOptions){.engine = &flying}, &sim[k], &report), &report);
  steps_made = 0;
  carried = 10;
  test_steps(sim[0], 3);
  cr_expect_eq(steps_made, 3);
  cr_expect_eq(carried, 13, "%g", carried);
  size_t n = 0;
  const double *z = test_channel(sim[0], "deformable.sheet.position", &n);
  cr_assert_eq(n, 3 * NODES, "%zu", n);
  for (size_t i = 0; i < NODES; i++) // −8 h² (1 + 2 + 3)
    cr_expect_eq(z[3 * i + 2], -3, "node %zu at %g", i, z[3 * i + 2]);
  const struct {
    const char *name;
    size_t place;
    double value;
  } told[] = {{"energy", 2, 5},
              {"deformable.sheet.volume", 0, 3},
              {"deformable.sheet.strain", 0, 0.5},
              {"solver", 0, 2},
              {"solver", 1, 0.125},
              {"solver.history", 1, 0.125},
              {"solver.history", 2, 0}};
  for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
    const double value = test_channel(sim[0], told[i].name, &n)[told[i].place];
    cr_expect_eq(value, told[i].value, "%s: %g", told[i].name, value);
  }
  test_resumes(sim[0], sim[1], 0, 1, "flying nodes");
  for (int k = 0; k < 2; k++) mb_sim_free(sim[k]);
  test_run_free(&run);
  cr_assert_eq(mb_alloc_live(), 0);
}

// ---- what cannot be had -----------------------------------------------------------------------------------

static void refused(const MbModel *model, const MbEngine *engine, const char *why) {
  MbReport report = {0};
  MbSim *sim = NULL;
  cr_expect_eq(mb_sim_create(model, &(MbSimOptions){.engine = engine}, &sim, &report), MB_DEVICE);
  cr_expect_null(sim);
  cr_expect_str_eq(report.issues[0].where, "/solver/device");
  cr_expect_str_eq(report.issues[0].text, why);
}

Test(engine, one_that_cannot_take_a_model_says_why) {
  TestRun run =
      test_run(scene, (const char *[]){"/bodies/-={\"name\": \"b\", \"mass\": 1, \"shape\": {\"type\": "
                                       "\"sphere\", \"radius\": 1}}",
                                       NULL});
  cr_expect_str_eq(mb_engine_refuses(&own, run.model), "it takes scenes of one body");
  refused(run.model, &own, "device own: it takes scenes of one body");
  test_run_free(&run);
}

Test(engine, that_of_a_gpu_comes_by_the_same_door_and_says_what_is_lacking) {
  bool available = true;
  TestRun run = test_run(scene, NULL);
  cr_expect_str_eq(mb_engine_name(mb_engine_cuda()), "cuda");
  const char *text = mb_engine_text(mb_engine_cuda(), &available);
  if (!available) {
    char whole[2048];
    snprintf(whole, sizeof whole, "device cuda: %s", text);
    refused(run.model, mb_engine_cuda(), whole);
  }
  cr_expect_not_null(mb_engine_refuses(mb_engine_cuda(), run.model)); // a body on a joint
  test_run_free(&run);
}

// A scene that asks for a device is not computed elsewhere unless that is said.
Test(engine, a_scene_gets_the_device_it_asks_for_or_the_engine_that_is_given) {
  static const char *const texts[] = {"/solver={\"type\": \"redmax\", \"device\": \"cpu\"}",
                                      "/solver={\"type\": \"redmax\", \"device\": \"auto\"}",
                                      "/solver={\"type\": \"redmax\", \"device\": \"cuda\"}"};
  for (int k = 0; k < 3; k++) {
    MbReport report = {0};
    MbScene *parsed = NULL;
    MbModel *model = NULL;
    MbSim *sim = NULL;
    const MbSceneOptions options = {.sets = &texts[k], .nsets = 1};
    test_ok(mb_scene_parse(scene, strlen(scene), "scene", ".", &options, &parsed, &report), &report);
    test_ok(mb_model_create(parsed, &model, &report), &report);
    if (k == 2) {
      refused(model, NULL, "device cuda: no engine for it was given");
    } else {
      test_ok(mb_sim_create(model, NULL, &sim, &report), &report);
      mb_sim_free(sim);
    }
    test_ok(mb_sim_create(model, &(MbSimOptions){.engine = mb_engine_cpu()}, &sim, &report), &report);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_scene_free(parsed);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}
