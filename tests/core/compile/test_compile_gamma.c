// The rate at which gaps close where the scene does not give it: long chains last by it, and the adaptive integrator is not
// slowed.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>

// A chain of so many hinged bars of a metre, in a plane, let go from the horizontal.
static char *chain(MbArena *arena, int links, double step, const char *integrator) {
  const size_t room = 400 * (size_t)links + 400;
  char *text = mb_arena_alloc(arena, room, 1);
  int n = snprintf(
      text, room,
      "{\"mbsim\": 1, \"time\": {\"step\": %g, \"steps\": 20000}, \"solver\": \"maximal\", \"integrator\": "
      "\"%s\", \"bodies\": [",
      step, integrator);
  for (int i = 0; i < links; i++) {
    char parent[80] = "";
    if (i)
      snprintf(parent, sizeof parent, ", \"parent\": \"b%d\", \"in_parent\": {\"position\": [0.5, 0, 0]}",
               i - 1);
    n += snprintf(
        text + n, room - (size_t)n,
        "%s{\"name\": \"b%d\", \"shape\": {\"type\": \"box\", \"size\": [1, 0.1, 0.1]}, \"density\": 1000, "
        "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_body\": {\"position\": [-0.5, 0, "
        "0]}%s}}",
        i ? ", " : "", i, parent);
  }
  snprintf(text + n, room - (size_t)n, "]}");
  return text;
}

static void lasts(int links, double h, int64_t steps, const char *integrator) {
  MbArena arena = {0};
  MbReport report = {0};
  TestRun run = test_run(chain(&arena, links, h, integrator), NULL);
  double gap = 0;
  for (int64_t i = 0; i < steps; i++) {
    test_ok(mb_sim_step(run.sim, &report), &report);
    gap = fmax(gap, mb_sim_constraint_error(run.sim));
  }
  cr_expect(!mb_sim_energy_left(run.sim), "%d links, %s", links, integrator);
  cr_expect_lt(gap, 2e-3, "%d links, %s: %g m", links, integrator, gap); // 1.3e-4 and 3.9e-4 seen
  test_run_free(&run);
  mb_arena_free(&arena);
}

Test(compile_gamma, long_chains_last_by_the_pull_of_steps_of_first_order, TEST_LONG) {
  lasts(20, 0.001, 16000, "symplectic");
  lasts(20, 0.001, 16000, "implicit");
  lasts(1000, 0.005, 500, "symplectic");
  cr_expect_eq(mb_alloc_live(), 0);
}

// Arms of half a metre: √(g/ℓ) = 4.43/s, whatever the step is, and no more than 1/h.
Test(compile_gamma, the_adaptive_integrator_pulls_at_the_scenes_own_rate) {
  static const double h[] = {0.001, 0.0001, 0.1};
  for (int k = 0; k < 3; k++) {
    MbArena arena = {0};
    const double wanted = fmin(5 * sqrt(9.81 / 0.5), 1 / h[k]);
    TestRun run = test_run(chain(&arena, 3, h[k], "rk45"), NULL);
    cr_expect_float_eq(run.model->gamma, wanted, 0.01, "h = %g: %g", h[k], run.model->gamma);
    test_run_free(&run);
    run = test_run(chain(&arena, 3, h[k], "trapezoidal"), NULL);
    cr_expect_float_eq(run.model->gamma, 1 / h[k], 1e-6);
    test_run_free(&run);
    mb_arena_free(&arena);
  }
}

// A run that was ended goes on for longer: it is the same model's, also where nothing swings by gravity.
Test(compile_gamma, how_long_a_run_lasts_changes_neither_the_pull_nor_the_model) {
  static const char *const more[] = {
      "/time/steps=50", "/gravity=[0, 0, 0]",
      "/constraints=[{\"type\": \"distance\", \"between\": [{\"body\": \"b1\", "
      "\"at\": [0.5, 0, 0]}, {\"body\": \"world\", \"at\": [2, 1, 0]}]}]"};
  for (MbIntegratorKind kind = 0; kind < MB_INTEGRATORS; kind++)
    for (int held = 0; held < 2; held++) {
      MbArena arena = {0};
      const char *const brief[] = {more[0], more[1], held ? more[2] : NULL, NULL}, *const whole[] = {
                                                                                       more[1],
                                                                                       held ? more[2] : NULL,
                                                                                       NULL};
      const char *text = chain(&arena, 2, 0.001, mb_integrator_words[kind]);
      TestRun a = test_run(text, brief), b = test_run(text, whole);
      cr_expect_gt(a.model->gamma, 0);
      cr_expect_float_eq(a.model->gamma, b.model->gamma, 0);
      cr_expect_eq(a.model->fingerprint, b.model->fingerprint, "%s", mb_integrator_words[kind]);
      test_run_free(&a);
      test_run_free(&b);
      mb_arena_free(&arena);
    }
}
