// The examples of contact: each does what its description says.
#include "core/sim/constrain_internal.h"
#include "core/sim/body_frame.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static size_t body(const TestRun *run, const char *name) {
  for (size_t b = 0; b < run->model->nb; b++)
    if (!strcmp(run->model->body_name[b], name)) return b;
  cr_assert_fail("there is no body %s", name);
  return 0;
}

static const double *place(const TestRun *run, const char *name) { return run->sim->x.E[body(run, name)].p; }

// The height of the body's z axis: 1 where it stands upright.
static double upright(const TestRun *run, const char *name) {
  double up[3];
  mb_quat_rotate(up, run->sim->x.E[body(run, name)].q, (double[]){0, 0, 1});
  return up[2];
}

// Angular and linear velocity of a body's centre of mass, in the world.
static void velocity(const TestRun *run, const char *name, double out[6]) {
  const size_t b = body(run, name);
  mb_quat_rotate(out, run->sim->x.E[b].q, run->sim->x.phi + 6 * b);
  mb_quat_rotate(out + 3, run->sim->x.E[b].q, run->sim->x.phi + 6 * b + 3);
}

// The scene after so many seconds.
static TestRun after(const char *scene, double seconds, const char *set) {
  const char *const sets[] = {set, NULL};
  TestRun run = test_run(scene, sets);
  test_steps(run.sim, (int64_t)(seconds / run.model->h + 0.5));
  return run;
}

// How far the body that has gone farthest has gone.
static double moved(const TestRun *run, const MbPose *from) {
  double most = 0, d[3];
  for (size_t b = 0; b < run->model->nb; b++) {
    mb_vec3_sub(d, run->sim->x.E[b].p, from[b].p);
    most = fmax(most, mb_vec3_norm(d));
  }
  return most;
}

// The same over some seconds.
static double strays(const char *scene, double seconds, const char *set) {
  enum { MOST = 64 };
  MbPose from[MOST];
  const char *const sets[] = {set, NULL};
  TestRun run = test_run(scene, sets);
  cr_assert_leq(run.model->nb, MOST);
  memcpy(from, run.sim->x.E, run.model->nb * sizeof *from);
  test_steps(run.sim, (int64_t)(seconds / run.model->h + 0.5));
  const double most = moved(&run, from);
  test_run_free(&run);
  return most;
}

Test(contact_scenes, a_thrown_ball_comes_to_roll_and_knocks_all_ten_pins_over) {
  TestRun run = after("contact/bowling", 0.59, NULL);
  double v[6];
  velocity(&run, "ball", v);
  cr_expect_float_eq(v[3], v[1] * 0.108, 1e-6, "%g m/s, %g rad/s", v[3], v[1]);
  // (5 v + 2 r ω) / 7 at the start
  cr_expect_float_eq(v[3], (5 * 7 + 2 * 0.108 * 20) / 7, 1e-6, "%g m/s", v[3]);
  test_steps(run.sim, 1200);
  for (int i = 1; i <= 10; i++) {
    char name[20];
    snprintf(name, sizeof name, "pin %d", i);
    cr_expect_lt(upright(&run, name), 0.5, "%s stands", name);
  }
  test_run_free(&run);
}

Test(contact_scenes_long, the_card_house_stands_a_minute_by_friction_alone, TEST_LONG) {
  const double stands = strays("contact/card_house", 60, NULL);
  cr_expect_lt(stands, 1e-8, "it moves by %g m", stands);
  const double falls = strays("contact/card_house", 0.1, "/contact/friction=0.1");
  cr_expect_gt(falls, 1e-3, "without friction it moves by %g m", falls);
}

Test(contact_scenes, the_gripper_lifts_its_box_which_does_not_slip) {
  TestRun run = after("contact/gripper", 1, NULL);
  const double start = place(&run, "box")[2] - place(&run, "left finger")[2];
  test_steps(run.sim, 1500);
  const double *box = place(&run, "box"), *finger = place(&run, "left finger");
  cr_expect_gt(box[2], 0.47);
  cr_expect_float_eq(box[2] - finger[2], start, 1e-7, "it slips by %g m", box[2] - finger[2] - start);
  cr_expect_lt(hypot(box[0], box[1]), 1e-7);
  // without enough friction it stays below
  TestRun slips = after("contact/gripper", 3, "/contact/friction=0.15");
  cr_expect_lt(place(&slips, "box")[2], 0.1);
  test_run_free(&slips);
  test_run_free(&run);
}

