// Bodies on joints that touch: who holds the joints, and how they are closed, is nothing to what touches.
#include "core/sim/constrain_internal.h"
#include "tests/runs.h"

// A base on two wheels of 2 cm that turn against one another: as both edges of each bear the same, the outer ones stick and the base turns at 3/2.3. By
// how little rows part joints in a step one edge of each would bear all.
#define WHEEL(name, side)                                                                                    \
  ", {\"name\": \"" name "\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.1, \"length\": 0.02, "       \
  "\"frame\": {\"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"=pi/2\"}}}, \"density\": 1000, \"joint\": {" \
  "\"type\": \"revolute\", \"parent\": \"base\", \"axis\": [0, 1, 0], \"in_parent\": {\"position\": "        \
  "[0, " side "0.22, 0]}, \"motion\": {\"velocity\": " side "3}}}"
static const char wheels[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"duration\": 1}, \"contact\": {\"friction\": 0.6}, "
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}, "
    "{\"name\": \"base\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.3, 0.05]}, \"density\": 1000, "
    "\"pose\": {\"position\": [0, 0, 0.1]}}" WHEEL("left", "-") WHEEL("right", "") "]}";

Test(touch_joints, wide_wheels_turn_a_base_alike_where_nothing_is_said_of_how_joints_are_held) {
  static const char *const said[] = {"/solver=\"redmax\"", "/solver=\"maximal\""};
  for (size_t k = 0; k < sizeof said / sizeof *said; k++) {
    const char *const sets[] = {said[k], NULL};
    TestRun run = test_run(wheels, sets);
    test_steps(run.sim, 100);
    cr_expect_float_eq(run.sim->x.phi[6 * 1 + 2], -3 / 2.3, 1e-9, "%s: %.12g", said[k],
                       run.sim->x.phi[6 * 1 + 2]);
    test_run_free(&run);
  }
}

// Contacts of a step's start say nothing of its end: closing joints there by them lifted the base by 1e-7 m.
Test(touch_joints, joints_that_are_closed_behind_a_step_lift_nothing) {
  const char *const sets[] = {
      "/solver={\"type\": \"maximal\", \"project\": false, \"stabilization\": \"post\"}", NULL};
  TestRun run = test_run(wheels, sets);
  test_steps(run.sim, 1);
  cr_expect_float_eq(run.sim->x.E[1].p[2], 0.1, 1e-12, "%.3g", run.sim->x.E[1].p[2] - 0.1);
  test_run_free(&run);
}

// A shin stands on a flat foot by an ankle that rubs, goes ahead, falls over its foot and lies on six corners: one step came to 7e-3 of what it asks
// for, and six more to some 1e-8.
static const char leg[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"duration\": 1}, \"contact\": {\"friction\": 0.8}, "
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}, "
    "{\"name\": \"shin\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.4]}, \"density\": 800, "
    "\"pose\": {\"position\": [0, 0, 0.27]}, \"velocity\": {\"linear\": [2, 0.6, 0]}}, "
    "{\"name\": \"foot\", \"shape\": {\"type\": \"box\", \"size\": [0.25, 0.1, 0.06]}, \"density\": 500, "
    "\"joint\": {\"type\": \"universal\", \"parent\": \"shin\", \"in_parent\": {\"position\": [0, 0, -0.2]}, "
    "\"in_body\": {\"position\": [-0.05, 0, 0.04]}, "
    "\"friction\": {\"coefficient\": 0.4, \"radius\": 0.03, \"length\": 0.1}}}]}";

Test(touch_joints, a_leg_that_rubs_in_its_ankle_misses_no_step_where_it_falls_and_lies) {
  TestRun run = test_run(leg, NULL);
  test_steps(run.sim, 40);
  const double *told = mb_section(run.sim, MB_SECTION_TOLD);
  cr_expect_eq(told[MB_SOLVED_MISSED], 0, "%g steps, the worst comes to %.3g", told[MB_SOLVED_MISSED],
               told[MB_SOLVED_WORST]);
  test_run_free(&run);
}
