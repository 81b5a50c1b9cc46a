// Contact in a step: what sticks, slips, lands, bounces and lies, under every solver that takes rows.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/lockstep.h"
#include "core/sim/touch.h"
#include "io/scene/scene.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static void begin(TestRun *run, const char *text, const char *const *sets, size_t nsets) {
  const char *all[8] = {0};
  cr_assert_lt(nsets, 8);
  for (size_t i = 0; i < nsets; i++) all[i] = sets[i];
  *run = test_run(text, all);
}

static const char *const solvers[] = {
    "/solver={\"type\": \"redmax\", \"dynamics\": \"recursive\"}",
    "/solver={\"type\": \"redmax\", \"dynamics\": \"dense\"}",
    "/solver={\"type\": \"maximal\", \"project\": false}",
    "/solver={\"type\": \"maximal\", \"project\": true}",
    "/solver={\"type\": \"maximal\", \"project\": false, \"linear\": \"sparse\"}"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };
static const char *const integrators[] = {"/integrator=\"implicit\"", "/integrator=\"symplectic\""};

#define GROUND "{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}"

// ---- stick and slip ---------------------------------------------------------------------------------------

// A block on a plane that gravity is inclined to by 10°.
static const char incline[] =
    "{\"mbsim\": 1, \"parameters\": {\"angle\": \"=10*deg\", \"less\": 0}, \"time\": {\"step\": 0.01, "
    "\"steps\": 6000}, "
    "\"gravity\": [\"=9.81*sin(angle)\", 0, \"=-9.81*cos(angle)\"], \"contact\": {\"friction\": "
    "\"=tan(angle)-less\"}, "
    "\"bodies\": [" GROUND ", {\"name\": \"box\", \"density\": 1000, \"pose\": {\"position\": [0, 0, 0.1]}, "
    "\"shape\": {\"type\": \"box\", \"size\": [0.4, 0.4, 0.2]}}]}";

Test(touch, a_block_sticks_below_the_threshold_and_does_not_creep) {
  for (size_t k = 0; k < SOLVERS; k++) {
    TestRun run;
    const char *const sets[] = {solvers[k], "/parameters/less=-0.0001"};
    begin(&run, incline, sets, 2);
    test_steps(run.sim, k ? 600 : 6000);
    const double *p = run.sim->x.E[1].p, at[3] = {0, 0, 0.1};
    test_near(solvers[k], p, at, 3, 1e-9);
    test_run_free(&run);
  }
}

// Σ h v_k with v_k = k h a.
Test(touch, a_block_slips_above_it_by_the_discrete_distance_and_straight) {
  enum { STEPS = 200 };
  const double angle = 10 * acos(-1) / 180, mu = tan(angle) - 1e-3, h = 0.01;
  const double a = 9.81 * (sin(angle) - mu * cos(angle)),
               at[3] = {a * h * h * STEPS * (STEPS + 1) / 2, 0, 0.1};
  for (size_t k = 0; k < SOLVERS * 2; k++) {
    TestRun run;
    const char *const sets[] = {solvers[k / 2], integrators[k % 2], "/parameters/less=0.001"};
    begin(&run, incline, sets, 3);
    test_steps(run.sim, STEPS);
    test_near(sets[0], run.sim->x.E[1].p, at, 3, 1e-9);
    test_run_free(&run);
  }
}

