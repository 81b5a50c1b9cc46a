// Many boxes on one another, each step solved to its tolerance: what stands stays where it is, and what falls misses few steps.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Text {
  char at[120000];
  size_t n;
} Text;

static void begin(Text *text, const char *contact) {
  text->n = (size_t)snprintf(text->at, sizeof text->at,
                             "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 100}, \"output\": "
                             "{\"channels\": [\"energy\"]}, \"contact\": %s, "
                             "\"bodies\": [{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, "
                             "\"joint\": {\"type\": \"fixed\"}}",
                             contact);
}

static void add_box(Text *text, const char *size, double x, double y, double z) {
  text->n += (size_t)snprintf(text->at + text->n, sizeof text->at - text->n,
                              ", {\"name\": \"%zu\", \"density\": 500, \"shape\": {\"type\": \"box\", "
                              "\"size\": %s}, \"pose\": {\"position\": [%.9g, %.9g, %.9g]}}",
                              text->n, size, x, y, z);
  cr_assert_lt(text->n + 10, sizeof text->at);
}

static double missed(const TestRun *run) { return mb_section(run->sim, MB_SECTION_TOLD)[MB_SOLVED_MISSED]; }

// Steps so often; how far the body that has gone farthest has gone. Every step comes to its tolerance.
static double strays(const TestRun *run, int64_t steps) {
  static double from[3 * 400];
  double most = 0;
  cr_assert_leq(run->model->nb, 400);
  for (size_t b = 0; b < run->model->nb; b++) memcpy(from + 3 * b, run->sim->x.E[b].p, 3 * sizeof *from);
  for (int64_t i = 0; i < steps; i++) {
    test_steps(run->sim, 1);
    cr_assert_eq(missed(run), 0, "step %d comes to %g", (int)i,
                 run->sim->constraining->told[MB_SOLVED_WORST]);
  }
  for (size_t b = 0; b < run->model->nb; b++)
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(run->sim->x.E[b].p[k] - from[3 * b + (size_t)k]));
  return most;
}

// 1,600 contacts, 20 boxes high: sweeps over them come to a thousandth in as many steps.
Test(touch_piles_long, a_pyramid_of_210_boxes_comes_to_its_tolerance_in_every_step_and_stands_still) {
  static Text text;
  begin(&text, "{\"friction\": 0.5, \"tolerance\": 1e-6}");
  for (int k = 0; k < 20; k++)
    for (int i = 0; i < 20 - k; i++)
      add_box(&text, "[0.5, 0.5, 0.5]", 0.55 * (i + 0.5 * k), 0, 0.25 + 0.5 * k);
  strcat(text.at, "]}");
  TestRun run = test_run(text.at, NULL);
  const double far = strays(&run, 30);
  cr_expect_gt(run.sim->touching->now.n, 1500);
  cr_expect_lt(far, 1e-6, "%g m", far);
  const int64_t calls = mb_alloc_calls();
  test_steps(run.sim, 5);
  cr_expect_eq(mb_alloc_calls(), calls);
  test_run_free(&run);
}

// A wall in running bond, with half bricks at the ends of every other course.
Test(touch_piles_long, a_wall_of_307_bricks_comes_to_its_tolerance_in_every_step_and_does_not_creep,
     TEST_LONG) {
  static Text text;
  begin(&text, "{\"friction\": 0.6, \"tolerance\": 1e-6}");
  for (int k = 0; k < 15; k++) {
    const double height = 0.04 + 0.08 * k;
    for (int i = 0; i < 20 - k % 2; i++)
      add_box(&text, "[0.24, 0.12, 0.08]", 0.245 * (i + 0.5 * (k % 2)), 0, height);
    for (int side = 0; side < 2 && k % 2; side++)
      add_box(&text, "[0.115, 0.12, 0.08]", side ? 19 * 0.245 + 0.0625 : -0.0625, 0, height);
  }
  strcat(text.at, "]}");
  TestRun run = test_run(text.at, NULL);
  strays(&run, 10);
  const double far = strays(&run, 40);
  cr_expect_lt(far, 1e-7, "%g m", far);
  test_run_free(&run);
}

