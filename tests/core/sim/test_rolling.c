// Bodies that roll, and that spin in step: motions that are known, measured orders, what is kept, what is singular.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static void end(TestRun *run) {
  test_run_free(run);
  cr_assert_eq(mb_alloc_live(), 0);
}

// A scene by its folder and name, or one in a text that begins with a brace.
static TestRun load(const char *from, const char *integrator, double h, const char *more) {
  char way[160], step[64];
  snprintf(way, sizeof way, "/integrator=%s", integrator);
  snprintf(step, sizeof step, "/time/step=%.17g", h);
  const char *sets[] = {way, step, more, NULL};
  return test_run(from, sets);
}

static size_t number_of(const TestRun *run, const char *name) {
  size_t listed = 0;
  cr_assert(mb_names_find(&run->model->names, name, &listed), "%s", name);
  return run->model->number[listed];
}

#define HEAD "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1}, "

static const char *const EXACT = "{\"type\": \"rk45\", \"relative\": 1e-11, \"absolute\": 1e-13}";
static const char *const ALL[] = {"\"symplectic\"", "\"implicit\"", "\"trapezoidal\"", "\"bridson_marino\"",
                                  "{\"type\": \"rk45\", \"relative\": 1e-9, \"absolute\": 1e-11}"};
static const double STEP[] = {1e-4, 1e-4, 1e-3, 1e-3, 1e-2};

// Two tops that spin in step about axes of their own, free in space.
static const char *const TOPS = HEAD
    "\"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"box\", \"size\": [0.3, "
    "0.2, 0.1]}, \"density\": 1000, \"velocity\": {\"angular\": [3, 1, -2]}}, {\"name\": \"b\", \"shape\": "
    "{\"type\": \"box\", \"size\": [0.1, 0.2, 0.4]}, \"density\": 1000, \"pose\": {\"position\": [1, 0, 0], "
    "\"rotation\": {\"axis\": [1, 2, 3], \"angle\": 1}}, \"velocity\": {\"angular\": [1, -2, 1.5]}}], "
    "\"constraints\": [{\"type\": \"velocity_ratio\", \"bodies\": [\"a\", \"b\"], \"ratio\": -0.7, \"axes\": "
    "[[1, 2, 0], [0, 1, -3]]}]}";

// An egg that rolls on a plane, which a swing carries; \"along\" is of a wheel that the swing carries as well.
static const char *const SWING = HEAD
    "\"bodies\": [{\"name\": \"swing\", \"shape\": {\"type\": \"box\", \"size\": [2, 1, 0.1]}, \"density\": "
    "300, \"joint\": {\"type\": \"universal\", \"in_body\": {\"position\": [0, 0, 1]}, \"velocity\": [0.5, "
    "-0.4]}}, {\"name\": \"egg\", \"shape\": {\"type\": \"ellipsoid\", \"radii\": [0.2, 0.25, 0.15]}, "
    "\"density\": 500, \"pose\": {\"position\": [0.1, 0.2, -0.8]}, \"velocity\": {\"angular\": [1, 2, 3]}}, "
    "{\"name\": \"wheel\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.2, \"length\": 0.1, \"frame\": "
    "{\"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"=80*deg\"}}}, \"density\": 500, \"pose\": "
    "{\"position\": [-0.5, 0, "
    "\"=-0.95 + 0.2*sin(80*deg)+0.05*cos(80*deg)\"]}, \"velocity\": {\"angular\": [0, 8, 0]}}], "
    "\"constraints\": [{\"type\": \"rolling\", \"body\": \"egg\", \"on\": \"swing\", \"at\": [0, 0, 0.05], "
    "\"normal\": [0, 0, 2]}, {\"type\": \"rolling\", \"body\": \"wheel\", \"on\": \"swing\", \"at\": [0, 0, "
    "0.05], \"normal\": [0, 0, 1], \"along\": -0.05}]}";

// ---- orders -----------------------------------------------------------------------------------------------

enum { MOST = 200 };

static size_t state_at(const char *from, const char *integrator, double h, double time, double state[MOST]) {
  TestRun run = load(from, integrator, h, NULL);
  test_steps(run.sim, lrint(time / run.model->h));
  const size_t nb = run.model->nb;
  cr_assert_leq(18 * nb, MOST);
  for (size_t b = 0; b < nb; b++) {
    memcpy(state + 18 * b, run.sim->x.E[b].p, 3 * sizeof *state);
    mb_quat_to_mat3(state + 18 * b + 3, run.sim->x.E[b].q);
    memcpy(state + 18 * b + 12, run.sim->x.phi + 6 * b, 6 * sizeof *state);
  }
  end(&run);
  return 18 * nb;
}

