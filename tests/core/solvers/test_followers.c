// Coordinates that follow others, against the same ratios kept by forces.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define ROD     "\"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.1]}, \"density\": 1000"
#define HINGE   "\"axis\": [0, 1, 0], \"in_body\": {\"position\": [-0.2, 0, 0]}"
#define CARRIED "\"in_parent\": {\"position\": [0.2, 0, 0]}"

// Followers beside and behind what they follow, of several kinds and with two degrees of freedom; what limits, drives,
// springs and loops do to both sorts.
static const char *const BODIES =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1}, \"bodies\": ["
    "{\"name\": \"a\", " ROD ", \"joint\": {\"type\": \"revolute\", " HINGE
    ", \"velocity\": 1, \"damping\": 0.5, \"limits\": [-1.2, 0.3]}}, "
    "{\"name\": \"tip\", " ROD ", \"joint\": {\"type\": \"universal\", \"parent\": \"a\", " CARRIED
    ", \"velocity\": [0.2, 0.1]}}, "
    "{\"name\": \"b\", " ROD ", \"joint\": {\"type\": \"revolute\", \"parent\": \"tip\", " CARRIED ", " HINGE
    ", \"stiffness\": 5}}, "
    "{\"name\": \"c\", " ROD
    ", \"joint\": {\"type\": \"prismatic\", \"axis\": [1, 0, 0], \"force\": \"=3*sin(9*t)\"}}, "
    "{\"name\": \"d\", " ROD
    ", \"joint\": {\"type\": \"universal\", \"in_body\": {\"position\": [-0.2, 0, 0]}}}, "
    "{\"name\": \"driven\", " ROD ", \"joint\": {\"type\": \"revolute\", \"parent\": \"d\", " CARRIED
    ", " HINGE ", \"motion\": {\"position\": \"=1-cos(5*t)\"}}}], "
    "\"forces\": [{\"type\": \"spring\", \"between\": [{\"body\": \"b\"}, {\"body\": \"d\"}], \"stiffness\": "
    "200, "
    "\"damping\": 3, \"length\": 0.3}], "
    "\"constraints\": [{\"type\": \"distance\", \"between\": [{\"body\": \"driven\"}, {\"body\": "
    "\"world\", \"at\": [0.2, 0.6, 0.7]}]}, ";

static TestRun load(const char *integrator, const char *dynamics, const char *enforce) {
  char text[8000], way[160], solver[100];
  snprintf(text, sizeof text,
           "%s{\"type\": \"ratio\", \"joints\": [\"a\", \"b\"], \"ratio\": -2, \"offset\": 0.3, \"enforce\": "
           "\"%s\"}, "
           "{\"type\": \"ratio\", \"joints\": [\"a\", \"c\"], \"ratio\": 0.5, \"enforce\": \"%s\"}, "
           "{\"type\": \"ratio\", \"joints\": [\"tip\", \"d\"], \"ratio\": 1.5, \"enforce\": \"%s\"}]}",
           BODIES, enforce, enforce, enforce);
  snprintf(way, sizeof way, "/integrator=%s", integrator);
  snprintf(solver, sizeof solver, "/solver={\"type\": \"redmax\", \"dynamics\": \"%s\"}", dynamics);
  // where nothing is reduced the start has to be given
  const bool given = !strcmp(enforce, "constraint");
  const char *const sets[] = {way,
                              solver,
                              given ? "/bodies/2/joint/position=0.3" : NULL,
                              "/bodies/2/joint/velocity=-2",
                              "/bodies/3/joint/velocity=0.5",
                              "/bodies/4/joint/velocity=[0.3, 0.15]",
                              NULL};
  return test_run(text, sets);
}

static double off(const TestRun *run) {
  const double *q = run->sim->state.q, *v = run->sim->state.v;
  double most = 0;
  for (size_t i = 0; i < run->model->nreductions; i++) {
    const MbReduction *r = &run->model->reductions[i];
    most = fmax(most, fabs(q[r->q[1]] - r->ratio * q[r->q[0]] - r->offset));
    most = fmax(most, fabs(v[r->v[1]] - r->ratio * v[r->v[0]]));
  }
  return most;
}