// Three boxes that are 2 mm in one another, and beside them others, deeper, in a tower of eight, or none: the three move as if they were
// alone, to the bit, though what is deep is parted in every step.
Test(touch_piles, what_is_deep_is_parted_by_islands_each_as_if_it_were_alone) {
  static Text text;
  double alone[3 * 4] = {0};
  for (int others = 0; others < 2; others++) {
    begin(&text,
          "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 25, \"tolerance\": 1e-14}");
    for (int k = 0; k < 3; k++) add_box(&text, "[0.5, 0.5, 0.5]", 0.02 * k, 0.01 * k, 0.249 + 0.498 * k);
    for (int k = 0; k < 8 * others; k++)
      add_box(&text, "[0.5, 0.5, 0.5]", 5 - 0.01 * k, 0.01 * k, 0.247 + 0.494 * k);
    strcat(text.at, "]}");
    TestRun run = test_run(text.at, NULL);
    for (int step = 0; step < 10; step++) {
      test_steps(run.sim, 1);
      if (!step) cr_expect_gt(run.sim->constraining->told[MB_SOLVED_DEEPEST], 1e-3);
    }
    for (size_t b = 1; b < 4; b++) {
      if (!others) memcpy(alone + 3 * b, run.sim->x.E[b].p, 3 * sizeof *alone);
      cr_expect_arr_eq(run.sim->x.E[b].p, alone + 3 * b, 3 * sizeof *alone, "body %zu: %.17g, %.17g", b,
                       run.sim->x.E[b].p[2], alone[3 * b + 2]);
    }
    test_run_free(&run);
  }
}

// A few sweeps look for contacts once a step, where it begins: what is then deep goes out by where those have got to, which of a corner on the
// ground is its depth to rounding, however the box turns.
Test(touch_piles, a_few_sweeps_part_what_is_deep_by_the_contacts_of_the_step) {
  static Text text;
  begin(&text, "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 10}");
  add_box(&text, "[0.5, 0.5, 0.5]", 0, 0, 0.245);
  add_box(&text, "[0.5, 0.5, 0.5]", 2, 0, 0.6);
  strcat(text.at, "]}");
  TestRun run = test_run(text.at, NULL);
  const double *v = run.sim->state.v + run.model->v_first[2];
  double tilt[6] = {1.5, -0.7, 0.4, 0, 0, -2};
  memcpy(run.sim->state.v + run.model->v_first[2], tilt, sizeof tilt);
  double deepest = 0;
  for (int step = 0; step < 300; step++) {
    test_steps(run.sim, 1);
    cr_expect(!run.sim->touching->fresh);
    deepest = run.sim->constraining->told[MB_SOLVED_DEEPEST];
  }
  cr_expect_lt(deepest, 1e-5, "%g", deepest);
  cr_expect_float_eq(run.sim->x.E[1].p[2], 0.25, 1e-5, "%.9g", run.sim->x.E[1].p[2]);
  cr_expect_float_eq(run.sim->x.E[2].p[2], 0.25, 1e-5, "%.9g", run.sim->x.E[2].p[2]);
  for (int k = 0; k < 6; k++) cr_expect_lt(fabs(v[k]), 1e-3, "%g", v[k]);
  test_run_free(&run);
}

// A block of 1,440 times the mass of a box falls flat onto three layers of 16: the step behind the blow begins from impulses that are fifty times too large.
static void land_flat(const char *contact) {
  static Text text;
  begin(&text, contact);
  for (int k = 0; k < 48; k++)
    add_box(&text, "[0.1, 0.1, 0.1]", 0.1 * (k % 4) - 0.15, 0.1 * (k / 4 % 4) - 0.15, 0.1 * (k / 16) + 0.05);
  strcat(text.at, ", {\"name\": \"heavy\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.4, 0.2]}, "
                  "\"density\": 22500, \"pose\": {\"position\": [0, 0, 0.45]}, "
                  "\"velocity\": {\"linear\": [0, 0, -5]}}]}");
  TestRun run = test_run(text.at, NULL);
  test_steps(run.sim, 4);
  cr_expect_eq(missed(&run), 0, "%s: %g", contact, mb_section(run.sim, MB_SECTION_TOLD)[MB_SOLVED_WORST]);
  cr_expect_float_eq(run.sim->x.E[49].p[2], 0.4, 1e-3, "%.9g", run.sim->x.E[49].p[2]);
  test_run_free(&run);
}

