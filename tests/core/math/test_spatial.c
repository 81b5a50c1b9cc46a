#include "core/math/spatial.h"
#include "core/math/dense6.h"
#include "tests/core/math/near.h"

#include <lapacke.h>

static const double ROUNDING = 2e-14; // sums of some tens of products of numbers of size one

// Principal moments that a body can have, and a mass.
static void random_inertia(uint64_t *seed, double M[6]) {
  double s[4];
  random_numbers(seed, s, 4);
  for (int i = 0; i < 4; i++) s[i] = 1.1 + s[i];
  M[0] = s[1] + s[2], M[1] = s[0] + s[2], M[2] = s[0] + s[1];
  M[3] = M[4] = M[5] = s[3];
}

static void random_pose(uint64_t *seed, MbPose *E) {
  random_numbers(seed, E->p, 3);
  random_numbers(seed, E->q, 4);
  mb_quat_normalise(E->q);
}

// y = Aᵀ x
static void tapply6(double y[6], const double A[36], const double x[6]) {
  for (int i = 0; i < 6; i++) {
    y[i] = 0;
    for (int j = 0; j < 6; j++) y[i] += A[6 * j + i] * x[j];
  }
}

Test(spatial, the_velocity_term_is_ad_transposed_times_momentum) {
  uint64_t seed = 1;
  for (int k = 0; k < 50; k++) {
    double M[6], phi[6], A[36], L[6], wanted[6], f[6], start[6];
    random_inertia(&seed, M), random_numbers(&seed, phi, 6), random_numbers(&seed, start, 6);
    mb_se3_ad(A, phi);
    for (int i = 0; i < 6; i++) L[i] = M[i] * phi[i], f[i] = start[i];
    tapply6(wanted, A, L);
    mb_coriolis_add(f, M, phi);
    for (int i = 0; i < 6; i++) f[i] -= start[i];
    check_near("adᵀ M φ", f, wanted, 6, ROUNDING);

    // it does no work
    double power = 0;
    for (int i = 0; i < 6; i++) power += wanted[i] * phi[i];
    cr_assert_float_eq(power, 0, ROUNDING);
  }
}

// The term is quadratic, so that central differences are exact but for rounding.
Test(spatial, the_derivative_of_the_gyroscopic_torque_is_that_of_differences) {
  const double STEP = 0.5;
  uint64_t seed = 2;
  for (int k = 0; k < 50; k++) {
    double M[6], phi[6], D[36], wanted[36], start[36];
    random_inertia(&seed, M), random_numbers(&seed, phi, 6), random_numbers(&seed, start, 36);
    for (int i = 0; i < 36; i++) D[i] = start[i];
    mb_gyroscopic_add_D(D, M, phi);
    for (int j = 0; j < 6; j++) {
      double f[2][6] = {{0}};
      for (int side = 0; side < 2; side++) {
        double moved[6];
        for (int i = 0; i < 6; i++) moved[i] = phi[i] + (i == j ? (side ? STEP : -STEP) : 0);
        mb_gyroscopic_add(f[side], M, moved);
      }
      for (int i = 0; i < 6; i++) wanted[6 * i + j] = start[6 * i + j] + (f[1][i] - f[0][i]) / (2 * STEP);
    }
    check_near("D", D, wanted, 36, ROUNDING);
  }
}

// X = Ad_E⁻¹ᵀ M Ad_E⁻¹
Test(spatial, inertia_about_a_frame_is_the_adjoint_formula) {
  uint64_t seed = 3;
  for (int k = 0; k < 50; k++) {
    double M[6], X[36], A[36], wanted[36];
    MbPose E, inverse;
    random_inertia(&seed, M), random_pose(&seed, &E);
    mb_inertia_about(X, M, &E);
    mb_pose_inverse(&inverse, &E), mb_se3_adjoint(A, &inverse);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) {
        wanted[6 * i + j] = 0;
        for (int l = 0; l < 6; l++) wanted[6 * i + j] += A[6 * l + i] * M[l] * A[6 * l + j];
      }
    check_near("X", X, wanted, 36, ROUNDING);
  }
}

// X⁻¹ = Ad_E M⁻¹ Ad_Eᵀ, against LAPACK's inverse of X
Test(spatial, inertia_about_a_frame_has_the_inverse_of_the_adjoint_formula) {
  const double CONDITION = 1e-11; // the smallest moments are near 0.2, so that X's condition is some hundreds
  uint64_t seed = 4;
  for (int k = 0; k < 50; k++) {
    double M[6], X[36], A[36], wanted[36];
    MbPose E;
    lapack_int pivot[6];
    random_inertia(&seed, M), random_pose(&seed, &E);
    mb_inertia_about(X, M, &E), mb_se3_adjoint(A, &E);
    cr_assert_eq(LAPACKE_dgetrf(LAPACK_ROW_MAJOR, 6, 6, X, 6, pivot), 0);
    cr_assert_eq(LAPACKE_dgetri(LAPACK_ROW_MAJOR, 6, X, 6, pivot), 0);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) {
        wanted[6 * i + j] = 0;
        for (int l = 0; l < 6; l++) wanted[6 * i + j] += A[6 * i + l] / M[l] * A[6 * j + l];
      }
    check_near("X⁻¹", X, wanted, 36, CONDITION);
  }
}

// ½ φᵀ X φ is the same energy in every frame.
Test(spatial, kinetic_energy_does_not_depend_on_the_frame) {
  uint64_t seed = 5;
  for (int k = 0; k < 50; k++) {
    double M[6], X[36], A[36], phi[6], psi[6], P[6], a = 0, b = 0;
    MbPose E;
    random_inertia(&seed, M), random_pose(&seed, &E), random_numbers(&seed, phi, 6);
    mb_inertia_about(X, M, &E), mb_se3_adjoint(A, &E);
    mb_mat6_apply(psi, A, phi), mb_mat6_apply(P, X, psi);
    for (int i = 0; i < 6; i++) a += M[i] * phi[i] * phi[i], b += psi[i] * P[i];
    cr_assert_float_eq(a, b, ROUNDING * 10);
  }
}
