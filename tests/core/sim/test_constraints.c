// Constraints in motion: mechanisms over many seconds, sets that are redundant or contradict themselves, limits, ropes,
// soft constraints, prescribed motion and what it takes.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

// A scene of scenes/redmax; `a` and `b` are what --set says, or NULL.
static TestRun load(const char *name, const char *a, const char *b) {
  const char *sets[] = {a, b, NULL};
  return test_run(name, sets);
}

static TestRun parse(const char *text) { return test_run(text, NULL); }

static void end(TestRun *run) {
  test_run_free(run);
  cr_assert_eq(mb_alloc_live(), 0);
}

static MbEnergy energy(const TestRun *run) { return mb_energy(run->model, &run->sim->x); }

typedef struct Drift {
  double position, velocity,
      energy; // worst errors of constraints; E at the end less that at the start, over the largest
} Drift;

static Drift drift_of(TestRun *run, int64_t steps) {
  Drift drift = {0};
  const double first = energy(run).total;
  double largest = 0;
  for (int64_t i = 0; i < steps; i++) {
    double error[2];
    test_steps(run->sim, 1);
    mb_constraint_errors(run->sim, error);
    const MbEnergy e = energy(run);
    drift.position = fmax(drift.position, error[0]);
    drift.velocity = fmax(drift.velocity, error[1]);
    largest = fmax(largest, fmax(e.kinetic, fabs(e.gravity)));
  }
  drift.energy = (energy(run).total - first) / largest;
  return drift;
}

#define SOLVER(dynamics_, stabilization_)                                                                    \
  "/solver={\"type\": \"redmax\", \"dynamics\": \"" dynamics_ "\", \"stabilization\": \"" stabilization_ "\"}"