// Thrown flat: nothing lifts it, and it stops where Σ h v_k of the steps has it, of which the last one takes the rest of the speed.
Test(touch, a_cube_that_is_thrown_flat_stops_after_the_discrete_distance_and_is_not_lifted) {
  static const struct {
    double v, mu, h, wanted;
  } throws[] = {{2, 0.2, 0.01, 1.0093738},
                {2, 0.4, 0.01, 0.49969},
                {2, 0.7, 0.01, 0.2812855},
                {6, 0.5, 0.005, 3.65473875}};
  for (size_t i = 0; i < sizeof throws / sizeof *throws; i++)
    for (size_t k = 0; k < SOLVERS; k++) {
      char step[60], law[60], speed[80];
      TestRun run;
      snprintf(step, sizeof step, "/time/step=%g", throws[i].h);
      snprintf(law, sizeof law, "/contact={\"friction\": %g, \"tolerance\": 1e-12}", throws[i].mu);
      snprintf(speed, sizeof speed, "/bodies/1/velocity={\"linear\": [%g, 0, 0]}", throws[i].v);
      const char *const sets[] = {solvers[k],
                                  step,
                                  law,
                                  speed,
                                  "/gravity=[0, 0, -9.81]",
                                  "/bodies/1/shape/size=[0.1, 0.1, 0.1]",
                                  "/bodies/1/pose/position=[0, 0, 0.05]"};
      begin(&run, incline, sets, sizeof sets / sizeof *sets);
      double highest = 0;
      for (int step_of = 0; step_of < 300; step_of++) {
        test_steps(run.sim, 1);
        highest = fmax(highest, run.sim->x.E[1].p[2]);
      }
      const double at[3] = {throws[i].wanted, 0, 0.05};
      test_near(solvers[k], run.sim->x.E[1].p, at, 3, 1e-9);
      cr_expect_lt(highest, 0.05 + 1e-9, "%s: it is lifted by %g m", solvers[k], highest - 0.05);
      test_run_free(&run);
    }
}

// Along a direction of the tangents at angle φ to a corner, a pyramid of n sides holds cos(π/n)/cos(π/n − φ) of the friction: all of it at a
// corner, the least of it half way between two.
Test(touch_long, pyramids_hold_between_corners_what_theory_says) {
  static const int sides[] = {4, 6, 8, 16};
  const double pi = acos(-1);
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
    for (int k = 0; k < 6; k++) {
      char cone[120], pull[160];
      TestRun run;
      const double half = pi / sides[i], turn = half * (k / 2) / 2,
                   push = 0.5 * 9.81 * cos(half) / cos(half - turn) * (k % 2 ? 1 + 1e-6 : 1 - 1e-6);
      snprintf(cone, sizeof cone,
               "/contact={\"friction\": 0.5, \"tolerance\": 1e-11, \"cone\": \"pyramid\", \"sides\": %d}",
               sides[i]);
      snprintf(pull, sizeof pull, "/gravity=[%.17g, %.17g, -9.81]", push * cos(turn), push * sin(turn));
      const char *const sets[] = {cone, pull};
      begin(&run, incline, sets, 2);
      test_steps(run.sim, 100);
      const double *v = run.sim->state.v + run.model->v_first[1] + 3, speed = hypot(v[0], v[1]);
      cr_expect(k % 2 ? speed > 1e-6 : speed < 2e-10, "%d sides, turned by %g: %s, %g m/s", sides[i], turn,
                k % 2 ? "slips" : "sticks", speed);
      test_run_free(&run);
    }
}

// Along the diagonal of the tangents a box lets through √2 of the friction, a pyramid of four sides 1/√2 of it.
Test(touch, cones_hold_along_the_diagonal_what_theory_says) {
  static const struct {
    const char *cone;
    double share;
  } cones[] = {{"cone", 1}, {"box", 1.4142135623730951}, {"pyramid", 0.7071067811865476}};
  for (size_t i = 0; i < 3; i++)
    for (int slips = 0; slips < 2; slips++) {
      char cone[100], pull[160];
      TestRun run;
      const double push = 0.5 * cones[i].share * 9.81 * (slips ? 1 + 1e-6 : 1 - 1e-6) / sqrt(2);
      snprintf(cone, sizeof cone, "/contact={\"friction\": 0.5, \"tolerance\": 1e-11, \"cone\": \"%s\"}",
               cones[i].cone);
      snprintf(pull, sizeof pull, "/gravity=[%.17g, %.17g, -9.81]", push, push);
      const char *const sets[] = {cone, pull};
      begin(&run, incline, sets, 2);
      test_steps(run.sim, 100);
      // two contacts' corners lift where the block would tip: it is flat enough not to
      const double v = run.sim->state.v[run.model->v_first[1] + 3];
      cr_expect(slips ? v > 1e-6 : fabs(v) < 1e-11, "%s, %s: %g m/s", cones[i].cone,
                slips ? "slips" : "sticks", v);
      test_run_free(&run);
    }
}

