// Runs in maximal coordinates: drift over many seconds, turns that are counted, resumes, threads, steps that fail.
#include "tests/runs.h"
#include "tests/trees.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- drift ------------------------------------------------------------------------------------------------

// Twenty links of 0.3 m that fall and whip about, axes in turn.
static MbSceneSpec long_chain(MbIntegratorKind kind, MbStabilization stabilization, bool project, double h) {
  MbSceneSpec spec = test_chain_of(20, kind, h);
  spec.solver.kind = MB_SOLVER_MAXIMAL;
  spec.solver.project = project;
  spec.solver.stabilization.kind = stabilization;
  spec.solver.stabilization.largest_error = 10; // how far they drift is what is asked here
  // without any damping a whip is too fast for Euler's methods in a few seconds, under redmax too
  for (size_t b = 0; b < spec.nbodies; b++) spec.bodies[b].joint.damping = test_one_number(&spec.arena, 0.1);
  return spec;
}

// How far the ends of two neighbours are apart that a hinge joins, from the poses alone: no solver is asked.
static double apart(const MbSim *sim) {
  const MbModel *model = sim->model;
  double most = 0;
  for (size_t b = 0; b < model->nb; b++) {
    MbPose B, F, inverse;
    const size_t p = model->parent[b];
    F = model->P[b];
    if (p != MB_WORLD) mb_pose_mul(&F, &sim->x.E[p], &F);
    mb_pose_inverse(&inverse, &model->B[b]);
    mb_pose_mul(&B, &sim->x.E[b], &inverse);
    double d[3];
    mb_vec3_sub(d, F.p, B.p);
    most = fmax(most, mb_vec3_norm(d));
  }
  return most;
}

