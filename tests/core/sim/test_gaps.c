// Hard constraints that stay open end a run, with their names; those that close, however slowly, do not.
#include "core/base/alloc.h"
#include "core/sim/gaps.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

// A loop whose crank is driven and longer than its rod: it cannot stay closed
static const char *const LONG_CRANK = "/parameters/crank=0.65";

// Two rods of a metre, one on the other; the world's points at PULL are not all to be reached by the end of the second
#define ROD                                                                                                  \
  "\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 1]}, \"density\": 1000, \"joint\": {\"type\": "       \
  "\"revolute\", \"axis\": [0, 1, 0], \"in_body\": {\"position\": [0, 0, 0.5]}"
#define PULL(name, at)                                                                                       \
  "{\"type\": \"point\", \"name\": \"" name "\", \"between\": [{\"body\": \"b\", \"at\": [0, 0, -0.5]}, "    \
  "{\"body\": \"world\", \"at\": " at "}]}"
#define RODS(constraints)                                                                                    \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 200}, \"bodies\": [{\"name\": \"a\", " ROD          \
  "}}, {\"name\": \"b\", " ROD ", \"parent\": \"a\", \"in_parent\": {\"position\": [0, 0, -0.5]}}}], "       \
  "\"constraints\": [" constraints "]}"

static const char *const FAR = RODS(PULL("far", "[0, 0, -2.5]"));
static const char *const APART = RODS(PULL("end", "[0, 0, -2]") ", " PULL("other", "[0.3, 0, -1.5]"));
static const char *const NEAR = RODS(PULL("near", "[0.5, 0, -1.5]"));

static void solver(char *set, size_t size, const char *solver, const char *stabilization) {
  snprintf(set, size, "/solver={\"type\": \"%s\", \"stabilization\": %s}", solver, stabilization);
}

static const char *const solvers[] = {"redmax", "maximal"};
static const char *const stabilizations[] = {"\"baumgarte\"", "\"post\"", "\"none\"",
                                             "{\"type\": \"baumgarte\", \"gamma\": 5}"};

// It ends with exit 4 and the name, well before the run is over.
static void check_ends(const char *from, const char *what, const char *name, int64_t steps) {
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 4; k++)
      for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
        char set[160], integrator[60];
        MbReport report = {0};
        if (kind == MB_RK45 && k == 1) continue; // there is none
        solver(set, sizeof set, solvers[i], stabilizations[k]);
        snprintf(integrator, sizeof integrator, "/integrator=\"%s\"", mb_integrator_words[kind]);
        const char *sets[] = {set, integrator, what, NULL};
        const MbStatus status = test_try(from, sets, steps, &report);
        const char *text = "";
        for (int n = 0; n < report.kept; n++)
          if (!report.issues[n].warning) text = report.issues[n].text;
        cr_expect_eq(status, MB_NUMBERS, "%s, %s, %s: %s", solvers[i], stabilizations[k],
                     mb_integrator_words[kind], mb_status_text(status));
        // the adaptive integrator may stop before: its step shrinks; a joint that rows hold may open before the loop
        const bool joint = i == 1 && strstr(text, "\"rod\"");
        cr_expect(strstr(text, name) || kind == MB_RK45 || joint, "%s, %s, %s: \"%s\"", solvers[i],
                  stabilizations[k], mb_integrator_words[kind], text);
      }
}

// Before the gap is as wide as that, the step is refused that comes where the rods are in one line.
Test(gaps_long, a_loop_that_a_driven_crank_opens_ends_the_run, TEST_LONG) {
  check_ends("prescribed_crank", LONG_CRANK, "\"pin.", 3000);
}

Test(gaps, a_point_that_cannot_be_reached_ends_the_run) { check_ends(FAR, NULL, "\"far.", 2000); }

Test(gaps, points_that_contradict_one_another_end_the_run) {
  for (int i = 0; i < 2; i++) {
    char set[160];
    MbReport report = {0};
    solver(set, sizeof set, solvers[i], "\"post\"");
    const char *sets[] = {set, NULL};
    cr_assert_eq(test_try(APART, sets, 200, &report), MB_NUMBERS);
    const char *text = report.issues[report.kept - 1].text;
    cr_assert(strstr(text, "is open by 0.5 m and does not close; 0.05"), "%s", text);
  }
}

Test(gaps, what_is_allowed_is_the_scenes_to_say) {
  const char *const sets[] = {"/solver={\"type\": \"redmax\", \"stabilization\": {\"type\": \"post\", "
                              "\"largest_error\": 1}}",
                              NULL};
  MbReport report = {0};
  cr_assert_eq(test_try(FAR, sets, 200, &report), MB_OK, "%s", report.issues[report.kept - 1].text);
}