// A box and a ball, which has a flap on a hinge, fall together and touch: all that rows ask for is rounding, beside limits that are far away.
Test(touch, a_step_in_which_nothing_pushes_is_told_as_solved) {
  static const char *const together =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 100}, \"contact\": {\"friction\": 0.5}, "
      "\"bodies\": "
      "[{\"name\": \"box\", \"density\": 900, \"shape\": {\"type\": \"box\", \"size\": [0.3, 0.2, 0.2]}, "
      "\"velocity\": {\"linear\": [0.3, 0.1, 0.7]}}, {\"name\": \"ball\", \"density\": 700, \"shape\": "
      "{\"type\": \"sphere\", \"radius\": 0.1}, \"pose\": {\"position\": [0, 0, 0.2]}, \"velocity\": "
      "{\"linear\": [0.3, 0.1, 0.7]}}, {\"name\": \"flap\", \"density\": 700, \"shape\": {\"type\": \"box\", "
      "\"size\": [0.2, 0.1, 0.02]}, \"joint\": {\"type\": \"revolute\", \"parent\": \"ball\", \"axis\": [0, "
      "1, "
      "0], \"in_parent\": {\"position\": [0, 0, 0.15]}, \"limits\": [-2, 2]}}]}";
  MbContactCounts counts;
  TestRun run;
  begin(&run, together, NULL, 0);
  test_steps(run.sim, 100);
  cr_assert(mb_sim_contacts(run.sim, &counts));
  cr_expect_geq(counts.most, 1);
  cr_expect_leq(counts.residual, 1e-8, "%g", counts.residual);
  test_run_free(&run);
}

// ---- what lies, and solvers -------------------------------------------------------------------------------

// A ball, a capsule, a box on its edge and a limb with a limit, that come down onto the ground and one another.
static const char heap[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 400}, \"contact\": {\"friction\": 0.4, "
    "\"restitution\": 0.3}, "
    "\"bodies\": [" GROUND ", {\"name\": \"ball\", \"density\": 800, \"pose\": {\"position\": [0.02, 0, "
    "0.5]}, \"shape\": {\"type\": \"sphere\", "
    "\"radius\": 0.1}}, {\"name\": \"box\", \"density\": 500, \"pose\": {\"position\": [0, 0, 0.2], "
    "\"rotation\": "
    "{\"axis\": [1, 0.2, 0], \"angle\": 0.3}}, \"shape\": {\"type\": \"box\", \"size\": [0.3, 0.3, 0.2]}}, "
    "{\"name\": \"capsule\", \"density\": 600, \"pose\": {\"position\": [0.1, 0.1, 0.8], \"rotation\": "
    "{\"axis\": [0, 1, 0], "
    "\"angle\": 1.2}}, \"velocity\": {\"angular\": [0, 0, 2]}, \"shape\": {\"type\": \"capsule\", "
    "\"radius\": 0.05, "
    "\"length\": 0.3}}, "
    "{\"name\": \"arm\", \"density\": 700, \"shape\": {\"type\": \"box\", \"size\": [0.5, 0.05, 0.05]}, "
    "\"joint\": "
    "{\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_parent\": {\"position\": [-0.95, 0, 0.35]}, "
    "\"in_body\": "
    "{\"position\": [-0.25, 0, 0]}, \"limits\": [-0.2, 2]}}, "
    "{\"name\": \"hand\", \"density\": 700, \"shape\": {\"type\": \"sphere\", \"radius\": 0.06}, \"joint\": "
    "{\"type\": "
    "\"spherical\", \"parent\": \"arm\", \"in_parent\": {\"position\": [0.3, 0, 0]}, \"in_body\": "
    "{\"position\": [0, 0, "
    "0.1]}}}]}";

