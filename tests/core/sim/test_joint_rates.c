// Prescribed velocities of joints under solver `maximal`: bodies with velocities of their own go straight on in a step, so that a slide along an arm that swings went
// outwards by (ω h)²/2 of its distance more in every step, 37 mm in the first of these runs. The joint follows the sum of what is asked for.
#include "core/base/report.h"
#include "tests/runs.h"

#include <stdio.h>

#define RATES_HEAD                                                                                           \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 100}, \"solver\": \"maximal\", \"bodies\": ["        \
  "{\"name\": \"arm\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.6, 0.1, 0.1]}, "        \
  "\"joint\": {\"type\": \"spherical\", \"in_body\": {\"position\": [-0.3, 0, 0]}, "                         \
  "\"velocity\": {\"angular\": [0, 3, 2]}}}, "
#define RATES_LOAD                                                                                           \
  "{\"name\": \"load\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.05]}, "      \
  "\"joint\": {\"type\": %s, \"parent\": \"arm\", \"in_parent\": {\"position\": [0.3, 0.05, 0], "            \
  "\"rotation\": {\"axis\": [1, 2, 0.5], \"angle\": 0.8}}, \"in_body\": {\"position\": [-0.2, "              \
  "0.03, 0], \"rotation\": {\"axis\": [0, 1, 1], \"angle\": 0.5}}}}"

static const char
    alone[] = RATES_HEAD RATES_LOAD "]}",
    beside_friction[] = RATES_HEAD RATES_LOAD
    ", {\"name\": \"bob\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, "
    "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"parent\": \"load\", \"frictionloss\": 0.1, "
    "\"in_parent\": {\"position\": [0.2, 0, 0]}, \"in_body\": {\"position\": [-0.1, 0, 0]}}}]}";

typedef struct RateCase {
  const char *joint;
  size_t n; // coordinates
  double rate[2];
} RateCase;

static const RateCase rate_cases[] = {
    {"\"prismatic\", \"motion\": {\"velocity\": 0.3}", 1, {0.3}},
    {"\"revolute\", \"motion\": {\"velocity\": 2}", 1, {2}},
    {"\"cylindrical\", \"motion\": {\"velocity\": [1, 0.2]}", 2, {1, 0.2}},
    {"\"universal\", \"motion\": {\"velocity\": [0.5, 0.7]}", 2, {0.5, 0.7}},
    {"\"planar\", \"motion\": {\"velocity\": [0.1, 0.2]}", 2, {0.1, 0.2}},
    {"\"screw\", \"pitch\": 0.1, \"motion\": {\"velocity\": 1.5}", 1, {1.5}}};

// How far the coordinates of "load" are from what has been asked for in so many steps, of which the way is a sum.
static double rates_off(const char *scene, const RateCase *of, const char *const *sets, int64_t steps) {
  char text[3000];
  size_t n = 0;
  double worst = 0;
  snprintf(text, sizeof text, scene, of->joint);
  TestRun run = test_run(text, sets);
  test_steps(run.sim, steps);
  const double *q = test_channel(run.sim, "joint.position", &n);
  for (size_t i = 0; i < of->n; i++) worst = fmax(worst, fabs(q[3 + i] - of->rate[i] * 0.01 * (double)steps));
  test_run_free(&run);
  return isfinite(worst) ? worst : INFINITY;
}

static const double FOLLOWS = 1e-9; // m, rad: what 100 steps are solved to, and rounding

Test(joint_rates, coordinates_follow_the_sum_of_what_is_asked_for_on_what_turns) {
  for (size_t i = 0; i < sizeof rate_cases / sizeof *rate_cases; i++)
    for (int k = 0; k < 2; k++) {
      const char *const sets[] = {k ? "/integrator=\"implicit\"" : "/integrator=\"symplectic\"", NULL};
      const double off = rates_off(alone, &rate_cases[i], sets, 100);
      cr_expect_lt(off, FOLLOWS, "%s, %s: %g", rate_cases[i].joint, sets[0], off);
    }
}