Test(followers, coordinates_that_follow_move_as_those_that_forces_keep_in_step, TEST_LONG) {
  static const char *const ways[] = {"\"symplectic\"", "\"implicit\"", "\"trapezoidal\"",
                                     "\"bridson_marino\"",
                                     "{\"type\": \"rk45\", \"relative\": 1e-10, \"absolute\": 1e-12}"};
  // the same numbers but for rounding, which the motion lets grow; rk45 chooses its steps by them
  static const double tolerance[] = {1e-10, 1e-10, 1e-10, 1e-10, 1e-8};
  static const char *const dynamics[] = {"dense", "recursive"};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 2; k++) {
      TestRun a = load(ways[i], dynamics[k], "constraint"), b = load(ways[i], dynamics[k], "reduction");
      cr_assert_eq(b.model->nreductions, 4);
      double worst = 0;
      for (int step = 0; step < 500; step++) {
        test_steps(a.sim, 1);
        test_steps(b.sim, 1);
        for (size_t n = 0; n < a.sim->nv; n++)
          worst = fmax(worst, fabs(a.sim->state.v[n] - b.sim->state.v[n]));
      }
      printf("  %-62s %-10s %.2g\n", ways[i], dynamics[k], worst);
      test_near("coordinates", b.sim->state.q, a.sim->state.q, a.sim->nq, tolerance[i]);
      test_near("velocities", b.sim->state.v, a.sim->state.v, a.sim->nv, tolerance[i]);
      cr_expect_lt(off(&b), 1e-13);
      test_run_free(&a);
      test_run_free(&b);
      cr_assert_eq(mb_alloc_live(), 0);
    }
}

// One coordinate is left, of inertia J about the pinion's: J q̈ = 3 + 2 sin 2t − 0.02 q̇ − (drum pinion/wheel) m g, which has
// a solution in closed form.
Test(followers, a_hoist_moves_as_its_one_coordinate_does_and_stays_exact) {
  const char *const sets[] = {"/output/channels=[\"joint.force\"]", NULL};
  TestRun run = test_run("gears_reduced", sets);
  const double r1 = 0.05, r2 = 0.15, drum = 0.08, pi = 3.14159265358979323846;
  const double I1 = 7800 * pi * pow(r1, 4) * 0.03 / 2, I2 = 7800 * pi * pow(r2, 4) * 0.03 / 2;
  const double J = I1 + I2 * pow(r1 / r2, 2) + 10 * pow(drum * r1 / r2, 2), c = 0.02;
  const double steady = (3 - drum * r1 / r2 * 10 * 9.81) / c, rate = c / J;
  // J v̇ + c v = 2 sin 2t:  v = S sin 2t + C (cos 2t − e^(−rate t))
  const double S = 2 * c / (c * c + 4 * J * J), C = -4 * J / (c * c + 4 * J * J);
  double worst = 0;
  for (int step = 0; step < 10000; step++) {
    test_steps(run.sim, 1);
    worst = fmax(worst, off(&run));
  }
  const double t = mb_sim_time(run.sim), decay = exp(-rate * t);
  const double wanted = steady * (1 - decay) + S * sin(2 * t) + C * (cos(2 * t) - decay);
  const double *v = run.sim->state.v;
  printf("  after 10 s: %.12g rad/s, wanted %.12g; off by %.2g on the way\n", v[0], wanted, worst);
  test_near("rate", v, &wanted, 1, 1e-6 * fabs(wanted)); // tolerance 1e-9 a step, 10,000 steps
  cr_expect_lt(worst, 1e-13);

  // the rope pulls with m (g + k v̇), the teeth with I₂ (r₁/r₂) v̇ about the wheel; the pinion feels both
  const double k = drum * r1 / r2,
               vdot = steady * rate * decay + 2 * S * cos(2 * t) + C * (-2 * sin(2 * t) + rate * decay);
  const double rope = 10 * (9.81 + k * vdot), teeth = -I2 * r1 / r2 * vdot;
  const double forces[] = {3 + 2 * sin(2 * t) - k * rope + r1 / r2 * teeth, teeth, rope};
  double frame[3] = {0};
  cr_assert_eq(mb_sim_frame_size(run.sim), 3);
  mb_sim_sample(run.sim, frame, NULL);
  test_near("joint.force", frame, forces, 3, 1e-6 * rope); // as above
  test_run_free(&run);
  cr_assert_eq(mb_alloc_live(), 0);
}
