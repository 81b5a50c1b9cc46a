// What acts on joints held by rows: soft constraints, impulses, limits and ropes, and the kinematic mode; beside reduced
// coordinates or what is known in closed form.
#include "core/integrators/integrators.h"
#include "tests/runs.h"
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 18 * 64 };

static const char *const ways[] = {"/solver={\"type\": \"maximal\"}",
                                   "/solver={\"type\": \"maximal\", \"linear\": \"dense\"}",
                                   "/solver={\"type\": \"maximal\", \"project\": true}"};
enum { WAYS = sizeof ways / sizeof *ways };

static TestRun start(const char *from, const char *solver, MbIntegratorKind kind, double h,
                     const char *more) {
  char integrator[120], step[60];
  if (kind == MB_RK45)
    snprintf(integrator, sizeof integrator,
             "/integrator={\"type\": \"rk45\", \"relative\": 1e-11, \"absolute\": 1e-13}");
  else
    snprintf(integrator, sizeof integrator, "/integrator=\"%s\"", mb_integrator_words[kind]);
  snprintf(step, sizeof step, "/time/step=%.17g", h);
  const char *sets[] = {solver, integrator, step, more, NULL};
  return test_run(from, sets);
}

static size_t after(const char *from, const char *solver, MbIntegratorKind kind, double h, double time,
                    double *out) {
  TestRun run = start(from, solver, kind, h, NULL);
  test_steps(run.sim, lrint(time / h));
  const size_t n = test_bodies(run.sim, out, MOST);
  test_run_free(&run);
  return n;
}

static const int order_of[] = {1, 1, 2, 2};

// Errors at h and h/2 against rk45 in reduced coordinates, or in maximal ones where only these know the mode.
static void check_orders(const char *name, const char *from, const char *reference, const char *solver,
                         double h, double time, bool velocities, bool verlet) {
  static const double SLOPE = 0.2; // the next power of h still shows
  static double exact[MOST], one[MOST], half[MOST];
  const size_t n = after(from, reference, MB_RK45, h, time, exact);
  for (MbIntegratorKind kind = 0; kind < MB_RK45; kind++) {
    if (kind == MB_BRIDSON_MARINO && !verlet) continue;
    after(from, solver, kind, h, time, one);
    after(from, solver, kind, h / 2, time, half);
    for (size_t b = 0; b < n && !velocities; b += 18)
      memcpy(one + b + 12, exact + b + 12, 6 * sizeof *one),
          memcpy(half + b + 12, exact + b + 12, 6 * sizeof *one);
    const double a = test_distance(one, exact, n), b = test_distance(half, exact, n), order = log2(a / b);
    printf("  %-22s %-44s %-15s %.2e %.2e  %.3f\n", name, solver + 8, mb_integrator_words[kind], a, b, order);
    cr_expect(fabs(order - order_of[kind]) < SLOPE, "%s, %s, %s: order %.3f", name, solver,
              mb_integrator_words[kind], order);
  }
}

#define HEAD "{\"mbsim\": 1, \"gravity\": [0, 0, -9.81], \"time\": {\"step\": 0.002, \"steps\": 1}, "
#define ROD(name)                                                                                            \
  "\"name\": \"" name "\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.1]}"
#define ARM(name, more)                                                                                      \
  "{" ROD(name) ", \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_body\": {\"position\": "    \
                "[-0.2, 0, 0]}" more "}}"
#define ON(parent) ", \"parent\": \"" parent "\", \"in_parent\": {\"position\": [0.2, 0, 0]}"

// ---- soft constraints -------------------------------------------------------------------------------------

// A slider of 4 kg on an upright rail that hangs on a soft rod; α = 1/k, β = d/k.
static const char *const HANGING = HEAD "\"bodies\": [{" ROD(
    "slider") ", \"joint\": {\"type\": \"prismatic\", \"axis\": [0, 0, 1]}}], \"constraints\": ["
              "{\"name\": \"soft\", \"type\": \"distance\", \"compliance\": 2.5e-3, \"damping\": 0.02, "
              "\"length\": 1, \"between\": "
              "[{\"body\": \"world\", \"at\": [0, 0, 1]}, {\"body\": \"slider\", \"at\": [0, 0, 0]}]}], "
              "\"output\": {\"channels\": [\"joint.position\"]}}";