// A ball on a spindle that makes most of a turn in each step, which its frames tell from less the other way by the rate alone.
Test(joint_rates, what_turns_by_more_than_half_a_turn_in_a_step_goes_on_the_same_way) {
  static const char scene[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 100}, \"solver\": \"maximal\", \"bodies\": ["
      "{\"name\": \"arm\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.6, 0.1, 0.1]}, "
      "\"joint\": {\"type\": \"revolute\"}}, {\"name\": \"ball\", \"density\": 500, "
      "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"joint\": {\"type\": \"revolute\", "
      "\"parent\": \"arm\", \"axis\": [1, 0, 0], \"velocity\": 500, \"motion\": {\"velocity\": 500}}}]}";
  TestRun run = test_run(scene, (const char *const[]){"/gravity=[0, 0, 0]", NULL});
  test_steps(run.sim, 100);
  const double *q = test_channel(run.sim, "joint.position", NULL);
  cr_expect_lt(fabs(q[1] - 500), 500 * FOLLOWS, "%g rad", q[1]);
  test_run_free(&run);
}

Test(joint_rates, so_they_do_where_dry_friction_is_solved_for_beside_them) {
  for (size_t i = 0; i < sizeof rate_cases / sizeof *rate_cases; i++) {
    const double off = rates_off(beside_friction, &rate_cases[i], (const char *const[]){NULL}, 50);
    cr_expect_lt(off, FOLLOWS, "%s: %g", rate_cases[i].joint, off);
  }
}

Test(joint_rates, what_turns_too_far_in_a_step_to_be_followed_is_told) {
  static const char *const spun = "/bodies/0/joint/velocity/angular=[0, 45, 30]";
  const char *const sets[] = {spun, NULL};
  char text[3000];
  MbReport report = {0};
  bool told = false;
  snprintf(text, sizeof text, alone, rate_cases[0].joint);
  test_try(text, sets, 30, &report);
  for (int i = 0; i < (int)report.kept; i++) told |= strstr(report.issues[i].text, "turns too far") != NULL;
  cr_expect(told, "%d issues", (int)report.kept);
}

// An acceleration is met where the step begins, which nothing makes up for: that is told, where it leaves something.
Test(joint_rates, a_slide_that_an_acceleration_drives_along_what_turns_is_warned_about) {
  typedef struct Case {
    const char *joint, *solver, *integrator;
    int warnings;
  } Case;
  static const char rate[] = "\"prismatic\", \"motion\": {\"acceleration\": 0}";
  static const Case cases[] = {
      {rate, "/solver=\"maximal\"", "/integrator=\"symplectic\"", 1},
      {rate, "/solver=\"maximal\"", "/integrator=\"implicit\"", 1},
      {rate, "/solver=\"maximal\"", "/integrator=\"trapezoidal\"", 0},
      {rate, "/solver=\"redmax\"", "/integrator=\"implicit\"", 0},
      {"\"revolute\", \"motion\": {\"acceleration\": 0}", "/solver=\"maximal\"", "/integrator=\"implicit\"",
       0},
      {"\"prismatic\", \"motion\": {\"velocity\": 0}", "/solver=\"maximal\"", "/integrator=\"implicit\"", 0},
      {"\"prismatic\", \"motion\": {\"position\": 0}", "/solver=\"maximal\"", "/integrator=\"implicit\"", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const sets[] = {cases[i].solver, cases[i].integrator, NULL};
    char text[3000];
    MbReport report = {0};
    snprintf(text, sizeof text, alone, cases[i].joint);
    cr_assert_eq(test_try(text, sets, 1, &report), MB_OK);
    cr_expect_eq(report.warnings, cases[i].warnings, "%s, %s, %s: %d", cases[i].joint, cases[i].solver,
                 cases[i].integrator, report.warnings);
  }
}
