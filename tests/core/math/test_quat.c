#include "core/math/quat.h"
#include "tests/core/math/near.h"

static const double PI = 3.14159265358979323846;
static const double ROUNDING = 4e-15; // some operations on numbers of size one

static void random_quat(uint64_t *seed, double q[4]) {
  random_numbers(seed, q, 4);
  mb_quat_normalise(q);
}

// exp of a skew matrix by its series, for short vectors after repeated halving
static void exp_by_series(double R[9], const double w[3]) {
  double W[9], power[9], next[9];
  mb_mat3_cross(W, w);
  for (int i = 0; i < 9; i++) W[i] /= 1024;
  mb_mat3_identity(R);
  mb_mat3_identity(power);
  for (int k = 1; k < 12; k++) {
    mb_mat3_mul(next, power, W);
    for (int i = 0; i < 9; i++) power[i] = next[i] / k, R[i] += power[i];
  }
  for (int k = 0; k < 10; k++) {
    mb_mat3_mul(next, R, R);
    for (int i = 0; i < 9; i++) R[i] = next[i];
  }
}

Test(quat, the_exponential_is_that_of_the_cross_matrix) {
  const double SQUARED_TEN_TIMES = 2e-12; // the series is squared ten times, each doubles its error
  uint64_t seed = 1;
  for (int k = 0; k < 200; k++) {
    double w[3], q[4], R[9], S[9];
    random_numbers(&seed, w, 3);
    mb_vec3_scale(w, pow(10, -6 + 0.035 * k), w);
    mb_quat_exp(q, w);
    mb_quat_to_mat3(R, q);
    exp_by_series(S, w);
    check_near("exp", R, S, 9, SQUARED_TEN_TIMES);
  }
}

Test(quat, log_undoes_exp_at_all_angles_to_the_last_digits) {
  static const double axes[][3] = {{1, 0, 0}, {0, -1, 0}, {0.6, 0, 0.8}, {2.0 / 3, -1.0 / 3, 2.0 / 3}};
  static const double angles[] = {0,    1e-300, 1e-160, 1e-12,     1e-8,      1e-5,       9.9e-4,
                                  1e-3, 2e-3,   9.9e-3, 1e-2,      0.1,       1,          2,
                                  3,    3.14,   3.1415, PI - 1e-6, PI - 1e-9, PI - 1e-12, PI};
  for (size_t a = 0; a < sizeof axes / sizeof *axes; a++)
    for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
      double w[3], q[4], back[3];
      mb_vec3_scale(w, angles[k], axes[a]);
      mb_quat_exp(q, w);
      mb_quat_log(back, q);
      // at half a turn both signs are the rotation's
      if (angles[k] > PI - 1e-11 && mb_vec3_dot(back, w) < 0) mb_vec3_scale(back, -1, back);
      check_near("log exp", back, w, 3, 4e-16 * fmax(angles[k], 1e-300) + (angles[k] > 1 ? 4e-16 : 0));
    }
}

Test(quat, log_takes_the_short_way_whatever_the_sign) {
  uint64_t seed = 2;
  for (int k = 0; k < 100; k++) {
    double q[4], minus[4], a[3], b[3];
    random_quat(&seed, q);
    for (int i = 0; i < 4; i++) minus[i] = -q[i];
    mb_quat_log(a, q);
    mb_quat_log(b, minus);
    check_near("log", a, b, 3, 0);
    cr_assert_leq(mb_vec3_norm(a), PI + 1e-15);
  }
}

Test(quat, products_conjugates_and_turns_are_those_of_the_matrices) {
  uint64_t seed = 3;
  for (int k = 0; k < 100; k++) {
    double a[4], b[4], c[4], A[9], B[9], C[9], AB[9], x[3], y[3], z[3];
    random_quat(&seed, a), random_quat(&seed, b), random_numbers(&seed, x, 3);
    mb_quat_to_mat3(A, a), mb_quat_to_mat3(B, b);
    mb_quat_mul(c, a, b);
    mb_quat_to_mat3(C, c);
    mb_mat3_mul(AB, A, B);
    check_near("product", C, AB, 9, ROUNDING);
    mb_quat_rotate(y, a, x), mb_mat3_apply(z, A, x);
    check_near("turn", y, z, 3, ROUNDING);
    mb_quat_unrotate(y, a, x), mb_mat3_tapply(z, A, x);
    check_near("turn back", y, z, 3, ROUNDING);
    mb_quat_rotate(y, a, x), mb_quat_unrotate(y, a, y);
    check_near("there and back, in place", y, x, 3, ROUNDING);
    mb_quat_conj(c, a), mb_quat_mul(c, c, a);
    const double one[4] = {1, 0, 0, 0};
    check_near("inverse, in place", c, one, 4, ROUNDING);
    cr_assert_float_eq(mb_mat3_det(A), 1, ROUNDING);
  }
}

