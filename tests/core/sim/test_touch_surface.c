// Deformables in contact with the shapes of bodies, under every solver by the same rows.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define FIXED  "\"joint\": {\"type\": \"fixed\"}"
#define GROUND "{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, " FIXED "}"
#define RUBBER(young_)                                                                                       \
  "\"material\": {\"model\": \"corotational\", \"young\": " young_ ", \"poisson\": 0.3, \"density\": 1000}"

static const char *const solvers[] = {"/solver=\"redmax\"",
                                      "/solver={\"type\": \"maximal\", \"project\": false}",
                                      "/solver={\"type\": \"projective\", \"iterations\": 60}",
                                      "/solver={\"type\": \"projective\", \"method\": \"projective\", "
                                      "\"iterations\": 60, \"bodies\": \"maximal\"}"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

// Where a deformable's node is.
static const double *node_place(const MbSim *sim, size_t deformable, size_t node) {
  const size_t end = mb_row_node(sim->model, deformable, node);
  return end < sim->model->nb ? sim->x.E[end].p : mb_nodes_places(sim) + 3 * (end - sim->model->nb);
}

// What pushes `a`, a body's solid or a deformable, in the contacts of the last step.
static void force_on(const MbSim *sim, uint32_t a, double force[3]) {
  const MbPushes *last = &sim->touching->last;
  mb_vec3_set(force, 0, 0, 0);
  for (size_t i = 0; i < last->n; i++) {
    const MbPushed *touch = &last->touch[i];
    double axis[3][3];
    const double sign = touch->a == a ? -1 : touch->b == a ? 1 : 0;
    mb_touch_axes(touch->normal, axis);
    for (int k = 0; k < 3; k++)
      mb_vec3_add_scaled(force, force, sign * touch->lambda[k] / sim->model->h, axis[k]);
  }
}

// ---- rest -------------------------------------------------------------------------------------------------

static const char block[] =
    "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.004, \"steps\": 2000}, \"contact\": "
    "{\"friction\": 0.4, \"tolerance\": 1e-11}, \"bodies\": [" GROUND
    "], \"deformables\": [{\"name\": \"block\", "
    "\"type\": \"tets\", \"mesh\": {\"box\": [3, 3, 3], \"size\": [0.2, 0.2, 0.2]}, \"pose\": {\"position\": "
    "[0, "
    "0, 0.03]}, " RUBBER("5e4") "}], \"forces\": [{\"type\": \"damping\", \"coefficient\": 3}]}";

Test(touch_surface_long, a_soft_block_comes_to_lie_on_the_ground_and_the_forces_sum_to_its_weight,
     TEST_LONG) {
  for (size_t k = 0; k < SOLVERS; k++) {
    TestRun run = test_run(block, (const char *const[]){solvers[k], NULL});
    test_steps(run.sim, 800);
    double f[3], low = 1;
    const double weight[3] = {0, 0, 1000 * 0.008 * 9.81};
    force_on(run.sim, 1, f);
    for (size_t i = 0; i < 27; i++) low = fmin(low, node_place(run.sim, 0, i)[2]);
    test_near(solvers[k], f, weight, 3, 1e-9 * weight[2]);
    cr_expect(fabs(low) < 1e-9, "%s: the lowest node is at %g", solvers[k], low);
    cr_expect_eq(run.sim->touching->last.n, 9);
    test_run_free(&run);
  }
}

// Half of what is said to be thick is below the nodes.
Test(touch_surface, nodes_lie_half_of_the_thickness_above_the_ground) {
  TestRun run = test_run(
      block, (const char *const[]){solvers[2], "/deformables/0/contact={\"thickness\": 0.01}", NULL});
  test_steps(run.sim, 500);
  double low = 1;
  for (size_t i = 0; i < 27; i++) low = fmin(low, node_place(run.sim, 0, i)[2]);
  cr_expect(fabs(low - 0.005) < 1e-9, "the lowest node is at %g", low);
  test_run_free(&run);
}

// ---- stick and slip ---------------------------------------------------------------------------------------

// An elastic cube on a plane that gravity is inclined to by 10°: what it slides by against friction that is less than the slope.
static double slides(const char *solver, double less, int64_t steps) {
  char contact[100], text[1000];
  snprintf(text, sizeof text,
           "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.01, \"steps\": 100}, "
           "\"gravity\": [\"=9.81*sin(10*deg)\", 0, \"=-9.81*cos(10*deg)\"], \"contact\": {}, \"bodies\": "
           "[" GROUND
           "], \"deformables\": [{\"name\": \"cube\", \"type\": \"tets\", \"mesh\": {\"box\": [3, 3, "
           "3], \"size\": [0.2, 0.2, 0.2]}, " RUBBER("1e8") "}]}");
  snprintf(contact, sizeof contact, "/contact={\"friction\": \"=tan(10*deg)-(%.9g)\", \"tolerance\": 1e-10}",
           less);
  TestRun run = test_run(text, (const char *const[]){solver, contact, NULL});
  const double from = node_place(run.sim, 0, 13)[0];
  test_steps(run.sim, steps);
  const double way = node_place(run.sim, 0, 13)[0] - from;
  test_run_free(&run);
  return way;
}

// Of a step that begins where it ends a share of what it takes off the energy is less than rounding: 30 steps of 100 were counted as not
// settled after 200 iterations each, though nothing moved.
Test(touch_surface_long, what_lies_still_under_a_body_takes_few_iterations, TEST_LONG) {
  static const char scene[] =
      "{\"mbsim\": 1, \"solver\": \"projective\", \"integrator\": \"implicit\", \"time\": {\"step\": 0.01, "
      "\"steps\": 100}, \"contact\": {\"friction\": 0.8}, \"bodies\": [{\"name\": \"ground\", \"shape\": "
      "{\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}, {\"name\": \"roll\", \"shape\": {\"type\": "
      "\"capsule\", \"radius\": 0.1, \"length\": 0.2}, \"density\": 1000, \"pose\": {\"position\": [0.047, "
      "0, "
      "0.105], \"rotation\": [0.70710678, 0.70710678, 0, 0]}}], \"deformables\": [{\"name\": \"d\", "
      "\"type\": \"cloth\", \"mesh\": {\"grid\": [8, 8], "
      "\"size\": [0.6, 0.6]}, \"pose\": {\"position\": [0, 0, 0.0015]}, \"material\": {\"model\": "
      "\"corotational\", \"young\": 4.7e5, \"poisson\": 0.41, \"density\": 1000, \"thickness\": 0.002}}]}";
  TestRun run = test_run(scene, NULL);
  double most = 0;
  for (int i = 0; i < 40; i++) {
    test_steps(run.sim, 1);
    const double *told = mb_section(run.sim, MB_SECTION_SOLUTION);
    cr_expect_eq(told[MB_NODES_MISSED], 0, "step %d: after %g iterations", i, told[MB_NODES_ITERATIONS]);
    most = fmax(most, told[MB_NODES_ITERATIONS]);
  }
  cr_expect_leq(most, 40, "%g iterations", most);
  test_run_free(&run);
}

Test(touch_surface_long, an_elastic_cube_on_an_incline_tells_the_threshold_of_friction_to_a_thousandth) {
  static const char *const some[] = {"/solver=\"redmax\"", "/solver={\"type\": \"projective\", \"method\": "
                                                           "\"projective\", \"iterations\": 10}"};
  // what a rigid one goes in 100 steps, Σ h v
  const double a = 9.81 * cos(10 * acos(-1) / 180) * 1e-3, wanted = a * 1e-4 * 100 * 101 / 2;
  for (size_t k = 0; k < 2; k++) {
    const double sticks = slides(some[k], -1e-3, 100), slips = slides(some[k], 1e-3, 100);
    cr_expect(fabs(sticks) < 2e-5, "%s: sticks, and moves %g m", some[k], sticks);
    // the first steps, in which the cube leans over, take it a little farther
    cr_expect(fabs(slips - wanted) < 0.05 * wanted, "%s: slips %g m, a rigid one %g m", some[k], slips,
              wanted);
  }
}

// ---- action and reaction ----------------------------------------------------------------------------------

static const char blow[] =
    "{\"mbsim\": 1, \"integrator\": \"implicit\", \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.002, "
    "\"steps\": "
    "300}, \"contact\": {\"friction\": 0.5}, \"output\": {\"channels\": [\"momentum\"]}, \"bodies\": "
    "[{\"name\": "
    "\"box\", \"density\": 300, \"pose\": {\"position\": [0.3, 0.02, 0.01]}, \"velocity\": {\"linear\": [-1, "
    "0, "
    "0], \"angular\": [0, 1, 3]}, \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.3, 0.25]}}], "
    "\"deformables\": "
    "[{\"name\": \"ball\", \"type\": \"tets\", \"mesh\": {\"ball\": 4, \"radius\": 0.15}, \"velocity\": "
    "{\"linear\": [1, 0, 0]}, " RUBBER("3e4") "}]}";

Test(touch_surface_long, what_a_ball_gets_from_a_box_the_box_loses) {
  for (size_t k = 0; k < SOLVERS; k++) {
    TestRun run = test_run(blow, (const char *const[]){solvers[k], NULL});
    size_t n = 0;
    double before[6], pushed = 0;
    memcpy(before, test_channel(run.sim, "momentum", &n), sizeof before);
    cr_assert_geq(n, 6);
    for (int step = 0; step < 120; step++) {
      test_steps(run.sim, 1);
      for (size_t i = 0; i < run.sim->touching->last.n; i++)
        pushed += run.sim->touching->last.touch[i].lambda[0];
    }
    test_near(solvers[k], test_channel(run.sim, "momentum", &n), before, 3, 1e-12);
    cr_expect_gt(pushed, 1, "%s: nothing was pushed", solvers[k]);
    test_run_free(&run);
  }
}

static const char fall[] =
    "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.004, \"steps\": 200}, \"output\": "
    "{\"channels\": [\"energy\"]}, \"contact\": {\"friction\": 0.5, "
    "\"tolerance\": 1e-10}, \"bodies\": [" GROUND
    ", {\"name\": \"box\", \"density\": 300, \"shape\": {\"type\": \"box\", \"size\": "
    "[0.2, 0.2, 0.1]}, \"pose\": {\"position\": [0.02, 0, 0.6]}}], \"deformables\": [{\"name\": \"block\", "
    "\"type\": \"tets\", "
    "\"mesh\": {\"box\": [4, 4, 4], \"size\": [0.2, 0.2, 0.2]}, \"pose\": {\"position\": [-0.1, -0.1, 0.2], "
    "\"rotation\": {\"axis\": "
    "[1, 2, 3], \"angle\": 0.4}}, \"velocity\": {\"linear\": [0.6, 0, -1]}, " RUBBER("3e4") "}]}";

// A block that tumbles over the ground, and a box that falls on it.
Test(touch_surface_long, no_step_of_soft_and_rigid_bodies_that_collide_makes_energy, TEST_LONG) {
  for (size_t k = 0; k < SOLVERS; k++) {
    TestRun run = test_run(fall, (const char *const[]){solvers[k], NULL});
    size_t n = 0;
    const double first = test_channel(run.sim, "energy", &n)[3];
    double before = first;
    for (int step = 0; step < 150; step++) {
      test_steps(run.sim, 1);
      const double now = test_channel(run.sim, "energy", &n)[3];
      cr_expect(now <= before + 1e-9 * first, "%s, step %d: %g J more", solvers[k], step, now - before);
      before = now;
    }
    cr_expect_lt(before, 0.7 * first, "%s: nothing has hit", solvers[k]);
    test_run_free(&run);
  }
}

// The block on the ground, and what it does to the box that lies on it, by channels.
Test(touch_surface, channel_contact_of_a_deformable_has_what_it_feels) {
  static const char *const channels = "/output={\"channels\": [\"deformable.*.contact\", \"contact.pair\"]}";
  TestRun run = test_run(fall, (const char *const[]){channels, NULL});
  size_t n = 0;
  double normal = 0, force[3];
  for (int step = 0; step < 150; step++) {
    test_steps(run.sim, 1);
    const double *told = test_channel(run.sim, "deformable.block.contact", &n);
    cr_assert_eq(n, 4);
    force_on(run.sim, (uint32_t)run.model->contacts.nsolids, force);
    test_near("force", told + 1, force, 3, 1e-12 * (1 + told[0]));
    cr_expect_geq(told[0], 0);
    normal = fmax(normal, told[0]);
  }
  cr_expect_gt(normal, 10);
  test_run_free(&run);
  MbReport report = {0};
  cr_expect_eq(test_try(fall, (const char *const[]){channels, "/contact=false", NULL}, 0, &report), MB_SCENE);
  cr_expect(strstr(report.issues[0].text, "with \"contact\""), "%s", report.issues[0].text);
}

// ---- state ------------------------------------------------------------------------------------------------

Test(touch_surface_long, a_run_that_is_resumed_while_a_block_slides_goes_on_bit_for_bit) {
  for (size_t k = 0; k < SOLVERS; k++) {
    const char *const sets[] = {solvers[k], "/deformables/0/velocity={\"linear\": [1, 0.2, -0.5]}",
                                "/bodies/0/shape={\"type\": \"box\", \"size\": [9, 9, 0.2], \"frame\": "
                                "{\"position\": [0, 0, -0.1]}}",
                                "/bodies/0/density=1", NULL};
    TestRun one = test_run(block, sets), other = test_run(block, sets);
    test_steps(one.sim, 40);
    cr_assert_gt(one.sim->touching->last.n, 0);
    test_resumes(one.sim, other.sim, 0, 20, solvers[k]);
    test_run_free(&one), test_run_free(&other);
  }
}

// Rollers turn away below nodes, which are moved out of them by their places alone.
Test(touch_surface_long, nodes_stay_out_of_what_turns_and_is_curved, TEST_LONG) {
  TestRun run = test_run("contact/rollers", NULL);
  double deepest = 0;
  for (int step = 0; step < 150; step++) {
    test_steps(run.sim, 1);
    cr_assert(mb_touch_look(run.sim, &run.sim->touching->last, true));
    for (size_t i = 0; i < run.sim->touching->next.n; i++)
      deepest = fmax(deepest, -run.sim->touching->next.touch[i].gap);
    mb_touch_forget(run.sim);
  }
  cr_expect_lt(deepest, 1e-6, "%g m", deepest);
  test_run_free(&run);
}

// Twenty tetrahedra of 10 cm, on a post, under a cylinder of 31 kg: nodes move by the post's breadth in a step.
Test(touch_surface, what_has_come_deep_into_something_in_a_step_is_told_once) {
  static const char scene[] =
      "{\"mbsim\": 1, \"solver\": {\"type\": \"maximal\", \"project\": false}, \"integrator\": \"implicit\", "
      "\"time\": {\"step\": 0.01, "
      "\"steps\": 100}, \"contact\": {\"friction\": 0.8}, \"bodies\": [" GROUND
      ", {\"name\": \"weight\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.1, \"length\": 0.2}, "
      "\"density\": 10000, \"pose\": {\"position\": [0.04854283212578134, 0, 1.3]}}, {\"name\": \"post\", "
      "\"shape\": "
      "{\"type\": \"box\", \"size\": [0.1, 0.1, 0.2], \"frame\": {\"position\": [0.0653570727243408, 0, "
      "0.1]}}, "
      "\"density\": 1000, " FIXED "}], \"deformables\": [{\"name\": \"ball\", \"type\": \"tets\", \"mesh\": "
      "{\"ball\": 2, \"radius\": 0.15}, \"pose\": {\"position\": [0, 0, 0.4]}, \"velocity\": {\"linear\": "
      "[0.4248176153441099, 0, -1.5704471984346051]}, \"material\": {\"model\": \"arap\", \"young\": "
      "158160.97575639046, \"density\": 100}}]}";
  TestRun run = test_run(scene, NULL);
  MbReport report = {0};
  for (int i = 0; i < 60; i++) test_ok(mb_sim_step(run.sim, &report), &report);
  cr_assert_eq(report.warnings, 1, "%d warnings", report.warnings);
  cr_expect(strstr(report.issues[0].text, "\"ball\" and \"post\" have come 0.0"), "%s",
            report.issues[0].text);
  test_run_free(&run);
}

Test(touch_surface, what_is_not_enabled_falls_through_and_what_is_deep_at_the_start_is_refused) {
  TestRun run =
      test_run(block, (const char *const[]){solvers[2], "/deformables/0/contact={\"enabled\": false}", NULL});
  test_steps(run.sim, 300);
  cr_expect_lt(node_place(run.sim, 0, 0)[2], -1);
  test_run_free(&run);
  MbReport report = {0};
  const char *const deep[] = {"/deformables/0/pose/position=[0, 0, -0.02]", NULL};
  cr_assert_eq(test_try(block, deep, 0, &report), MB_SCENE);
  cr_expect_str_eq(report.issues[report.kept - 1].where, "/deformables/0");
  cr_expect(strstr(report.issues[report.kept - 1].text, "\"block\" and \"ground\" are 0.02 m deep"), "%s",
            report.issues[report.kept - 1].text);
}

// Between two nodes an edge of a step is as near to some of the ball's sides as to others, now to these, now to those: all of them are met.
Test(touch_surface, an_edge_meets_all_sides_of_a_soft_ball_that_rolls_over_it) {
  TestRun run =
      test_run("contact/soft_ball",
               (const char *const[]){"/time/step=0.0025", "/deformables/0/material/young=6e4", NULL});
  test_steps(run.sim, 300);
  const double deepest = mb_section(run.sim, MB_SECTION_TOLD)[MB_SOLVED_DEEPEST];
  cr_expect(deepest > 0 && deepest < 0.3, "%g of half a side", deepest);
  test_run_free(&run);
}
