// Engines are given to core from outside: whatever brings a solver for a model computes its steps, and what cannot be had is told.
#include "core/solvers/engine.h"
#include "core/base/alloc.h"
#include "core/solvers/solvers.h"
#include "tests/runs.h"

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

Test(engine, that_of_a_gpu_comes_by_the_same_door_and_says_that_there_is_none) {
  bool available = true;
  TestRun run = test_run(scene, NULL);
  cr_expect_str_eq(mb_engine_name(mb_engine_cuda()), "cuda");
  cr_expect_str_eq(mb_engine_text(mb_engine_cuda(), &available), "this mbsim has no CUDA engine");
  cr_expect_not(available);
  cr_expect_not_null(mb_engine_refuses(mb_engine_cuda(), run.model));
  refused(run.model, mb_engine_cuda(), "device cuda: this mbsim has no CUDA engine");
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
