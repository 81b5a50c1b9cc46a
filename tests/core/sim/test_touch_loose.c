// Contacts in the iterations of deformables: solved for by as much as an iteration still moves, and to the end in the last one.
#include "core/sim/constrain_internal.h"
#include "core/sim/sections.h"
#include "tests/runs.h"

#include <stdio.h>

// A scene that asks for less than 1e-9 gets it in every iteration.
#define EVERY "/contact/tolerance=0.999e-9"
#define LAST  "/contact/tolerance=1.001e-9"

static const double SIZE = 0.6;

// A cloth that falls onto a bar and slides.
static const char scene[] =
    "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.005, \"steps\": 200}, \"contact\": "
    "{\"friction\": 0.3}, \"bodies\": [{\"name\": \"bar\", \"shape\": {\"type\": \"box\", \"size\": [1, 0.2, "
    "0.1]}, "
    "\"density\": 1000, \"joint\": {\"type\": \"fixed\"}}], \"deformables\": [{\"name\": \"cloth\", "
    "\"type\": \"cloth\", "
    "\"mesh\": {\"grid\": [5, 7], \"size\": [0.6, 0.6]}, \"pose\": {\"position\": [-0.3, -0.25, 0.053]}, "
    "\"material\": {\"model\": "
    "\"corotational\", \"young\": 5e4, \"poisson\": 0.3, \"density\": 300, \"thickness\": 0.004}}]}";

// Runs with contacts loose and not; returns how far apart nodes come to be, by the size of what they are of, and what of the methods' iterations
// is left.
static double strays(const char *solver, int64_t steps, double *left) {
  double made[2], worst = 0, missed = 0;
  TestRun run[2];
  for (int k = 0; k < 2; k++) {
    run[k] = test_run(scene, (const char *const[]){k ? LAST : EVERY, solver, NULL});
    for (int64_t i = 0; i < steps; i++) {
      test_steps(run[k].sim, 1);
      const double *told = mb_section(run[k].sim, MB_SECTION_TOLD);
      if (k == 0) continue;
      cr_assert_leq(told[MB_SOLVED_MISSED], missed, "%s: step %d", solver, (int)i);
      if (told[MB_SOLVED_MISSED] == 0)
        cr_assert_leq(told[MB_SOLVED_LAST_NATURAL], 1.001e-9, "%s: step %d", solver, (int)i);
    }
    missed = mb_section(run[k].sim, MB_SECTION_TOLD)[MB_SOLVED_MISSED];
    made[k] = mb_section(run[k].sim, MB_SECTION_TOLD)[MB_SOLVED_ITERATIONS];
  }
  const double *a = mb_section(run[0].sim, MB_SECTION_NODES), *b = mb_section(run[1].sim, MB_SECTION_NODES);
  for (size_t i = 0; i < 3 * mb_model_points(run[0].model); i++)
    worst = fmax(worst, fabs(a[i] - b[i]) / SIZE);
  test_run_free(&run[0]), test_run_free(&run[1]);
  *left = made[1] / made[0];
  printf("  %s: %.1e of the size apart, %.2f of the iterations\n", solver, worst, *left);
  return worst;
}

Test(touch_loose, iterations_that_move_leave_a_little_of_contacts_and_the_last_one_does_not, TEST_LONG) {
  static const char *const solvers[] = {
      "/solver={\"type\": \"projective\", \"iterations\": 6}",
      "/solver={\"type\": \"projective\", \"method\": \"projective\", \"iterations\": 6}"};
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
    double left;
    cr_expect_lt(strays(solvers[k], 7, &left), 1e-4);
    cr_expect_lt(left, 0.8);
  }
}

// Where the iterations end as they have come to an end there is one more, for contacts.
Test(touch_loose_long, iterations_that_go_to_an_end_come_to_the_same_one, TEST_LONG) {
  double left;
  cr_expect_lt(
      strays("/solver={\"type\": \"projective\", \"iterations\": 300, \"tolerance\": 1e-7}", 7, &left), 1e-5);
  cr_expect_lt(left, 0.8);
}

// A soft pad below a block falls onto a table. Before it lands all that rows ask for is rounding, of how its nodes are held by the block.
Test(touch_loose, what_is_within_rounding_is_told_as_solved) {
  static const char pad[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 4}, \"integrator\": \"implicit\", \"contact\": "
      "{\"friction\": 0.8, \"tolerance\": 1e-6}, \"bodies\": [{\"name\": \"table\", \"shape\": {\"type\": "
      "\"plane\"}, \"joint\": {\"type\": \"fixed\"}}, {\"name\": \"block\", \"density\": 500, \"shape\": "
      "{\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"pose\": {\"position\": [0, 0, 0.2]}}], "
      "\"deformables\": [{\"name\": \"pad\", \"type\": \"tets\", \"mesh\": {\"box\": [3, 3, 3], \"size\": "
      "[0.1, 0.1, 0.1]}, \"pose\": {\"position\": [-0.05, -0.05, 0.0005]}, \"material\": {\"model\": "
      "\"corotational\", \"young\": 2e5, \"poisson\": 0.35, \"density\": 900}, \"attach\": [{\"select\": "
      "{\"side\": \"+z\"}, \"body\": \"block\"}]}]}";
  static const char *const solvers[] = {"/solver=\"redmax\"", "/solver=\"maximal\"",
                                        "/solver=\"projective\""};
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
    MbContactCounts counts;
    TestRun run = test_run(pad, (const char *const[]){solvers[k], NULL});
    test_steps(run.sim, 4);
    cr_assert(mb_sim_contacts(run.sim, &counts));
    cr_expect_eq(counts.missed, 0);
    cr_expect_leq(counts.residual, 1.000001e-6, "%s: %g", solvers[k], counts.residual);
    test_run_free(&run);
  }
}
