// Rods against closed forms and the elastica's equation, under every solver; what they are as nodes; what is refused.
#include "core/base/alloc.h"
#include "core/forces/forces.h"
#include "tests/runs.h"
#include "tests/ways.h"

#include <stdio.h>
#include <string.h>

static void no_leaks(void) { cr_assert_eq(mb_alloc_live(), 0); }
TestSuite(rod, .fini = no_leaks);

static const char *const solvers[] = {"/solver=\"redmax\"", "/solver=\"maximal\"", "/solver=\"projective\""};
// Where a rod buckles steps are long.
static const char patient[] = "/solver={\"type\":\"projective\",\"iterations\":5000}";
enum { SOLVERS = 3, MOST = 80 * 6 };

// A rod of 1 m along x that is clamped at the origin, with bending stiffness 1 N m².
#define CLAMPED                                                                                              \
  "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 1, \"steps\": 1}, \"integrator\": "           \
  "\"static\", "                                                                                             \
  "\"deformables\": [{\"name\": \"rod\", \"type\": \"rod\", \"mesh\": {\"rope\": 21, \"length\": 1}, "       \
  "\"material\": {\"radius\": 0.005, \"young\": 2e9, \"poisson\": 0.25, \"bending\": 1, \"twisting\": 0.8, " \
  "\"density\": 12732.395447351628}, "                                                                       \
  "\"pin\": [{\"select\": {\"clamp\": \"first\"}}]}]}"
// It weighs 1 kg.

static const double *places(TestRun *run) {
  size_t count;
  return test_channel(run->sim, "deformable.rod.position", &count);
}

static double elastic_energy(TestRun *run) {
  size_t count;
  return test_channel(run->sim, "energy", &count)[2];
}

// Steps and fails the test where one fails.
static void step(TestRun *run, int steps) {
  MbReport report = {0};
  for (int k = 0; k < steps; k++)
    cr_assert_eq(mb_sim_step(run->sim, &report), MB_OK, "%s", report.issues[0].text);
}

// w L⁴/8B, of which rods with straight segments of length l are off by (l/L)².
Test(rod, a_cantilever_bends_as_a_beam_and_better_with_more_points) {
  static const char *const counts[] = {"/deformables/0/mesh/rope=11", "/deformables/0/mesh/rope=21",
                                       "/deformables/0/mesh/rope=41"};
  for (int s = 0; s < SOLVERS; s++) {
    double off[3];
    for (int k = 0; k < 3; k++) {
      TestRun run =
          test_run(CLAMPED, (const char *const[]){solvers[s], counts[k], "/gravity=[0,0,-0.01]", NULL});
      step(&run, 1);
      off[k] = places(&run)[3 * (10u << k) + 2] / (-0.01 / 8) - 1;
      test_run_free(&run);
    }
    cr_expect(off[2] > 0 && off[2] < 1e-3, "%s: the tip is off by %g", solvers[s], off[2]);
    cr_expect(off[0] / off[1] > 3.5 && off[1] / off[2] > 3.5, "%s: off by %g, %g, %g", solvers[s], off[0],
              off[1], off[2]);
  }
}

// θ'' = −(w/B)(L − s) cos θ, θ(0) = 0, θ'(L) = 0, by shooting: where the tip is.
static void elastica(double load, double tip[2]) {
  enum { STEPS = 4000 };
  double low = 0, high = load;
  for (int k = 0; k < 60; k++) {
    double angle = 0, bend = (low + high) / 2;
    tip[0] = tip[1] = 0;
    for (int i = 0; i < STEPS; i++) { // the midpoint rule
      const double h = 1.0 / STEPS, s = h * i;
      const double a = angle + h / 2 * bend, b = bend - h / 2 * load * (1 - s) * cos(angle);
      tip[0] += h * cos(a), tip[1] -= h * sin(a);
      angle += h * b, bend -= h * load * (1 - s - h / 2) * cos(a);
    }
    if (bend > 0)
      high = (low + high) / 2;
    else
      low = (low + high) / 2;
  }
}

Test(rod, what_hangs_far_down_is_the_elastica, TEST_LONG) {
  double tip[2];
  elastica(20, tip);
  cr_assert_lt(tip[1], -0.7);
  for (int s = 0; s < SOLVERS; s++) {
    TestRun run = test_run(CLAMPED, (const char *const[]){solvers[s], "/deformables/0/mesh/rope=41",
                                                          "/time/steps=5", "/gravity=[0,0,-20]", NULL});
    step(&run, 5);
    const double *x = places(&run) + 3 * 40;
    cr_expect_float_eq(x[0], tip[0], 3e-3, "%s: %g, and %g is wanted", solvers[s], x[0], tip[0]);
    cr_expect_float_eq(x[2], tip[1], 3e-3, "%s: %g, and %g is wanted", solvers[s], x[2], tip[1]);
    test_run_free(&run);
  }
}

