// Channel constraint.active lists the limits and ropes that push, with gap and force: against statics, and against channel
// constraint.force row by row.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONSTRAINT, SIDE, GAP, FORCE, WIDTH };

static const char *const ways[][2] = {
    {"redmax", "implicit"},       {"redmax", "symplectic"},   {"redmax", "trapezoidal"},
    {"redmax", "bridson_marino"}, {"redmax", "rk45"},         {"maximal", "implicit"},
    {"maximal", "symplectic"},    {"maximal", "trapezoidal"}, {"maximal", "rk45"}};
enum { WAYS = sizeof ways / sizeof *ways };

// A rod of 2 kg that gravity lays against its upper limit, a ball of 3 kg on a rope, and one that hangs lower than its rope lets it fall.
#define ROD                                                                                                  \
  "{\"name\": \"rod\", \"mass\": 2, \"shape\": {\"type\": \"box\", \"size\": [1, 0.1, 0.1],"                 \
  " \"frame\": {\"position\": [0.5, 0, 0]}}, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0],"       \
  " \"position\": 0.3, \"limits\": [-1, 0.3]}}"
#define BALL(name_, x_)                                                                                      \
  "{\"name\": \"" name_ "\", \"mass\": 3, \"shape\": {\"type\": \"sphere\", \"radius\": 0.1},"               \
  " \"pose\": {\"position\": [" x_ ", 0, -1]}}"
#define ROPE(body_, x_, length_)                                                                             \
  "{\"type\": \"distance\", \"rope\": true, \"length\": " length_ ", \"name\": \"rope of " body_ "\","       \
  " \"between\": [{\"body\": \"" body_ "\"}, {\"body\": \"world\", \"at\": [" x_ ", 0, 0]}]}"