Test(maximal_forces_long, a_soft_rod_stretches_by_its_compliance_times_the_load_and_is_damped_as_asked,
     TEST_LONG) {
  static const double alpha = 2.5e-3, beta = 0.02, mass = 4, g = 9.81;
  // m x″ + (β/α) x′ + x/α = m g, from rest: extremes fall by exp(−π ζ/√(1 − ζ²))
  const double zeta = beta / (2 * sqrt(alpha * mass)), fall = exp(-acos(-1.0) * zeta / sqrt(1 - zeta * zeta));
  for (size_t k = 0; k < WAYS; k++)
    for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
      const double h = 1e-3, rest = -alpha * mass * g;
      // of the peak: damping and frequency of the first order; of the second, and the step next to the peak
      static const double CLOSE[MB_INTEGRATORS] = {1e-2, 1e-2, 1e-4, 1e-4, 1e-4, 1e-2, 1e-4, 1e-4};
      TestRun run = start(HANGING, ways[k], kind, h, NULL);
      double lowest = 0;
      for (int i = 0; i < 500; i++) {
        test_steps(run.sim, 1);
        lowest = fmin(lowest, run.sim->x.q[0]);
      }
      const double wanted = rest * (1 + fall);
      test_near("lowest", &lowest, &wanted, 1, CLOSE[kind] * fabs(wanted));
      test_run_free(&run);

      // put there, it stays
      char position[80];
      snprintf(position, sizeof position, "/bodies/0/joint/position=%.17g", rest);
      run = start(HANGING, ways[k], kind, h, position);
      test_steps(run.sim, 500);
      test_near("at rest", run.sim->x.q, &rest, 1, 1e-12); // rounding
      test_run_free(&run);
    }
}

static const char *const SOFT = HEAD "\"bodies\": [" ARM("a", ", \"velocity\": 1") ", " ARM(
    "b", ON("a")) ", " ARM("c", ON("b")) "], \"constraints\": ["
                                         "{\"name\": \"soft\", \"type\": \"point\", \"compliance\": 1e-3, "
                                         "\"damping\": 0.02, \"between\": "
                                         "[{\"body\": \"world\", \"at\": [0.8, 0, 0.3]}, {\"body\": \"c\", "
                                         "\"at\": [0.2, 0, 0.1]}]}]}";

Test(maximal_forces, soft_constraints_between_joints_have_the_orders_of_the_integrators) {
  for (size_t k = 0; k < WAYS; k++)
    check_orders("soft point", SOFT, "/solver=\"redmax\"", ways[k], 0.002, 0.3, true, true);
}

// ---- impulses ---------------------------------------------------------------------------------------------

Test(maximal_forces, an_impulse_makes_velocities_jump_as_in_reduced_coordinates) {
  static const char *const scenes[] = {"four_bar", "robot_arm", "ten_windows", "gears", SOFT};
  static const double CLOSE = 1e-9; // of the largest
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
    for (size_t k = 0; k < WAYS; k++) {
      double state[2][MOST], size = 1;
      size_t n = 0;
      for (int maximal = 0; maximal < 2; maximal++) {
        TestRun run = start(scenes[i], maximal ? ways[k] : "/solver=\"redmax\"", MB_SYMPLECTIC, 1e-3, NULL);
        const double at[3] = {0.1, -0.05, 0.02}, push[3] = {0.7, 0.3, -1.1};
        const size_t body = run.model->nlisted - 1;
        cr_assert_eq(mb_sim_impulse(run.sim, body, at, push), MB_OK);
        cr_assert_eq(mb_sim_impulse(run.sim, 0, at, push), MB_OK);
        n = test_bodies(run.sim, state[maximal], MOST);
        test_run_free(&run);
      }
      for (size_t j = 0; j < n; j++) size = fmax(size, fabs(state[0][j]));
      const double off = test_distance(state[1], state[0], n);
      cr_expect(off <= CLOSE * size, "scene %zu, %s: %g of %g", i, ways[k], off, size);
      cr_assert_gt(size, 0.1);
    }
}

// ---- limits and ropes -------------------------------------------------------------------------------------

static const char *const STOPPED =
    HEAD "\"bodies\": [" ARM("a", ", \"limits\": [-1, 0.5], \"damping\": 1") ", " ARM(
        "b",
        ON("a") ", \"limits\": [-0.4, 0.6], \"damping\": 1") "], \"output\": {\"channels\": "
                                                             "[\"joint.position\", \"joint.velocity\"]}}";