// Two clamped ends come nearer: P = 4 π² B/L² where the strain is P/EA. Beyond it the middle goes off to the side.
Test(rod, a_column_buckles_at_eulers_load) {
  const double strain = 39.47841760435743 / (2e9 * 3.141592653589793 * 25e-6);
  double aside[2];
  for (int k = 0; k < 2; k++) {
    char pin[200];
    snprintf(pin, sizeof pin,
             "/deformables/0/pin/-={\"select\":{\"clamp\":\"last\"},\"motion\":{\"translate\":[\"=-%.17g*t\","
             "0,0]}}",
             strain * (k ? 1.03 : 0.97) / 4);
    TestRun run = test_run(CLAMPED, (const char *const[]){patient, "/deformables/0/mesh/rope=41", pin,
                                                          "/gravity=[0,0,-1e-3]", "/time/steps=4", NULL});
    step(&run, 4);
    aside[k] = fabs(places(&run)[62]);
    test_run_free(&run);
  }
  cr_expect(aside[0] < 2e-4 && aside[1] > 1e-3, "%g and %g aside", aside[0], aside[1]);
}

// Upright under its own weight a rod falls over at w L³/B = 7.837.
Test(rod, a_mast_falls_over_under_its_own_weight_where_it_should) {
  for (int k = 0; k < 2; k++) {
    char gravity[60];
    snprintf(gravity, sizeof gravity, "/gravity=[%.6g,0,-0.0001]", k ? -7.837 * 1.03 : -7.837 * 0.97);
    TestRun run = test_run(CLAMPED, (const char *const[]){patient, gravity, "/time/steps=3", NULL});
    step(&run, 3);
    const double z = fabs(places(&run)[62]);
    cr_expect(k ? z > 0.1 : z < 0.01, "%g aside with %s", z, gravity);
    test_run_free(&run);
  }
}

// ½ C φ²/L
Test(rod, a_straight_rod_resists_twisting_by_its_stiffness_over_its_length) {
  TestRun run = test_run(
      CLAMPED, (const char *const[]){solvers[2],
                                     "/deformables/0/pin/-={\"select\":{\"clamp\":\"last\"},\"motion\":{"
                                     "\"rotate\":{\"axis\":[1,0,0],\"angle\":\"=t\"}}}",
                                     NULL});
  step(&run, 1);
  cr_expect_float_eq(elastic_energy(&run), 0.4, 0.4 * 3e-4); // (φ/20)²/12 less
  test_run_free(&run);
}

// A torque at a knob that carries its end: φ = M L/C.
Test(rod, a_body_that_holds_an_end_twists_it_as_far_as_its_torque_says) {
  static const char knob[] =
      "/bodies=[{\"name\":\"knob\",\"mass\":1,\"shape\":{\"type\":\"sphere\",\"radius\":0.05},\"joint\":{"
      "\"type\":\"revolute\",\"axis\":[1,0,0],\"in_parent\":{\"position\":[1,0,0]},\"force\":0.4,\"damping\":"
      "0.05}}]";
  static const char *const holds[] = {
      "/deformables/0/attach=[{\"select\":{\"clamp\":\"last\"},\"body\":\"knob\"}]",
      "/deformables/0/"
      "attach=[{\"select\":{\"clamp\":\"last\"},\"body\":\"knob\",\"enforce\":\"reduction\"}]"};
  for (int s = 0; s < SOLVERS; s++)
    for (int k = 0; k < (s == 0 ? 2 : 1); k++) {
      TestRun run = test_run(CLAMPED, (const char *const[]){solvers[s], knob, holds[k], "/time/step=0.01",
                                                            "/integrator=\"implicit\"", NULL});
      size_t count;
      step(&run, 120);
      const double *q = test_channel(run.sim, "joint.position", &count);
      cr_expect_float_eq(q[0], 0.5, 0.5 * 1e-3, "%s, %d: %g rad", solvers[s], k, q[0]);
      test_run_free(&run);
    }
}

