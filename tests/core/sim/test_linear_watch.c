// What linearised forces take of the motion is told once, where it is much, and not where springs and elements are linearised where they turn to.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define BOX(name_, x_, v_)                                                                                   \
  "{\"name\": \"" name_ "\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]}, \"density\": 125, "  \
  "\"pose\": {\"position\": [" x_ ", 0, 0]}, \"velocity\": {\"angular\": [0, 0, 4], \"linear\": [0, " v_     \
  ", 0]}}"
// Two boxes that go round one another, held together by a force.
#define PAIR(integrator_, step_, force_)                                                                     \
  "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"integrator\": \"" integrator_                                    \
  "\", \"solver\": \"maximal\", \"time\": {\"step\": " step_ ", \"steps\": 1000}, \"bodies\": [" BOX(        \
      "a", "0.25", "1") ", " BOX("b", "-0.25", "-1") "], \"forces\": [" force_ "]}"
#define FRAMES                                                                                               \
  "{\"type\": \"frame_spring\", \"stiffness\": [1e7, 1e5], \"between\": [{\"body\": \"a\", \"frame\": "      \
  "{\"position\": [-0.25, 0, 0]}}, {\"body\": \"b\", \"frame\": {\"position\": [0.25, 0, 0]}}]}"
#define SPRING                                                                                               \
  "{\"type\": \"spring\", \"stiffness\": 1e7, \"between\": [{\"body\": \"a\", \"at\": [-0.1, 0.05, 0]}, "    \
  "{\"body\": \"b\", \"at\": [0.1, 0.05, 0]}]}"

static MbReport watch(const char *scene, int64_t steps) {
  TestRun run = test_run(scene, NULL);
  MbReport report = {0};
  for (int64_t i = 0; i < steps; i++) cr_assert_eq(mb_sim_step(run.sim, &report), MB_OK);
  test_run_free(&run);
  return report;
}

// By "bdf1" they have 0.97 of their energy after half a second.
Test(linear_watch, a_stiff_frame_spring_that_takes_the_spin_is_told_once) {
  const MbReport report = watch(PAIR("implicit", "0.002", FRAMES), 500);
  cr_assert_eq(report.warnings, 1, "%d warnings", report.warnings);
  cr_expect(strstr(report.issues[0].text, "linearises where a step begins"), "%s", report.issues[0].text);
  cr_expect(strstr(report.issues[0].text, "bdf1"), "%s", report.issues[0].text);
}

Test(linear_watch, what_is_linearised_well_is_not_told) {
  static const char *const scenes[] = {PAIR("implicit", "0.002", SPRING), PAIR("bdf1", "0.002", FRAMES),
                                       PAIR("implicit", "1e-5", FRAMES),
                                       // what its springs lose its velocity terms add
                                       "redmax/23-point-to-point-spring"};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    const MbReport report = watch(scenes[i], 500);
    cr_expect_eq(report.warnings, 0, "scene %zu: %s", i, report.issues[0].text);
  }
}
