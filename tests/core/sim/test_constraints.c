// Constraints in motion: mechanisms over many seconds, sets that are redundant or contradict themselves, runs that go on.
#include "tests/core/sim/constraint_runs.h"

#include <stdio.h>
#include <string.h>

#define SOLVER(dynamics_, stabilization_)                                                                    \
  "/solver={\"type\": \"redmax\", \"dynamics\": \"" dynamics_ "\", \"stabilization\": \"" stabilization_ "\"}"

Test(constraints_long, linkages_stay_closed_for_ten_seconds, TEST_LONG) {
  static const char *const names[] = {"four_bar", "slider_crank", "bricard"};
  printf("%-14s %12s %10s %10s %10s\n", "10 s, h = 1e-3", "", "gap m", "rate m/s", "energy");
  for (int i = 0; i < 3; i++) {
    TestRun run = load(names[i], NULL, NULL);
    const Drift pulled = drift_of(&run, 10000);
    end(&run);
    run = load(names[i], SOLVER("recursive", "post"), NULL);
    const Drift moved = drift_of(&run, 10000);
    end(&run);
    run = load(names[i], "/time/step=0.0005", NULL);
    const Drift half = drift_of(&run, 20000);
    end(&run);
    printf("%-14s %12s %10.2g %10.2g %10.2g\n", names[i], "baumgarte", pulled.position, pulled.velocity,
           pulled.energy);
    printf("%-14s %12s %10.2g %10.2g %10.2g\n", names[i], "post", moved.position, moved.velocity,
           moved.energy);
    printf("%-14s %12s %10.2g %10.2g %10.2g\n", names[i], "h/2", half.position, half.velocity, half.energy);
    cr_expect_lt(pulled.position, 1e-4);                        // h² times accelerations of some tens
    cr_expect_lt(moved.position, 1e-12);                        // Newton's method to rounding
    cr_expect_lt(fabs(pulled.energy), 0.06);                    // first order in h …
    cr_expect_lt(fabs(half.energy), 0.6 * fabs(pulled.energy)); // … as it shows
  }
}

Test(constraints_long, linkages_keep_their_energy_under_rk45) {
  static const char *const names[] = {"four_bar", "slider_crank", "bricard"};
  for (int i = 0; i < 3; i++) {
    TestRun run = load(names[i], "/integrator={\"type\": \"rk45\", \"relative\": 1e-9, \"absolute\": 1e-11}",
                       "/time={\"step\": 0.01, \"duration\": 10}");
    const Drift drift = drift_of(&run, 1000);
    cr_expect_lt(fabs(drift.energy), 1e-6, "%s: %g", names[i],
                 drift.energy); // tolerance times some thousand steps
    cr_expect_lt(drift.position, 1e-8);
    cr_expect_lt(drift.velocity, 1e-6);
    end(&run);
  }
}

// Angles and rates printed by the Test Set for IVP Solvers, in its order β Θ γ Φ δ Ω ε.
Test(constraints, andrews_squeezer_is_where_the_test_set_says) {
  static const double known[14] = {
      15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805303,
      0.5347301163226948, 1.048080741042263,  1139.920302151208,   -1424.379294994111,  11.03291221937134,
      19.29337464421385,  0.5735699284790808, -19.29337464421385,  0.3231791658026955};
  static const char *const order[] = {"body1", "body2", "body3", "body4", "body5", "body6", "body7"};
  for (int dense = 0; dense < 2; dense++) {
    TestRun run = load("andrews_squeezer",
                       dense ? "/solver={\"type\": \"redmax\", \"dynamics\": \"dense\"}" : NULL, NULL);
    test_steps(run.sim, 300);
    for (size_t i = 0; i < 7; i++) {
      size_t listed = 0;
      cr_assert(mb_names_find(&run.model->names, order[i], &listed));
      const size_t b = run.model->number[listed];
      const double q = run.sim->state.q[run.model->q_first[b]], v = run.sim->state.v[run.model->v_first[b]];
      test_near(order[i], &q, &known[i], 1, 1e-7);
      test_near(order[i], &v, &known[7 + i], 1, 1e-7 * fmax(1, fabs(known[7 + i])));
    }
    end(&run);
  }
}