Test(contact_scenes, a_rattleback_turns_back) {
  TestRun run = after("contact/rattleback", 0.5, NULL);
  double v[6];
  velocity(&run, "stone", v);
  cr_expect_lt(v[2], -2.9);
  test_steps(run.sim, (int64_t)(2.5 / run.model->h));
  velocity(&run, "stone", v);
  cr_expect_gt(v[2], 2, "%g rad/s", v[2]);
  test_run_free(&run);
  // the other way it spins on
  TestRun other = after("contact/rattleback", 1, "/bodies/1/velocity/angular=[0.02,0,3]");
  velocity(&other, "stone", v);
  cr_expect_gt(v[2], 2.9, "%g rad/s", v[2]);
  test_run_free(&other);
}

Test(contact_scenes, a_tippe_top_turns_over_and_stands_on_its_stem) {
  TestRun run = after("contact/tippe_top", 0.5, NULL);
  cr_expect_gt(upright(&run, "top"), 0.95);
  test_steps(run.sim, (int64_t)(2.3 / run.model->h));
  cr_expect_lt(upright(&run, "top"), -0.6, "it leans to %g", upright(&run, "top"));
  test_run_free(&run);
}

Test(contact_scenes, a_spinning_top_rises) {
  TestRun run = after("contact/spinning_top", 2.5, NULL);
  cr_expect_gt(upright(&run, "top"), cos(0.16), "it leans by %g", acos(upright(&run, "top")));
  // without friction it does not
  TestRun smooth = after("contact/spinning_top", 2.5, "/contact/friction=0");
  double least = 1;
  for (int i = 0; i < 1000; i++) {
    test_steps(smooth.sim, 1);
    least = fmin(least, upright(&smooth, "top"));
  }
  cr_expect_lt(least, cos(0.3), "it leans by no more than %g", acos(least));
  test_run_free(&smooth);
  test_run_free(&run);
}

Test(contact_scenes, a_ball_with_backspin_comes_back_at_the_speed_that_its_angular_momentum_gives) {
  TestRun run = after("contact/backspin", 2.5, NULL);
  double v[6];
  velocity(&run, "ball", v);
  // about a line in the floor nothing turns it: m r v + 2/5 m r² ω stays
  const double wanted[3] = {(5 * 2 - 2 * 0.1 * 80) / 7.0, 0, 0}, rolls[3] = {10.0 / 7, 0, 0};
  test_near("with spin", v + 3, wanted, 3, 1e-9);
  velocity(&run, "without spin", v);
  test_near("without", v + 3, rolls, 3, 1e-9);
  test_run_free(&run);
}

Test(contact_scenes, the_ladder_slides_from_the_closed_forms_friction_down) {
  const double needed = cos(M_PI / 4) / 2 / (sin(M_PI / 4) + 0.02 / 3);
  char less[60], more[60];
  snprintf(less, sizeof less, "/parameters/friction=%.17g", needed - 1e-5);
  snprintf(more, sizeof more, "/parameters/friction=%.17g", needed + 1e-5);
  const double falls = strays("contact/ladder", 1, less), stands = strays("contact/ladder", 1, more);
  cr_expect_gt(falls, 1e-5, "just below it slides by %g m", falls);
  cr_expect_lt(stands, 1e-9, "just above it slides by %g m", stands);
}

Test(contact_scenes, bricks_stand_out_by_a_half_a_quarter_a_sixth_and_an_eighth) {
  const double stands = strays("contact/overhang", 0.5, "/parameters/share=0.9999"),
               falls = strays("contact/overhang", 0.5, "/parameters/share=1.0001");
  cr_expect_lt(stands, 1e-9, "a little less moves by %g m", stands);
  cr_expect_gt(falls, 1e-5, "a little more moves by %g m", falls);
}

