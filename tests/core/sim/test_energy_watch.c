// Energy that only the scheme can have added or taken is told once, with what to take instead; what a scene does to its
// energy itself is not.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

// A bar hung on a spring of 4e5 N/m: too stiff for explicit steps of 10 ms.
#define STIFF(solver_, integrator_, bodies_)                                                                 \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 2000}, \"solver\": \"" solver_                       \
  "\", \"integrator\": \"" integrator_                                                                       \
  "\", \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 1]}, "             \
  "\"density\": 1000" bodies_ "}], \"forces\": [{\"type\": \"spring\", \"stiffness\": 4e5, \"between\": "    \
  "[{\"body\": \"a\", \"at\": [0, 0, 0.5]}, {\"body\": \"world\", \"at\": [0.3, 0, 2]}]}]}"

// Steps of it, or as many as succeed; the warnings of these.
static MbReport watch(const char *scene, const char *const *sets, int64_t steps, MbStatus *status,
                      bool *left) {
  TestRun run = test_run(scene, sets);
  MbReport report = {0};
  *status = MB_OK;
  for (int64_t i = 0; i < steps && *status == MB_OK; i++) *status = mb_sim_step(run.sim, &report);
  *left = mb_sim_energy_left(run.sim);
  test_run_free(&run);
  return report;
}

static void expect_told(const char *scene, int64_t steps, const char *says, const char *instead) {
  MbStatus status;
  bool left;
  const MbReport report = watch(scene, NULL, steps, &status, &left);
  cr_expect_eq(report.warnings, 1, "%d warnings", report.warnings);
  cr_expect(left);
  cr_expect(strstr(report.issues[0].text, says), "\"%s\" does not say \"%s\"", report.issues[0].text, says);
  cr_expect(strstr(report.issues[0].text, instead), "\"%s\" does not say \"%s\"", report.issues[0].text,
            instead);
}

static void expect_nothing(const char *scene, const char *const *sets, int64_t steps) {
  MbStatus status;
  bool left;
  const MbReport report = watch(scene, sets, steps, &status, &left);
  cr_expect_eq(status, MB_OK);
  cr_expect(!left);
  cr_expect_eq(report.warnings, 0, "%.100s: %s", scene, report.issues[0].text);
}

Test(energy_watch, growth_is_told_once_under_every_solver) {
  expect_told(STIFF("redmax", "bridson_marino", ""), 2000, "the energy has grown by", "take \"trapezoidal\"");
  expect_told(STIFF("maximal", "bridson_marino", ""), 2000, "and nothing drives the scene",
              "or a smaller step");
  expect_told(STIFF("redmax", "bridson_marino", ", \"damping\": 0.001"), 2000, "has grown by",
              "\"trapezoidal\"");
  cr_assert_eq(mb_alloc_live(), 0);
}

// Two rods on a pin of which one hangs, thrown with a spin, above a floor.
#define SPUN(solver)                                                                                         \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.004, \"duration\": 9}, \"contact\": true, \"solver\": \"" solver    \
  "\", \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": "          \
  "\"fixed\"}}, "                                                                                            \
  "{\"name\": \"a\", \"shape\": {\"type\": \"box\", \"size\": [1, 0.2, 0.1]}, \"density\": 1000, \"pose\": " \
  "{\"position\": [0, 0, 90]}, \"velocity\": {\"angular\": [4, 9, -7]}}, "                                   \
  "{\"name\": \"b\", \"shape\": {\"type\": \"box\", \"size\": [1, 0.1, 0.2]}, \"density\": 1000, "           \
  "\"joint\": "                                                                                              \
  "{\"type\": \"spherical\", \"parent\": \"a\", \"in_parent\": {\"position\": [0.5, 0, 0]}, "                \
  "\"in_body\": {\"position\": [-0.5, 0, 0]}, \"velocity\": [9, -9, 5]}}]}"

Test(energy_watch, no_scheme_is_named_that_takes_no_contact) {
  static const char *const held[] = {"/solver={\"type\": \"maximal\", \"project\": false}", NULL};
  static const char *const ways[] = {SPUN("redmax"), SPUN("maximal")};
  for (size_t i = 0; i < 2; i++)
    expect_told(ways[i], 256, "has grown by",
                "take solver \"maximal\" with \"project\": false, or a smaller step");
  expect_nothing(SPUN("maximal"), held, 1000);
}

// Of bodies in space that touch there is no scheme to name.
Test(energy_watch, a_smaller_step_is_named_alone_where_nothing_else_helps) {
  const char *const sets[] = {
      "/contact=true", "/solver={\"type\": \"redmax\", \"stabilization\": {\"type\": \"post\"}}", NULL};
  MbStatus status;
  bool left;
  const MbReport report = watch(STIFF("redmax", "symplectic", ""), sets, 2000, &status, &left);
  cr_assert_gt(report.kept, 0);
  cr_expect(strstr(report.issues[0].text, ": take a smaller step"), "\"%s\"", report.issues[0].text);
}

Test(energy_watch, loss_is_told_where_nothing_takes_it) {
  expect_told("m1-simpler-serial-chain", 64, "the energy has fallen by", "take \"trapezoidal\" or \"rk45\"");
  static const char *const damped[] = {"/forces=[{\"type\": \"damping\", \"coefficient\": 0.001}]", NULL};
  expect_nothing("m1-simpler-serial-chain", damped, 64);
}

