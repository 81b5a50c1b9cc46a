// The free top's flight over a step against the same in many small ones.
#include "core/model/flight.h"
#include "tests/support.h"

// One step from (q, w) that nothing pulls at
static void step(double h, const double I[3], double q[4], double w[3]) {
  double swing[3], turn[4], vector[3];
  mb_flight_swing(h, I, w, swing);
  for (int i = 0; i < 3; i++) w[i] += swing[i] / I[i], vector[i] = h * w[i];
  mb_quat_exp(turn, vector);
  mb_quat_mul(q, q, turn);
  mb_flight_carry(h, I, swing, w);
}

static double energy(const double I[3], const double w[3]) {
  return (I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2]) / 2;
}

static void world_momentum(const double I[3], const double q[4], const double w[3], double L[3]) {
  const double P[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]};
  mb_quat_rotate(L, q, P);
}

Test(flight, a_symmetric_top_is_exact_in_one_step_however_long) {
  static const double I[3] = {1, 1, 1.7}, h = 0.7, W[3] = {0.6, -0.9, 2.1};
  double q[2][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}}, w[2][3];
  mb_vec3_copy(w[0], W), mb_vec3_copy(w[1], W);
  step(h, I, q[0], w[0]);
  for (int k = 0; k < 1000; k++) step(h / 1000, I, q[1], w[1]);
  test_near("pose", q[0], q[1], 4, 1e-12);
  test_near("spin", w[0], w[1], 3, 1e-12);
}

Test(flight, any_body_keeps_its_angular_momentum_and_is_of_second_order) {
  static const double W[3] = {1, 2, -1.5};
  static const double bodies[][3] = {{1, 2, 3}, {3, 1, 2}, {2, 3, 1}, {1, 1.1, 2}, {5, 1, 4.5}};
  for (int b = 0; b < 5; b++) {
    const double *I = bodies[b];
    double L0[3], error[3], exact[7] = {1, 0, 0, 0, W[0], W[1], W[2]};
    world_momentum(I, exact, W, L0);
    for (int k = 0; k < 20000; k++) step(1.0 / 20000, I, exact, exact + 4);
    for (int fine = 0; fine < 3; fine++) {
      const int n = 100 << fine;
      double q[4] = {1, 0, 0, 0}, w[3], L[3];
      mb_vec3_copy(w, W);
      for (int k = 0; k < n; k++) step(1.0 / n, I, q, w);
      world_momentum(I, q, w, L);
      test_near("angular momentum", L, L0, 3, 1e-12);
      cr_expect_float_eq(energy(I, w) / energy(I, W), 1, 1e-4);
      error[fine] = 0;
      for (int i = 0; i < 3; i++) error[fine] = fmax(error[fine], fabs(w[i] - exact[4 + i]));
    }
    const double order = log2(error[1] / error[2]);
    cr_expect(fabs(order - 2) < 0.1, "body %d: order %g", b, order);
  }
}

Test(flight, what_spins_about_a_principal_axis_and_what_has_no_inertia_swings_by_nothing) {
  static const double I[3] = {1, 2, 3}, rod[3] = {0, 2, 2}, ball[3] = {2, 2, 2};
  static const double about[3] = {0, 500, 0}, any[3] = {3, 500, -7};
  double swing[3], w[3];
  const double zero[3] = {0};
  mb_flight_swing(1e-3, I, about, swing);
  test_near("about an axis", swing, zero, 3, 0);
  mb_flight_swing(1e-3, rod, any, swing);
  test_near("rod", swing, zero, 3, 0);
  mb_flight_swing(1e-3, ball, any, swing);
  test_near("ball", swing, zero, 3, 0);
  mb_vec3_copy(w, any);
  mb_flight_carry(1e-3, ball, zero, w);
  test_near("ball's spin", w, any, 3, 0);
}

Test(flight, many_turns_in_a_step_keep_angular_momentum_and_energy) {
  static const double I[3] = {1, 2, 3}, W[3] = {900, 2000, -3000};
  double q[4] = {1, 0, 0, 0}, w[3], L0[3], L[3];
  mb_vec3_copy(w, W);
  world_momentum(I, q, w, L0);
  for (int k = 0; k < 1000; k++) step(1e-2, I, q, w);
  world_momentum(I, q, w, L);
  test_near("angular momentum", L, L0, 3, 1e-9 * mb_vec3_norm(L0));
  cr_expect_float_eq(energy(I, w) / energy(I, W), 1, 0.05);
}