// What the rate is after an impact by what it was before, at those that are told apart by its jump.
Test(contact_scenes, each_impact_of_the_rocking_block_leaves_housners_share_of_its_rate) {
  const char *const sets[] = {"/time/step=0.0001", NULL};
  TestRun run = test_run("contact/rocking_block", sets);
  const double alpha = 0.2, share = 1 - 1.5 * sin(alpha) * sin(alpha);
  const size_t b = body(&run, "block");
  double rate[8] = {0}, lean = 1;
  int impacts = 0;
  // the rates some steps before and after the block is level, carried there: near to it they change by g tan(α) 3/4/d
  for (int step = 0; step < 20000 && impacts < 3; step++) {
    double side[3];
    memmove(rate, rate + 1, 7 * sizeof *rate);
    test_steps(run.sim, 1);
    rate[7] = run.sim->x.phi[6 * b + 1];
    mb_quat_rotate(side, run.sim->x.E[b].q, (double[]){1, 0, 0});
    const double before = lean;
    lean = -side[2];
    if (before * lean > 0 || step < 10) continue;
    for (int more = 0; more < 4; more++) {
      memmove(rate, rate + 1, 7 * sizeof *rate);
      test_steps(run.sim, 1);
      rate[7] = run.sim->x.phi[6 * b + 1];
    }
    mb_quat_rotate(side, run.sim->x.E[b].q, (double[]){1, 0, 0});
    lean = -side[2];
    cr_expect_float_eq(rate[7] / rate[0], share, 0.01, "impact %d: %g of it, wanted %g", impacts,
                       rate[7] / rate[0], share);
    impacts++;
  }
  cr_expect_eq(impacts, 3);
  test_run_free(&run);
}

Test(contact_scenes, a_break_at_billiards_stays_on_the_table_and_gains_no_energy) {
  TestRun run = after("contact/billiards", 0, NULL);
  const double first = mb_energy(run.model, &run.sim->x).total;
  double before = first;
  for (int step = 0; step < 1500; step++) {
    test_steps(run.sim, 1);
    const double now = mb_energy(run.model, &run.sim->x).total;
    cr_assert(now <= before + 1e-9 * first, "step %d: %g J more", step, now - before);
    before = now;
  }
  int went = 0;
  for (int i = 1; i <= 15; i++) {
    char name[20];
    snprintf(name, sizeof name, "ball %d", i);
    const double *p = place(&run, name);
    cr_expect(fabs(p[0]) < 1.27 - 0.028 && fabs(p[1]) < 0.635 - 0.028, "%s is beyond the cushion", name);
    went += hypot(p[0] - 0.55, p[1]) > 0.25;
  }
  cr_expect_geq(went, 8, "%d balls have gone somewhere", went);
  test_run_free(&run);
}

Test(contact_scenes, the_balls_of_galtons_board_are_all_in_its_bins, TEST_LONG) {
  TestRun run = after("contact/galton", 3, NULL);
  int bins[8] = {0}, full = 0;
  for (int i = 1; i <= 24; i++) {
    char name[20];
    snprintf(name, sizeof name, "ball %d", i);
    const double *p = place(&run, name);
    cr_assert(fabs(p[0]) < 0.24 && p[2] > 0.0109 && p[2] < 0.4, "%s is at %g, %g", name, p[0], p[2]);
    bins[(int)((p[0] + 0.24) / 0.06)]++;
  }
  for (int i = 0; i < 8; i++) full += bins[i] > 0;
  cr_expect_geq(full, 4);
  test_run_free(&run);
}

Test(contact_scenes, the_wrecking_ball_breaks_the_wall) {
  TestRun run = after("contact/wrecking_ball", 0, NULL);
  MbPose from[64];
  memcpy(from, run.sim->x.E, run.model->nb * sizeof *from);
  test_steps(run.sim, 700);
  int gone = 0;
  for (size_t b = 0; b < run.model->nb; b++) {
    double d[3];
    if (strncmp(run.model->body_name[b], "brick", 5) != 0) continue;
    mb_vec3_sub(d, run.sim->x.E[b].p, from[b].p);
    gone += mb_vec3_norm(d) > 0.2;
  }
  cr_expect_geq(gone, 4, "%d bricks are gone", gone);
  test_run_free(&run);
}

