// Damping of bending and twisting: D is the slope of its forces by velocities, K that by places; what moves as a rigid body feels nothing, and
// momenta stay; what vibrates by bending or by twisting dies down as closed forms say, under every solver.
#include "core/base/alloc.h"
#include "core/forces/forces.h"
#include "core/math/se3.h"
#include "tests/runs.h"
#include "tests/ways.h"

#include <stdio.h>
#include <string.h>

static void no_leaks(void) { cr_assert_eq(mb_alloc_live(), 0); }
TestSuite(bending_damping, .fini = no_leaks);
TestSuite(bending_damping_long, .fini = no_leaks);

// An arm that carries an end of a rod and a corner of a sheet; a sheet of a ball's shape, which is curved at rest.
static const char scene[] =
    "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"steps\": 1}, \"integrator\": "
    "\"implicit\", \"bodies\": [{\"name\": \"arm\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, "
    "0.1]}, \"mass\": 1, \"joint\": {\"type\": \"spherical\", \"position\": [0.3, -0.5, 0.8]}}], "
    "\"deformables\": ["
    "{\"name\": \"sheet\", \"type\": \"cloth\", \"mesh\": {\"grid\": [4, 3], \"size\": [0.3, 0.2]}, "
    "\"material\": "
    "{\"young\": 1000, \"density\": 100, \"thickness\": 0.1, \"bending\": {\"stiffness\": 2, \"damping\": "
    "0.2}}, "
    "\"attach\": [{\"select\": {\"side\": \"-x\"}, \"body\": \"arm\", \"enforce\": \"reduction\"}]}, "
    "{\"name\": \"ball\", \"type\": \"cloth\", \"mesh\": {\"ball\": 2, \"radius\": 0.3}, \"material\": "
    "{\"young\": "
    "1000, \"density\": 100, \"thickness\": 0.1, \"bending\": {\"stiffness\": 2, \"damping\": 0.2}}}, "
    "{\"name\": \"rod\", \"type\": \"rod\", \"mesh\": {\"points\": [[0, 0, 0], [0.1, 0, 0], [0.2, 0.02, 0], "
    "[0.3, "
    "0.02, 0.05], [0.4, 0, 0.05]]}, \"material\": {\"radius\": 0.02, \"young\": 2e4, \"bending\": 0.5, "
    "\"twisting\": 0.4, \"density\": 1000, \"damping\": 0.2}, \"attach\": [{\"select\": {\"clamp\": "
    "\"first\"}, "
    "\"body\": \"arm\", \"enforce\": \"reduction\"}]}]}";
static const char *const names[] = {"sheet", "ball", "rod"};
enum { ALL = 3, MOST = 60 * 6 };

Test(bending_damping, derivatives_by_velocities_and_by_places_are_the_forces_slopes) {
  for (int d = 0; d < ALL; d++) {
    TestRun run = test_run(scene, (const char *const[]){NULL});
    test_slopes_of_damping(run.sim, d, names[d], 4);
    test_run_free(&run);
  }
}

// Of the forces with damping less those without, in W: their sum, their torque and their power; of rigid motions the largest in its place.
static void sum_up(int deformable, bool rigid, double sum[7]) {
  static double without[MOST];
  static const char *const still[] = {"/deformables/0/material/bending/damping=0",
                                      "/deformables/1/material/bending/damping=0",
                                      "/deformables/2/material/damping=0"};
  memset(sum, 0, 7 * sizeof *sum);
  for (int damped = 0; damped < 2; damped++) {
    TestRun run = test_run(scene, (const char *const[]){damped ? NULL : still[deformable], NULL});
    const MbDeformable *of = &run.model->deformables[deformable];
    double speed[3];
    test_disturb(run.sim);
    for (size_t k = 0; k < of->count && rigid; k++) { // v = u + ω × x
      const size_t b = of->first + k;
      mb_vec3_cross(speed, (double[3]){1, -2, 0.5}, run.sim->x.E[b].p);
      mb_vec3_add(speed, speed, (double[3]){0.3, 1, 2});
      mb_quat_unrotate(run.sim->x.phi + 6 * b + 3, run.sim->x.E[b].q, speed);
    }
    test_evaluate(run.sim, test_elements_of(run.model, deformable), false);
    for (size_t k = 0; k < of->count; k++) {
      const size_t b = of->first + k;
      double f[3], torque[3];
      mb_quat_rotate(f, run.sim->x.E[b].q, run.sim->x.f + 6 * b + 3);
      if (!damped) mb_vec3_copy(without + 3 * k, f);
      mb_vec3_sub(f, f, without + 3 * k);
      mb_vec3_cross(torque, run.sim->x.E[b].p, f);
      mb_vec3_add(sum, sum, f);
      mb_vec3_add(sum + 3, sum + 3, torque);
      mb_quat_rotate(speed, run.sim->x.E[b].q, run.sim->x.phi + 6 * b + 3);
      sum[6] = rigid ? fmax(sum[6], mb_vec3_norm(f)) : sum[6] + mb_vec3_dot(f, speed);
    }
    test_run_free(&run);
  }
}

