// A driven body starts where, and as fast as, its path does, where the scene does not say otherwise.
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>

#define DRIVEN                                                                                               \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1}, \"parameters\": {\"far\": 3}, \"output\": "     \
  "{\"channels\": [\"body.position\", \"body.rotation\", \"body.velocity\"]}, \"bodies\": [{\"name\": "      \
  "\"a\", \"inertia\": {\"mass\": 2, \"center\": [0.1, -0.2, 0.3], \"matrix\": [1, 2, 1.5, 0.1, 0.2, "       \
  "-0.1]}, "
#define TURNING                                                                                              \
  "\"motion\": {\"pose\": {\"position\": [\"=far+2*t\", {\"times\": [0, 1], \"values\": [2, 4]}, 1], "       \
  "\"turn\": {\"axis\": [0, 0, 2], \"angle\": \"=0.5+4*t\"}}}}]}"

static void expect(TestRun *run, const char *channel, const double *wanted, size_t n) {
  size_t count = 0;
  const double *found = test_channel(run->sim, channel, &count);
  cr_assert_eq(count, n);
  test_near(channel, found, wanted, n, 1e-14);
}

static int warnings_of(const char *text) {
  MbReport report = {0};
  cr_assert_eq(test_try(text, NULL, 1, &report), MB_OK);
  return report.warnings;
}

Test(path_start, a_body_starts_on_its_path_and_as_fast) {
  static const char text[] = DRIVEN TURNING;
  TestRun run = test_run(text, NULL);
  expect(&run, "body.position", (const double[]){3, 2, 1}, 3);
  expect(&run, "body.rotation", (const double[]){cos(0.25), 0, 0, sin(0.25)}, 4);
  expect(&run, "body.velocity", (const double[]){0, 0, 4, 2, 2, 0}, 6);
  test_run_free(&run);
  cr_assert_eq(warnings_of(text), 0);
}

// About x, then about the turned y: ω = ȧ x + ḃ y' with y' = (0, cos a, sin a).
Test(path_start, turns_about_several_axes_count_from_the_first_on) {
  TestRun run = test_run(
      DRIVEN "\"motion\": {\"pose\": {\"euler\": {\"order\": \"xyz\", \"angles\": [\"=0.3+t\", \"=2*t\", "
             "0]}}}}]}",
      NULL);
  expect(&run, "body.position", (const double[]){0, 0, 0}, 3);
  expect(&run, "body.velocity", (const double[]){1, 2 * cos(0.3), 2 * sin(0.3), 0, 0, 0}, 6);
  test_run_free(&run);
}

Test(path_start, what_a_scene_says_stays) {
  static const char elsewhere[] = DRIVEN "\"pose\": {\"position\": [0, 0, 5]}, " TURNING,
                    slower[] = DRIVEN "\"velocity\": {\"linear\": [1, 0, 0]}, " TURNING;
  TestRun run = test_run(elsewhere, NULL);
  expect(&run, "body.position", (const double[]){0, 0, 5}, 3);
  expect(&run, "body.velocity", (const double[]){0, 0, 4, 2, 2, 0}, 6);
  test_run_free(&run);
  cr_assert_eq(warnings_of(elsewhere), 1);
  run = test_run(slower, NULL);
  expect(&run, "body.position", (const double[]){3, 2, 1}, 3);
  expect(&run, "body.velocity", (const double[]){0, 0, 0, 1, 0, 0}, 6);
  test_run_free(&run);
}

Test(path_start, a_body_at_a_speed_starts_as_fast) {
#define AT_SPEED(more)                                                                                       \
  DRIVEN more "\"motion\": {\"velocity\": {\"angular\": [0, 0, \"=4+t\"], \"linear\": [{\"times\": [0, 1], " \
              "\"values\": [2, 4]}, 1, 0]}}}]}"
  static const char plain[] = AT_SPEED(""),
                    posed[] =
                        AT_SPEED("\"pose\": {\"position\": [0, 0, 5], \"rotation\": {\"axis\": [0, 0, 1], "
                                 "\"angle\": \"=90*deg\"}}, "),
                    slower[] = AT_SPEED("\"velocity\": {\"linear\": [1, 0, 0]}, ");
  TestRun run = test_run(plain, NULL);
  expect(&run, "body.velocity", (const double[]){0, 0, 4, 2, 1, 0}, 6);
  test_run_free(&run);
  run = test_run(posed, NULL);
  expect(&run, "body.position", (const double[]){0, 0, 5}, 3);
  expect(&run, "body.velocity", (const double[]){0, 0, 4, 2, 1, 0}, 6);
  test_run_free(&run);
  run = test_run(posed, (const char *const[]){"/bodies/0/motion/velocity/frame=\"body\"", NULL});
  expect(&run, "body.velocity", (const double[]){0, 0, 4, -1, 2, 0}, 6);
  test_run_free(&run);
  run = test_run(slower, NULL);
  expect(&run, "body.velocity", (const double[]){0, 0, 0, 1, 0, 0}, 6);
  test_run_free(&run);
}

// Under every solver what a pin holds stands still along its axes, or moves as the pin does, from the first frame on, whatever the velocity of the deformable.
#define PINNED(pin)                                                                                          \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1}, \"integrator\": \"implicit\", \"output\": "     \
  "{\"channels\": "                                                                                          \
  "[\"deformable.*.velocity\", \"momentum\"]}, \"deformables\": [{\"name\": \"a\", \"type\": \"cloth\", "    \
  "\"mesh\": {\"grid\": "                                                                                    \
  "[2, 2], \"size\": [1, 1], \"pattern\": \"diagonal\"}, \"velocity\": {\"linear\": [1, 2, 3]}, "            \
  "\"material\": {\"young\": 1e4, "                                                                          \
  "\"density\": 600, \"thickness\": 0.01}, \"pin\": [{\"select\": {\"vertices\": [0]}, \"axes\": \"xz\"" pin \
  "}]}]}"

Test(path_start, pinned_nodes_begin_as_fast_as_their_pins) {
  static const char *const solvers[] = {"/solver=\"redmax\"", "/solver=\"maximal\"",
                                        "/solver=\"projective\""};
  for (size_t s = 0; s < 3; s++) {
    TestRun run = test_run(PINNED(""), (const char *const[]){solvers[s], NULL});
    expect(&run, "deformable.a.velocity", (const double[]){0, 2, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3}, 12);
    test_run_free(&run);
  }
  TestRun run = test_run(
      PINNED(
          ", \"motion\": {\"translate\": [\"=0.4*sin(5*t)\", \"=9*t\", 0], \"rotate\": {\"axis\": [0, 2, 0], "
          "\"through\": [1, 0, 0], \"angle\": \"=4*t\"}}"),
      (const char *const[]){solvers[2], NULL});
  expect(&run, "deformable.a.velocity", (const double[]){2, 2, 4, 1, 2, 3, 1, 2, 3, 1, 2, 3}, 12);
  test_run_free(&run);
  run = test_run(PINNED(", \"motion\": {\"translate\": [\"=9*t\", 0, 0]}"),
                 (const char *const[]){solvers[2], "/integrator=\"static\"", NULL});
  expect(&run, "deformable.a.velocity", (const double[]){0, 2, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3}, 12);
  test_run_free(&run);
}