Test(constraints, loops_move_the_same_under_dense_and_recursive) {
  static const char *const names[] = {"four_bar", "slider_crank", "04-loop", "15-prismatic-joint",
                                      "prescribed_crank"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    TestRun a = load(names[i], SOLVER("recursive", "baumgarte"), NULL),
            b = load(names[i], SOLVER("dense", "baumgarte"), NULL);
    test_steps(a.sim, 200);
    test_steps(b.sim, 200);
    double most = 1;
    for (size_t k = 0; k < a.sim->nv; k++) most = fmax(most, fabs(a.sim->state.v[k]));
    test_near("coordinates", a.sim->state.q, b.sim->state.q, a.sim->nq, 1e-10 * most);
    test_near("velocities", a.sim->state.v, b.sim->state.v, a.sim->nv, 1e-10 * most);
    mb_sim_free(b.sim);
    mb_model_free(b.model);
    mb_scene_free(b.scene);
    end(&a);
  }
}

// IFToMM benchmark A02 with ten windows: the tip of the first post, by own integration of its one degree of freedom. All
// ten loops are singular where the posts lie flat, twice a turn.
Test(constraints_long, ten_windows_go_round_through_their_singular_positions) {
  static const struct {
    int steps;
    double x, y;
  } known[] = {{1000, -0.12930601505116746, -0.9916047370155042},
               {2000, 0.038567666597061866, 0.9992559907717631},
               {5000, -0.59554525547654, -0.8033217591223224},
               {10000, 0.20435356098868468, 0.9788971458285308}};
  TestRun run = load("ten_windows", NULL, NULL);
  for (int i = 0; i < 4; i++) {
    test_steps(run.sim, known[i].steps - mb_sim_steps(run.sim));
    const double q = run.sim->state.q[run.model->q_first[run.model->number[0]]];
    test_near("x", &(double){cos(q)}, &known[i].x, 1, 1e-4); // first order in h; 1e-5 was seen
    test_near("y", &(double){sin(q)}, &known[i].y, 1, 1e-4);
    cr_assert_lt(mb_sim_constraint_error(run.sim), 1e-12);
  }
  end(&run);
}

// The same with one window, position and velocity of the tip: steps h and h/2, and what they tend to, their errors being of
// second order.
Test(constraints_long, one_window_goes_round_as_its_one_coordinate_says, TEST_LONG) {
  static const double STEP = 5e-5, LIMIT = 5e-7; // of m and m/s
  static const struct {
    double t, tip[4];
  } known[] = {{1, {-0.26071267518369967, -0.9654164391590598, -6.637809496121632, 1.792553970389262}},
               {2, {0.07708547179279242, 0.9970244881839576, 1.0313568726891589, -0.07973989812706987}},
               {5, {-0.9449081860423483, -0.3273354853207318, -1.8589308912738152, 5.366112429669957}},
               {10, {0.47838505775888907, 0.8781501787923433, 1.7272640755431634, -0.9409521793640326}}};
  TestRun run[2] = {load("one_window", "/time/step=1e-3", NULL), load("one_window", "/time/step=5e-4", NULL)};
  for (int i = 0; i < 4; i++) {
    double tip[2][4], limit[4];
    for (int k = 0; k < 2; k++) {
      const MbModel *model = run[k].model;
      const size_t post = model->number[0];
      test_steps(run[k].sim, lrint(known[i].t / model->h) - mb_sim_steps(run[k].sim));
      const double q = run[k].sim->state.q[model->q_first[post]],
                   v = run[k].sim->state.v[model->v_first[post]];
      tip[k][0] = cos(q), tip[k][1] = sin(q), tip[k][2] = -v * sin(q), tip[k][3] = v * cos(q);
    }
    for (int j = 0; j < 4; j++) limit[j] = (4 * tip[1][j] - tip[0][j]) / 3;
    test_near("tip", tip[0], known[i].tip, 4, STEP * (1 + known[i].t));
    test_near("tip in the limit of small steps", limit, known[i].tip, 4, LIMIT);
  }
  mb_sim_free(run[1].sim);
  mb_model_free(run[1].model);
  mb_scene_free(run[1].scene);
  end(&run[0]);
}

