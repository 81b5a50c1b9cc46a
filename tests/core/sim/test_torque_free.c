// The torque-free rigid body with three distinct inertias: invariants, flip time, and each integrator's
// order.
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

static const double I[3] = {1, 2, 3};
static const double W0[3] = {1e-3, 2, 1e-3}; // about the middle axis, a little disturbed

static MbSceneSpec spinning(MbIntegratorKind kind, double h, const double w[3]) {
  MbSceneSpec spec = test_scene(kind, h, 1);
  MbBodySpec *body = test_body(&spec, "racket", 1.5, I[0], I[1], I[2]);
  mb_vec3_copy(body->angular, w);
  mb_vec3_set(body->linear, 0.3, -0.2, 0.1);
  spec.integrator.relative = 1e-13, spec.integrator.absolute = 1e-15;
  return spec;
}

Test(torque_free, tight_rk45_keeps_angular_momentum_over_100_s) {
  MbSceneSpec spec = spinning(MB_RK45, 0.1, W0);
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  double P0[3], P[3], L0[3], L[3], worst = 0;
  mb_momentum(model, &sim->x, P0, L0);
  const double E0 = mb_energy(model, &sim->x).total;
  for (int i = 0; i < 1000; i++) {
    test_steps(sim, 1);
    mb_momentum(model, &sim->x, P, L);
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(L[k] - L0[k]));
  }
  const double drift = fabs(mb_energy(model, &sim->x).total - E0) / E0;
  printf("angular momentum in the world over 100 s: off by %.2e of %.3f; energy by %.2e of itself\n", worst,
         mb_vec3_norm(L0), drift);
  cr_assert_lt(worst, 1e-9);
  cr_assert_lt(drift, 1e-9);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

// K(m) by the arithmetic-geometric mean
static double elliptic_K(double m) {
  double a = 1, b = sqrt(1 - m);
  while (fabs(a - b) > 1e-16 * a) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return acos(-1.0) / (2 * a);
}

// Between two flips ω₂ runs from one zero to the next: half its period 4 K(m)/λ. With I1 < I2 < I3, 2T and
// L²:
//   λ² = (L² − 2T I1)(I3 − I2)/(I1 I2 I3) or (2T I3 − L²)(I2 − I1)/(I1 I2 I3), the larger one, m = the
//   smaller by it.
static double flip_time(const double w[3]) {
  double T2 = 0, L2 = 0;
  for (int i = 0; i < 3; i++) T2 += I[i] * w[i] * w[i], L2 += I[i] * I[i] * w[i] * w[i];
  const double a = (L2 - T2 * I[0]) * (I[2] - I[1]) / (I[0] * I[1] * I[2]);
  const double b = (T2 * I[2] - L2) * (I[1] - I[0]) / (I[0] * I[1] * I[2]);
  return 2 * elliptic_K(fmin(a, b) / fmax(a, b)) / sqrt(fmax(a, b));
}