Test(touch, reduced_and_maximal_coordinates_take_the_same_steps) {
  double places[SOLVERS][15];
  for (size_t k = 0; k < SOLVERS; k++) {
    if (k == 2 || k == 4) continue; // joints as rows drift by another amount: see below
    TestRun run;
    const char *const sets[] = {solvers[k], "/contact/tolerance=1e-13"};
    begin(&run, heap, sets, 2);
    test_steps(run.sim, 60);
    for (size_t b = 0; b < 5; b++) memcpy(places[k] + 3 * b, run.sim->x.E[b + 1].p, 3 * sizeof(double));
    test_run_free(&run);
  }
  test_near(solvers[1], places[1], places[0], 15, 1e-9);
  test_near(solvers[3], places[3], places[0], 15, 1e-9);
}

Test(touch, bodies_without_joints_move_the_same_under_every_solver) {
  double places[SOLVERS][9];
  for (size_t k = 0; k < SOLVERS; k++) {
    TestRun run;
    const char *const sets[] = {
        solvers[k], "/contact/tolerance=1e-13",
        "/contact/exclude=[[\"arm\", \"ball\"], [\"arm\", "
        "\"box\"], [\"arm\", \"capsule\"], [\"hand\", \"ball\"], [\"hand\", \"box\"], [\"hand\", "
        "\"capsule\"]]"};
    begin(&run, heap, sets, 3);
    test_steps(run.sim, 60);
    for (size_t b = 0; b < 3; b++) memcpy(places[k] + 3 * b, run.sim->x.E[b + 1].p, 3 * sizeof(double));
    test_run_free(&run);
  }
  for (size_t k = 1; k < SOLVERS; k++) test_near(solvers[k], places[k], places[0], 9, 1e-9);
}

Test(touch_long, forces_of_what_lies_sum_to_its_weight) {
  for (size_t k = 0; k < SOLVERS; k++) {
    TestRun run;
    const char *const sets[] = {solvers[k], "/contact/tolerance=1e-11", "/contact/restitution=0"};
    begin(&run, heap, sets, 3);
    test_steps(run.sim, 1200);
    double up[3] = {0}, weight[3] = {0, 0, 0};
    const MbPushes *last = &run.sim->touching->last;
    for (size_t i = 0; i < last->n; i++) {
      const MbPushed *t = &last->touch[i];
      const MbSolid *solids = run.model->contacts.solids;
      double axis[3][3];
      if (solids[t->a].listed != 0 || solids[t->b].listed > 3)
        continue; // the ground's with those that no joint holds
      mb_touch_axes(t->normal, axis);
      for (int d = 0; d < 3; d++)
        for (int x = 0; x < 3; x++) up[x] += t->lambda[d] * axis[d][x] / run.model->h;
    }
    for (size_t b = 1; b < 4; b++) weight[2] += 9.81 * run.model->M[6 * b + 3];
    if (k == 0) cr_expect(last->n >= 4, "%zu contacts", last->n);
    test_near(solvers[k], up, weight, 3, 1e-9 * weight[2]);
    test_run_free(&run);
  }
}