// Methods by name, as patient as they are where a scene does not say how many iterations: plain turns gained too little for the arch's first step,
// and 200 turns of ADMM too little for marbles in a bowl, which ended the run.
Test(contact_scenes, the_arch_and_marbles_are_solved_by_methods_by_name, TEST_LONG) {
  static const struct {
    const char *scene, *set;
    int64_t steps;
    int missed; // at most: of marbles that jam
  } runs[] = {{"contact/arch", "/contact/method=\"staggered\"", 20, 0},
              {"contact/arch", "/contact/method=\"admm\"", 20, 0},
              {"contact/bowl", "/contact/method=\"staggered\"", 170, 1},
              {"contact/bowl", "/contact/method=\"admm\"", 170, 5}};
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    TestRun run = after(runs[k].scene, 0, runs[k].set);
    test_steps(run.sim, runs[k].steps);
    const double *told = mb_section(run.sim, MB_SECTION_TOLD);
    cr_expect(told[MB_SOLVED_MISSED] <= runs[k].missed && told[MB_SOLVED_WORST] < 1e-4,
              "%s by %s: %g steps are not solved, worst %g", runs[k].scene, runs[k].set,
              told[MB_SOLVED_MISSED], told[MB_SOLVED_WORST]);
    test_run_free(&run);
  }
}

// A step near the end, of 107 contacts, is solved by staggered projections and by Newton's method begun anew alone.
Test(contact_scenes, the_mixer_carries_things_up_and_keeps_them, TEST_LONG) {
  TestRun run = after("contact/mixer", 0, NULL);
  double highest = 0;
  for (int step = 0; step < 1200; step++) {
    test_steps(run.sim, 1);
    for (size_t b = 0; b < run.model->nb; b++) {
      const double *p = run.sim->x.E[b].p;
      if (!run.model->joint[b].ops) {
        cr_assert(hypot(p[0], p[2] - 0.5) < 0.4 && fabs(p[1]) < 0.15, "%s is outside",
                  run.model->body_name[b]);
        if (step > 400) highest = fmax(highest, p[2]);
      }
    }
  }
  cr_expect_gt(highest, 0.25, "nothing is higher than %g m", highest);
  cr_expect_eq(mb_section(run.sim, MB_SECTION_TOLD)[MB_SOLVED_MISSED], 0);
  test_run_free(&run);
}

// The ground carries the bowl, and the bowl, whose mesh is not convex, the marbles.
Test(contact_scenes, marbles_come_to_rest_in_a_bowl_that_is_a_mesh) {
  TestRun run = after("contact/bowl", 2.99, NULL);
  double v[6], weight = 0, push = 0;
  for (size_t b = 0; b < run.model->nb; b++) weight += run.model->M[6 * b + 3] * 9.81;
  for (int i = 1; i <= 10; i++) {
    char name[20];
    snprintf(name, sizeof name, "marble %d", i);
    const double *p = place(&run, name);
    const double deep = 0.32 - p[2],
                 out = hypot(hypot(p[0], p[1]), deep); // from the middle of the inner ball
    velocity(&run, name, v);
    cr_expect(out < 0.266 && p[2] < 0.15, "%s is at %g, %g, %g", name, p[0], p[1], p[2]);
    cr_expect_lt(mb_vec3_norm(v + 3), 0.02, "%s", name);
  }
  // over the last steps, as marbles still roll a little
  const size_t ground = body(&run, "ground");
  const MbSolid *solids = run.model->contacts.solids;
  const MbPushes *last = &run.sim->touching->last;
  for (int step = 0; step < 5; step++) {
    test_steps(run.sim, 1);
    for (size_t i = 0; i < last->n; i++)
      if (solids[last->touch[i].a].body == ground) push += last->touch[i].lambda[0] / run.model->h / 5;
  }
  weight -= run.model->M[6 * body(&run, "ground") + 3] * 9.81;
  cr_expect_float_eq(push, weight, 0.01 * weight, "%g N of %g", push, weight);
  test_run_free(&run);
}