Test(torque_free, the_tennis_racket_flips_at_the_elliptic_integrals_time) {
  const double h = 1e-3, wanted = flip_time(W0);
  MbSceneSpec spec = spinning(MB_RK45, h, W0);
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  double crossing[3];
  int found = 0;
  while (found < 3 && mb_sim_time(sim) < 100) {
    const double before[2] = {sim->x.phi[1], mb_sim_time(sim)};
    // slopes of ω₂ from Euler's equation, for a cubic through both ends of the step
    const double s0 = (I[2] - I[0]) / I[1] * sim->x.phi[2] * sim->x.phi[0] * h;
    test_steps(sim, 1);
    if (before[0] * sim->x.phi[1] > 0) continue;
    const double y0 = before[0], y1 = sim->x.phi[1],
                 s1 = (I[2] - I[0]) / I[1] * sim->x.phi[2] * sim->x.phi[0] * h;
    double u = y0 / (y0 - y1);
    for (int k = 0; k < 20; k++) {
      const double w = 1 - u,
                   y = w * w * (1 + 2 * u) * y0 + u * u * (3 - 2 * u) * y1 + u * w * w * s0 - u * u * w * s1;
      u -= y / (y1 - y0);
    }
    crossing[found++] = before[1] + u * h;
  }
  cr_assert_eq(found, 3, "two flips in 100 s");
  const double seen[2] = {crossing[1] - crossing[0], crossing[2] - crossing[1]}, both[2] = {wanted, wanted};
  printf("tennis racket: flips after %.10f s and %.10f s, by the elliptic integral %.10f s\n", seen[0],
         seen[1], wanted);
  test_near("time between flips", seen, both, 2, 1e-7);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

// Pose and twist after 1 s.
static void end_state(MbIntegratorKind kind, double h, bool loaded, double end[13]) {
  const double w[3] = {1, 2, -1.5};
  MbSceneSpec spec = spinning(kind, h, w);
  if (loaded) { // every force with every dependence: on time, pose, velocity
    spec.gravity[2] = -9.81;
    spec.bodies[0].damping = 0.4;
    mb_vec3_set(spec.bodies[0].inertia->center, 0.2, -0.1, 0.3);
    MbForceSpec *pull = test_force(&spec, MB_FORCE_POINT, "racket");
    mb_vec3_set(test_wrench(pull)->at, 0.5, 0.3, -0.2);
    test_wrench(pull)->force[0] = test_expression("2*cos(3*t)"),
    test_wrench(pull)->force[2] = test_constant(4);
    MbForceSpec *twist = test_force(&spec, MB_FORCE_WRENCH, "racket");
    test_wrench(twist)->torque[1] = test_expression("sin(2*t)"),
    test_wrench(twist)->force[0] = test_constant(1);
    MbForceSpec *jet = test_force(&spec, MB_FORCE_WRENCH, "racket");
    test_wrench(jet)->axes = MB_AXES_BODY, test_wrench(jet)->force[1] = test_expression("t^2");
    test_damping(test_force(&spec, MB_FORCE_DAMPING, NULL))->coefficient = 0.2;
  }
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  test_steps(sim, (int64_t)lrint(1 / h));
  memcpy(end, sim->state.q, 7 * sizeof *end);
  memcpy(end + 7, sim->state.v, 6 * sizeof *end);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

// Where nothing pulls at the body a first-order step is the free top's flight alone, which is of second order.
static void measure_orders(const char *scene, bool loaded) {
  const int first = loaded ? 1 : 2;
  const int wanted[] = {
      [MB_SYMPLECTIC] = first, [MB_IMPLICIT] = first, [MB_TRAPEZOIDAL] = 2, [MB_BRIDSON_MARINO] = 2,
      [MB_BDF1] = 1,           [MB_BDF2] = 2,         [MB_SDIRK2] = 2};
  double exact[13], end[13];
  end_state(MB_RK45, 0.1, loaded, exact);
  printf("%-24s %12s %12s %12s   order\n", scene, "h = 1/100", "1/200", "1/400");
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
    double error[3];
    if (kind == MB_RK45) continue;
    for (int k = 0; k < 3; k++) {
      end_state(kind, 0.01 / (1 << k), loaded, end);
      error[k] = 0;
      for (int i = 0; i < 13; i++) error[k] = fmax(error[k], fabs(end[i] - exact[i]));
    }
    const double order = log2(error[1] / error[2]);
    printf("%-24s %12.3e %12.3e %12.3e   %5.3f\n", mb_integrator_words[kind], error[0], error[1], error[2],
           order);
    cr_assert(fabs(order - wanted[kind]) < 0.1, "%s on %s: order %.3f, wanted %d", mb_integrator_words[kind],
              scene, order, wanted[kind]);
  }
}

Test(torque_free, each_integrator_has_its_order) { measure_orders("torque-free body", false); }
Test(torque_free, each_integrator_keeps_its_order_under_every_force) { measure_orders("loaded body", true); }

Test(torque_free, rk45_error_follows_its_tolerance) {
  double exact[13], end[13];
  const double w[3] = {1, 2, -1.5};
  end_state(MB_RK45, 0.1, true, exact);
  for (int digits = 4; digits <= 10; digits += 2) {
    MbSceneSpec spec = spinning(MB_RK45, 0.1, w);
    spec.integrator.relative = pow(10, -digits), spec.integrator.absolute = spec.integrator.relative / 10;
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    test_steps(sim, 10);
    end_state(MB_RK45, 0.1, false, exact);
    memcpy(end, sim->state.q, 7 * sizeof *end);
    memcpy(end + 7, sim->state.v, 6 * sizeof *end);
    test_near("end state", end, exact, 13,
              100 * spec.integrator.relative); // some tens of steps, each within it
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}