// A bar that a spring along three places pulls at, through a segment that does not count: a hinge turns as its tension wants.
#define PASSIVE(passive_)                                                                                    \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 2000}, \"integrator\": \"trapezoidal\", "           \
  "\"gravity\": "                                                                                            \
  "[0, 0, 0], \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"box\", \"size\": [1, 0.1, 0.1]}, "      \
  "\"density\": 10, \"joint\": {\"type\": \"revolute\"}}], \"forces\": [{\"type\": \"multi_spring\", "       \
  "\"stiffness\": 10, \"length\": 0.2" passive_                                                              \
  ", \"path\": [{\"body\": \"world\"}, {\"body\": \"a\", \"at\": "                                           \
  "[0, 0.5, 0]}, {\"body\": \"world\", \"at\": [1, 1, 0]}]}]}"

Test(energy_watch, what_a_scene_does_itself_is_not_told) {
  static const char *const pulled[] = {
      "/forces=[{\"type\": \"wrench\", \"body\": \"a\", \"force\": [0, 0, 1e4]}]", NULL};
  static const char *const blow[] = {"/integrator=\"implicit\"", NULL}; // damps what swings, at any length
  static const char *const keeps[] = {"/integrator=\"trapezoidal\"", "/forces/0/stiffness=1e5", NULL};
  expect_nothing(STIFF("redmax", "bridson_marino", ""), pulled, 640);
  expect_nothing(STIFF("redmax", "bridson_marino", ""), blow, 640);
  expect_nothing(STIFF("redmax", "trapezoidal", ""), keeps, 640);
  expect_nothing(PASSIVE(""), NULL, 1000);
  expect_nothing(PASSIVE(", \"passive\": [1]"), NULL, 1000); // carries a tension that no energy has
  expect_nothing("servo_arm", NULL, 640);                    // motors
  expect_nothing("pulleys", NULL, 640);                      // ropes that catch
  expect_nothing("free/thrown", NULL, 100);                  // falls from rest
  expect_nothing("projective/jelly_ball", NULL, 33);
}

Test(energy_watch, what_changes_the_energy_is_told) {
  static const struct {
    const char *scene;
    MbEnergyCause cause;
  } cases[] = {{"double_pendulum", MB_ENERGY_KEPT},
               {"four_bar", MB_ENERGY_KEPT},
               {"11-joint-stiffness-and-damping", MB_ENERGY_DAMPED},
               {"contact/bowling", MB_ENERGY_DAMPED},
               {"pulleys", MB_ENERGY_DRIVEN}, // by a passive segment
               {"servo_arm", MB_ENERGY_DRIVEN},
               {"prescribed_crank", MB_ENERGY_DRIVEN},
               {"projective/finger", MB_ENERGY_DRIVEN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    TestRun run = test_run(cases[i].scene, NULL);
    cr_expect_eq(mb_sim_energy_cause(run.sim), cases[i].cause, "%s", cases[i].scene);
    test_run_free(&run);
  }
}

Test(energy_watch, a_blow_is_no_error) {
  TestRun run = test_run("free/thrown", NULL);
  MbReport report = {0};
  test_steps(run.sim, 3);
  cr_assert_eq(mb_sim_impulse(run.sim, 0, (double[3]){0}, (double[3]){0, 0, 1e4}), MB_OK);
  for (int i = 0; i < 64; i++) test_ok(mb_sim_step(run.sim, &report), &report);
  cr_expect_eq(report.warnings, 0);
  cr_expect(!mb_sim_energy_left(run.sim));
  test_run_free(&run);
}

Test(energy_watch, numbers_that_fail_after_growth_say_what_to_take) {
  MbStatus status;
  bool left;
  static const char *const stiffer[] = {"/forces/0/stiffness=5e5", NULL};
  const MbReport report = watch(STIFF("redmax", "symplectic", ""), stiffer, 2000, &status, &left);
  const MbIssue *last = &report.issues[report.kept - 1];
  cr_assert_eq(status, MB_NUMBERS);
  cr_expect(strstr(last->text, "beyond all bounds"), "%s", last->text);
  cr_expect(strstr(last->text, "before, the energy has grown by"), "%s", last->text);
  cr_expect(strstr(last->text, "take \"trapezoidal\" or \"rk45\", or a smaller step"), "%s", last->text);
}

Test(energy_watch, a_resumed_run_tells_what_the_whole_one_does) {
  TestRun whole = test_run(STIFF("redmax", "bridson_marino", ""), NULL);
  static char bytes[4096];
  const size_t size = mb_sim_checkpoint_size(whole.sim);
  MbReport report = {0};
  cr_assert_leq(size, sizeof bytes);
  test_steps(whole.sim, 40);
  cr_assert(mb_sim_energy_left(whole.sim));
  mb_sim_checkpoint(whole.sim, bytes);
  TestRun resumed = test_run(STIFF("redmax", "bridson_marino", ""), NULL);
  cr_assert(!mb_sim_energy_left(resumed.sim));
  test_ok(mb_sim_restore(resumed.sim, bytes, size, &report), &report);
  cr_expect(mb_sim_energy_left(resumed.sim));
  for (int i = 0; i < 64; i++) test_ok(mb_sim_step(resumed.sim, &report), &report);
  cr_expect_eq(report.warnings, 0, "told again");
  test_run_free(&whole);
  test_run_free(&resumed);
}
