#include "core/math/svd3.h"
#include "tests/core/math/near.h"

#include <lapacke.h>

// Of the size of F: a rotation of 3 x 3 matrices rounds some ten times, and there are about fifteen of them.
static const double ROUNDED = 4e-15;

static void times(double C[9], const double A[9], const double B[9], bool transposed) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      C[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) C[3 * i + j] += A[3 * i + k] * (transposed ? B[3 * j + k] : B[3 * k + j]);
    }
}

static double det(const double A[9]) {
  return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
         A[2] * (A[3] * A[7] - A[4] * A[6]);
}

static double size_of(const double *F, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(F[i]));
  return most;
}

static void check_rotation(const char *what, const double U[9]) {
  static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double UU[9];
  times(UU, U, U, true);
  check_near(what, UU, one, 9, ROUNDED);
  cr_assert(det(U) > 0, "%s mirrors", what);
}

static void check(const double F[9]) {
  double U[9], s[3], V[9], G[9], US[9], t[3], work[9];
  mb_svd3(F, U, s, V);
  const double size = size_of(F, 9);
  check_rotation("U", U);
  check_rotation("V", V);
  for (int i = 0; i < 9; i++) US[i] = U[i] * s[i % 3];
  times(G, US, V, true);
  check_near("U S Vt", G, F, 9, ROUNDED * size);
  cr_assert(s[0] >= s[1] && s[1] >= fabs(s[2]), "%g %g %g", s[0], s[1], s[2]);

  for (int i = 0; i < 9; i++) work[i] = F[i];
  cr_assert_eq(LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'N', 3, 3, work, 3, t, NULL, 3, NULL, 3), 0);
  s[2] = fabs(s[2]);
  check_near("singular values", s, t, 3, ROUNDED * size);
}

