// Fully implicit schemes: what is stiff stays quiet, energy falls, memory and stages that do not settle.
#include "core/base/alloc.h"
#include "tests/runs.h"
#include "tests/trees.h"

#include "core/sim/evaluate.h"
#include "core/sim/newton.h"
#include <stdio.h>
#include <string.h>

static const MbIntegratorKind kinds[] = {MB_BDF1, MB_BDF2, MB_SDIRK2};
enum { KINDS = 3 };

#define HEAD "{\"mbsim\": 1, \"gravity\": [0, 0, -9.81], \"time\": {\"step\": 0.01, \"steps\": 1}, "
#define ARM(name, more)                                                                                      \
  "{\"name\": \"" name "\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.1]}, "  \
  "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_body\": {\"position\": [-0.2, 0, 0]}" more  \
  "}}"
#define ON(parent) ", \"parent\": \"" parent "\", \"in_parent\": {\"position\": [0.2, 0, 0]}"

static TestRun start(const char *scene, MbIntegratorKind kind, const char *solver, const char *more) {
  char set[80];
  snprintf(set, sizeof set, "/integrator=\"%s\"", mb_integrator_words[kind]);
  const char *sets[] = {set, solver, more, NULL};
  return test_run(scene, sets);
}

// The joint's spring turns at some 1e4 rad/s, a hundred radians a step. What it is off by is gone after a few steps, and the arm behind
// it swings on.
Test(full_stages, stiff_joints_stay_quiet_at_long_steps) {
  static const char *const STIFF = HEAD "\"bodies\": [" ARM(
      "a", ", \"stiffness\": 1e8, \"rest\": 0, \"position\": 0.01") ", " ARM("b", ON("a")) "]}";
  for (size_t k = 0; k < KINDS; k++) {
    TestRun run = start(STIFF, kinds[k], "/solver=\"redmax\"", NULL);
    double most = 0, swing = 0;
    for (int i = 0; i < 200; i++) {
      test_steps(run.sim, 1);
      if (i >= 50) most = fmax(most, fabs(run.sim->state.q[0]));
      swing = fmax(swing, run.sim->state.q[1]);
    }
    // what is left is what the arm's weight and its turn ask of the spring
    cr_expect_lt(most, 1e-5, "%s: %g rad", mb_integrator_words[kinds[k]], most);
    cr_expect_gt(swing, 2.5, "%s: %g rad", mb_integrator_words[kinds[k]], swing);
    test_run_free(&run);
  }
}

// As long as a step is short beside the motion: in steps of 10 ms a triple pendulum gains some hundredths of a percent here and there.
Test(full_stages, energy_only_falls_under_bdf1) {
  static const char *const scenes[] = {HEAD "\"bodies\": [" ARM("a", ", \"position\": 0.5") ", " ARM(
                                           "b", ON("a") ", \"velocity\": 3") ", " ARM("c", ON("b")) "]}",
                                       HEAD "\"bodies\": [" ARM("a", ", \"stiffness\": 300") ", " ARM(
                                           "b", ON("a") ", \"stiffness\": 1e6") "]}",
                                       "four_bar", "bricard"};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
    for (int maximal = 0; maximal < 2; maximal++) {
      TestRun run = start(scenes[i], MB_BDF1, maximal ? "/solver=\"maximal\"" : "/solver=\"redmax\"",
                          "/time/step=0.001");
      double energy = mb_energy(run.model, &run.sim->x).total;
      for (int step = 0; step < 300; step++) {
        test_steps(run.sim, 1);
        const MbEnergy e = mb_energy(run.model, &run.sim->x);
        cr_assert_leq(e.total, energy + 1e-9 * (e.kinetic + fabs(e.gravity)),
                      "%s, step %d: %.17g after %.17g", scenes[i], step, e.total, energy);
        energy = e.total;
      }
      test_run_free(&run);
    }
}

// What bdf2 knows of the step before is a part of the state.
Test(full_stages, a_run_that_is_stopped_goes_on_to_the_same_bits) {
  for (size_t k = 0; k < KINDS; k++) {
    TestRun one = start("four_bar", kinds[k], NULL, NULL), other = start("four_bar", kinds[k], NULL, NULL);
    test_resumes(one.sim, other.sim, 23, 37, mb_integrator_words[kinds[k]]);
    test_run_free(&one), test_run_free(&other);
  }
}

// The crank is driven past where the rod reaches: no step's end satisfies both, and the message names one of them.
Test(full_stages, a_stage_that_cannot_be_solved_ends_the_run_and_names_what_is_open) {
  static const char *const REACH = HEAD "\"bodies\": [" ARM(
      "crank", ", \"motion\": {\"position\": \"=t\"}") "], \"constraints\": "
                                                       "[{\"type\": \"distance\", \"name\": "
                                                       "\"rod\", \"between\": [{\"body\": "
                                                       "\"world\", \"at\": [0.5, 0, 0.3]}, "
                                                       "{\"body\": \"crank\", \"at\": [0.2, "
                                                       "0, 0]}]}], \"output\": {}}";
  for (size_t k = 0; k < KINDS; k++) {
    char integrator[60];
    MbReport report = {0};
    snprintf(integrator, sizeof integrator, "/integrator=\"%s\"", mb_integrator_words[kinds[k]]);
    const char *sets[] = {integrator, NULL};
    const MbStatus status = test_try(REACH, sets, 200, &report);
    const char *text = report.kept ? report.issues[report.kept - 1].text : "";
    cr_expect_eq(status, MB_NUMBERS, "%s: %s", mb_integrator_words[kinds[k]], mb_status_text(status));
    cr_expect(strstr(text, "rod") || strstr(text, "crank"), "%s: \"%s\"", mb_integrator_words[kinds[k]],
              text);
  }
}