// ---- sets of constraints ----------------------------------------------------------------------------------

static const char *const AGAIN =
    "/constraints/-={\"type\": \"point\", \"name\": \"again\", \"between\": [{\"body\": \"coupler\", \"at\": "
    "[\"=coupler/2\", 0, 0]}, {\"body\": \"rocker\", \"at\": [\"=rocker/2\", 0, 0]}]}";
static const char *const HINGE =
    "/constraints/0={\"joint\": \"revolute\", \"axis\": [0, 1, 0], \"between\": [{\"body\": \"coupler\", "
    "\"frame\": {\"position\": [\"=coupler/2\", 0, 0]}}, {\"body\": \"rocker\", \"frame\": {\"position\": "
    "[\"=rocker/2\", 0, 0]}}]}";

Test(constraints, redundant_rows_change_nothing) {
  static const char *const more[] = {AGAIN, HINGE};
  for (int i = 0; i < 2; i++) {
    TestRun one = load("four_bar", RK45, NULL), two = load("four_bar", RK45, more[i]);
    test_steps(one.sim, 1000);
    test_steps(two.sim, 1000);
    test_near("coordinates", two.sim->state.q, one.sim->state.q, one.sim->nq,
              1e-6); // the tolerance of both, 1 s
    mb_sim_free(two.sim);
    mb_model_free(two.model);
    mb_scene_free(two.scene);
    end(&one);
  }
}

Test(constraints, a_contradiction_is_told_by_name_with_its_gap_and_leaves_the_state) {
  TestRun run = load("four_bar",
                     "/constraints/-={\"type\": \"point\", \"name\": \"other\", \"between\": [{\"body\": "
                     "\"coupler\", \"at\": [\"=coupler/2\", 0.02, 0]}, {\"body\": \"rocker\", \"at\": "
                     "[\"=rocker/2\", 0, 0]}]}",
                     NULL);
  MbReport report = {0};
  double q[8];
  memcpy(q, run.sim->state.q, run.sim->nq * sizeof *q);
  cr_assert_eq(mb_sim_step(run.sim, &report), MB_NUMBERS);
  cr_assert(strstr(report.issues[0].text, "\"other.1\" contradicts others") &&
                strstr(report.issues[0].text, "off by 0.02"),
            "%s", report.issues[0].text);
  cr_assert_eq(memcmp(q, run.sim->state.q, run.sim->nq * sizeof *q), 0);
  end(&run);
}

// A welded body can be held where it is, and nowhere else.
Test(constraints, what_cannot_move_can_be_held_where_it_is_only) {
  for (int off = 0; off < 2; off++) {
    char text[600];
    snprintf(
        text, sizeof text,
        "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 5}, \"bodies\": [{\"name\": \"a\", \"shape\": "
        "{\"type\": \"sphere\", \"radius\": 1}, \"mass\": 1, \"joint\": {\"type\": \"fixed\"}}], "
        "\"constraints\": [{\"type\": \"point\", \"between\": [{\"body\": \"a\"}, {\"body\": \"world\", "
        "\"at\": [0, 0, %d]}]}], \"output\": {\"channels\": [\"joint.force\", \"constraint.force\"]}}",
        off);
    TestRun run = parse(text);
    double frame[8];
    MbReport report = {0};
    mb_sim_sample(run.sim, frame, NULL);
    cr_assert_eq(mb_sim_step(run.sim, &report), off ? MB_NUMBERS : MB_OK);
    cr_assert(!off || strstr(report.issues[0].text, "nothing that it holds can move: it is off by 1"), "%s",
              report.issues[0].text);
    end(&run);
  }
}