static double distance(const double *a, const double *b, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static void expect_order(const char *name, const char *from, const char *integrator, double h,
                         double wanted) {
  static const double SLOPE = 0.15, TIME = 0.8; // the next power of h still shows at these steps
  double exact[MOST], state[MOST], error[3];
  size_t n = state_at(from, EXACT, 0.004, TIME, exact);
  for (int k = 0; k < 3; k++) {
    n = state_at(from, integrator, h / (1 << k), TIME, state);
    error[k] = distance(state, exact, n);
  }
  const double order = log2(error[1] / error[2]);
  printf("  %-16s %-18s %10.3e %10.3e %10.3e  %.3f\n", name, integrator, error[0], error[1], error[2], order);
  cr_expect(fabs(order - wanted) < SLOPE, "%s of %s: order %.3f, errors %g %g", integrator, name, order,
            error[1], error[2]);
}

Test(rolling_long, steps_keep_their_order, TEST_LONG) {
  for (int i = 0; i < 4; i++) {
    const double h = i < 2 ? 0.0005 : 0.004;
    expect_order("rolling disk", "constraints/rolling_disk", ALL[i], h, i < 2 ? 1 : 2);
    expect_order("tops in step", TOPS, ALL[i], h, i < 2 ? 1 : 2);
    expect_order("on a swing", SWING, ALL[i], h / 2, i < 2 ? 1 : 2);
  }
}

// ---- what is kept -----------------------------------------------------------------------------------------

typedef struct Drift {
  double position, velocity, energy; // worst errors; the energy's over its largest
} Drift;

static Drift drift_of(const char *from, const char *integrator, double h, double time) {
  TestRun run = load(from, integrator, h, NULL);
  Drift drift = {0};
  double first = NAN, largest = 0;
  for (int64_t i = 0; i < lrint(time / run.model->h); i++) {
    double error[2];
    test_steps(run.sim, 1);
    mb_constraint_errors(run.sim, error);
    const MbEnergy e = mb_energy(run.model, &run.sim->x);
    if (i == 0) first = e.total; // after the first step velocities agree
    drift.position = fmax(drift.position, error[0]);
    drift.velocity = fmax(drift.velocity, error[1]);
    drift.energy = fmax(drift.energy, fabs(e.total - first));
    largest = fmax(largest, fmax(e.kinetic, fabs(e.gravity)));
  }
  end(&run);
  drift.energy /= largest;
  return drift;
}

Test(rolling_long, nothing_slips_and_energy_stays, TEST_LONG) {
  static const double TIME = 4;
  static const char *const names[] = {"rolling disk", "tops in step", "on a swing"};
  const char *const scenes[] = {"constraints/rolling_disk", TOPS, SWING};
  for (int k = 0; k < 3; k++) {
    for (int i = 2; i < 4; i++) {
      const Drift whole = drift_of(scenes[k], ALL[i], 0.004, TIME),
                  half = drift_of(scenes[k], ALL[i], 0.002, TIME);
      printf("  %-14s %-18s gap %.2g rate %.2g energy %.2g, h/2 %.2g\n", names[k], ALL[i], whole.position,
             whole.velocity, whole.energy, half.energy);
      cr_expect_lt(half.position, 1e-7);   // what the passes of Newton's method leave, of 0.1 m
      cr_expect_lt(whole.velocity, 1e-12); // solved for, to rounding
      cr_expect_lt(half.energy, 1e-3);
      cr_expect_lt(half.energy, 0.35 * whole.energy + 1e-12); // a quarter, and higher powers of h
    }
    const Drift exact = drift_of(scenes[k], ALL[4], 0.01, TIME);
    printf("  %-14s %-18s gap %.2g rate %.2g energy %.2g\n", names[k], "rk45", exact.position, exact.velocity,
           exact.energy);
    cr_expect_lt(exact.energy, 1e-6);
    cr_expect_lt(exact.position, 1e-7);
    cr_expect_lt(exact.velocity, 1e-6);
  }
}

// ---- motions that are known -------------------------------------------------------------------------------

// With its middle at rest a disk turns about the diameter through the contact, ω = Ω sin θ; its angular momentum I Ω sin θ goes
// round with Ω by the torque m g R cos θ: Ω² = m g R/(I sin θ), I = m (R²/4 + L²/12).
Test(rolling, a_coin_goes_round_at_the_rate_of_its_lean) {
  static const double R = 0.012, L = 0.002, TILT = 1.0, G = 9.81;
  const double rate = sqrt(G * R / ((R * R / 4 + L * L / 12) * sin(TILT)));
  static const double CLOSE[] = {2e-2, 2e-2, 2e-3, 2e-3,
                                 1e-6}; // of radians after a second or of radii, at these steps
  static const double H[] = {1e-5, 1e-5, 1e-4, 1e-4, 1e-3};
  for (int i = 0; i < 5; i++) {
    TestRun run = load("constraints/spinning_coin", ALL[i], H[i], NULL);
    const size_t b = number_of(&run, "coin");
    test_steps(run.sim, lrint(0.3 / run.model->h));
    const double turned = rate * mb_sim_time(run.sim);
    const double axis[3] = {sin(TILT) * sin(turned), -sin(TILT) * cos(turned), cos(TILT)};
    // the axis of C that was the coin's: the one of the largest moment
    const double *M = run.model->M + 6 * b;
    double e[3] = {0}, is[3];
    e[M[0] > M[1] ? (M[0] > M[2] ? 0 : 2) : (M[1] > M[2] ? 1 : 2)] = 1;
    mb_quat_rotate(is, run.sim->x.E[b].q, e);
    if (is[2] < 0) mb_vec3_scale(is, -1, is);
    test_near(ALL[i], is, axis, 3, CLOSE[i]);
    const double middle[3] = {0, 0, R * sin(TILT)};
    test_near("middle", run.sim->x.E[b].p, middle, 3, CLOSE[i] * R);
    end(&run);
  }
}

// v̇ = 2/7 Ω × v, whatever the ball's size: circles about a point that stays.
Test(rolling_long, a_ball_on_a_turntable_circles_at_two_sevenths_of_its_rate, TEST_LONG) {
  static const double RATE = 3, OUT = 0.4, SPEED = 0.2, TIME = 4;
  static const double CLOSE[] = {2e-2, 2e-2, 1e-4, 1e-4, 1e-7}; // m, at these steps
  const double w = 2 * RATE / 7, r = SPEED / w, centre = OUT - r;
  const double known[3] = {centre + r * cos(w * TIME), r * sin(w * TIME), 0.05};
  for (int i = 0; i < 5; i++) {
    TestRun run = load("constraints/rolling_ball", ALL[i], STEP[i], NULL);
    test_steps(run.sim, lrint(TIME / run.model->h));
    test_near(ALL[i], run.sim->x.E[number_of(&run, "ball")].p, known, 3, CLOSE[i]);
    end(&run);
  }
}

// Down a slope, whose plane is a shape: a = g sin α/(1 + I/m R²).
Test(rolling_long, balls_wheels_and_lying_cylinders_roll_down_a_slope_at_their_rates) {
  static const struct {
    const char *name, *shape, *more;
    double inertia; // over m R²
  } round[] = {
      {"sphere", "\"sphere\", \"radius\": 0.1", "", 0.4},
      {"ellipsoid", "\"ellipsoid\", \"radii\": [0.1, 0.1, 0.1]", "", 0.4},
      {"wheel", "\"cylinder\", \"radius\": 0.1, \"length\": 0.02", "", 0.5},
      {"lying cylinder", "\"cylinder\", \"radius\": 0.1, \"length\": 0.4",
       ", \"along\": -0.2}, {\"type\": "
       "\"rolling\", \"body\": \"a\", \"on\": \"slope\", \"along\": 0.2",
       0.5},
      {"lying capsule", "\"capsule\", \"radius\": 0.1, \"length\": 0", ", \"along\": 0", 0.4},
  };
  for (size_t k = 0; k < sizeof round / sizeof *round; k++)
    for (int i = 0; i < 5; i++) {
      char text[1200];
      snprintf(
          text, sizeof text,
          HEAD
          "\"parameters\": {\"slope\": 0.3}, \"bodies\": [{\"name\": \"slope\", \"shape\": {\"type\": "
          "\"plane\", \"offset\": -0.1, \"frame\": {\"rotation\": {\"axis\": [0, 1, 0], \"angle\": "
          "\"=slope\"}}}, \"joint\": {\"type\": \"fixed\"}}, {\"name\": \"a\", \"shape\": {\"type\": %s, "
          "\"frame\": {\"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"=90*deg\"}}}, \"mass\": 3}], "
          "\"constraints\": [{\"type\": \"rolling\", \"body\": \"a\", \"on\": \"slope\"%s}]}",
          round[k].shape, round[k].more);
      TestRun run = load(text, ALL[i], STEP[i], NULL);
      test_steps(run.sim, lrint(0.5 / run.model->h));
      const double way = 0.5 * 9.81 * sin(0.3) / (1 + round[k].inertia) * 0.25;
      const double known[3] = {way * cos(0.3), 0, -way * sin(0.3)};
      // g t h/2; turns of a step to the third power; tolerances
      test_near(round[k].name, run.sim->x.E[number_of(&run, "a")].p, known, 3,
                i < 2   ? 3e-4
                : i < 4 ? 1e-5
                        : 1e-8);
      end(&run);
    }
}

Test(rolling, wheels_in_step_share_a_torque_by_their_inertia) {
  static const double R = 0.05, RATIO = 0.5, TORQUE = 0.2;
  for (int i = 0; i < 5; i++) {
    TestRun run = load("constraints/friction_wheels", ALL[i], 0.002, NULL);
    test_steps(run.sim, 500);
    const double small = 7800 * 0.02 * M_PI * pow(R, 4) / 2,
                 large = 7800 * 0.02 * M_PI * pow(R / RATIO, 4) / 2;
    const double known = TORQUE / (small + RATIO * RATIO * large);
    const double *v = run.sim->state.v, wanted = -RATIO * v[run.model->v_first[number_of(&run, "small")]];
    test_near(ALL[i], &v[run.model->v_first[number_of(&run, "small")]], &known, 1, 1e-9 * known);
    test_near("in step", &v[run.model->v_first[number_of(&run, "large")]], &wanted, 1, 1e-12 * known);
    end(&run);
  }
}

// Soft, they slip by α/β of the torque λ that goes from one to the other: I_b ω̇_b = −λ.
Test(rolling, soft_wheels_slip_in_proportion_to_what_they_carry) {
  static const double R = 0.05, RATIO = -0.5, TORQUE = 0.2;
  static const char *const SOFT = "/constraints/0={\"type\": \"velocity_ratio\", \"compliance\": 0.1, "
                                  "\"damping\": 0.01, \"bodies\": [\"small\", \"large\"], \"ratio\": -0.5, "
                                  "\"axes\": [[0, 0, 1], [0, 0, 1]]}";
  const double small = 7800 * 0.02 * M_PI * pow(R, 4) / 2, large = 7800 * 0.02 * M_PI * pow(R / RATIO, 4) / 2;
  const double known = 0.1 / 0.01 * large * RATIO * TORQUE / (small + RATIO * RATIO * large);
  for (int i = 0; i < 5; i++) {
    TestRun run = load("constraints/friction_wheels", ALL[i], 0.002, SOFT);
    test_steps(run.sim, 1000); // it takes 1/16 s to come to that
    const double *v = run.sim->state.v;
    const double slip = RATIO * v[run.model->v_first[number_of(&run, "small")]] -
                        v[run.model->v_first[number_of(&run, "large")]];
    test_near(ALL[i], &slip, &known, 1, 1e-7 * fabs(known));
    end(&run);
  }
}

// ---- what is singular -------------------------------------------------------------------------------------

static const char *const FALLING = HEAD
    "\"bodies\": [{\"name\": \"coin\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.1, \"length\": "
    "0.01}, \"density\": 8000, \"pose\": {\"position\": [0, 0, \"=0.1*sin(1.2)\"], \"rotation\": {\"axis\": "
    "[1, 0, 0], \"angle\": 1.2}}}], \"constraints\": [{\"type\": \"rolling\", \"name\": \"edge\", \"body\": "
    "\"coin\"}]}";

Test(rolling, a_coin_that_falls_flat_is_told_by_name) {
  for (int i = 0; i < 5; i++) {
    TestRun run = load(FALLING, ALL[i], 0.001, NULL);
    MbReport report = {0};
    MbStatus status = MB_OK;
    double lowest = 1;
    for (int k = 0; k < 1000 && status == MB_OK; k++) {
      status = mb_sim_step(run.sim, &report);
      lowest = fmin(lowest, run.sim->state.q[2]);
      for (size_t j = 0; j < run.sim->nq; j++) cr_assert(isfinite(run.sim->state.q[j]));
    }
    cr_assert_eq(status, MB_NUMBERS);
    cr_expect(lowest > -1e-3 && lowest < 0.02, "%s: lowest %g", ALL[i], lowest);
    const char *wanted = i < 4 ? "\"edge" : "coin";
    cr_expect(strstr(report.issues[0].text, wanted) && (i == 4 || strstr(report.issues[0].text, "lie flat")),
              "%s: %s", ALL[i], report.issues[0].text);
    end(&run);
  }
}

Test(rolling, a_coin_that_lies_flat_at_the_start_is_refused) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  const char *sets[] = {"/bodies/0/pose={\"position\": [0, 0, 0]}"};
  const MbSceneOptions options = {.sets = sets, .nsets = 1};
  test_ok(mb_scene_parse(FALLING, strlen(FALLING), "test", ".", &options, &scene, &report), &report);
  cr_assert_eq(mb_model_create(scene, &model, &report), MB_SCENE);
  cr_assert(strstr(report.issues[0].text, "lie flat"), "%s", report.issues[0].text);
  cr_assert_str_eq(report.issues[0].where, "/constraints/0");
  mb_scene_free(scene);
  cr_assert_eq(mb_alloc_live(), 0);
}