static const char scene[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"duration\": 1}, \"solver\": {\"type\": \"%s\"},"
    " \"integrator\": \"%s\", \"output\": {\"channels\": [\"constraint.force\", \"constraint.active\"]},"
    " \"bodies\": [" ROD ", " BALL("tied", "2") ", " BALL(
        "slack", "4") "],"
                      " \"constraints\": [" ROPE("tied", "2", "1") ", " ROPE("slack", "4", "5") "]}";

static const double *active(MbSim *sim, size_t *count) {
  const MbChannel *channel = mb_sim_channel(sim, "constraint.active");
  double said = -1;
  cr_assert_not_null(channel);
  cr_assert_eq(mb_sim_read(sim, channel, &said, NULL), MB_OK);
  const double *entries = mb_sim_list(sim, channel, count);
  cr_assert_eq(said, (double)*count);
  return entries;
}

static const char *word(const MbSim *sim, size_t field, double number) {
  const MbField *f = &mb_sim_channel(sim, "constraint.active")->list->fields[field];
  cr_assert_lt(number, f->nwords);
  return f->words[(size_t)number];
}

Test(active, what_rests_at_a_limit_and_hangs_on_a_rope_is_listed_with_its_weight) {
  for (size_t k = 0; k < WAYS; k++) {
    char text[sizeof scene + 64];
    snprintf(text, sizeof text, scene, ways[k][0], ways[k][1]);
    TestRun run = test_run(text, NULL);
    size_t n = 0;
    active(run.sim, &n);
    cr_assert_eq(n, 0, "no step has been made");
    test_steps(run.sim, 40);
    const double *x = active(run.sim, &n);
    cr_assert_eq(n, 2, "%s %s: %zu", ways[k][0], ways[k][1], n);
    cr_assert_str_eq(word(run.sim, CONSTRAINT, x[CONSTRAINT]), "rod.upper");
    cr_assert_str_eq(word(run.sim, SIDE, x[SIDE]), "upper");
    cr_assert_str_eq(word(run.sim, CONSTRAINT, x[WIDTH + CONSTRAINT]), "rope of tied");
    cr_assert_str_eq(word(run.sim, SIDE, x[WIDTH + SIDE]), "upper");
    const double wanted[] = {2 * 9.81 * 0.5 * cos(0.3), 3 * 9.81};
    for (size_t i = 0; i < 2; i++) {
      test_near("gap", &x[i * WIDTH + GAP], &(double){0}, 1, 1e-6);
      test_near(ways[k][1], &x[i * WIDTH + FORCE], &wanted[i], 1, 1e-5);
    }
    test_run_free(&run);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

// A chain that falls from limit to limit: what is listed is what pushes, and nothing else.
Test(active, entries_are_the_one_way_rows_that_push_in_the_order_of_constraint_force) {
  static const char chain[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"duration\": 4}, \"output\": {\"channels\": "
      "[\"constraint.force\", \"constraint.active\"]}, \"bodies\": ["
      "{\"name\": \"a\", \"mass\": 1, \"shape\": {\"type\": \"box\", \"size\": [1, 0.1, 0.1], \"frame\": "
      "{\"position\": [0.5, 0, 0]}}, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"limits\": "
      "[-1, 1]}}, "
      "{\"name\": \"b\", \"mass\": 1, \"shape\": {\"type\": \"box\", \"size\": [1, 0.1, 0.1], "
      "\"frame\": {\"position\": [0.5, 0, 0]}}, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], "
      "\"parent\": \"a\", "
      "\"in_parent\": {\"position\": [1, 0, 0]}, \"limits\": [-0.5, 0.5], \"velocity\": -3}}], "
      "\"constraints\": [{\"type\": "
      "\"distance\", \"name\": \"leash\", \"rope\": true, \"length\": 2.03, \"between\": [{\"body\": \"b\", "
      "\"at\": "
      "[1, 0, 0]}, {\"body\": \"world\", \"at\": [0, 0, 0.3]}]}]}";
  TestRun run = test_run(chain, NULL);
  bool counted[4] = {false}, lower = false;
  for (int step = 0; step < 800; step++) {
    test_steps(run.sim, 1);
    size_t n = 0, rows = 0, listed = 0;
    const double *force = test_channel(run.sim, "constraint.force", &rows), *x = active(run.sim, &n);
    cr_assert_eq(rows, 5);
    for (size_t s = 0; s < rows; s++) {
      if (force[s] == 0) continue;
      cr_assert_lt(listed, n, "step %d: row %zu pushes by %g and is not listed", step, s, force[s]);
      const double *e = x + WIDTH * listed++;
      cr_assert_eq(e[CONSTRAINT], (double)s);
      cr_assert_eq(e[FORCE], fabs(force[s]));
      const char *name = word(run.sim, CONSTRAINT, e[CONSTRAINT]);
      lower |= e[SIDE] == 0;
      cr_assert_eq(strstr(name, "lower") != NULL, e[SIDE] == 0, "%s", name);
      cr_assert_lt(fabs(e[GAP]), 0.1);
    }
    cr_assert_eq(listed, n);
    counted[n < 3 ? n : 3] = true;
  }
  cr_assert(counted[0] && counted[1] && counted[2] && lower, "it is hit by one, by several and by none");
  test_run_free(&run);
}

Test(active, steps_and_samples_allocate_nothing) {
  char text[sizeof scene + 64];
  snprintf(text, sizeof text, scene, "redmax", "implicit");
  TestRun run = test_run(text, NULL);
  size_t n = 0;
  double frame[16];
  cr_assert_leq(mb_sim_frame_size(run.sim), 16);
  test_steps(run.sim, 2);
  cr_assert_eq(mb_sim_sample(run.sim, frame, NULL), MB_OK);
  const int64_t before = mb_alloc_calls();
  for (int i = 0; i < 20; i++) {
    test_steps(run.sim, 1);
    cr_assert_eq(mb_sim_sample(run.sim, frame, NULL), MB_OK);
  }
  cr_assert_eq(mb_alloc_calls(), before);
  const MbChannel *channel = mb_sim_channel(run.sim, "constraint.force");
  cr_assert_null(mb_sim_list(run.sim, channel, &n));
  cr_assert_eq(n, 0);
  test_run_free(&run);
}

Test(active, a_scene_without_constraints_has_an_empty_list) {
  TestRun run =
      test_run("{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"duration\": 1}, \"output\": {\"channels\": "
               "[\"constraint.active\"]}, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"shape\": "
               "{\"type\": \"sphere\", \"radius\": 0.1}}]}",
               NULL);
  size_t n = 1;
  test_steps(run.sim, 2);
  active(run.sim, &n);
  cr_assert_eq(n, 0);
  test_run_free(&run);
}