Test(constraints, a_gap_at_the_start_is_a_warning_with_its_size) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  const char *sets[] = {"/bodies/1/joint/position=0"};
  const MbSceneOptions options = {.sets = sets, .nsets = 1};
  test_ok(mb_scene_load("scenes/redmax/four_bar.json", &options, &scene, &report), &report);
  test_ok(mb_model_create(scene, &model, &report), &report);
  cr_assert_eq(report.warnings, 1);
  cr_assert(strstr(report.issues[0].text, "\"pin\" does not hold at the start: it is off by 0."), "%s",
            report.issues[0].text);
  cr_assert_str_eq(report.issues[0].where, "/constraints/0");
  mb_model_free(model);
  mb_scene_free(scene);
}

// ---- running ----------------------------------------------------------------------------------------------

Test(constraints, steps_do_not_allocate) {
  static const char *const names[] = {"four_bar", "prescribed_crank", "06-joint-limits", "andrews_squeezer",
                                      "screw_jack"};
  for (int i = 0; i < 5; i++) {
    TestRun run =
        load(names[i],
             "/output={\"channels\": [\"constraint.error\", \"constraint.force\", \"joint.force\"]}", NULL);
    double frame[64];
    cr_assert_leq(mb_sim_frame_size(run.sim), 64);
    test_steps(run.sim, 2);
    const int64_t before = mb_alloc_calls();
    for (int k = 0; k < 150; k++) {
      test_steps(run.sim, 1);
      mb_sim_sample(run.sim, frame, NULL);
    }
    cr_expect_eq(mb_alloc_calls(), before, "%s", names[i]);
    end(&run);
  }
}

Test(constraints, a_run_goes_on_bit_for_bit_from_a_checkpoint) {
  static const char *const integrators[] = {"/integrator=\"implicit\"", "/integrator=\"rk45\""};
  for (int i = 0; i < 2; i++) {
    TestRun run = load("prescribed_crank", integrators[i], NULL);
    static char bytes[20000];
    double frame[3][64];
    cr_assert(mb_sim_checkpoint_size(run.sim) <= sizeof bytes && mb_sim_frame_size(run.sim) <= 64);
    memset(frame, 0, sizeof frame);
    test_steps(run.sim, 40);
    mb_sim_checkpoint(run.sim, bytes);
    mb_sim_sample(run.sim, frame[0], NULL);
    test_steps(run.sim, 40);
    mb_sim_sample(run.sim, frame[1], NULL);
    MbReport report = {0};
    test_ok(mb_sim_restore(run.sim, bytes, mb_sim_checkpoint_size(run.sim), &report), &report);
    mb_sim_sample(run.sim, frame[2], NULL);
    cr_assert_eq(memcmp(frame[0], frame[2], sizeof frame[0]), 0);
    test_steps(run.sim, 40);
    mb_sim_sample(run.sim, frame[2], NULL);
    cr_assert_eq(memcmp(frame[1], frame[2], sizeof frame[0]), 0);
    end(&run);
  }
}

Test(constraints, creation_fails_cleanly_when_memory_runs_out) {
  TestRun run = load("four_bar", NULL, NULL);
  const int64_t live = mb_alloc_live();
  for (int k = 0;; k++) {
    MbReport report = {0};
    MbModel *model = NULL;
    MbSim *sim = NULL;
    mb_alloc_fail_after(k);
    MbStatus status = mb_model_create(run.scene, &model, &report);
    if (status == MB_OK) status = mb_sim_create(model, NULL, &sim, &report);
    if (status == MB_OK) status = mb_sim_step(sim, &report);
    mb_alloc_fail_after(-1);
    mb_sim_free(sim);
    mb_model_free(model);
    cr_assert_eq(mb_alloc_live(), live, "call %d failed and something leaked", k);
    if (status == MB_OK) break;
    cr_assert_eq(status, MB_IO, "%s", report.issues[0].text);
    cr_assert_lt(k, 5000);
  }
  end(&run);
}
