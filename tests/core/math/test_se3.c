// Rigid motions: exp, log, the adjoint and the right Jacobian against series, differences and one another, at all angles.
#include "core/math/dense6.h"
#include "core/math/se3.h"
#include "tests/core/math/near.h"

static const double PI = 3.14159265358979323846;
static const double ROUNDING = 2e-14; // sums of some tens of products of numbers of size one

static void random_pose(uint64_t *seed, MbPose *E) {
  random_numbers(seed, E->p, 3);
  random_numbers(seed, E->q, 4);
  mb_quat_normalise(E->q);
}

static void mul6(double C[36], const double A[36], const double B[36]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += A[6 * i + k] * B[6 * k + j];
      C[6 * i + j] = sum;
    }
}

// Angles that meet every branch and both sides of each switch between series and closed form.
static const double angles[] = {0,        1e-300, 1e-12,  1e-8, 1e-5,      1e-3,      9.99e-3,
                                1.001e-2, 0.0999, 0.1001, 0.3,  0.49,      0.501,     0.9,
                                0.9999,   1.0001, 2,      3,    PI - 1e-3, PI - 1e-6, PI - 1e-9};
enum { ANGLES = sizeof angles / sizeof *angles };

static void twist_of_angle(uint64_t *seed, double angle, double phi[6]) {
  random_numbers(seed, phi, 6);
  const double n = mb_vec3_norm(phi);
  for (int i = 0; i < 3; i++) phi[i] = phi[i] / n * angle;
}

Test(se3, log_undoes_exp_at_all_angles) {
  uint64_t seed = 1;
  for (int k = 0; k < ANGLES; k++)
    for (int repeat = 0; repeat < 20; repeat++) {
      double phi[6], back[6];
      MbPose E;
      twist_of_angle(&seed, angles[k], phi);
      mb_se3_exp(&E, phi);
      mb_se3_log(back, &E);
      check_near("log exp", back, phi, 6, ROUNDING);
    }
}

Test(se3, exp_undoes_log) {
  uint64_t seed = 2;
  for (int k = 0; k < 200; k++) {
    MbPose E, back;
    double phi[6];
    random_pose(&seed, &E);
    mb_se3_log(phi, &E);
    mb_se3_exp(&back, phi);
    double dot = 0;
    for (int i = 0; i < 4; i++) dot += E.q[i] * back.q[i];
    for (int i = 0; i < 4; i++) back.q[i] *= dot < 0 ? -1 : 1;
    check_near("position", back.p, E.p, 3, ROUNDING);
    check_near("rotation", back.q, E.q, 4, ROUNDING);
  }
}

// Two half motions make a whole one, at any angle, large ones too.
Test(se3, exp_of_a_sum_along_one_twist_is_the_product) {
  uint64_t seed = 3;
  for (int k = 0; k < 200; k++) {
    double phi[6], half[6];
    MbPose E, H;
    random_numbers(&seed, phi, 6);
    for (int i = 0; i < 6; i++) phi[i] *= 0.05 * k, half[i] = phi[i] / 2;
    mb_se3_exp(&E, phi);
    mb_se3_exp(&H, half);
    mb_pose_mul(&H, &H, &H);
    check_near("position", H.p, E.p, 3, ROUNDING);
    check_near("rotation", H.q, E.q, 4, ROUNDING);
  }
}

Test(se3, a_pose_times_its_inverse_is_the_identity_in_place_too) {
  uint64_t seed = 4;
  const MbPose one = {{0, 0, 0}, {1, 0, 0, 0}};
  for (int k = 0; k < 50; k++) {
    MbPose E, F;
    double x[3], y[3];
    random_pose(&seed, &E), random_numbers(&seed, x, 3);
    mb_pose_inverse(&F, &E);
    mb_pose_point(y, &E, x), mb_pose_point(y, &F, y);
    check_near("point", y, x, 3, ROUNDING);
    mb_pose_mul(&F, &E, &F);
    check_near("position", F.p, one.p, 3, ROUNDING);
    check_near("rotation", F.q, one.q, 4, ROUNDING);
    F = E, mb_pose_inverse(&F, &F), mb_pose_mul(&E, &E, &F);
    check_near("position", E.p, one.p, 3, ROUNDING);
  }
}

Test(se3, adjoints_multiply_as_poses_do) {
  uint64_t seed = 5;
  for (int k = 0; k < 50; k++) {
    MbPose E, F, EF;
    double A[36], B[36], C[36], AB[36];
    random_pose(&seed, &E), random_pose(&seed, &F);
    mb_pose_mul(&EF, &E, &F);
    mb_se3_adjoint(A, &E), mb_se3_adjoint(B, &F), mb_se3_adjoint(C, &EF);
    mul6(AB, A, B);
    check_near("Ad(EF)", C, AB, 36, ROUNDING);
  }
}