// A step of 24 contacts is solved by ADMM alone, by some 2,000 of its turns.
Test(contact_scenes, every_step_of_the_stack_that_a_ball_knocks_over_comes_to_its_tolerance) {
  TestRun run = after("contact/stack", 1.7, NULL);
  const double *told = mb_section(run.sim, MB_SECTION_TOLD);
  cr_expect_eq(told[MB_SOLVED_MISSED], 0, "%g steps missed, natural map %g", told[MB_SOLVED_MISSED],
               told[MB_SOLVED_WORST]);
  cr_expect_gt(told[MB_SOLVED_MOST], 20);
  test_run_free(&run);
}

// Height and turning of the nut about the bolt.
static void nut_of(const TestRun *run, double *height, double *angle) {
  MbPose B;
  mb_sim_body_frame(run->sim, body(run, "nut"), &B);
  *height = B.p[2];
  *angle = 2 * atan2(B.q[3], B.q[0]);
}

// It goes down by the thread's pitch a turn, within what the thread has to spare, and gains nothing; with enough friction it comes to rest.
Test(contact_scenes_long, the_nut_turns_down_its_bolt_by_contact_alone, TEST_LONG) {
  static const double PITCH = 0.3, START = 0.9, SPARE = 0.005, STILL = 1e-9; // m; rad over 50 ms
  double height, angle, before;
  TestRun run = after("contact/screw", 0.4, NULL);
  nut_of(&run, &height, &angle);
  cr_expect_lt(angle, -0.3);
  cr_expect_float_eq(height, START + PITCH * angle / (2 * acos(-1)), SPARE, "%g m, %g rad", height, angle);
  test_run_free(&run);
  run = after("contact/screw", 0.3, "/parameters/friction=0.6");
  nut_of(&run, &height, &before);
  test_steps(run.sim, 10);
  nut_of(&run, &height, &angle);
  cr_expect_float_eq(angle, before, STILL, "%g rad", angle - before);
  // friction on these flanks, at radii of 0.14 to 0.124 m, stops it after 0.23 to 0.31 rad
  cr_expect_float_eq(before, -0.27, 0.05, "%g rad", before);
  test_run_free(&run);
}

// A tooth that came into another one along its tip's face would stop the motor for a moment.
Test(contact_scenes, the_gears_turn_by_contact_in_the_ratio_of_their_teeth, TEST_LONG) {
  static const double PLAY = 0.0105, LEAST = 2.7; // rad of the pinion, between teeth; rad/s of 3
  static const char *const frictions[] = {"/parameters/friction=0.1", "/parameters/friction=0.4"};
  for (size_t k = 0; k < 2; k++) {
    TestRun run = after("contact/gears", 0.05, frictions[k]);
    double most = -INFINITY, least = INFINITY, slowest = INFINITY;
    for (int step = 0; step < 400; step++) {
      size_t n = 0;
      test_steps(run.sim, 1);
      const double *angle = test_channel(run.sim, "joint.position", &n);
      const double play = angle[0] + 1.5 * angle[1];
      most = fmax(most, play), least = fmin(least, play);
      slowest = fmin(slowest, test_channel(run.sim, "joint.velocity", &n)[0]);
    }
    cr_expect_gt(slowest, LEAST, "%s: %g rad/s", frictions[k], slowest);
    cr_expect_lt(most - least, PLAY, "%s: %g rad", frictions[k], most - least);
    cr_expect_lt(test_channel(run.sim, "joint.position", &(size_t){0})[1], -0.8);
    test_run_free(&run);
  }
}