Test(bending_damping, rigid_motions_feel_nothing_and_others_lose_energy_but_no_momentum) {
  static const double ROUNDED = 1e-10; // of forces of some 1000 N
  for (int d = 0; d < ALL; d++) {
    double sum[7];
    sum_up(d, true, sum);
    test_near(names[d], sum, (double[7]){0}, 7, ROUNDED);
    sum_up(d, false, sum);
    test_near(names[d], sum, (double[6]){0}, 6, ROUNDED);
    cr_expect_lt(sum[6], -0.01, "%s: power %g", names[d], sum[6]);
  }
}

// ---- what vibrates ----------------------------------------------------------------------------------------

static const char *const solvers[] = {
    "/solver=\"redmax\"", "/solver=\"maximal\"", "/solver={\"type\":\"projective\",\"method\":\"newton\"}",
    "/solver={\"type\":\"projective\",\"method\":\"lbfgs\",\"tolerance\":1e-11}",
    "/solver={\"type\":\"projective\",\"method\":\"projective\",\"iterations\":2000,\"tolerance\":1e-9}"};
enum { STRIP_SOLVERS = 5, ROD_SOLVERS = 4 };

// The amplitude that is left from a peak to the one a period later, of x'' + β ω² x' + ω² x = 0 by steps of implicit Euler:
// (1 + h β ω² + h² ω²) z² − (2 + h β ω²) z + 1 = 0.
static double decrement(double omega, double beta, double h) {
  const double a = 1 + h * beta * omega * omega + h * h * omega * omega, b = 2 + h * beta * omega * omega;
  const double turn = acos(b / (2 * sqrt(a)));
  return pow(a, -0.5 * 2 * 3.141592653589793 / turn);
}

// One number among the places; of a node beside a segment less the mean of the segment's ends, whose first number is `ends` (0: none).
typedef struct Reading {
  const char *channel;
  size_t at, ends;
} Reading;

static double look(TestRun *run, const Reading *reading) {
  size_t count;
  const double *x = test_channel(run->sim, reading->channel, &count), *e = x + reading->ends;
  return x[reading->at] - (reading->ends ? (e[0] + e[3]) / 2 : 0);
}

// What is left of the third peak at the fifth, which is on the same side.
static double measure(const char *from, const char *const *sets, Reading reading) {
  TestRun run = test_run(from, sets);
  MbReport report = {0};
  size_t npeaks = 0;
  const double rest = look(&run, &reading);
  double before = 0, now = 0, peak[5] = {0};
  for (int k = 0; k < 4000 && npeaks < 5; k++) {
    cr_assert_eq(mb_sim_step(run.sim, &report), MB_OK, "%s", report.issues[0].text);
    const double next = look(&run, &reading) - rest;
    if (k > 1 && fabs(now) >= fabs(before) && fabs(now) > fabs(next)) {
      const double curve = 2 * now - before - next; // the parabola's top
      peak[npeaks++] = now + (next - before) * (next - before) / (8 * curve);
    }
    before = now, now = next;
  }
  cr_assert_eq(npeaks, 5);
  test_run_free(&run);
  return peak[4] / peak[2];
}

// A strip that is held along its first two columns: 1 m from the middle between these, D = 1 J, 1 kg/m². 20 cells along it.
static const char strip[] =
    "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"steps\": 4000}, \"integrator\": "
    "\"implicit\", \"deformables\": [{\"name\": \"strip\", \"type\": \"cloth\", \"mesh\": {\"grid\": [21, "
    "2], "
    "\"size\": [1.0256410256410255, 0.1], \"pattern\": \"diagonal\"}, \"material\": {\"young\": 3e4, "
    "\"poisson\": 0, \"density\": "
    "100, \"thickness\": 0.01, \"bending\": {\"stiffness\": 1, \"damping\": 0.03}}, \"pin\": [{\"select\": "
    "{\"box\": [[-9, -9, -9], [0.06, 9, 9]]}}], \"velocity\": {\"angular\": [0, -0.01, 0]}}]}";

