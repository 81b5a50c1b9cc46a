// Pairs of moves and of changes of a gradient that correct an inverse: beside the BFGS formula applied to a dense matrix, pair by pair.
#include "core/solvers/projective/pairs.h"
#include "tests/support.h"

#include <string.h>

enum { N = 7 };

static double dot(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += a[i] * b[i];
  return sum;
}

static void times(double M[N][N], const double *x, double *y) {
  for (int i = 0; i < N; i++) y[i] = dot(M[i], x);
}

// H⁻¹ ← (1 − ρ s yᵀ) H⁻¹ (1 − ρ y sᵀ) + ρ s sᵀ
static void correct(double H[N][N], const double *s, const double *y) {
  double Hy[N];
  const double rho = 1 / dot(s, y);
  times(H, y, Hy);
  const double yHy = dot(y, Hy);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      H[i][j] += rho * ((1 + rho * yHy) * s[i] * s[j] - s[i] * Hy[j] - Hy[i] * s[j]);
}

// A⁻¹, and of another matrix the products y = K s.
static void matrices(double A[N][N], double K[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i == j ? 1 : 0) + 0.1 / (1 + i + j);
      K[i][j] = (i == j ? 3 + i : 0) + 0.3 * cos(i + j);
    }
}

static double number(int k, int i) { return sin(1.0 + 3 * k + 7.3 * i * (k + 1)); }

// The last `last` of `count` pairs; number `bad` of them curves down.
static void check(int count, int last, int bad) {
  double A[N][N], K[N][N], H[N][N], S[12][N], Y[12][N], b[N], before[N], z[N], z1[N], wanted[N], found[N];
  double c[MB_PAIR_WEIGHTS], w[MB_PAIR_WEIGHTS];
  MbPairs pairs;
  cr_assert(mb_pairs_make(&pairs, N));
  matrices(A, K);
  for (int i = 0; i < N; i++) before[i] = sin(5.0 + i);
  times(A, before, z);
  mb_pairs_look(&pairs, before, 1, c);
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < N; i++) S[k][i] = number(k, i);
    times(K, S[k], Y[k]);
    for (int i = 0; i < N && k == bad; i++) Y[k][i] *= -1;
    memcpy(pairs.s[pairs.next], S[k], sizeof S[k]);
    for (int i = 0; i < N; i++) b[i] = before[i] - Y[k][i];
    times(A, b, z1);
    cr_assert_eq(mb_pairs_take(&pairs, before, b, z, z1, 1, c), k != bad);
    double looked[MB_PAIR_WEIGHTS];
    mb_pairs_look(&pairs, b, 1, looked);
    test_near("Uᵀ b", c, looked, MB_PAIR_WEIGHTS, 1e-13);
    test_near("z", z, z1, N, 0);
    memcpy(before, b, sizeof before);
  }
  memcpy(H, A, sizeof H);
  for (int k = count - last; k < count; k++)
    if (k != bad) correct(H, S[k], Y[k]);
  for (int i = 0; i < N; i++) b[i] = cos(2.0 + i);
  times(H, b, wanted), times(A, b, found);
  mb_pairs_look(&pairs, b, 1, c);
  mb_pairs_weigh(&pairs, c, w);
  mb_pairs_add(&pairs, w, 0, N, 1, found);
  test_near("H b", found, wanted, N, 1e-12);
  mb_pairs_free(&pairs);
}

Test(pairs, they_correct_an_inverse_as_the_formula_of_bfgs_does_one_by_one) {
  check(0, 0, -1), check(1, 1, -1), check(3, 3, -1), check(MB_PAIRS, MB_PAIRS, -1);
}
Test(pairs, the_oldest_makes_room_for_the_newest) { check(8, MB_PAIRS, -1), check(11, MB_PAIRS, -1); }
Test(pairs, what_curves_down_is_left_out) {
  check(4, 4, 2);
  check(7, MB_PAIRS, 6); // and the one whose place it had is gone
}