// The widest gap of all steps; *at_start: of the first tenth of them.
static double drift(MbIntegratorKind kind, MbStabilization stabilization, bool project, double seconds,
                    double *at_start) {
  const double h = 0.002;
  MbSceneSpec spec = long_chain(kind, stabilization, project, h);
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  const long steps = lrint(seconds / h);
  double most = 0;
  for (long i = 0; i < steps; i++) {
    test_steps(sim, 1);
    most = fmax(most, apart(sim));
    if (i == steps / 10) *at_start = most;
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
  return most;
}

Test(maximal_runs_long, joints_stay_together_for_as_long_as_a_run_lasts, TEST_LONG) {
  static const struct {
    const char *name;
    MbStabilization stabilization;
    bool project;
    double bound[MB_RK45]; // of symplectic and implicit Euler: what a step of 2 ms opens; of Newton's passes
  } ways[] = {{"none", MB_NO_STABILIZATION, false, {1, 1, 0.1, 0.1}},
              {"baumgarte", MB_BAUMGARTE, false, {5e-3, 5e-3, 1e-6, 1e-6}},
              {"post", MB_POST, false, {1e-11, 1e-11, 1e-11, 1e-11}},
              {"project", MB_BAUMGARTE, true, {1e-12, 1e-12, 1e-12, 1e-12}}};
  static const double seconds = 2; // in 60 the bounds are the same, without stabilization ten times as much
  printf("widest gap in metres of twenty links in %g s, and in the first tenth\n", seconds);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    for (MbIntegratorKind kind = ways[i].project ? MB_TRAPEZOIDAL : MB_SYMPLECTIC; kind < MB_RK45; kind++) {
      double early = 0;
      const double most = drift(kind, ways[i].stabilization, ways[i].project, seconds, &early);
      printf("  %-10s %-16s %.1e %.1e\n", ways[i].name, mb_integrator_words[kind], most, early);
      cr_expect(most <= ways[i].bound[kind], "%s, %s: %g", ways[i].name, mb_integrator_words[kind], most);
    }
}

Test(maximal_runs, the_error_told_is_that_of_the_widest_joint) {
  MbSceneSpec spec = long_chain(MB_SYMPLECTIC, MB_NO_STABILIZATION, false, 0.01);
  static const char *channels[] = {"constraint.error", "joint.position", "joint.velocity", "energy"};
  spec.output.channels = channels, spec.output.nchannels = 4;
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  test_steps(sim, 50);
  size_t count = 0;
  const double told = mb_sim_constraint_error(sim), *channel = test_channel(sim, "constraint.error", &count);
  cr_assert_eq(count, 2);
  test_near("constraint.error", channel, &told, 1, 0);
  cr_assert_gt(told, 0.5 * apart(sim) / sqrt(3.0)); // of three numbers across the joint's axes, the largest
  cr_assert_gt(told, 1e-6);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

// ---- turns ------------------------------------------------------------------------------------------------

#define HEAD "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"steps\": 1}, "
#define BOX(name, size)                                                                                      \
  "\"name\": \"" name "\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": " size "}"

// A wheel, and another on it that turns back half as fast; a nut on a screw
static const char *const WHEELS = HEAD "\"bodies\": [{" BOX(
    "wheel", "[0.4, 0.4, 0.1]") ", \"joint\": {\"type\": \"revolute\", \"axis\": [0, 0, 1], "
                                "\"velocity\": 20}}, {" BOX(
                                    "back",
                                    "[0.1, 0.2, 0.1]") ", \"joint\": {\"type\": \"revolute\", \"parent\": "
                                                       "\"wheel\", \"axis\": [0, 0, 1], \"velocity\": -10}}, "
                                                       "{" BOX("nut",
                                                               "[0.1, 0.1, 0.1]") ", \"joint\": "
                                                                                  "{\"type\": \"screw\", "
                                                                                  "\"axis\": [0, 0, 1], "
                                                                                  "\"pitch\": 0.01, "
                                                                                  "\"velocity\": 20}}, "
                                                                                  "{" BOX("sleeve",
                                                                                          "[0.1, 0.1, "
                                                                                          "0.1]") ", "
                                                                                                  "\"joint"
                                                                                                  "\": "
                                                                                                  "{\"type"
                                                                                                  "\": "
                                                                                                  "\"cylin"
                                                                                                  "drical"
                                                                                                  "\", "
                                                                                                  "\"axis"
                                                                                                  "\": "
                                                                                                  "[1, 0, "
                                                                                                  "0], "
                                                                                                  "\"veloc"
                                                                                                  "ity\": "
                                                                                                  "[-20, "
                                                                                                  "0.5]}}]"
                                                                                                  ", "
                                                                                                  "\"outpu"
                                                                                                  "t\": "
                                                                                                  "{\"chan"
                                                                                                  "nels\":"
                                                                                                  " ["
                                                                                                  "\"joint"
                                                                                                  ".positi"
                                                                                                  "on\", "
                                                                                                  "\"joint"
                                                                                                  ".veloci"
                                                                                                  "ty\"]}"
                                                                                                  "}";

// What is searched for, as a screw's turns are, may turn by half a turn and a little less in a step.
Test(maximal_runs_long, a_hundred_turns_are_counted_however_many_there_are_in_a_step, TEST_LONG) {
  static const double CLOSE[] = {1e-9,
                                 1e-3}; // rounding of some thousand steps; rk45's tolerance, where it adds up
  static const char *const steps[] = {"/time/step=0.01", "/time/step=0.1", "/time/step=0.15",
                                      "/time/step=0.25", "/time/step=1"};
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++)
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
      if (kind == MB_RK45 && k % 4) continue; // its own steps are shorter than most of these
      char integrator[80];
      snprintf(integrator, sizeof integrator, "/integrator=\"%s\"", mb_integrator_words[kind]);
      // beyond half a turn in a step the nut is lost, and nothing else
      const char *sets[] = {"/solver={\"type\": \"maximal\", \"stabilization\": {\"largest_error\": 1}}",
                            integrator, steps[k], NULL};
      TestRun run = test_run(WHEELS, sets);
      const int64_t n = (int64_t)lrint(30 / run.model->h);
      test_steps(run.sim, n);
      const bool screwed = run.model->h < 0.12;
      const double wanted[] = {20 * 30, -10 * 30, 20 * 30, -20 * 30, 0.5 * 30},
                   rates[] = {20, -10, 20, -20, 0.5};
      double q[5], v[5];
      memcpy(q, test_channel(run.sim, "joint.position", NULL), sizeof q);
      memcpy(v, test_channel(run.sim, "joint.velocity", NULL), sizeof v);
      if (!screwed) q[2] = wanted[2], v[2] = rates[2];
      test_near(steps[k], q, wanted, 5, CLOSE[kind == MB_RK45]);
      test_near(steps[k], v, rates, 5, CLOSE[kind == MB_RK45]);
      test_run_free(&run);
    }
}