// The same motion by n steps of h/n, from coordinates q and velocities v: those of hinges are plain numbers, so that parts are whole steps.
static double off_steps(const MbSim *sim, MbIntegratorKind kind, size_t n, const double *q, const double *v) {
  MbSceneSpec spec = test_chain(kind == MB_BDF1 ? MB_BDF1 : MB_SDIRK2, sim->model->h / (double)n);
  MbModel *model = test_model(&spec);
  MbSim *other = test_sim(model, 1);
  double off = 0;
  memcpy(other->state.q, q, sim->nq * sizeof *q), memcpy(other->state.v, v, sim->nv * sizeof *v);
  mb_sim_kinematics(other, other->state.q, other->state.v);
  test_steps(other, (int)n);
  for (size_t i = 0; i < sim->nq; i++) off = fmax(off, fabs(other->state.q[i] - sim->state.q[i]));
  for (size_t i = 0; i < sim->nv; i++) off = fmax(off, fabs(other->state.v[i] - sim->state.v[i]));
  mb_sim_free(other);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
  return off;
}

// Ten arms that swing fast, in steps of half a second: Newton's method does not come to a step's end from its start. Made of parts the
// step is what shorter ones are.
Test(full_stages, a_step_that_is_not_solved_is_made_of_parts) {
  for (size_t k = 0; k < KINDS; k++) {
    MbSceneSpec spec = test_chain(kinds[k], 0.5);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    const size_t of_part = kinds[k] == MB_BDF1 ? 1 : 2;
    double *q = mb_calloc(sim->nq, sizeof *q), *v = mb_calloc(sim->nv, sizeof *v);
    const MbStageNote *notes;
    int in_parts = 0;
    MbReport report = {0};
    for (int i = 0; i < 20; i++) {
      memcpy(q, sim->state.q, sim->nq * sizeof *q), memcpy(v, sim->state.v, sim->nv * sizeof *v);
      test_ok(mb_sim_step(sim, &report), &report);
      const size_t stages = mb_stages_noted(sim, &notes);
      if (stages <= of_part) continue;
      in_parts++;
      const double off = off_steps(sim, kinds[k], stages / of_part, q, v);
      printf("%s, step %d: %zu stages, off by %.1e\n", mb_integrator_words[kinds[k]], i, stages, off);
      cr_expect_lt(off, 1e-8, "%s, step %d: off by %g", mb_integrator_words[kinds[k]], i, off);
    }
    cr_expect_gt(in_parts, 0, "%s: every step was solved as a whole", mb_integrator_words[kinds[k]]);
    mb_free(q), mb_free(v);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

// A loop of six hinges closed by rows, in coordinates of joints, where the quadratic terms feel velocities along the rows: sdirk2 would
// be of order one if its first stage took them as they meet its gaps.
Test(full_stages, loops_in_reduced_coordinates_keep_order_two) {
  enum { NUMBERS = 18 * 8 };
  static const char *const EXACT =
      "/integrator={\"type\": \"rk45\", \"relative\": 1e-11, \"absolute\": 1e-13}";
  const double h = 0.004;
  double exact[NUMBERS], state[NUMBERS];
  TestRun run = test_run("bricard", (const char *const[]){EXACT, "/time/step=0.004", NULL});
  test_steps(run.sim, 100);
  const size_t n = test_bodies(run.sim, exact, NUMBERS);
  test_run_free(&run);
  for (size_t k = 0; k < KINDS; k++) {
    double error[2];
    for (int half = 0; half < 2; half++) {
      char step[40];
      snprintf(step, sizeof step, "/time/step=%.17g", h / (1 + half));
      run = start("bricard", kinds[k], "/solver=\"redmax\"", step);
      test_steps(run.sim, 100 * (1 + half));
      test_bodies(run.sim, state, NUMBERS);
      error[half] = test_distance(state, exact, n);
      test_run_free(&run);
    }
    const double order = log2(error[0] / error[1]), wanted = kinds[k] == MB_BDF1 ? 1 : 2;
    cr_expect(fabs(order - wanted) < 0.1, "%s: order %.3f", mb_integrator_words[kinds[k]], order);
  }
}

// What is left of a stage, from iteration to iteration, of a chain of ten that swings fast in long steps, and of a forest of all joints.
Test(full_stages, newtons_method_squares_what_is_left) {
  enum { MOST = 8 };
  static const double SQUARE = 0.5, ROUNDING = 1e-14; // rad/s
  for (int forest = 0; forest < 2; forest++) {
    uint64_t seed = 4;
    MbSceneSpec spec = forest ? test_forest(MB_BDF1, &seed) : test_chain(MB_BDF1, 0.03);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    const size_t n = sim->nv;
    double *base = mb_calloc(n, sizeof *base), *w = mb_calloc(n, sizeof *w), *z = mb_calloc(n, sizeof *z);
    const MbFullStage stage = {.gamma = 1, .t = model->h, .base = base, .from = sim->state.v};
    double left[MOST] = {0};
    cr_assert_not_null(sim->newton);
    memcpy(w, sim->state.v, n * sizeof *w);
    for (int k = 0; k < MOST; k++) {
      cr_assert(mb_newton_change(sim, &stage, w, z));
      for (size_t i = 0; i < n; i++) left[k] = fmax(left[k], fabs(z[i])), w[i] += z[i];
      printf("%s, iteration %d: %.3e\n", forest ? "forest" : "chain of ten", k, left[k]);
      if (k > 0 && left[k - 1] < 1)
        cr_expect_leq(left[k], fmax(SQUARE * left[k - 1] * left[k - 1], ROUNDING), "iteration %d", k);
    }
    cr_expect_lt(left[MOST - 1], 1e-12);
    mb_free(base), mb_free(w), mb_free(z);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}