// Six boxes on one another are 72 rows: what they lie with is what statics wants, far beyond the tolerance that the scene has by default.
Test(touch, a_stack_presses_the_ground_by_its_weight) {
  char text[2000];
  int at =
      snprintf(text, sizeof text,
               "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 60}, \"contact\": {\"friction\": 0.6}, "
               "\"bodies\": [{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": "
               "\"fixed\"}}");
  for (int i = 0; i < 6; i++)
    at += snprintf(
        text + at, sizeof text - (size_t)at,
        ", {\"name\": \"%d\", \"mass\": 3, \"shape\": {\"type\": \"box\", \"size\": [%g, 0.4, 0.2]}, "
        "\"pose\": {\"position\": [%g, 0, %g]}}",
        i, 0.5 - 0.03 * i, 0.02 * i, 0.1 + 0.2 * i);
  snprintf(text + at, sizeof text - (size_t)at, "]}");
  TestRun run;
  begin(&run, text, NULL, 0);
  test_steps(run.sim, 60);
  double up = 0;
  const MbPushes *last = &run.sim->touching->last;
  for (size_t i = 0; i < last->n; i++)
    if (run.model->contacts.solids[last->touch[i].a].listed == 0)
      up += last->touch[i].lambda[0] * last->touch[i].normal[2] / run.model->h;
  cr_expect(fabs(up / (6 * 3 * 9.81) - 1) < 1e-10, "the ground bears %.17g N", up);
  test_run_free(&run);
}

Test(touch, nothing_is_in_anything_at_a_steps_end) {
  for (size_t k = 0; k < 2 * SOLVERS; k++) {
    TestRun run;
    MbContactCounts counts;
    const char *const sets[] = {solvers[k / 2], integrators[k % 2]};
    begin(&run, heap, sets, 2);
    double deepest = 0;
    for (int step = 0; step < 400; step++) {
      test_steps(run.sim, 1);
      cr_assert(mb_touch_look(run.sim, &run.sim->touching->last, true));
      const MbTouches *now = &run.sim->touching->next;
      for (size_t i = 0; i < now->n; i++) deepest = fmax(deepest, -now->touch[i].gap / now->touch[i].size);
      run.sim->touching->fresh = true;
    }
    cr_expect(deepest < 1e-3, "%s: %g of a size deep", solvers[k / 2], deepest);
    cr_assert(mb_sim_contacts(run.sim, &counts) && counts.most >= 4);
    test_run_free(&run);
  }
}

// ---- energy and bounces -----------------------------------------------------------------------------------

static double total(const MbSim *sim) {
  const MbEnergy e = mb_energy(sim->model, &sim->x);
  return e.total;
}

// Of free bodies: trees have errors of the scheme's own.
Test(touch_long, energy_never_rises) {
  static const char *const laws[] = {"/contact/restitution=0",
                                     "/contact={\"restitution\": 1, \"friction\": 0}",
                                     "/contact={\"restitution\": 1, \"friction\": 0.5}",
                                     "/contact={\"restitution\": 0.6, \"friction\": 1, \"cone\": \"box\"}"};
  for (size_t k = 0; k < 2 * SOLVERS; k++)
    for (int e = 0; e < 4; e++) {
      TestRun run;
      const char *const sets[] = {solvers[k / 2], integrators[k % 2], laws[e]};
      char text[sizeof heap];
      strcpy(text, heap);
      strcpy(strstr(text, ", {\"name\": \"arm\""), "]}");
      begin(&run, text, sets, 3);
      const double first = total(run.sim);
      double before = first;
      for (int step = 0; step < 300; step++) {
        test_steps(run.sim, 1);
        const double now = total(run.sim);
        cr_expect(now <= before + 1e-9 * first, "%s, %s, step %d: %g of %g J more", solvers[k / 2], laws[e],
                  step, now - before, first);
        before = now;
      }
      cr_expect(mb_section(run.sim, MB_SECTION_CONTACT)[0] < 0 || e, "contacts have taken nothing");
      test_run_free(&run);
    }
}

static const char ball[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 4000}, \"contact\": {\"restitution\": 0.9}, "
    "\"bodies\": [" GROUND ", {\"name\": \"ball\", \"mass\": 1, \"pose\": {\"position\": [0, 0, 1.1]}, "
    "\"shape\": {\"type\": \"sphere\", "
    "\"radius\": 0.1}}]}";