// ---- the state --------------------------------------------------------------------------------------------

static MbSceneSpec forest(MbIntegratorKind kind, uint64_t seed) {
  MbSceneSpec spec = test_forest(kind, &seed);
  spec.solver.kind = MB_SOLVER_MAXIMAL;
  spec.time.step = 2e-3;
  return spec;
}

static unsigned char *checkpoint(const MbSim *sim) {
  unsigned char *bytes = calloc(1, mb_sim_checkpoint_size(sim));
  mb_sim_checkpoint(sim, bytes);
  return bytes;
}

static void expect_same(const MbSim *sim, const unsigned char *wanted, const char *what) {
  unsigned char *is = checkpoint(sim);
  cr_expect_eq(memcmp(is, wanted, mb_sim_checkpoint_size(sim)), 0, "%s: the states differ", what);
  free(is);
}

Test(maximal_runs_long, a_resumed_run_and_any_number_of_threads_give_the_same_bytes, TEST_LONG) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++)
    for (int post = 0; post < (kind == MB_RK45 ? 1 : 2); post++) {
      MbSceneSpec spec = forest(kind, 71);
      if (post) spec.solver.stabilization.kind = MB_POST;
      MbModel *model = test_model(&spec);
      MbSim *sim = test_sim(model, 1);
      test_steps(sim, 20);
      unsigned char *half = checkpoint(sim);
      test_steps(sim, 20);
      unsigned char *whole = checkpoint(sim);

      MbReport report = {0};
      MbSim *resumed = test_sim(model, 2);
      test_ok(mb_sim_restore(resumed, half, mb_sim_checkpoint_size(resumed), &report), &report);
      test_steps(resumed, 20);
      expect_same(resumed, whole, mb_integrator_words[kind]);
      MbSim *many = test_sim(model, 8);
      test_steps(many, 40);
      expect_same(many, whole, mb_integrator_words[kind]);
      mb_sim_free(many);
      mb_sim_free(resumed);
      mb_sim_free(sim);
      free(half);
      free(whole);
      mb_model_free(model);
      mb_arena_free(&spec.arena);
    }
}

Test(maximal_runs, a_step_that_fails_leaves_the_state_as_it_was) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
    MbSceneSpec spec = forest(kind, 5);
    test_wrench(test_force(&spec, MB_FORCE_POINT, spec.bodies[3].name))->force[0] =
        test_expression("sqrt(0.021 - t)");
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    MbReport report = {0};
    MbStatus status = MB_OK;
    unsigned char *last = NULL;
    for (int i = 0; i < 15 && status == MB_OK; i++) {
      free(last);
      last = checkpoint(sim);
      status = mb_sim_step(sim, &report);
    }
    cr_assert_eq(status, MB_NUMBERS);
    // what the adaptive integrator tries ahead is no state, but it is told with it
    if (kind != MB_RK45) expect_same(sim, last, mb_integrator_words[kind]);
    cr_expect(mb_sim_time(sim) < 0.0225);
    const double error = mb_sim_constraint_error(sim);
    cr_expect(error < 1e-3, "%s: %g", mb_integrator_words[kind], error);
    cr_assert_eq(mb_sim_step(sim, NULL), MB_NUMBERS);
    free(last);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}