Test(maximal_forces_long, limits_stop_joints_at_their_bounds, TEST_LONG) {
  for (size_t k = 0; k < WAYS; k++)
    for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
      TestRun run = start(STOPPED, ways[k], kind, 0.002, NULL);
      double most[2] = {0, 0};
      for (int i = 0; i < 2500; i++) {
        test_steps(run.sim, 1);
        for (int j = 0; j < 2; j++) most[j] = fmax(most[j], run.sim->x.q[j]);
      }
      const double rest[2] = {0.5, 0.6}, still[2] = {0, 0};
      // by the motion, of a step, of what is nearly at its bound; symplectic's own gaps move with the joints
      static const double BEYOND[MB_INTEGRATORS] = {1e-4, 1e-4, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7};
      cr_expect(most[0] < 0.5 + BEYOND[kind] && most[1] < 0.6 + BEYOND[kind], "%s, %s: %g and %g", ways[k],
                mb_integrator_words[kind], most[0], most[1]);
      test_near("at rest", run.sim->x.q, rest, 2, 1e-6);
      test_near("stands", run.sim->x.v, still, 2, 1e-6);
      test_run_free(&run);
    }
}

// ---- the kinematic mode -----------------------------------------------------------------------------------

static const char *const KINEMATIC[] = {
    "/solver={\"type\": \"maximal\", \"mode\": \"first_order\"}",
    "/solver={\"type\": \"maximal\", \"mode\": \"first_order\", \"project\": true}"};
static const char *const SWING =
    HEAD "\"bodies\": [" ARM("a", ", \"position\": 0") "], \"output\": {\"channels\": "
                                                       "[\"joint.position\"]}}";

// f = m v: (I + m r²) θ′ = m g r cos θ, so that tan(½ (θ + ½π)) grows by exp(c t), c = m g r/(I + m r²).
Test(maximal_forces, a_pendulum_without_inertia_creeps_as_known) {
  static const double m = 4, g = 9.81, r = 0.2, t = 0.05;
  static const double CLOSE[] = {2e-2, 2e-2, 1e-5, 0, 1e-8};
  const double I = m * (0.16 + 0.01) / 12, c = m * g * r / (I + m * r * r), pi = acos(-1.0);
  const double wanted = 2 * atan(tan(pi / 4) * exp(c * t)) - pi / 2;
  for (size_t k = 0; k < 2; k++)
    for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
      if (!mb_integrator_first_order_mode(kind)) continue;
      TestRun run = start(SWING, KINEMATIC[k], kind, 2e-4, NULL);
      test_steps(run.sim, lrint(t / 2e-4));
      printf("  %-60s %-12s %.9f, known %.9f\n", KINEMATIC[k] + 8, mb_integrator_words[kind], run.sim->x.q[0],
             wanted);
      test_near("angle", run.sim->x.q, &wanted, 1, CLOSE[kind]);
      const double rate = c * cos(run.sim->x.q[0]);
      test_near("rate", run.sim->x.v, &rate, 1, 2e-2 * rate); // at the end, or half way before it
      test_run_free(&run);
    }
}

// Springs of joints, a loop and a load: gaps of loop and joints closed, the integrators' orders, and the same by both ways.
static const char *const LOOP =
    HEAD "\"bodies\": [" ARM("a", ", \"stiffness\": 3, \"damping\": 0.4") ", " ARM(
        "b",
        ON("a") ", \"position\": 0.7, \"stiffness\": 2") ", " ARM("c",
                                                                  ON("b") ", \"position\": 0.9, \"damping\": "
                                                                          "0.2") "], \"constraints\": "
                                                                                 "[{\"type\": \"distance\", "
                                                                                 "\"between\": "
                                                                                 "[{\"body\": \"world\", "
                                                                                 "\"at\": [0.3, 0, -0.5]}, "
                                                                                 "{\"body\": \"c\", \"at\": "
                                                                                 "[0.2, 0, 0]}]}], "
                                                                                 "\"forces\": [{\"type\": "
                                                                                 "\"wrench\", \"body\": "
                                                                                 "\"c\", \"force\": "
                                                                                 "[\"=9*cos(9*t)\", 0, 4]}]}";

Test(maximal_forces, the_kinematic_mode_has_its_orders_with_joints_and_loops) {
  for (size_t k = 0; k < 2; k++)
    check_orders("kinematic loop", LOOP, KINEMATIC[0], KINEMATIC[k], 1e-3, 0.1, false, false);
  double one[MOST], other[MOST];
  const size_t n = after(LOOP, KINEMATIC[0], MB_RK45, 1e-3, 0.1, one);
  after(LOOP, KINEMATIC[1], MB_RK45, 1e-3, 0.1, other);
  test_near("both ways", other, one, n, 1e-8); // rk45's tolerances
}