Test(touch, a_ball_bounces_to_the_heights_of_newtons_law) {
  for (size_t k = 0; k < 2; k++) {
    TestRun run;
    begin(&run, ball, &integrators[k], 1);
    double height = 0, wanted = 0.81, before = 1, last = 1;
    int bounces = 0;
    for (int step = 0; step < 3000 && bounces < 3; step++) {
      test_steps(run.sim, 1);
      const double z = run.sim->x.E[1].p[2] - 0.1;
      cr_expect_geq(z, -1e-12);
      if (z < before && before > last) {
        height = before;
        // of an arc symplectic Euler takes g h v, so that no step has more energy than the one before
        cr_expect(fabs(height - wanted) < (bounces < 2 ? 0.01 : 0.02) * wanted, "%g m, wanted %g", height,
                  wanted);
        wanted *= 0.81;
        bounces++;
      }
      last = before, before = z;
    }
    cr_expect_eq(bounces, 3);
    test_run_free(&run);
  }
}

// Three balls that touch: all impacts in one problem.
Test(touch, a_row_of_touching_balls_shares_the_blow) {
  static const char row[] = "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"steps\": "
                            "10}, \"contact\": {\"restitution\": 1}, "
                            "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"pose\": {\"position\": [-0.2005, "
                            "0, 0]}, \"velocity\": {\"linear\": [1, 0, "
                            "0]}, \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}, {\"name\": \"b\", "
                            "\"mass\": 1, \"shape\": {\"type\": "
                            "\"sphere\", \"radius\": 0.1}}, {\"name\": \"c\", \"mass\": 1, \"pose\": "
                            "{\"position\": [0.2, 0, 0]}, \"shape\": "
                            "{\"type\": \"sphere\", \"radius\": 0.1}}]}";
  const double wanted[3] = {-1.0 / 3, 2.0 / 3, 2.0 / 3};
  TestRun run;
  const char *const sets[] = {"/contact/tolerance=1e-12", "/bodies/2/pose/position=[0.21, 0, 0]"};
  begin(&run, row, sets, 1);
  test_steps(run.sim, 10);
  double v[3];
  for (size_t b = 0; b < 3; b++) v[b] = run.sim->state.v[run.model->v_first[b] + 3];
  test_near("velocities", v, wanted, 3, 1e-9);
  test_run_free(&run);
  begin(&run, row, sets, 2);
  test_steps(run.sim, 20);
  const double apart[3] = {0, 0, 1};
  for (size_t b = 0; b < 3; b++) v[b] = run.sim->state.v[run.model->v_first[b] + 3];
  test_near("velocities with a gap", v, apart, 3, 1e-9);
  test_run_free(&run);
}

// A ball strikes n − 1 that touch, of the same mass: by Newton's law, all at once, these go on as one. To rounding, whatever the tolerance.
Test(touch, rows_of_balls_share_a_blow_to_rounding) {
  for (int n = 2; n <= 7; n++) {
    char text[4000];
    int at = snprintf(text, sizeof text,
                      "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"steps\": 2}, "
                      "\"contact\": {\"restitution\": 0.7, \"restitution_threshold\": 0}, \"bodies\": [");
    for (int i = 0; i < n; i++)
      at += snprintf(
          text + at, sizeof text - (size_t)at,
          "%s{\"name\": \"%d\", \"mass\": 0.3, \"pose\": {\"position\": [%.17g, 0, 0]}, \"velocity\": "
          "{\"linear\": [%d, 0, 0]}, \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}}",
          i ? ", " : "", i, 0.1 * i, i ? 0 : 1);
    snprintf(text + at, sizeof text - (size_t)at, "]}");
    TestRun run;
    begin(&run, text, NULL, 0);
    test_steps(run.sim, 2);
    for (int i = 0; i < n; i++) {
      const double v = run.sim->state.v[run.model->v_first[i] + 3],
                   wanted = i ? 1.7 / n : 1 - 1.7 * (n - 1) / n;
      cr_expect(fabs(v - wanted) < 1e-12, "%d balls: number %d has %.17g, not %.17g", n, i, v, wanted);
    }
    test_run_free(&run);
  }
}

