// Limits, ropes and soft constraints in motion, and their events under adaptive steps.
#include "tests/core/sim/constraint_runs.h"

#include <stdio.h>
#include <string.h>

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

// A ball flies off at 2 m/s from the end of a soft rope that is as long as it is away, or longer by a bit: whether the damper of the rope pulled in the first step was a matter of rounding.
Test(constraints, a_soft_rope_of_its_own_length_pulls_however_it_is_rounded) {
  static const char *const integrators[] = {"symplectic", "implicit", "trapezoidal", "bridson_marino",
                                            "bdf1",       "bdf2",     "sdirk2"};
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
    double speed[2];
    for (int longer = 0; longer < 2; longer++) {
      char text[600];
      snprintf(text, sizeof text,
               "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"steps\": 1}, "
               "\"integrator\": \"%s\", \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", "
               "\"radius\": 0.1}, \"mass\": 1, \"pose\": {\"position\": [0.5, 0, 0]}, \"velocity\": "
               "{\"linear\": [2, 0, 0]}}], \"constraints\": [{\"type\": \"distance\", \"rope\": true, "
               "\"length\": %s, \"compliance\": 1e-3, \"damping\": 0.02, \"between\": [{\"body\": "
               "\"world\"}, {\"body\": \"a\"}]}]}",
               integrators[i], longer ? "0.5000000000000002" : "0.5");
      TestRun run = parse(text);
      test_steps(run.sim, 1);
      speed[longer] = run.sim->state.v[3];
      end(&run);
    }
    cr_expect_lt(speed[0], 1.8, "%s", integrators[i]);
    cr_expect_lt(fabs(speed[1] - speed[0]), 1e-9, "%s: %.9g, %.9g m/s", integrators[i], speed[0], speed[1]);
  }
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
