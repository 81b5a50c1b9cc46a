#include "core/math/dense6.h"
#include "tests/core/math/near.h"

#include <lapacke.h>

// Error of a solve with partial pivoting: some roundings times the condition, which random matrices keep
// below 1e4.
static const double SOLVED = 1e-10;

static void check_against_lapack(const double A[36], const double b[6]) {
  double F[36], G[36], x[6], y[6];
  int pivot[6];
  lapack_int lapack_pivot[6];
  for (int i = 0; i < 36; i++) F[i] = G[i] = A[i];
  for (int i = 0; i < 6; i++) x[i] = y[i] = b[i];
  cr_assert(mb_lu6_factor(F, pivot));
  mb_lu6_solve(F, pivot, x);
  cr_assert_eq(LAPACKE_dgesv(LAPACK_ROW_MAJOR, 6, 1, G, 6, lapack_pivot, y, 1), 0);
  check_near("x", x, y, 6, SOLVED * fmax(1, fabs(y[0]) + fabs(y[5])));

  // the residual does not see the condition
  double r[6], size = 0;
  mb_mat6_apply(r, A, x);
  for (int i = 0; i < 6; i++) size = fmax(size, fabs(x[i]));
  check_near("A x", r, b, 6, 1e-14 * (1 + size));
}

Test(dense6, solves_as_lapack_does_for_random_unsymmetric_matrices) {
  uint64_t seed = 1;
  for (int k = 0; k < 1000; k++) {
    double A[36], b[6];
    random_numbers(&seed, A, 36), random_numbers(&seed, b, 6);
    check_against_lapack(A, b);
  }
}

Test(dense6, solves_where_every_pivot_must_be_exchanged) {
  uint64_t seed = 2;
  for (int shift = 0; shift < 6; shift++) {
    double A[36] = {0}, b[6];
    random_numbers(&seed, b, 6);
    for (int i = 0; i < 6; i++) A[6 * i + (i + shift) % 6] = 2 + i;
    check_against_lapack(A, b);
    for (int i = 0; i < 36; i++) A[i] += 1e-3 * random_number(&seed);
    check_against_lapack(A, b);
  }
}

Test(dense6, refuses_singular_and_not_finite_matrices) {
  double A[36] = {0};
  int pivot[6];
  cr_assert_not(mb_lu6_factor(A, pivot));
  for (int i = 0; i < 36; i++) A[i] = 1;
  cr_assert_not(mb_lu6_factor(A, pivot));
  static const double odd[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++)
    for (int at = 0; at < 36; at++) {
      for (int i = 0; i < 36; i++) A[i] = i % 7 == 0 ? 2 : 0.1;
      A[at] = odd[k];
      cr_assert_not(mb_lu6_factor(A, pivot), "%g at %d", odd[k], at);
    }
}