// Clamped at both ends it writhes where M L/B is 8.987 (Greenhill): at φ = 8.987 B/C.
Test(rod, twisted_too_far_it_writhes) {
  for (int k = 0; k < 2; k++) {
    char pin[200];
    snprintf(pin, sizeof pin,
             "/deformables/0/pin/-={\"select\":{\"clamp\":\"last\"},\"motion\":{\"rotate\":{\"axis\":[1,0,0],"
             "\"angle\":\"=%.6g*t\"}}}",
             (k ? 1.04 : 0.96) * 8.9868 / 0.8 / 8);
    TestRun run = test_run(CLAMPED, (const char *const[]){patient, "/deformables/0/mesh/rope=41", pin,
                                                          "/gravity=[0,0,-1e-3]", "/time/steps=8", NULL});
    step(&run, 8);
    const double *x = places(&run) + 3 * 20, aside = hypot(x[1], x[2]);
    cr_expect(k ? aside > 1e-3 : aside < 1e-4, "%g aside at %d", aside, k);
    test_run_free(&run);
  }
}

#define COIL "/deformables/0/mesh={\"helix\":{\"nodes\":129,\"radius\":0.1,\"pitch\":0.01,\"turns\":4}}"

// A coil drawn along its axis is wire that is twisted: F = C δ/(2π R³ n), in print G d⁴ δ/(8 D³ n).
Test(rod, a_coil_is_the_spring_that_its_wire_makes) {
  TestRun run = test_run(
      CLAMPED, (const char *const[]){solvers[2], COIL,
                                     "/deformables/0/pin/-={\"select\":{\"clamp\":\"last\"},\"motion\":{"
                                     "\"translate\":[0,0,\"=0.01*t\"]}}",
                                     NULL});
  step(&run, 1);
  const double wanted = 0.5 * 0.8 / (2 * 3.141592653589793 * 1e-3 * 4) * 1e-4;
  cr_expect_float_eq(elastic_energy(&run), wanted, 0.02 * wanted, "%g J, and %g are wanted",
                     elastic_energy(&run), wanted);
  test_run_free(&run);
}

Test(rod, what_is_a_helix_at_rest_stays_one_wherever_it_is_put) {
  for (int s = 0; s < SOLVERS; s++) {
    TestRun run = test_run(CLAMPED, (const char *const[]){solvers[s], COIL, "/integrator=\"implicit\"",
                                                          "/time/step=0.01", "/time/steps=20",
                                                          "/deformables/0/pose={\"position\":[1,2,3],"
                                                          "\"rotation\":{\"axis\":[1,2,3],\"angle\":2}}",
                                                          NULL});
    static double before[3 * 400];
    const size_t n = 3 * 129;
    memcpy(before, places(&run), n * sizeof *before);
    step(&run, 20);
    test_near("places", places(&run), before, n, 1e-9);
    test_run_free(&run);
  }
}

#define THROWN                                                                                               \
  "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.002, \"steps\": 50}, \"deformables\": "     \
  "[{\"name\": \"rod\", \"type\": \"rod\", \"mesh\": {\"points\": [[0, 0, 0], [0.1, 0, 0], [0.2, 0.02, 0], " \
  "[0.3, 0.02, 0.05], [0.4, 0, 0.05]]}, \"material\": {\"radius\": 0.02, \"young\": 2e4, \"density\": "      \
  "1000}, \"velocity\": {\"angular\": [3, 2, 1], \"linear\": [0.5, 0, 1]}}]}"

Test(rod, a_rod_that_flies_keeps_its_momentum_and_its_energy) {
  static const struct {
    const char *solver, *integrator;
    double momentum, energy;
  } ways[] = {{"/solver=\"redmax\"", "/integrator={\"type\":\"rk45\",\"relative\":1e-9}", 1e-8, 1e-7},
              {"/solver=\"maximal\"", "/integrator={\"type\":\"rk45\",\"relative\":1e-9}", 1e-8, 1e-7},
              {"/solver=\"redmax\"", "/integrator=\"trapezoidal\"", 1e-3, 1e-2},
              {"/solver=\"projective\"", "/integrator=\"implicit\"", 1e-4, 0.2}};
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    TestRun run =
        test_run(THROWN, (const char *const[]){ways[k].solver, ways[k].integrator,
                                               "/output={\"channels\":[\"energy\",\"momentum\"]}", NULL});
    size_t count;
    double first[6], energy;
    memcpy(first, test_channel(run.sim, "momentum", &count), sizeof first);
    energy = test_channel(run.sim, "energy", &count)[3];
    step(&run, 50);
    const double *now = test_channel(run.sim, "momentum", &count);
    test_near(ways[k].integrator, now, first, 3, 1e-10);
    test_near(ways[k].integrator, now + 3, first + 3, 3, ways[k].momentum);
    const double left = test_channel(run.sim, "energy", &count)[3];
    cr_expect_float_eq(left, energy, ways[k].energy * energy, "%s: %g J of %g", ways[k].integrator, left,
                       energy);
    test_run_free(&run);
  }
}