Test(contact_scenes, the_links_hang_in_one_another_as_they_swing, TEST_LONG) {
  static const double MOST = 0.162, TUBE = 0.02; // m between middles: a hole's width less a bar's
  TestRun run = after("contact/links", 0.5, NULL);
  for (size_t b = 1; b < run.model->nb; b++) {
    double d[3];
    mb_vec3_sub(d, run.sim->x.E[b].p, run.sim->x.E[b - 1].p);
    cr_expect(mb_vec3_norm(d) < MOST && mb_vec3_norm(d) > TUBE, "link %zu: %g m", b + 1, mb_vec3_norm(d));
  }
  cr_expect_leq(run.sim->constraining->told[MB_SOLVED_DEEPEST], 0.02);
  // in the plane in which it swings, on the way to its other side
  cr_expect(fabs(run.sim->x.E[5].p[1]) < 1e-3 && run.sim->x.E[5].p[2] < -0.5);
  test_run_free(&run);
}

// The middle of a deformable's nodes.
static void middle(const TestRun *run, double out[3]) {
  size_t n = 0;
  char name[60];
  snprintf(name, sizeof name, "deformable.%s.position", run->model->deformables[0].name);
  const double *x = test_channel(run->sim, name, &n);
  mb_vec3_set(out, 0, 0, 0);
  for (size_t i = 0; i < n / 3; i++) mb_vec3_add_scaled(out, out, 3 / (double)n, x + 3 * i);
}

Test(contact_scenes, the_rollers_draw_the_soft_ball_through, TEST_LONG) {
  TestRun run = after("contact/rollers", 0.3, NULL);
  double m[3];
  middle(&run, m);
  cr_expect(m[2] > 0.5 && m[2] < 0.6, "it is between them: %g", m[2]);
  test_steps(run.sim, 140);
  middle(&run, m);
  cr_expect(m[2] < 0.3 && fabs(m[0]) < 0.01, "it has fallen out below: %g, %g", m[0], m[2]);
  test_run_free(&run);
}

Test(contact_scenes, the_soft_ball_goes_down_the_stairs) {
  TestRun run = after("contact/soft_ball", 1.5, NULL);
  double m[3];
  middle(&run, m);
  cr_expect(m[0] > 0.5 && m[2] < 0.13, "it is at %g, %g", m[0], m[2]);
  test_run_free(&run);
}

// Its highest nodes lie on the sphere, half of the thickness away, and the rest hangs around it.
Test(contact_scenes, the_cloth_hangs_on_the_sphere, TEST_LONG) {
  TestRun run = after("contact/cloth_sphere", 1.0, NULL);
  size_t n = 0;
  const double *x = test_channel(run.sim, "deformable.cloth.position", &n);
  double highest = 0, lowest = 2, nearest = 1, d[3];
  for (size_t i = 0; i < n; i += 3) {
    mb_vec3_sub(d, x + i, (double[]){0, 0, 0.8});
    highest = fmax(highest, x[i + 2]), lowest = fmin(lowest, x[i + 2]);
    nearest = fmin(nearest, mb_vec3_norm(d));
  }
  cr_expect_float_eq(highest, 1.1005, 1e-5, "%.9g", highest);
  cr_expect_float_eq(nearest, 0.3005, 1e-6, "%.9g", nearest);
  cr_expect(lowest > 0.3 && lowest < 0.7, "%g", lowest);
  test_run_free(&run);
}

static void extent(const TestRun *run, double *lowest, double *highest) {
  size_t n = 0;
  const double *x = test_channel(run->sim, "deformable.cloth.position", &n);
  *lowest = INFINITY, *highest = -INFINITY;
  for (size_t i = 2; i < n; i += 3) *lowest = fmin(*lowest, x[i]), *highest = fmax(*highest, x[i]);
}

// Their edges are at 0.5 m.
Test(contact_scenes, the_cloth_hangs_on_the_knives, TEST_LONG) {
  TestRun run = after("contact/cloth_knives", 1.0, NULL);
  double lowest, highest;
  extent(&run, &lowest, &highest);
  cr_expect(highest > 0.5 && highest < 0.56 && lowest > 0.2, "from %g to %g", lowest, highest);
  test_run_free(&run);
}