// A ball set down while it slides ends rolling at 5/7 of its speed, whatever the friction.
Test(touch, a_ball_that_slides_comes_to_roll_at_five_sevenths) {
  TestRun run;
  const char *const sets[] = {"/contact={\"friction\": 0.2}", "/bodies/1/pose/position=[0, 0, 0.1]",
                              "/bodies/1/velocity={\"linear\": [2, 0, 0]}"};
  begin(&run, ball, sets, 3);
  test_steps(run.sim, 1000);
  double v[6];
  for (int i = 0; i < 6; i++) v[i] = run.sim->state.v[run.model->v_first[1] + (size_t)i];
  const double speed = 10.0 / 7, wanted = speed;
  test_near("speed", &v[3], &wanted, 1, 1e-6);
  cr_expect(fabs(mb_vec3_norm(v) * 0.1 - speed) < 1e-6, "spin %g", mb_vec3_norm(v));
  test_run_free(&run);
}

// ---- the state --------------------------------------------------------------------------------------------

Test(touch, a_run_that_is_resumed_in_mid_heap_goes_on_bit_for_bit) {
  for (size_t k = 0; k < SOLVERS; k++) {
    TestRun one, other;
    begin(&one, heap, &solvers[k], 1);
    begin(&other, heap, &solvers[k], 1);
    test_steps(one.sim, 55);
    cr_assert(one.sim->touching->last.n > 0);
    test_resumes(one.sim, other.sim, 0, 50, solvers[k]);
    test_run_free(&one);
    test_run_free(&other);
  }
}

// How a body alone is solved for beside a tree must not hang on what was factored last, as what parts a cylinder that has rolled is.
Test(touch, a_run_that_is_resumed_while_a_cylinder_rolls_beside_a_tree_goes_on_bit_for_bit) {
  static const char rolling[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 200}, \"contact\": {\"friction\": 0.4}, "
      "\"bodies\": [" GROUND ", {\"name\": \"cylinder\", \"mass\": 7, \"pose\": {\"position\": [0, 0, 0.31], "
      "\"rotation\": {\"axis\": [1, 0.3, 0.2], \"angle\": 1.1}}, \"velocity\": {\"angular\": [1, -0.7, 2], "
      "\"linear\": [1.9, 0.5, -1]}, \"shape\": {\"type\": \"cylinder\", \"radius\": 0.18, \"length\": 0.3}}, "
      "{\"name\": \"rod\", \"mass\": 1, \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.05, 0.05]}, "
      "\"joint\": "
      "{\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_parent\": {\"position\": [-5, 0, 3]}, \"in_body\": "
      "{\"position\": [-0.2, 0, 0]}}}]}";
  for (size_t k = 0; k < SOLVERS * 2; k++) {
    TestRun one, other;
    const char *const sets[] = {solvers[k / 2], integrators[k % 2]};
    begin(&one, rolling, sets, 2);
    begin(&other, rolling, sets, 2);
    test_steps(one.sim, 60);
    cr_assert(one.sim->touching->last.n > 0);
    test_resumes(one.sim, other.sim, 0, 40, solvers[k / 2]);
    test_run_free(&one);
    test_run_free(&other);
  }
}