// An arm that carries one end; the other one is free, and all of it is thrown out of its places.
Test(rod, forces_are_the_energys_slopes_and_stiffness_is_theirs) {
  static double K[MOST * MOST], wanted[MOST * MOST];
  TestRun run = test_run(
      THROWN, (const char *const[]){
                  "/bodies=[{\"name\":\"arm\",\"mass\":1,\"shape\":{\"type\":\"box\",\"size\":[0.4,0.1,0.1]},"
                  "\"joint\":{\"type\":\"spherical\",\"position\":[0.3,-0.5,0.8]}}]",
                  "/deformables/0/attach=[{\"select\":{\"clamp\":\"first\"},\"body\":\"arm\",\"enforce\":"
                  "\"reduction\"}]",
                  NULL});
  uint64_t seed = 7;
  for (size_t b = run.model->nlisted; b < run.model->nb; b++)
    for (size_t k = 0; k < 3; k++) run.sim->x.E[b].p[k] += 0.01 * (2 * test_random(&seed) - 1);
  const MbForce *force = test_elements_of(run.model, 0);
  TestWay ways[MOST];
  double f[MOST], slope[MOST];
  const size_t n = test_ways(run.model, 0, ways, MOST);
  cr_assert_eq(n, 4 * 6 + 12 * 3);
  test_evaluate(run.sim, force, true);
  for (size_t i = 0; i < n; i++) f[i] = run.sim->x.f[6 * ways[i].body + ways[i].axis];
  test_ways_blocks(run.model, run.sim->x.K, ways, n, K);
  for (size_t j = 0; j < n; j++) slope[j] = test_differ(run.sim, force, ways, n, j, true, wanted);
  test_near("forces", f, slope, n, TEST_CLOSE * (1 + test_largest(f, n)));
  test_near("stiffness", K, wanted, n * n, TEST_CLOSE * (1 + test_largest(K, n * n)));
  cr_expect_gt(test_largest(f, n), 1);
  test_run_free(&run);
}

// Nodes under one solver are points of the engine, under the others bodies: steps that get small bring the two together.
Test(rod, all_solvers_come_to_the_same_motion) {
  static const char *const finer[] = {"/time={\"step\":0.002,\"steps\":10}",
                                      "/time={\"step\":0.0005,\"steps\":40}"};
  double apart[2];
  for (int k = 0; k < 2; k++) {
    double x[SOLVERS][15];
    for (int s = 0; s < SOLVERS; s++) {
      TestRun run = test_run(
          THROWN, (const char *const[]){solvers[s], finer[k], "/integrator=\"implicit\"",
                                        "/deformables/0/pin=[{\"select\":{\"clamp\":\"first\"}}]", NULL});
      step(&run, k ? 40 : 10);
      memcpy(x[s], places(&run), sizeof x[s]);
      test_run_free(&run);
    }
    test_near("redmax and maximal", x[1], x[0], 15, 1e-8);
    apart[k] = test_distance(x[2], x[0], 15);
  }
  cr_expect(apart[1] < 2e-4 && apart[1] < 0.4 * apart[0], "%g, then %g apart", apart[0], apart[1]);
}

Test(rod, segments_weigh_and_turn_as_a_round_rod_does) {
  TestRun run = test_run(CLAMPED, (const char *const[]){NULL});
  const MbElements *e = run.model->deformables[0].elements;
  double mass = 0, moment = 0;
  for (size_t i = 0; i < e->mesh.nodes; i++) {
    cr_assert_gt(e->mass[i], 0);
    mass += e->mass[i];
    moment += e->mass[i] * (pow(e->mesh.x[3 * i + 1], 2) + pow(e->mesh.x[3 * i + 2], 2));
  }
  cr_expect_float_eq(mass, 1, 1e-12);
  const size_t tip = e->rod.handle[0];
  for (size_t i = tip; i < tip + 3; i++) // the handle is held, and turns nothing
    moment -= e->mass[i] * (pow(e->mesh.x[3 * i + 1], 2) + pow(e->mesh.x[3 * i + 2], 2));
  cr_expect_float_eq(moment, 25e-6 / 2, 1e-12);
  test_run_free(&run);
}