// All methods ended with a message.
Test(touch_piles, a_heavy_block_that_falls_onto_light_boxes_comes_to_its_tolerance) {
  land_flat("{\"friction\": 0.4, \"tolerance\": 1e-4}");
}

// The same to tolerances that are less; and blocks of 2,300 and 280,000 times the mass of a box that come down askew, on one edge, on a layer of 49.
Test(touch_piles_long, heavy_blocks_that_fall_onto_light_boxes_come_to_their_tolerance, TEST_LONG) {
  static const double densities[] = {6000, 720000};
  static Text text;
  land_flat("{\"friction\": 0.4, \"tolerance\": 1e-6}");
  land_flat("{\"friction\": 0.4, \"tolerance\": 1e-8}");
  for (size_t i = 0; i < 2; i++) {
    begin(&text, "{\"friction\": 0.5, \"tolerance\": 1e-4}");
    for (int k = 0; k < 49; k++)
      add_box(&text, "[0.1, 0.1, 0.1]", 0.1 * (k % 7) - 0.3, 0.1 * (k / 7) - 0.3, 0.05);
    char heavy[400];
    snprintf(
        heavy, sizeof heavy,
        ", {\"name\": \"heavy\", \"shape\": {\"type\": \"box\", \"size\": [0.8, 0.8, 0.3]}, \"density\": %g, "
        "\"pose\": {\"position\": [0.01, 0.02, 0.3], \"rotation\": {\"axis\": [1, 0.3, 0], \"angle\": 0.1}}, "
        "\"velocity\": {\"linear\": [0, 0, -2]}}]}",
        densities[i]);
    strcat(text.at, heavy);
    const char *const sets[] = {"/time/step=0.005", NULL};
    TestRun run = test_run(text.at, sets);
    test_steps(run.sim, 2);
    cr_expect_eq(missed(&run), 0, "%g: %g", densities[i],
                 mb_section(run.sim, MB_SECTION_TOLD)[MB_SOLVED_WORST]);
    test_run_free(&run);
  }
}

// Boxes that are knocked over, and dominoes that push one another: 40 and 27 of 1,000 steps were missed by the other methods alone.
Test(touch_piles_long, the_examples_with_many_blows_miss_hardly_a_step) {
  static const char *const scenes[] = {"contact/stack", "contact/dominoes"};
  for (size_t i = 0; i < 2; i++) {
    TestRun run = test_run(scenes[i], NULL);
    test_steps(run.sim, 1000);
    cr_expect_leq(missed(&run), 3, "%s: %g", scenes[i], missed(&run));
    test_run_free(&run);
  }
}

// ---- the same run -----------------------------------------------------------------------------------------

// Twenty boxes and balls that fall over one another.
static void write_heap(Text *text, const char *contact) {
  enum { MANY = 20 };
  begin(text, contact);
  for (int k = 0; k < MANY; k++) {
    text->n += (size_t)snprintf(
        text->at + text->n, sizeof text->at - text->n,
        ", {\"name\": \"%d\", \"density\": 500, \"shape\": %s, \"pose\": {\"position\": [%.9g, %.9g, %.9g], "
        "\"rotation\": "
        "{\"axis\": [1, %d, 2], \"angle\": %g}}, \"velocity\": {\"linear\": [%.9g, 0, -1]}}",
        k,
        k % 3 ? "{\"type\": \"box\", \"size\": [0.3, 0.4, 0.25]}" : "{\"type\": \"sphere\", \"radius\": 0.2}",
        0.5 * (k % 2) + 0.03 * k, 0.5 * (k / 2 % 2), 0.4 + 0.5 * (k / 4), k, 0.3 * k, 0.1 * (k % 5) - 0.2);
  }
  strcat(text->at, "]}");
}