// The corner ends 0.3 + 0.24 + √3/10 m high.
Test(contact_scenes, the_sharp_corner_lifts_the_cloth) {
  TestRun run = after("contact/sharp_corner", 1.0, NULL);
  double lowest, highest;
  extent(&run, &lowest, &highest);
  cr_expect(highest > 0.6 && highest < 0.72, "from %g to %g", lowest, highest);
  test_run_free(&run);
}

// The middle row's nodes before the end that is carried are on those of the first half.
Test(contact_scenes, the_folded_cloth_lies_on_itself, TEST_LONG) {
  TestRun run = after("contact/folding", 1.2, NULL);
  size_t n = 0;
  const double *x = test_channel(run.sim, "deformable.cloth.position", &n);
  for (size_t i = 5; i < 8; i++)
    cr_expect_gt(x[3 * (9 + i) + 2], 0.0149, "node %zu is at %g", i, x[3 * (9 + i) + 2]);
  test_run_free(&run);
}

Test(contact_scenes, the_chain_catches_its_balls) {
  TestRun run = after("contact/chain", 2, NULL);
  for (int i = 1; i <= 3; i++) {
    char name[20];
    snprintf(name, sizeof name, "ball %d", i);
    const double *p = place(&run, name);
    cr_expect(p[2] > 0.5 && fabs(p[0]) < 0.3, "%s is at %g, %g", name, p[0], p[2]);
  }
  test_run_free(&run);
}

Test(contact_scenes, a_plate_on_balls_and_they_have_the_accelerations_of_what_rolls) {
  const char *const sets[] = {"/contact/tolerance=1e-13", "/time/duration=1", NULL};
  TestRun run = test_run("contact/rolling_plate", sets);
  test_steps(run.sim, 500);
  double v[6], a[3] = {0.5, sqrt(3) / 2, 0}, wanted[3];
  const double t = 500 * run.model->h;
  mb_vec3_scale(wanted, 0.8 * t, a);
  velocity(&run, "plate", v);
  test_near("plate", v + 3, wanted, 3, 1e-10);
  mb_vec3_scale(wanted, 0.4 * t, a);
  for (int i = 0; i < 25; i++) {
    char name[20];
    snprintf(name, sizeof name, "ball %d %d", i / 5 + 1, i % 5 + 1);
    velocity(&run, name, v);
    test_near(name, v + 3, wanted, 3, 1e-10);
  }
  test_run_free(&run);
}

Test(contact_scenes, the_arch_stands_and_with_little_friction_falls) {
  cr_expect_lt(strays("contact/arch", 0.5, NULL), 1e-8);
  cr_expect_gt(strays("contact/arch", 0.5, "/parameters/friction=0.3"), 0.05);
}

Test(contact_scenes, the_rope_over_the_drum_holds_its_weights_up_to_a_ratio) {
  cr_expect_lt(strays("contact/capstan", 0.3, NULL), 1e-6);
  cr_expect_gt(strays("contact/capstan", 0.3, "/parameters/heavy=2.9"), 0.005);
}

Test(contact_scenes_long, the_net_catches_its_balls, TEST_LONG) {
  TestRun run = after("contact/catching_net", 2.5, NULL);
  for (int i = 1; i <= 5; i++) {
    char name[20];
    snprintf(name, sizeof name, "ball %d", i);
    const double *p = place(&run, name);
    cr_expect(p[2] > 0.8 && p[2] < 1.2 && fabs(p[0]) < 0.6 && fabs(p[1]) < 0.6, "%s is at %g, %g, %g", name,
              p[0], p[1], p[2]);
  }
  test_run_free(&run);
}

Test(contact_scenes_long, the_soft_fingers_lift_their_box, TEST_LONG) {
  TestRun run = after("contact/soft_gripper", 1.7, NULL);
  const double high = place(&run, "box")[2], palm = place(&run, "palm")[2];
  cr_expect(high > 0.22, "it is %g m high", high);
  test_steps(run.sim, 50);
  const double slips = place(&run, "box")[2] - high - (place(&run, "palm")[2] - palm);
  cr_expect(fabs(slips) < 1e-3, "it slips by %g m", slips);
  test_run_free(&run);
}
