// Prescribed motions of joints and of bodies, and what they take.
#include "tests/core/sim/constraint_runs.h"

#include <stdio.h>
#include <string.h>

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

// An arm swings, and a cross on it is driven about its first axis. Where bodies have velocities of their own passes began anew with the rate that the last had found: steps of second order took the
// acceleration three times, and stages came to no end; steps of one solution left out what the coordinate speeds up by as bodies turn and tumble, by which it was 0.12 rad/s too fast, whatever the step. Steps of trapezoidal and bridson_marino keep to it to first order there.
Test(constraints, an_acceleration_is_taken_once_in_every_pass_under_every_solver) {
  static const struct {
    const char *integrator;
    double by; // of 0.6 rad/s, with steps of 2 ms
  } ways[] = {{"symplectic", 5e-3}, {"implicit", 5e-3}, {"trapezoidal", 2e-3}, {"bridson_marino", 5e-4},
              {"bdf1", 4e-3},       {"bdf2", 2e-5},     {"sdirk2", 4e-6}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    for (int maximal = 0; maximal < 2; maximal++) {
      char text[1200];
      snprintf(
          text, sizeof text,
          "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 100}, \"integrator\": \"%s\", "
          "\"solver\": \"%s\", \"output\": {\"channels\": [\"joint.velocity\"]}, \"bodies\": ["
          "{\"name\": \"arm\", \"mass\": 1, \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.05, 0.4]}, "
          "\"joint\": {\"type\": \"revolute\", \"axis\": [0.3, 1, 0], \"position\": 1, \"velocity\": 4, "
          "\"in_body\": {\"position\": [0, 0, 0.2]}}}, {\"name\": \"hand\", \"mass\": 1, \"shape\": {"
          "\"type\": \"box\", \"size\": [0.1, 0.05, 0.2]}, \"joint\": {\"type\": \"universal\", \"parent\": "
          "\"arm\", \"velocity\": [0, 2], \"motion\": {\"acceleration\": [3, null]}, \"in_parent\": {"
          "\"position\": [0.05, 0, -0.2]}, \"in_body\": {\"position\": [0, 0.03, 0.1]}}}]}",
          ways[i].integrator, maximal ? "maximal" : "redmax");
      TestRun run = parse(text);
      test_steps(run.sim, 100);
      const double rate = test_channel(run.sim, "joint.velocity", NULL)[1];
      cr_expect_lt(fabs(rate - 0.6), maximal ? ways[i].by : 1e-9, "%s, maximal %d: %.9g rad/s",
                   ways[i].integrator, maximal, rate);
      end(&run);
    }
}

// A slide that is driven along a path with a corner at 0.7031 s, and a rod that hangs on it.
static TestRun cornered(const char *motion) {
  static char text[1000];
  snprintf(text, sizeof text,
           "{\"mbsim\": 1, \"gravity\": [0, 0, -9.81], \"time\": {\"step\": 0.01, \"duration\": 2}, "
           "\"integrator\": \"rk45\", \"bodies\": [{\"name\": \"slide\", \"shape\": {\"type\": \"sphere\", "
           "\"radius\": 0.1}, \"mass\": 1, \"joint\": {\"type\": \"prismatic\", \"axis\": [1, 0, 0], "
           "\"motion\": %s}}, {\"name\": \"rod\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "
           "\"mass\": 1, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"parent\": \"slide\", "
           "\"in_body\": {\"position\": [0, 0, 1]}}}]}",
           motion);
  return parse(text);
}

// Tables tell their corners; of expressions they have to be found.
Test(constraints, adaptive_steps_end_where_an_expression_of_a_motion_jumps) {
  static const char *const motions[] = {"{\"position\": \"=max(0, 2*(t - 0.7031))\"}",
                                        "{\"velocity\": \"=t < 0.7031 ? 0 : 2\"}",
                                        "{\"position\": \"=abs(t - 0.7031) + t - 0.7031\"}"};
  TestRun wanted = cornered("{\"position\": {\"times\": [0, 0.7031, 2.7031], \"values\": [0, 0, 4]}}");
  test_steps(wanted.sim, 200);
  const double q[2] = {wanted.sim->state.q[0], wanted.sim->state.q[1]};
  const double v[2] = {wanted.sim->state.v[0], wanted.sim->state.v[1]};
  end(&wanted);
  for (int i = 0; i < 3; i++) {
    TestRun run = cornered(motions[i]);
    test_steps(run.sim, 200);
    test_near(motions[i], run.sim->state.q, q, 2, 1e-9);
    test_near(motions[i], run.sim->state.v, v, 2, 1e-9);
    end(&run);
  }
}

// The slope jumps from −1 to 1 every third of π, and a step may hold two corners.
Test(constraints, adaptive_steps_follow_a_path_of_many_corners) {
  TestRun run = cornered("{\"position\": \"=abs(sin(3*t)) + 0.01*abs(sin(300*t))\"}");
  double worst = 0;
  for (int i = 0; i < 200; i++) {
    test_steps(run.sim, 1);
    const double t = run.sim->state.t, wanted = fabs(sin(3 * t)) + 0.01 * fabs(sin(300 * t));
    worst = fmax(worst, fabs(run.sim->state.q[0] - wanted));
  }
  cr_expect_lt(worst, 1e-6, "%g", worst);
  end(&run);
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