// What follows by reduction leaves the rows of the joints beside it with the solver: without stabilization a coarse step opens them. A
// ratio is a row itself where joints are; nodes that follow nodes are what is reduced.
Test(gaps, a_joint_that_opens_beside_a_reduction_ends_the_run_with_its_bodys_name) {
#define OPENS(more)                                                                                          \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.05, \"steps\": 200}, \"solver\": {\"type\": \"maximal\", "          \
  "\"stabilization\": {\"type\": \"none\", \"largest_error\": 1e-5}}, \"bodies\": [{\"name\": \"sun\", " ROD \
  ", \"position\": 1}}, {\"name\": \"moon\", " ROD                                                           \
  ", \"parent\": \"sun\", \"in_parent\": {\"position\": [0, 0, -0.5]}}}], " more "}"
  static const char *const scenes[] = {
      OPENS("\"constraints\": [{\"type\": \"ratio\", \"joints\": [\"sun\", \"moon\"], \"ratio\": -0.5, "
            "\"offset\": 0.5, \"enforce\": \"reduction\"}]"),
      OPENS("\"deformables\": [{\"name\": \"beads\", \"type\": \"particles\", \"mesh\": {\"rope\": 3, "
            "\"length\": 1}, "
            "\"pose\": {\"position\": [3, 0, 0]}, \"material\": {\"mass\": 1}, \"attach\": [{\"select\": "
            "{\"vertices\": [1]}, \"to\": {\"vertices\": [0]}, \"enforce\": \"reduction\"}]}]")};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
    for (MbIntegratorKind kind = MB_SYMPLECTIC; kind <= MB_IMPLICIT; kind++) {
      char integrator[60];
      MbReport report = {0};
      snprintf(integrator, sizeof integrator, "/integrator=\"%s\"", mb_integrator_words[kind]);
      const char *sets[] = {integrator, NULL};
      cr_assert_eq(test_try(scenes[i], sets, 200, &report), MB_NUMBERS, "%zu, %s", i,
                   mb_integrator_words[kind]);
      const char *text = report.issues[report.kept - 1].text;
      cr_expect(strstr(text, "the joint of \"sun\" is open by") ||
                    strstr(text, "the joint of \"moon\" is open by"),
                "%zu, %s: %s", i, mb_integrator_words[kind], text);
    }
#undef OPENS
}

// Half a metre away at the start: gamma takes seconds to close it, and does.
Test(gaps_long, what_closes_slowly_goes_on, TEST_LONG) {
  for (int i = 0; i < 2; i++)
    for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
      char set[160], integrator[60];
      solver(set, sizeof set, solvers[i], "{\"type\": \"baumgarte\", \"gamma\": 3}");
      snprintf(integrator, sizeof integrator, "/integrator=\"%s\"", mb_integrator_words[kind]);
      const char *sets[] = {set, integrator, "/bodies/1/joint/position=1", NULL};
      TestRun run = test_run(NEAR, sets);
      const double before = mb_sim_constraint_error(run.sim);
      test_steps(run.sim, 2500);
      cr_expect_gt(before, 0.3);
      cr_expect_lt(mb_sim_constraint_error(run.sim), 0.01, "%s, %s: %g", solvers[i],
                   mb_integrator_words[kind], mb_sim_constraint_error(run.sim));
      test_run_free(&run);
    }
  cr_assert_eq(mb_alloc_live(), 0);
}

// Restored amid the steps in which a gap may be open, a run ends at the same one.
Test(gaps, a_resumed_run_ends_at_the_same_step) {
  const char *const sets[] = {"/solver={\"type\": \"maximal\", \"stabilization\": \"post\"}", NULL};
  TestRun a = test_run(FAR, sets), b = test_run(FAR, sets);
  MbReport report = {0}, again = {0};
  char bytes[4096];
  const size_t size = mb_sim_checkpoint_size(a.sim);
  cr_assert_leq(size, sizeof bytes);
  test_steps(a.sim, 20);
  mb_sim_checkpoint(a.sim, bytes);
  test_ok(mb_sim_restore(b.sim, bytes, size, &again), &again);
  while (mb_sim_step(a.sim, &report) == MB_OK) cr_assert_lt(mb_sim_steps(a.sim), 1000);
  while (mb_sim_step(b.sim, &again) == MB_OK) cr_assert_lt(mb_sim_steps(b.sim), 1000);
  cr_assert_eq(mb_sim_steps(a.sim), mb_sim_steps(b.sim));
  cr_assert_str_eq(report.issues[0].text, again.issues[0].text);
  test_run_free(&a);
  test_run_free(&b);
}

// The rods are a metre, for a rod's moment of inertia the crosswise sides count little; angles are so many rad.
Test(gaps, a_bound_goes_by_the_size_of_what_moves) {
  TestRun run = test_run(NEAR, (const char *const[]){"/solver=\"maximal\"", NULL});
  double most = 0, patience = 0;
  cr_assert(mb_sim_constraint_bound(run.sim, &most, &patience));
  test_near("bound", &most, &(double){0.05}, 1, 1e-3);
  cr_assert_float_eq(patience, 0.01, 1e-12); // ten steps
  test_run_free(&run);
  run = test_run("pendulum", NULL);
  cr_assert(!mb_sim_constraint_bound(run.sim, &most, &patience));
  test_run_free(&run);
}

Test(gaps, a_gap_is_told_after_ten_steps_in_which_it_does_not_close) {
  MbGap gap = {0};
  int n = 0;
  while (!mb_gap_stays(&gap, n * 0.1, 2, 0.1, 5)) n++; // it stays as it is
  cr_assert_eq(n, MB_GAP_STEPS);
  gap = (MbGap){0};
  for (n = 0; n < 1000; n++) cr_assert(!mb_gap_stays(&gap, n * 0.1, 1, 0.1, 5)); // it is just allowed
  for (n = 0; n < 30; n++) cr_assert(!mb_gap_stays(&gap, n * 0.1, 1000 * pow(0.98, n), 0.1, 5));
  while (!mb_gap_stays(&gap, n * 0.1, 1000 * pow(0.99, n), 0.1, 5)) n++; // too slow: half in five seconds
  cr_assert_eq(n, 50);
  for (n = 0; n < 600; n++) cr_assert(!mb_gap_stays(&gap, n * 0.1, 1000 * pow(0.98, n), 0.1, 5) || n < 1);
}