// E exp(φ) E⁻¹ = exp(Ad_E φ)
Test(se3, the_adjoint_turns_a_twist_into_the_parents) {
  uint64_t seed = 6;
  for (int k = 0; k < 50; k++) {
    MbPose E, I, L, R;
    double A[36], phi[6], psi[6];
    random_pose(&seed, &E), random_numbers(&seed, phi, 6);
    mb_se3_adjoint(A, &E), mb_mat6_apply(psi, A, phi);
    mb_se3_exp(&L, phi), mb_pose_mul(&L, &E, &L), mb_pose_inverse(&I, &E), mb_pose_mul(&L, &L, &I);
    mb_se3_exp(&R, psi);
    check_near("position", L.p, R.p, 3, ROUNDING);
    check_near("rotation", L.q, R.q, 4, ROUNDING);
  }
}

Test(se3, the_adjoint_changes_at_the_rate_Ad_ad) {
  const double STEP = 1e-4, CENTRAL = 1e-6; // h² times third derivatives up to some tens
  uint64_t seed = 7;
  for (int k = 0; k < 50; k++) {
    MbPose E, P, M;
    double phi[6], A[36], D[36], AD[36], plus[36], minus[36];
    random_pose(&seed, &E), random_numbers(&seed, phi, 6);
    P = M = E;
    mb_pose_advance(&P, STEP, phi), mb_pose_advance(&M, -STEP, phi);
    mb_se3_adjoint(plus, &P), mb_se3_adjoint(minus, &M);
    for (int i = 0; i < 36; i++) plus[i] = (plus[i] - minus[i]) / (2 * STEP);
    mb_se3_adjoint(A, &E), mb_se3_ad(D, phi), mul6(AD, A, D);
    check_near("d/dt Ad", plus, AD, 36, CENTRAL);
  }
}

// Σ (−1)ᵏ ad^k / (k+1)!, summed until it stops
static void right_jacobian_by_series(double J[36], const double phi[6]) {
  double A[36], power[36], next[36];
  mb_se3_ad(A, phi);
  for (int i = 0; i < 36; i++) J[i] = power[i] = i % 7 == 0;
  for (int k = 1; k < 60; k++) {
    mul6(next, power, A);
    for (int i = 0; i < 36; i++) power[i] = -next[i] / (k + 1), J[i] += power[i];
  }
}

Test(se3, the_right_jacobian_is_its_series_at_all_angles) {
  uint64_t seed = 8;
  for (int k = 0; k < ANGLES; k++)
    for (int repeat = 0; repeat < 20; repeat++) {
      double phi[6], J[36], S[36];
      twist_of_angle(&seed, angles[k], phi);
      mb_se3_right_jacobian(J, phi);
      right_jacobian_by_series(S, phi);
      check_near("J_r", J, S, 36, ROUNDING);
    }
}

// Beyond a turn the series loses digits to its large terms, so up to e^|φ| roundings are allowed.
Test(se3, the_right_jacobian_is_its_series_beyond_a_turn) {
  uint64_t seed = 9;
  for (double angle = 3.5; angle < 10; angle += 0.25) {
    double phi[6], J[36], S[36];
    twist_of_angle(&seed, angle, phi);
    mb_se3_right_jacobian(J, phi);
    right_jacobian_by_series(S, phi);
    check_near("J_r", J, S, 36, 1e-15 * exp(angle));
  }
}

// exp(φ + δ) = exp(φ) exp(J_r δ):  J_r's columns are log(exp(φ)⁻¹ exp(φ ± h e)) by central differences.
Test(se3, the_right_jacobian_is_the_derivative_of_exp) {
  const double STEP = 1e-4, CENTRAL = 1e-7; // h² times third derivatives of size one, and rounding over h
  uint64_t seed = 10;
  for (int k = 0; k < ANGLES; k++) {
    double phi[6], J[36], D[36];
    MbPose E, F;
    twist_of_angle(&seed, angles[k], phi);
    mb_se3_exp(&E, phi), mb_pose_inverse(&E, &E);
    mb_se3_right_jacobian(J, phi);
    for (int j = 0; j < 6; j++) {
      double column[2][6];
      for (int side = 0; side < 2; side++) {
        double moved[6];
        for (int i = 0; i < 6; i++) moved[i] = phi[i] + (i == j ? (side ? STEP : -STEP) : 0);
        mb_se3_exp(&F, moved), mb_pose_mul(&F, &E, &F), mb_se3_log(column[side], &F);
      }
      for (int i = 0; i < 6; i++) D[6 * i + j] = (column[1][i] - column[0][i]) / (2 * STEP);
    }
    check_near("J_r", J, D, 36, CENTRAL);
  }
}

// Ten thousand steps keep the quaternion a unit one and follow the closed motion.
Test(se3, advancing_in_small_steps_is_the_whole_motion) {
  enum { STEPS = 10000 };
  const double WALK = 1e-12; // rounding of 10⁴ steps, adding up at worst
  const double phi[6] = {0.3, -0.2, 0.5, 1, 2, -1};
  MbPose E, F;
  mb_pose_identity(&E);
  for (int k = 0; k < STEPS; k++) mb_pose_advance(&E, 1.0 / STEPS, phi);
  mb_se3_exp(&F, phi);
  check_near("position", E.p, F.p, 3, WALK);
  check_near("rotation", E.q, F.q, 4, WALK);
}