static void random_rotation(uint64_t *seed, double R[9]) {
  double q[4], n = 0;
  random_numbers(seed, q, 4);
  for (int i = 0; i < 4; i++) n += q[i] * q[i];
  n = 1 / sqrt(n);
  for (int i = 0; i < 4; i++) q[i] *= n;
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

static void with_values(uint64_t *seed, const double s[3], double F[9]) {
  double U[9], V[9];
  random_rotation(seed, U), random_rotation(seed, V);
  for (int i = 0; i < 9; i++) U[i] *= s[i % 3];
  times(F, U, V, true);
}

Test(svd3, agrees_with_lapack_on_random_matrices) {
  uint64_t seed = 1;
  for (int k = 0; k < 100000; k++) {
    double F[9];
    random_numbers(&seed, F, 9);
    check(F);
  }
}

Test(svd3, keeps_its_accuracy_where_values_are_repeated_zero_negative_or_far_apart) {
  static const double values[] = {1,     0,     1 + 1e-15, 1 - 1e-8, 1e-3,   1e-8,
                                  1e-13, 1e-15, 1e-17,     1e-30,    1e-160, 7};
  enum { COUNT = sizeof values / sizeof *values };
  uint64_t seed = 2;
  for (int i = 0; i < COUNT * COUNT * COUNT; i++)
    for (int mirrored = 0; mirrored < 2; mirrored++)
      for (int times_each = 0; times_each < 8; times_each++) {
        double F[9];
        const double s[3] = {values[i % COUNT], values[i / COUNT % COUNT],
                             (mirrored ? -1 : 1) * values[i / COUNT / COUNT]};
        with_values(&seed, s, F);
        check(F);
      }
}

Test(svd3, takes_every_matrix_of_small_whole_numbers) {
  for (int k = 0; k < 19683; k++) {
    double F[9];
    for (int i = 0, rest = k; i < 9; i++, rest /= 3) F[i] = rest % 3 - 1;
    check(F);
  }
}

Test(svd3, gives_the_sign_of_the_determinant_to_the_last_value) {
  uint64_t seed = 3;
  for (int k = 0; k < 1000; k++) {
    double F[9], U[9], s[3], V[9];
    with_values(&seed, (double[3]){1.2, 0.9, k % 2 ? -0.4 : 0.4}, F);
    mb_svd3(F, U, s, V);
    check_near("values", s, (double[3]){1.2, 0.9, k % 2 ? -0.4 : 0.4}, 3, ROUNDED);
  }
}

Test(svd3, does_not_mind_how_large_or_small_numbers_are) {
  static const double scales[] = {1e-300, 1e-150, 1e-20, 1e20, 1e150, 1e300};
  uint64_t seed = 4;
  for (int k = 0; k < 6; k++) {
    double F[9];
    random_numbers(&seed, F, 9);
    for (int i = 0; i < 9; i++) F[i] *= scales[k];
    double U[9], s[3], V[9], G[9];
    mb_svd3(F, U, s, V);
    for (int i = 0; i < 9; i++) U[i] *= s[i % 3] / scales[k], F[i] /= scales[k];
    times(G, U, V, true);
    check_near("U S Vt", G, F, 9, ROUNDED);
  }
  double U[9], s[3], V[9];
  mb_svd3((double[9]){1, 2, NAN, 4, 5, 6, 7, 8, 9}, U, s, V);
  cr_assert(isnan(s[0] + s[1] + s[2]));
  mb_svd3((double[9]){1, 2, 3, 4, INFINITY, 6, 7, 8, 9}, U, s, V);
  cr_assert(!isfinite(s[0] + s[1] + s[2]));
}

Test(svd3, finds_the_nearest_rotation) {
  uint64_t seed = 5;
  for (int k = 0; k < 1000; k++) {
    double R[9], S[9], T[9], F[9], U[9], V[9], s[3], P[9];
    random_rotation(&seed, R), random_rotation(&seed, T);
    for (int i = 0; i < 9; i++) P[i] = T[i] * (1 + i % 3);
    times(S, P, T, true);
    times(F, R, S, false);
    mb_svd3(F, U, s, V);
    mb_svd3_polar(U, V, P);
    check_near("R", P, R, 9, ROUNDED);
  }
}

Test(svd3, takes_matrices_of_two_columns) {
  uint64_t seed = 6;
  for (int k = 0; k < 20000; k++) {
    double F[6], U[9], s[2], V[4], G[6];
    random_numbers(&seed, F, 6);
    for (int i = 0; i < 3 && k % 4 == 1; i++) F[2 * i + 1] = 0.5 * F[2 * i];        // parallel
    for (int i = 0; i < 3 && k % 4 == 2; i++) F[2 * i + k / 4 % 2] = 0;             // one of nothing
    for (int i = 0; i < 6 && k % 4 == 3; i++) F[i] = floor(2 * F[i]) * (k % 8 < 4); // whole, or nothing
    mb_svd32(F, U, s, V);
    check_rotation("U", U);
    check_near("VtV",
               (double[3]){V[0] * V[0] + V[2] * V[2], V[0] * V[1] + V[2] * V[3], V[0] * V[3] - V[1] * V[2]},
               (double[3]){1, 0, 1}, 3, ROUNDED);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 2; j++)
        G[2 * i + j] = U[3 * i] * s[0] * V[2 * j] + U[3 * i + 1] * s[1] * V[2 * j + 1];
    check_near("U S Vt", G, F, 6, ROUNDED * size_of(F, 6));
    cr_assert(s[0] >= s[1] && s[1] >= 0);
  }
}

// Of ln a itself, and of 1 where a is about 1.
Test(pack, takes_logarithms_to_rounding) {
  uint64_t seed = 7;
  double worst = 0;
  for (int k = 0; k < 200000; k++) {
    const double x = random_number(&seed), a = k % 2 ? exp(700 * x) : exp(x * x * x * x * x);
    worst = fmax(worst, fabs(mb_pack_log(a) - log(a)) / fabs(log(a)));
  }
  cr_assert(worst < 5e-16, "off by %g", worst);
  cr_assert_eq(mb_pack_log(1), 0);
}
