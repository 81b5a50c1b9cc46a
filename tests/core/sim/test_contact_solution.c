// Channel solver.contact: what the problem of contacts was in a step, under every solver, and after a resume.
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

enum { CONTACTS, ITERATIONS, NATURAL, DEPTH, MISSED, NUMBERS };

#define BOX(name, z)                                                                                         \
  "{\"name\": \"" name                                                                                       \
  "\", \"mass\": 8, \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]}, \"pose\": "                   \
  "{\"position\": [0, 0, " z "]}}"
#define JELLY                                                                                                \
  "{\"name\": \"jelly\", \"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 2], \"size\": [0.2, 0.2, 0.2]}, "    \
  "\"material\": {\"model\": \"corotational\", \"young\": 1e5, \"poisson\": 0.3, \"density\": 1000}, "       \
  "\"pose\": {\"position\": [1, 0, 0]}}"

static TestRun begin(const char *solver, const char *contact) {
  char text[2000];
  snprintf(
      text, sizeof text,
      "{\"mbsim\": 1, \"solver\": %s, \"integrator\": \"implicit\", \"time\": {\"step\": 0.002, \"steps\": "
      "1000}, "
      "\"contact\": %s, \"bodies\": [{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": "
      "{\"type\": \"fixed\"}}, " BOX("lower", "0.1") ", " BOX(
          "upper", "0.302") "], \"deformables\": [" JELLY
                            "], \"output\": {\"channels\": [\"solver.contact\", \"contact\"]}}",
      solver, contact);
  return test_run(text, NULL);
}

static void read(MbSim *sim, double out[NUMBERS]) {
  size_t n = 0;
  const double *x = test_channel(sim, "solver.contact", &n);
  cr_assert_eq(n, NUMBERS);
  memcpy(out, x, NUMBERS * sizeof *out);
}

// The lower box lies, the jelly stands on four nodes; the upper box comes down by 2 mm within 10 steps.
Test(contact_solution, every_solver_tells_contacts_iterations_and_the_natural_map_of_a_step) {
  static const char *const solvers[] = {"\"redmax\"", "\"maximal\"", "\"projective\""};
  for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
    TestRun run = begin(solvers[s], "{\"tolerance\": 1e-9}");
    double told[NUMBERS];
    read(run.sim, told);
    for (int k = 0; k < NUMBERS; k++)
      cr_expect_eq(told[k], 0, "%s, at the start: number %d is %g", solvers[s], k, told[k]);
    test_steps(run.sim, 1);
    read(run.sim, told);
    const double few = told[CONTACTS];
    cr_expect_geq(few, 8, "%s: %g contacts", solvers[s], few);
    test_steps(run.sim, 19);
    read(run.sim, told);
    cr_expect_geq(told[CONTACTS], few + 4, "%s: %g contacts", solvers[s], told[CONTACTS]);
    cr_expect_eq(told[CONTACTS], (double)run.sim->touching->last.n, "%s: %g contacts, %zu pushed", solvers[s],
                 told[CONTACTS], run.sim->touching->last.n);
    cr_expect_geq(told[ITERATIONS], 1);
    cr_expect(told[NATURAL] > 0 && told[NATURAL] <= 1e-9, "%s: natural map %g", solvers[s], told[NATURAL]);
    cr_expect_eq(told[MISSED], 0);
    cr_expect_lt(told[DEPTH], 1e-3);
    test_run_free(&run);
  }
}

// Two sweeps are too few for 1e-12: each step says what it has come to, and that it is not what was asked for.
Test(contact_solution, a_step_that_misses_the_tolerance_says_by_how_much) {
  TestRun run =
      begin("\"redmax\"", "{\"method\": \"gauss_seidel\", \"iterations\": 2, \"tolerance\": 1e-12}");
  double told[NUMBERS], before = 0;
  for (int step = 1; step < 20; step++) {
    test_steps(run.sim, 1);
    read(run.sim, told);
    cr_expect_eq(told[MISSED] - before, told[NATURAL] > 1e-12, "step %d: %g, missed %g", step, told[NATURAL],
                 told[MISSED] - before);
    cr_expect_leq(told[ITERATIONS], 2);
    before = told[MISSED];
  }
  cr_expect_gt(before, 0);
  test_run_free(&run);
}