Test(rod, what_makes_no_rod_is_refused_by_name) {
  static const struct {
    const char *set, *text;
  } wrong[] = {
      {"/deformables/0/mesh={\"points\":[[0,0,0],[1,0,0],[1,0,0]]}",
       "points 1 and 2 (from 0) are in one place"},
      {"/deformables/0/mesh={\"points\":[[0,0,0],[1,0,0],[0,0.1,0]]}", "turns back by more than 120 degrees"},
      {"/deformables/0/material/twisting=2.1", "more than twice that against bending"},
      {"/deformables/0/mesh={\"grid\":[3,3],\"size\":[1,1]}", "a mesh of \"rod\" is made by"},
      {"/deformables/0/pin/0/axes=\"xy\"", "holds an end along all axes"},
      {"/solver={\"type\":\"projective\",\"method\":\"projective\"}",
       "does not come to an end where there are rods"}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    MbReport report = {0};
    cr_expect_eq(
        test_try(CLAMPED, (const char *const[]){"/integrator=\"implicit\"", wrong[k].set, NULL}, 0, &report),
        MB_SCENE, "%s", wrong[k].set);
    cr_expect(strstr(report.issues[0].text, wrong[k].text), "%s: %s", wrong[k].set, report.issues[0].text);
  }
  MbReport report = {0};
  cr_expect_eq(
      test_try(CLAMPED,
               (const char *const[]){"/deformables/0={\"name\":\"net\",\"type\":\"springs\",\"mesh\":{"
                                     "\"rope\":3,\"length\":1},\"material\":{\"mass\":1,\"stiffness\":"
                                     "9},\"pin\":[{\"select\":{\"clamp\":\"first\"}}]}",
                                     NULL},
               0, &report),
      MB_SCENE);
  cr_expect(strstr(report.issues[0].text, "an end of a rod"), "%s", report.issues[0].text);
}

// Cork and what is beyond: the ratio enters by the stiffness against twisting alone, C = E / 2 (1 + ν) · π r⁴ / 2.
Test(rod, a_negative_ratio_of_poisson_stiffens_against_twisting) {
  TestRun run = test_run(
      CLAMPED,
      (const char *const[]){solvers[2],
                            "/deformables/0/material={\"radius\": 0.01, \"young\": 1e8, \"poisson\": -0.4, "
                            "\"density\": 1000}",
                            "/deformables/0/pin/-={\"select\":{\"clamp\":\"last\"},\"motion\":{"
                            "\"rotate\":{\"axis\":[1,0,0],\"angle\":\"=t\"}}}",
                            NULL});
  step(&run, 1);
  const double twisting = 1e8 / 1.2 * 3.141592653589793 / 2 * 1e-8;
  cr_expect_float_eq(elastic_energy(&run), twisting / 2, twisting / 2 * 3e-4);
  test_run_free(&run);
}

// Where the passes of the first step began at rest, the gradient at the start left a matrix that was singular.
Test(rod, a_rod_of_first_order_creeps_to_its_equilibrium, TEST_LONG) {
  enum { STEPS = 300 };
  TestRun still = test_run(CLAMPED, (const char *const[]){"/gravity=[0,0,-1]", solvers[0], NULL});
  step(&still, 1);
  TestRun run =
      test_run(CLAMPED, (const char *const[]){"/gravity=[0,0,-1]", "/integrator=\"implicit\"",
                                              "/solver={\"type\":\"maximal\",\"mode\":\"first_order\"}",
                                              "/time={\"step\": 0.01, \"steps\": 300}", NULL});
  step(&run, STEPS);
  cr_expect_lt(places(&still)[3 * 20 + 2], -0.1);
  cr_expect_float_eq(places(&run)[3 * 20 + 2], places(&still)[3 * 20 + 2], 1e-8);
  test_run_free(&still);
  test_run_free(&run);
}

Test(rod, quasi_newton_steps_come_to_what_newtons_method_does) {
  static const char *const ways[] = {"/solver={\"type\":\"projective\"}",
                                     "/solver={\"type\":\"projective\",\"method\":\"lbfgs\"}"};
  double x[2][15];
  for (int k = 0; k < 2; k++) {
    TestRun run = test_run(
        THROWN, (const char *const[]){ways[k], "/integrator=\"implicit\"", "/gravity=[0,0,-9.81]",
                                      "/deformables/0/pin=[{\"select\":{\"clamp\":\"first\"}}]", NULL});
    step(&run, 10);
    memcpy(x[k], places(&run), sizeof x[k]);
    test_run_free(&run);
  }
  test_near("places", x[1], x[0], 15, 1e-6);
}