Test(bending_damping_long, a_strip_that_vibrates_dies_down_as_its_bending_is_damped, TEST_LONG) {
  const double omega = 3.5160152685, wanted = decrement(omega, 0.03, 0.01);
  for (int s = 0; s < STRIP_SOLVERS; s++) {
    const double left = measure(strip, (const char *const[]){solvers[s], NULL},
                                (Reading){"deformable.strip.position", 3 * 41 + 2, 0});
    cr_expect_float_eq(log(left), log(wanted), 0.02 * fabs(log(wanted)), "%s: %g, and %g is wanted",
                       solvers[s], left, wanted);
  }
}

// Clamped at its start: 1 m, 1 kg, B = 1 N m², C = 0.8 N m², about its axis m r²/2 = 1.25e-3 kg m².
#define ROD(step_, beta_, velocity_)                                                                         \
  "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": " step_                                       \
  ", \"steps\": 4000}, \"integrator\": \"implicit\", \"deformables\": [{\"name\": \"rod\", \"type\": "       \
  "\"rod\", \"mesh\": {\"rope\": 21, \"length\": 1}, \"material\": {\"radius\": 0.05, \"young\": 2e7, "      \
  "\"bending\": 1, \"twisting\": 0.8, \"density\": 127.32395447351628, \"damping\": " beta_                  \
  "}, \"pin\": [{\"select\": {\"clamp\": \"first\"}}], \"velocity\": {\"angular\": " velocity_ "}}]}"

static void dies_down(const char *what, const char *rod, Reading reading, double wanted) {
  for (int s = 0; s < ROD_SOLVERS; s++) {
    const double left = measure(rod, (const char *const[]){solvers[s], NULL}, reading);
    cr_expect_float_eq(log(left), log(wanted), 0.02 * fabs(log(wanted)), "%s, %s: %g, and %g is wanted", what,
                       solvers[s], left, wanted);
  }
}

Test(bending_damping_long, a_rod_that_vibrates_dies_down_as_its_bending_is_damped, TEST_LONG) {
  dies_down("bending", ROD("0.01", "0.03", "[0, -0.1, 0]"),
            (Reading){"deformable.rod.position", 3 * 20 + 2, 0}, decrement(3.5160152685, 0.03, 0.01));
}

Test(bending_damping_long, a_rod_that_swings_about_its_axis_dies_down_as_its_twisting_is_damped, TEST_LONG) {
  const double omega = 3.141592653589793 / 2 * sqrt(0.8 / 1.25e-3);
  dies_down("twisting", ROD("0.001", "0.0025", "[1, 0, 0]"),
            (Reading){"deformable.rod.position", 3 * (21 + 2 * 19) + 1, 3 * 19 + 1},
            decrement(omega, 0.0025, 0.001));
}

// A wide curl that flies: Newton's method, quasi-Newton steps and local-global iterations end in one place.
Test(bending_damping_long, methods_come_to_one_place) {
  static const char curl[] =
      "{\"mbsim\": 1, \"gravity\": [0, 0, -9.81], \"time\": {\"step\": 0.01, \"steps\": 40}, \"integrator\": "
      "\"implicit\", \"deformables\": [{\"name\": \"c\", \"type\": \"cloth\", \"mesh\": {\"grid\": [7, 5], "
      "\"size\": [0.6, 0.4]}, \"material\": {\"young\": 3e4, \"density\": 300, \"thickness\": 0.01, "
      "\"bending\": "
      "{\"stiffness\": 0.05, \"damping\": 0.2}}, \"pin\": [{\"select\": {\"side\": \"-x\"}}]}]}";
  double x[3][105];
  for (int k = 0; k < 3; k++) {
    size_t count;
    MbReport report = {0};
    TestRun run = test_run(curl, (const char *const[]){solvers[2 + k], NULL});
    for (int n = 0; n < 40; n++) cr_assert_eq(mb_sim_step(run.sim, &report), MB_OK);
    memcpy(x[k], test_channel(run.sim, "deformable.c.position", &count), sizeof x[k]);
    test_run_free(&run);
  }
  test_near("lbfgs", x[1], x[0], 105, 1e-6);
  test_near("projective", x[2], x[0], 105, 1e-6);
}

Test(bending_damping, what_has_no_curvatures_is_refused_by_name) {
  static const char *const models[] = {"laplace_beltrami", "none"};
  for (size_t k = 0; k < 2; k++) {
    char set[100];
    MbReport report = {0};
    snprintf(set, sizeof set, "/deformables/0/material/bending/model=\"%s\"", models[k]);
    cr_expect_eq(test_try(scene, (const char *const[]){set, NULL}, 0, &report), MB_SCENE);
    cr_expect(strstr(report.issues[0].text, "cannot be damped"), "%s", report.issues[0].text);
  }
}