Test(constraints, linkages_stay_closed_for_ten_seconds) {
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

Test(constraints, linkages_keep_their_energy_under_rk45) {
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
Test(constraints, ten_windows_go_round_through_their_singular_positions) {
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
Test(constraints, one_window_goes_round_as_its_one_coordinate_says) {
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

static const char *const RK45 = "/integrator={\"type\": \"rk45\", \"relative\": 1e-9, \"absolute\": 1e-11}";

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

// ---- joints as loop closures ------------------------------------------------------------------------------

// What a joint needs besides its type, with a comma behind it.
static void keys_of(const char *joint, char *text, size_t size) {
  static const char *const frames =
      "\"frames\": [{\"position\": [0, 0, 0]}, {\"position\": [0.3, 0.1, 0]}, {\"position\": [0.6, 0.3, "
      "0.2], "
      "\"rotation\": {\"axis\": [0, 1, 0], \"angle\": 0.4}}, {\"position\": [0.8, 0.8, 0.1]}, {\"position\": "
      "[1, 1, 0.3]}],";
  text[0] = 0;
  if (!strcmp(joint, "euler")) snprintf(text, size, "\"order\": \"xyz\",");
  if (!strcmp(joint, "screw")) snprintf(text, size, "\"pitch\": 0.4, \"axis\": [1, 2, 0],");
  if (!strcmp(joint, "composite"))
    snprintf(text, size, "\"joints\": [{\"type\": \"spherical\"}, {\"type\": \"prismatic\"}],");
  if (!strcmp(joint, "spline_curve")) snprintf(text, size, "%s", frames);
  if (strcmp(joint, "spline_surface")) return;
  size_t n = (size_t)snprintf(text, size, "\"control\": [");
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++)
        n += (size_t)snprintf(text + n, size - n, "%s%g%s",
                              i + j ? j ? ", " : "], ["
                              : k   ? ", [["
                                    : "[[",
                              k == 0   ? i
                              : k == 1 ? j
                              : k == 2 ? 0.1 * i * j
                                       : 0.05 * (i - j),
                              i + j == 6 ? "]]" : "");
  snprintf(text + n, size - n, "],");
}

// A body on a swinging arm: hanging on it by a joint of the tree, or free in space and held by a closure.
static void arm(char *text, size_t size, const char *joint, bool closure) {
  char geometry[1000], place[200];
  snprintf(place, sizeof place, "\"position\": %g", closure ? 0.25 : 0.3); // near it
  if (!strcmp(joint, "fixed")) place[0] = 0;
  keys_of(joint, geometry, sizeof geometry);
  static const char *const
      F = "{\"position\": [0.1, -0.2, 0.7], \"rotation\": {\"euler\": \"xyz\", \"angles\": [0.3, "
          "0.5, -0.2]}}",
      *const G = "{\"position\": [-0.3, 0.1, 0.2], \"rotation\": {\"euler\": \"xyz\", \"angles\": [-0.4, "
                 "0.1, 0.6]}}";
  char own[1500], rest[1500] = "";
  snprintf(own, sizeof own,
           "\"joint\": {\"type\": \"%s\", %s \"parent\": \"arm\", \"in_parent\": %s, \"in_body\": %s%s%s}",
           joint, geometry, F, G, place[0] ? ", " : "", place);
  if (closure)
    snprintf(rest, sizeof rest,
             ", \"constraints\": [{\"joint\": {%s \"type\": \"%s\"%s%s}, \"between\": [{\"body\": \"arm\", "
             "\"frame\": %s}, "
             "{\"body\": \"held\", \"frame\": %s}]}]",
             geometry, joint, place[0] ? ", " : "", place, F, G);
  snprintf(
      text, size,
      "{\"mbsim\": 1, \"time\": {\"step\": 0.05, \"duration\": 0.5}, \"integrator\": {\"type\": \"rk45\", "
      "\"relative\": 1e-9, \"absolute\": 1e-11}, \"bodies\": ["
      "{\"name\": \"arm\", \"inertia\": {\"mass\": 2, \"center\": [0, 0.3, 0.4], \"matrix\": [0.1, 0.2, 0.3, "
      "0, 0, "
      "0]}, \"joint\": {\"type\": \"revolute\", \"axis\": [1, 0.2, 0], \"velocity\": 0}}, "
      "{\"name\": \"held\", \"inertia\": {\"mass\": 1, \"center\": [0.1, 0.2, -0.3], \"matrix\": [0.2, 0.25, "
      "0.3, "
      "0.01, 0.02, 0]}, %s}]%s}",
      closure ? "\"pose\": {}" : own, rest);
}

Test(constraints, a_joint_that_closes_a_loop_holds_as_one_of_the_tree) {
  static const char *const joints[] = {
      "fixed",     "revolute", "prismatic", "cylindrical", "universal", "planar",       "translational",
      "spherical", "euler",    "free2d",    "screw",       "composite", "spline_curve", "spline_surface"};
  static char text[6000];
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
    arm(text, sizeof text, joints[i], false);
    TestRun tree = parse(text);
    arm(text, sizeof text, joints[i], true);
    // put the free body where the joint has it, before the run begins
    char set[300];
    MbPose B, inverse;
    mb_pose_inverse(&inverse, &tree.model->C[1]);
    mb_pose_mul(&B, &tree.sim->x.E[1], &inverse);
    mb_quat_normalise(B.q);
    snprintf(
        set, sizeof set,
        "/bodies/1/pose={\"position\": [%.17g, %.17g, %.17g], \"rotation\": [%.17g, %.17g, %.17g, %.17g]}",
        B.p[0], B.p[1], B.p[2], B.q[0], B.q[1], B.q[2], B.q[3]);
    const char *sets[] = {set, NULL};
    TestRun loop = test_run(text, sets);
    test_steps(tree.sim, 10);
    test_steps(loop.sim, 10);
    for (size_t b = 0; b < 2; b++) {
      double R[2][9];
      mb_quat_to_mat3(R[0], tree.sim->x.E[b].q);
      mb_quat_to_mat3(R[1], loop.sim->x.E[b].q);
      test_near(joints[i], loop.sim->x.E[b].p, tree.sim->x.E[b].p, 3, 1e-6);
      test_near(joints[i], R[1], R[0], 9, 1e-6);
    }
    mb_sim_free(tree.sim);
    mb_model_free(tree.model);
    mb_scene_free(tree.scene);
    end(&loop);
  }
}

// A constant torque on the spindle: (I + m l²) θ̈ = τ − m g l, l metres a radian; many turns, and on from a checkpoint.
Test(constraints, a_screw_that_closes_a_loop_counts_its_turns) {
  for (int adaptive = 0; adaptive < 2; adaptive++) {
    static char bytes[20000];
    TestRun run = load("screw_jack", adaptive ? RK45 : "/integrator=\"implicit\"", NULL);
    const double pi = 3.14159265358979323846, l = 0.05 / (2 * pi), t = 2;
    const double I = 0.5 * 7800 * pi * 0.02 * 0.02 * 0.02 * 0.02, m = 20;
    const double a = (2 - m * 9.81 * l) / (I + m * l * l);
    test_steps(run.sim, 1000);
    cr_assert_leq(mb_sim_checkpoint_size(run.sim), sizeof bytes);
    mb_sim_checkpoint(run.sim, bytes);
    test_steps(run.sim, 1000);
    const double *q = run.sim->state.q, turned = -q[0], up = q[1] + 0.4;
    const double expected = adaptive ? a * t * t / 2 : a * t * (t + 1e-3) / 2; // Euler's sum of velocities
    cr_expect_gt(turned, 20 * pi);
    test_near("angle", &turned, &expected, 1, 1e-8 * expected);
    test_near("lift", &up, &(double){l * turned}, 1, 1e-9);
    const double last[2] = {q[0], q[1]};
    MbReport report = {0};
    test_ok(mb_sim_restore(run.sim, bytes, mb_sim_checkpoint_size(run.sim), &report), &report);
    test_steps(run.sim, 1000);
    cr_assert_eq(memcmp(last, run.sim->state.q, sizeof last), 0);
    end(&run);
  }
}

// The rotation vector of the closure's coordinates is exchanged for its equivalent on the way.
Test(constraints, a_composite_that_closes_a_loop_goes_round) {
  static const char *const integrators[] = {"\"symplectic\"", "\"rk45\""};
  for (int i = 0; i < 2; i++) {
    char text[900];
    snprintf(text, sizeof text,
             "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"duration\": 3}, "
             "\"integrator\": %s, \"bodies\": "
             "[{\"name\": "
             "\"top\", \"inertia\": {\"mass\": 1, \"matrix\": [0.1, 0.1, 0.2, 0, 0, 0]}, \"velocity\": "
             "{\"angular\": "
             "[0, 0, 6], \"linear\": [0, 0, 0.5]}}], \"constraints\": [{\"joint\": {\"type\": \"composite\", "
             "\"joints\": "
             "[{\"type\": \"prismatic\"}, {\"type\": \"spherical\"}]}, \"between\": [{\"body\": \"world\"}, "
             "{\"body\": \"top\"}]}]}",
             integrators[i]);
    TestRun run = parse(text);
    test_steps(run.sim, 300);
    const double w = mb_vec3_norm(run.sim->state.v), z = run.sim->x.E[0].p[2];
    test_near("spin", &w, &(double){6}, 1, 1e-9); // nothing turns or slows it
    test_near("way", &z, &(double){1.5}, 1, 1e-9);
    const double *q = mb_section(run.sim, MB_SECTION_CLOSURES); // way, rotation vector
    cr_assert_lt(mb_vec3_norm(q + 1), 5);                       // 3/4 of a turn
    cr_assert_lt(mb_sim_constraint_error(run.sim), 1e-9);
    end(&run);
  }
}

// Six hinges hold thirty of thirty freedoms, and one of the five rows is made of the others: one freedom is left.
Test(constraints, bricards_linkage_moves_although_counting_forbids_it) {
  TestRun run = load("bricard", NULL, NULL);
  test_steps(run.sim, 1500);
  cr_assert_eq(run.sim->nv, 5);
  cr_assert_eq(run.model->nslots, 5);
  cr_expect_gt(energy(&run).kinetic, 1); // J, of some ten that it can have
  cr_expect_lt(mb_sim_constraint_error(run.sim), 1e-5);
  end(&run);
}

// ---- limits, ropes, soft ones -----------------------------------------------------------------------------

Test(constraints, a_pendulum_stops_at_its_limit_and_gains_no_energy) {
  for (int given = 0; given < 2; given++) {
    TestRun run = parse(
        given
            ? "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"duration\": 3}, \"integrator\": \"symplectic\", "
              "\"solver\": {\"type\": \"redmax\", \"stabilization\": {\"type\": \"baumgarte\", \"gamma\": "
              "5}}, \"bodies\": [{\"name\": \"a\", \"inertia\": {\"mass\": 1, \"center\": [1, 0, 0], "
              "\"matrix\": [0.1, 0.1, 0.1, 0, 0, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, "
              "0], \"limits\": [-0.5, 1]}}]}"
            : "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"duration\": 3}, \"integrator\": \"symplectic\", "
              "\"bodies\": [{\"name\": \"a\", \"inertia\": {\"mass\": 1, \"center\": [1, 0, 0], \"matrix\": "
              "[0.1, 0.1, 0.1, 0, 0, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], "
              "\"limits\": [-0.5, 1]}}]}");
    const double first = energy(&run).total;
    double most = 0, top = -INFINITY;
    for (int i = 0; i < 3000; i++) {
      test_steps(run.sim, 1);
      most = fmax(most, run.sim->state.q[0]);
      top = fmax(top, energy(&run).total);
    }
    // passed by a step's way where γ is given, by rounding where it is not
    cr_expect_lt(most, given ? 1.005 : 1 + 1e-12);
    cr_expect_lt(top - first, 0.01);
    cr_expect_gt(run.sim->state.q[0], 0.99); // lies there
    // at rest the limit carries the torque of gravity
    const double torque = mb_section(run.sim, MB_SECTION_FORCES)[1];
    test_near("torque", &torque, &(double){9.81 * cos(run.sim->state.q[0])}, 1, given ? 1e-2 : 1e-9);
    end(&run);
  }
}

Test(constraints, a_rope_lets_fall_and_then_holds) {
  TestRun run = parse(
      "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"duration\": 3}, \"integrator\": \"symplectic\", "
      "\"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 2}], "
      "\"constraints\": [{\"type\": \"distance\", \"rope\": true, \"length\": 0.5, \"between\": [{\"body\": "
      "\"world\"}, {\"body\": \"a\"}]}]}");
  double lowest = 0;
  for (int i = 0; i < 1000; i++) {
    test_steps(run.sim, 1);
    lowest = fmin(lowest, run.sim->x.E[0].p[2]);
    if (i == 199) // nothing yet: z = −g h² n(n + 1)/2
      test_near("fall", &run.sim->x.E[0].p[2], &(double){-9.81e-6 * 200 * 201 / 2}, 1, 1e-12);
  }
  cr_expect_gt(lowest, -0.5 - 1e-9);
  const double force = mb_section(run.sim, MB_SECTION_FORCES)[0];
  test_near("pull", &force, &(double){2 * 9.81}, 1, 1e-9);
  end(&run);
}

// ---- events under rk45 ------------------------------------------------------------------------------------

// Swung up from the lowest point at v₀² between 2gL and 5gL, the rope goes slack where cos θ = (2gL − v₀²)/(3gL), and the
// mass flies on at ẋ = v cos θ, v² = −gL cos θ.
Test(constraints, a_rope_goes_slack_where_it_would_have_to_push) {
  TestRun run = parse(
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"duration\": 3}, \"integrator\": {\"type\": \"rk45\", "
      "\"relative\": 1e-10, \"absolute\": 1e-12}, \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": "
      "\"sphere\", \"radius\": 0.1}, \"mass\": 2, \"pose\": {\"position\": [0, 0, -1]}, \"velocity\": "
      "{\"linear\": [6, 0, 0]}}], \"constraints\": [{\"type\": \"distance\", \"rope\": true, \"length\": 1, "
      "\"between\": [{\"body\": \"world\"}, {\"body\": \"a\"}]}], \"output\": {\"channels\": "
      "[\"constraint.force\"]}}");
  const double g = 9.81, cosine = (2 * g - 36) / (3 * g), v = sqrt(-g * cosine), first = energy(&run).total;
  const double *force = mb_section(run.sim, MB_SECTION_FORCES);
  int slack = 0, taut = 0;
  while (taut < 2) { // swings, flies, and is caught
    const bool pulled = force[0] > 0;
    test_steps(run.sim, 1);
    cr_assert_lt(mb_vec3_norm(run.sim->x.E[0].p), 1 + 1e-8);
    if (force[0] > 0) {
      taut = slack ? 2 : 1;
    } else if (!pulled || taut == 0) {
      slack++;
      test_near("ẋ in flight", &run.sim->x.phi[3], &(double){v * cosine}, 1, 1e-8);
      test_near("energy", &(double){energy(&run).total}, &first, 1, 1e-7);
    }
    cr_assert_lt(mb_sim_steps(run.sim), 300);
  }
  cr_expect_gt(slack, 10);
  cr_expect_lt(energy(&run).total, first); // the catch takes some
  end(&run);
}

Test(constraints, a_falling_mass_is_caught_at_the_time_that_it_takes) {
  TestRun run = parse(
      "{\"mbsim\": 1, \"time\": {\"step\": 0.05, \"duration\": 3}, \"integrator\": \"rk45\", "
      "\"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 2}], "
      "\"constraints\": [{\"type\": \"distance\", \"rope\": true, \"length\": 0.5, \"between\": [{\"body\": "
      "\"world\"}, {\"body\": \"a\"}]}], \"output\": {\"channels\": [\"constraint.force\"]}}");
  for (int i = 1; i <= 20; i++) {
    test_steps(run.sim, 1);
    const double t = 0.05 * i, z = fmax(-9.81 * t * t / 2, -0.5);
    test_near("height", &run.sim->x.E[0].p[2], &z, 1, 1e-8);
    test_near("pull", mb_section(run.sim, MB_SECTION_FORCES), &(double){z > -0.5 ? 0 : 2 * 9.81}, 1, 1e-6);
  }
  end(&run);
}

Test(constraints, limits_of_a_chain_hold_under_rk45) {
  TestRun run = load("06-joint-limits",
                     "/integrator={\"type\": \"rk45\", \"relative\": 1e-8, \"absolute\": 1e-10}", NULL);
  const double limit = acos(-1) / 4, first = energy(&run).total;
  double most = 0, last = energy(&run).total;
  int losses = 0;
  for (int i = 0; i < 200; i++) {
    test_steps(run.sim, 1);
    const double E = energy(&run).total;
    most = fmax(most, fabs(run.sim->state.q[1]));
    losses += E < last - 1;
    cr_assert_lt(E, last + 1e-3); // of some 1e5 erg
    last = E;
  }
  cr_expect_lt(most, limit + 1e-7);
  cr_expect_gt(losses, 1); // impacts without bounce
  cr_expect_lt(last, first);
  end(&run);
}

// λ = −(g + β ġ)/α: a spring of stiffness 1/α and damping β/α, which the exact solution of the oscillator shows.
Test(constraints, a_soft_distance_is_a_spring) {
  TestRun run = parse(
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"duration\": 1}, \"integrator\": {\"type\": \"rk45\", "
      "\"relative\": 1e-10, \"absolute\": 1e-12}, \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": "
      "\"sphere\", \"radius\": 0.1}, \"mass\": 2, \"pose\": {\"position\": [0, 0, -1]}}], \"constraints\": "
      "[{\"type\": \"distance\", \"length\": 1, \"compliance\": 0.01, \"damping\": 0.02, \"between\": "
      "[{\"body\": \"world\"}, {\"body\": \"a\"}]}]}");
  const double k = 100, c = 2, m = 2, x0 = -m * 9.81 / k, a = c / (2 * m), w = sqrt(k / m - a * a);
  for (int i = 1; i <= 100; i++) {
    test_steps(run.sim, 1);
    const double t = 0.01 * i, x = x0 - x0 * exp(-a * t) * (cos(w * t) + a / w * sin(w * t));
    test_near("stretch", &(double){run.sim->x.E[0].p[2] + 1}, &x, 1, 1e-8);
  }
  end(&run);

  // the averaged force of a long implicit step comes to rest where the spring does
  run = parse(
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"duration\": 1}, \"bodies\": [{\"name\": \"a\", \"shape\": "
      "{\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 2, \"pose\": {\"position\": [0, 0, -1]}}], "
      "\"constraints\": [{\"type\": \"distance\", \"length\": 1, \"compliance\": 0.01, \"damping\": 0.2, "
      "\"between\": [{\"body\": \"world\"}, {\"body\": \"a\"}]}]}");
  test_steps(run.sim, 2000);
  test_near("rest", &(double){run.sim->x.E[0].p[2] + 1}, &x0, 1, 1e-9);
  test_near("force", mb_section(run.sim, MB_SECTION_FORCES), &(double){m * 9.81}, 1, 1e-7); // a tension
  end(&run);
}

// ---- prescribed motion ------------------------------------------------------------------------------------

Test(constraints, a_prescribed_position_is_met_at_every_step) {
  TestRun run = load("prescribed_crank", NULL, NULL);
  for (int i = 1; i <= 500; i++) {
    test_steps(run.sim, 1);
    const double t = run.sim->state.t, p = acos(-1) * 50 / 180 + 10 * (t - 0.5 * (1 - exp(-t / 0.5)));
    test_near("crank", run.sim->state.q, &p, 1, 1e-11);
  }
  end(&run);
}

// The work of the crank's torque is what the energy grows by: E(t) − E(0) = ∫ τ θ̇ dt.
Test(constraints, the_reaction_of_a_driven_crank_does_the_work) {
  TestRun run = load("prescribed_crank",
                     "/integrator={\"type\": \"rk45\", \"relative\": 1e-10, \"absolute\": 1e-12}", NULL);
  const double first = energy(&run).total;
  double work = 0, before = 0, reaction[8];
  for (int i = 1; i <= 2000; i++) {
    test_steps(run.sim, 1);
    mb_constraint_reactions(run.sim, reaction);
    const double power = reaction[0] * run.sim->state.v[0];
    work += (before + power) / 2 * run.model->h;
    before = power;
  }
  cr_assert_gt(fabs(work), 0.1);
  // the trapezoidal rule: h² times rates of some thousands of watts a second squared
  test_near("work", &work, &(double){energy(&run).total - first}, 1, 1e-3);
  end(&run);
}

Test(constraints, velocities_and_accelerations_can_be_prescribed) {
  static const char *const motions[] = {"{\"velocity\": \"=3*t\"}", "{\"acceleration\": 3}",
                                        "{\"velocity\": {\"times\": [0, 10], \"values\": [0, 30]}}"};
  for (int i = 0; i < 3; i++)
    for (int adaptive = 0; adaptive < 2; adaptive++) {
      char text[800];
      snprintf(
          text, sizeof text,
          "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"duration\": 1}, \"integrator\": \"%s\", \"bodies\": "
          "[{\"name\": \"a\", \"inertia\": {\"mass\": 1, \"center\": [1, 0, 0], \"matrix\": [0.1, 0.1, 0.1, "
          "0, "
          "0, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"motion\": %s}}]}",
          adaptive ? "rk45" : "symplectic", motions[i]);
      TestRun run = parse(text);
      test_steps(run.sim, 1000);
      test_near("rate", run.sim->state.v, &(double){3}, 1, 1e-6);
      test_near("angle", run.sim->state.q, &(double){1.5}, 1, adaptive ? 1e-6 : 2e-3); // h/2 · 3
      end(&run);
    }
}

// ---- driven bodies ----------------------------------------------------------------------------------------

// A body of two kilograms, its centre beside its frame's origin, with `motion`; a ball hangs on it.
static TestRun driven(const char *integrator, const char *motion) {
  static char text[3000];
  snprintf(text, sizeof text,
           "{\"mbsim\": 1, \"gravity\": [0, 0, -9.81], \"time\": {\"step\": 0.01, \"duration\": 2}, "
           "\"integrator\": %s, \"bodies\": ["
           "{\"name\": \"hand\", \"inertia\": {\"mass\": 2, \"center\": [0.2, 0.1, 0], \"matrix\": [0.2, "
           "0.3, 0.4, "
           "0.02, 0, 0]}, \"pose\": {\"position\": [1, 0, 0]}, \"motion\": %s}, "
           "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 1, "
           "\"joint\": {\"type\": \"spherical\", \"parent\": \"hand\", \"in_body\": {\"position\": [0, 0, "
           "0.5]}}}]}",
           integrator, motion);
  return parse(text);
}

// The body frame of the hand in the world
static MbPose hand_of(const TestRun *run) {
  const size_t b = run->model->number[0];
  MbPose B, inverse;
  mb_pose_inverse(&inverse, &run->model->C[b]);
  mb_pose_mul(&B, &run->sim->x.E[b], &inverse);
  return B;
}

Test(constraints, a_driven_body_is_on_its_path_at_every_step) {
  static const char *const integrators[] = {"\"symplectic\"", "\"implicit\"", "\"rk45\""};
  static const char *const path =
      "{\"pose\": {\"position\": [\"=cos(t)\", \"=sin(2*t)\", \"=0.1*t^2\"], \"euler\": {\"order\": \"zyx\", "
      "\"angles\": [\"=t+t^2\", \"=0.5*sin(t)\", \"=sin(3*t)\"]}}}";
  for (int i = 0; i < 3; i++) {
    TestRun run = driven(integrators[i], path);
    for (int k = 0; k < 200; k++) {
      test_steps(run.sim, 1);
      const double t = run.sim->state.t, p[3] = {cos(t), sin(2 * t), 0.1 * t * t};
      const double angle[3] = {t + t * t, 0.5 * sin(t), sin(3 * t)};
      double q[4] = {1, 0, 0, 0}, R[9], wanted[9];
      for (int j = 0; j < 3; j++) {
        double w[3] = {0}, turn[4];
        w[2 - j] = angle[j];
        mb_quat_exp(turn, w);
        mb_quat_mul(q, q, turn);
      }
      const MbPose B = hand_of(&run);
      mb_quat_to_mat3(R, B.q);
      mb_quat_to_mat3(wanted, q);
      // a step meets the path itself; rk45 integrates its second derivatives, 1e-8 exact, to 1e-6 a step
      test_near("position", B.p, p, 3, i < 2 ? 1e-13 : 1e-5);
      test_near("rotation", R, wanted, 9, i < 2 ? 1e-13 : 1e-5);
    }
    end(&run);
  }
}

// Torque about the origin and force in the body's axes: here m (a + g) of a swing to and fro, and a weight beside it.
Test(constraints, a_driven_body_tells_what_it_takes) {
  TestRun run = parse(
      "{\"mbsim\": 1, \"gravity\": [0, 0, -9.81], \"time\": {\"step\": 0.01, \"duration\": 1}, "
      "\"integrator\": {\"type\": \"rk45\", \"relative\": 1e-9, \"absolute\": 1e-11}, \"bodies\": "
      "[{\"name\": \"hand\", \"inertia\": {\"mass\": 2, \"center\": [0.2, 0, 0], \"matrix\": [1, 1, 1, 0, "
      "0, 0]}, \"pose\": {\"rotation\": {\"axis\": [0, 0, 1], \"angle\": \"=pi/2\"}}, \"velocity\": "
      "{\"linear\": "
      "[0.9, 0, 0]}, \"motion\": {\"pose\": {\"position\": [\"=0.3*sin(3*t)\", 0, 0], \"turn\": "
      "{\"axis\": [0, 0, 1], \"angle\": \"=pi/2\"}}}}], \"output\": {\"channels\": [\"constraint.force\"]}}");
  test_steps(run.sim, 70);
  // x of the world is −y of the body
  const double ax = -2.7 * sin(3 * 0.7),
               wanted[6] = {0, -0.2 * 2 * 9.81, -0.2 * 2 * ax, 0, -2 * ax, 2 * 9.81};
  test_near("wrench", mb_section(run.sim, MB_SECTION_FORCES), wanted, 6,
            1e-5); // second derivatives by differences
  end(&run);
}

Test(constraints, a_body_driven_at_a_velocity_goes_where_it_leads) {
  static const char *const axes[] = {"world", "body"}, *const integrators[] = {"\"symplectic\"", "\"rk45\""};
  for (int i = 0; i < 4; i++) {
    char motion[200];
    snprintf(motion, sizeof motion,
             "{\"velocity\": {\"angular\": [0, 0, 2], \"linear\": [0.5, 0, \"=2*t\"], \"frame\": \"%s\"}}",
             axes[i % 2]);
    TestRun run = driven(integrators[i / 2], motion);
    test_steps(run.sim, 200);
    const MbPose B = hand_of(&run);
    const double T = 2, rise = i / 2 ? T * T : T * (T + 0.01); // sum of velocities at the ends of the steps
    const double in_world[3] = {1 + 0.5 * T, 0, rise},
                 in_body[3] = {1 + 0.25 * sin(2 * T), 0.25 * (1 - cos(2 * T)), rise};
    const double turn[4] = {cos(T), 0, 0, sin(T)};
    double R[9], wanted[9];
    mb_quat_to_mat3(R, B.q);
    mb_quat_to_mat3(wanted, turn);
    test_near("position", B.p, i % 2 ? in_body : in_world, 3, i / 2 ? 1e-5 : 1e-11);
    test_near("rotation", R, wanted, 9, i / 2 ? 1e-5 : 1e-11);
    end(&run);
  }
}

Test(constraints, chairs_of_a_carousel_swing_out_as_far_as_they_must) {
  TestRun run = load("carousel", "/time/duration=60", NULL);
  test_steps(run.sim, 12000);
  // ω² (R + l sin φ) = g tan φ; a cube's moments of inertia are the same about all axes
  double angle = 0.5;
  const double w = 1.5, l = 2;
  for (int k = 0; k < 200; k++) angle = atan(w * w * (3 + l * sin(angle)) / 9.81);
  test_near("swing", &run.sim->state.q[run.model->q_first[run.model->number[1]]], &angle, 1, 1e-4);
  end(&run);
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