static const char heap[] = "{\"friction\": 0.5, \"restitution\": 0.3, \"tolerance\": 1e-12}";

Test(touch_piles_long, any_number_of_threads_makes_the_same_bits_of_a_heap, TEST_LONG) {
  static const char *const ways[] = {"/contact/friction=0.4", "/contact/method=\"gauss_seidel\"",
                                     "/contact={\"method\": \"gauss_seidel\", \"iterations\": 10}",
                                     "/solver=\"maximal\""};
  static const char *const threads[] = {"/solver/threads=1", "/solver/threads=2", "/solver/threads=8"};
  static Text text;
  write_heap(&text, heap);
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    double bodies[3][18 * 21];
    size_t n = 0;
    for (size_t k = 0; k < 3; k++) {
      const char *const sets[] = {w == 3 ? "/solver={\"type\": \"maximal\"}"
                                         : "/solver={\"type\": \"redmax\"}",
                                  threads[k], w == 3 ? NULL : ways[w], NULL};
      TestRun run = test_run(text.at, sets);
      test_steps(run.sim, 60);
      cr_assert_gt(run.sim->touching->last.n, 10);
      n = test_bodies(run.sim, bodies[k], 18 * 21);
      test_run_free(&run);
    }
    cr_expect_arr_eq(bodies[0], bodies[1], n * sizeof(double), "%s, two threads", ways[w]);
    cr_expect_arr_eq(bodies[0], bodies[2], n * sizeof(double), "%s, eight threads", ways[w]);
  }
}

Test(touch_piles_long, a_heap_that_is_resumed_goes_on_bit_for_bit, TEST_LONG) {
  static Text text;
  write_heap(&text, heap);
  TestRun one = test_run(text.at, NULL), other = test_run(text.at, NULL);
  for (int k = 0; k < 4; k++) test_resumes(one.sim, other.sim, 20, 10, "a heap");
  cr_expect_gt(one.sim->touching->last.n, 20);
  test_run_free(&one), test_run_free(&other);
}

// A heavy block falls onto 27 light boxes: few sweeps do not stop it in a step, and impulses that stopped something are far too large for the next one.
// By how much the energy is above the least that it has been, less what parting adds.
static double rises(const char *cone) {
  static Text text;
  char contact[120];
  snprintf(contact, sizeof contact,
           "{\"friction\": 0.4, \"cone\": \"%s\", \"method\": \"gauss_seidel\", \"iterations\": 10}", cone);
  begin(&text, contact);
  for (int k = 0; k < 27; k++)
    add_box(&text, "[0.1, 0.1, 0.1]", 0.1 * (k % 3 - 1), 0.1 * (k / 3 % 3 - 1), 0.05 + 0.1 * (k / 9));
  strcat(text.at, ", {\"name\": \"block\", \"density\": 128000, \"shape\": {\"type\": \"box\", \"size\": "
                  "[0.3, 0.3, 0.2]}, \"pose\": {\"position\": [0, 0, 0.45]}, \"velocity\": {\"linear\": [0, "
                  "0, -5]}}]}");
  TestRun run = test_run(text.at, NULL);
  double least = INFINITY, most = 0;
  size_t n;
  for (int step = 0; step < 60; step++) {
    test_steps(run.sim, 1);
    const double *energy = test_channel(run.sim, "energy", &n), now = energy[3] - energy[5];
    least = fmin(least, now);
    most = fmax(most, now - least);
  }
  test_run_free(&run);
  return most;
}

Test(touch_piles, few_sweeps_below_what_falls_add_no_energy) {
  static const char *const cones[] = {"cone", "pyramid"}; // by mb_touch_is_pile() or by rows
  for (size_t k = 0; k < 2; k++) {
    const double most = rises(cones[k]);
    cr_expect_lt(most, 30, "%s: %g J", cones[k], most);
  }
}
