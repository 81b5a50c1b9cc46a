// Let the columns of D (3 x m) be the edges from an element's first corner at rest, those of d the same edges now. D = P R with m
// orthonormal directions P and an upper triangular R, and the element maps P y to F y with F = d R⁻¹. In the directions P
//
//   E = (Fᵀ F − 1) / 2 = (Pᵀ H + Hᵀ P + Hᵀ H) / 2,   H = F − P = (d − D) R⁻¹,
//
// of which the second form keeps the digits of small strains. In the world's axes it is P E Pᵀ.
#include "io/export/green.h"
#include "core/math/vec3.h"

typedef struct Edges {
  double column[3][3]; // column k is edge k
} Edges;

static Edges edges_of(const double *x, const uint32_t *corner, int m) {
  Edges D = {0};
  for (int k = 0; k < m; k++)
    mb_vec3_sub(D.column[k], x + 3 * (size_t)corner[k + 1], x + 3 * (size_t)corner[0]);
  return D;
}

// Makes H = d − D into H R⁻¹ and D into P, column by column.
static void orthonormalize(Edges *D, Edges *H, int m) {
  for (int k = 0; k < m; k++) {
    for (int i = 0; i < k; i++) {
      const double r = mb_vec3_dot(D->column[i], D->column[k]);
      mb_vec3_add_scaled(D->column[k], D->column[k], -r, D->column[i]);
      mb_vec3_add_scaled(H->column[k], H->column[k], -r, H->column[i]);
    }
    const double inverse = 1 / mb_vec3_norm(D->column[k]);
    mb_vec3_scale(D->column[k], inverse, D->column[k]);
    mb_vec3_scale(H->column[k], inverse, H->column[k]);
  }
}

// Turns rows and columns i and k of a symmetric matrix so that A[i][k] becomes 0: by the smaller one of two angles whose tangents t
// solve t² + 2 c t = 1, c = (A[k][k] − A[i][i]) / (2 A[i][k]).
static void turn_away(double A[3][3], int i, int k) {
  const double off = A[i][k];
  if (off == 0) return;
  const double c = (A[k][k] - A[i][i]) / (2 * off);
  const double t = (c < 0 ? -1 : 1) / (fabs(c) + sqrt(c * c + 1)), cosine = 1 / sqrt(t * t + 1),
               sine = t * cosine;
  A[i][i] -= t * off;
  A[k][k] += t * off;
  A[i][k] = A[k][i] = 0;
  const int j = 3 - i - k;
  const double a = A[j][i], b = A[j][k];
  A[j][i] = A[i][j] = cosine * a - sine * b;
  A[j][k] = A[k][j] = sine * a + cosine * b;
}

// The largest eigenvalue of a symmetric matrix of size m by Jacobi's method, which is right to the last digits also where eigenvalues
// are close; each sweep squares what is left beside the diagonal, so that six are plenty.
static double largest_eigenvalue(double A[3][3], int m) {
  for (int sweep = 0; sweep < 6; sweep++) {
    if (m > 1) turn_away(A, 0, 1);
    if (m > 2) turn_away(A, 0, 2);
    if (m > 2) turn_away(A, 1, 2);
  }
  double largest = A[0][0];
  for (int i = 1; i < m; i++)
    if (!(A[i][i] <= largest)) largest = A[i][i];
  return largest;
}

void mb_green_strain(const double *rest, const double *x, const uint32_t *corner, int m, double E[6],
                     double *largest) {
  Edges P = edges_of(rest, corner, m), H = edges_of(x, corner, m);
  for (int k = 0; k < m; k++) mb_vec3_sub(H.column[k], H.column[k], P.column[k]);
  orthonormalize(&P, &H, m);
  double A[3][3] = {{0}};
  for (int i = 0; i < m; i++)
    for (int k = 0; k < m; k++)
      A[i][k] = (mb_vec3_dot(P.column[i], H.column[k]) + mb_vec3_dot(H.column[i], P.column[k]) +
                 mb_vec3_dot(H.column[i], H.column[k])) /
                2;
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int n = 0; n < 6; n++) {
    E[n] = 0;
    for (int i = 0; i < m; i++)
      for (int k = 0; k < m; k++) E[n] += A[i][k] * P.column[i][row[n]] * P.column[k][column[n]];
  }
  *largest = largest_eigenvalue(A, m);
}