Test(touch, methods_agree_where_velocities_are_unique) {
  static const char *const methods[] = {"/contact/method=\"auto\"", "/contact/method=\"gauss_seidel\"",
                                        "/contact/method=\"nonsmooth_newton\"", "/contact/method=\"admm\""};
  double places[4][15];
  for (size_t k = 0; k < 4; k++) {
    TestRun run;
    const char *const sets[] = {methods[k], "/contact/tolerance=1e-11"};
    begin(&run, heap, sets, 2);
    test_steps(run.sim, 40);
    for (size_t b = 0; b < 5; b++) memcpy(places[k] + 3 * b, run.sim->x.E[b + 1].p, 3 * sizeof(double));
    test_run_free(&run);
  }
  for (size_t k = 1; k < 4; k++) test_near(methods[k], places[k], places[0], 15, 1e-6);
}

// What the model alone cannot tell is told where a simulation is made: at the start of a run, and by `mbsim validate`.
static void refused(const char *const *sets, size_t n, const char *where, const char *text) {
  const MbSceneOptions options = {.sets = sets, .nsets = n};
  MbReport report = {0};
  TestRun run = {0};
  test_ok(mb_scene_parse(ball, strlen(ball), "test", ".", &options, &run.scene, &report), &report);
  test_ok(mb_model_create(run.scene, &run.model, &report), &report);
  cr_assert_eq(mb_sim_create(run.model, NULL, &run.sim, &report), MB_SCENE);
  const MbIssue *issue = &report.issues[report.kept - 1];
  cr_expect_str_eq(issue->where, where);
  cr_expect(strstr(issue->text, text), "%s", issue->text);
  test_run_free(&run);
}

Test(touch, what_cannot_be_run_is_refused_by_name) {
  const char *const deep[] = {"/bodies/1/pose/position=[0, 0, 0.05]"};
  refused(deep, 1, "/bodies/1/shape", "\"ground\" and \"ball\" are 0.05 m deep in one another at the start");
  const char *const none[] = {"/contact=false", "/output={\"channels\": [\"contact\"]}"};
  refused(none, 2, "/output/channels", "the channel \"contact\" is of scenes with \"contact\"");
  const char *const method[] = {"/contact/method=\"pivoting\"", "/contact/cone=\"cone\""};
  refused(method, 2, "/contact/method", "method \"pivoting\" does not take the cone \"cone\"");
}

// A ball a little in the ground is told of, and comes out by positions alone: it is not thrown up.
Test(touch, what_is_in_something_at_the_start_comes_out_without_speed) {
  TestRun run;
  const char *const sets[] = {"/bodies/1/pose/position=[0, 0, 0.096]"};
  begin(&run, ball, sets, 1);
  double fastest = 0;
  for (int step = 0; step < 200; step++) {
    test_steps(run.sim, 1);
    fastest = fmax(fastest, fabs(run.sim->state.v[run.model->v_first[1] + 5]));
  }
  const double wanted = 0.1;
  test_near("height", &run.sim->x.E[1].p[2], &wanted, 1, 1e-6);
  cr_expect(fastest < 1e-9, "%g m/s", fastest);
  test_run_free(&run);
}

// Pivots on all contacts of a pile would take as long as the cube of their number.
Test(touch, free_bodies_are_parted_by_sweeps) {
  TestRun run;
  const char *const sets[] = {"/bodies/1/pose/position=[0, 0, 0.096]"};
  begin(&run, ball, sets, 1);
  test_steps(run.sim, 1);
  cr_expect_str_eq(run.sim->constraining->answer.method, "gauss_seidel");
  test_run_free(&run);
}

Test(touch, steps_do_not_allocate) {
  TestRun run;
  begin(&run, heap, NULL, 0);
  test_steps(run.sim, 400);
  const int64_t before = mb_alloc_calls();
  test_steps(run.sim, 100);
  cr_expect_eq(mb_alloc_calls(), before);
  test_run_free(&run);
}

// Lanes know nothing of contact.
Test(touch, scenes_with_contact_are_no_lanes) {
  TestRun run;
  begin(&run, ball, NULL, 0);
  cr_assert_str_eq(mb_lane_refused(run.model), "has contact");
  test_run_free(&run);
}