// Quaternions with every component the largest in turn, of both signs, and small or zero others.
Test(quat, a_matrix_gives_its_quaternion_back_in_every_branch) {
  uint64_t seed = 4;
  for (int largest = 0; largest < 4; largest++)
    for (int k = 0; k < 100; k++) {
      double q[4], back[4], R[9];
      random_numbers(&seed, q, 4);
      const double small = k < 10 ? 0 : k < 40 ? 1e-9 : 0.99;
      for (int i = 0; i < 4; i++) q[i] *= small;
      q[largest] = k % 2 ? -1 : 1;
      mb_quat_normalise(q);
      mb_quat_to_mat3(R, q);
      mb_quat_from_mat3(back, R);
      cr_assert_geq(back[0], 0);
      // w = 0 leaves the sign open
      double dot = 0;
      for (int i = 0; i < 4; i++) dot += back[i] * q[i];
      if (dot < 0)
        for (int i = 0; i < 4; i++) back[i] = -back[i];
      check_near("quaternion", back, q, 4, ROUNDING);
    }
}

Test(quat, the_rate_is_the_derivative_along_a_body_turn) {
  const double STEP = 1e-4, CENTRAL = 1e-8; // h² times a third derivative below one, and rounding over h
  uint64_t seed = 5;
  for (int k = 0; k < 50; k++) {
    double q[4], w[3], d[4], plus[4], minus[4], rate[4], difference[4];
    random_quat(&seed, q), random_numbers(&seed, w, 3);
    double step[3];
    mb_vec3_scale(step, STEP, w), mb_quat_exp(d, step), mb_quat_mul(plus, q, d);
    mb_vec3_scale(step, -STEP, w), mb_quat_exp(d, step), mb_quat_mul(minus, q, d);
    mb_quat_rate(rate, q, w);
    for (int i = 0; i < 4; i++) difference[i] = (plus[i] - minus[i]) / (2 * STEP);
    check_near("rate", rate, difference, 4, CENTRAL);
  }
}

Test(mat3, products_with_transposes_agree) {
  uint64_t seed = 6;
  for (int k = 0; k < 50; k++) {
    double A[9], B[9], At[9], Bt[9], C[9], D[9], x[3], y[3], z[3], X[9];
    random_numbers(&seed, A, 9), random_numbers(&seed, B, 9), random_numbers(&seed, x, 3);
    for (int i = 0; i < 9; i++) At[i] = A[3 * (i % 3) + i / 3], Bt[i] = B[3 * (i % 3) + i / 3];
    mb_mat3_tmul(C, A, B), mb_mat3_mul(D, At, B);
    check_near("AᵀB", C, D, 9, ROUNDING);
    mb_mat3_mult(C, A, B), mb_mat3_mul(D, A, Bt);
    check_near("ABᵀ", C, D, 9, ROUNDING);
    mb_mat3_tapply(y, A, x), mb_mat3_apply(z, At, x);
    check_near("Aᵀx", y, z, 3, ROUNDING);
    mb_mat3_cross(X, A), mb_mat3_apply(y, X, x), mb_vec3_cross(z, A, x);
    check_near("[a]x", y, z, 3, ROUNDING);
    mb_mat3_mul(C, A, B);
    cr_assert_float_eq(mb_mat3_det(C), mb_mat3_det(A) * mb_mat3_det(B), ROUNDING);
    double n[3];
    mb_vec3_cross(n, A + 3, A + 6);
    cr_assert_float_eq(mb_mat3_det(A), mb_vec3_dot(A, n), ROUNDING);
  }
}
