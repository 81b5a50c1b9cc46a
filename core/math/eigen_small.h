// Eigenvalues of small symmetric matrices, n ≤ 3.
#ifndef MB_MATH_EIGEN_SMALL_H
#define MB_MATH_EIGEN_SMALL_H

#include <math.h>

// Turns a symmetric matrix A (n x n) into its eigenvalues, on the diagonal, by Jacobi's rotations; the columns of X are their
// eigenvectors.
static inline void mb_eigen_small(int n, double *A, double *X) {
  for (int i = 0; i < n * n; i++) X[i] = i % (n + 1) == 0;
  for (int sweep = 0; sweep < 12; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (fabs(A[n * p + q]) <= 1e-17 * (fabs(A[n * p + p]) + fabs(A[n * q + q]))) continue;
        const double angle = 0.5 * atan2(2 * A[n * p + q], A[n * p + p] - A[n * q + q]);
        const double c = cos(angle), s = sin(angle);
        for (int k = 0; k < n; k++) { // columns
          const double a = A[n * k + p], b = A[n * k + q], x = X[n * k + p], y = X[n * k + q];
          A[n * k + p] = c * a + s * b, A[n * k + q] = c * b - s * a;
          X[n * k + p] = c * x + s * y, X[n * k + q] = c * y - s * x;
        }
        for (int k = 0; k < n; k++) { // rows
          const double a = A[n * p + k], b = A[n * q + k];
          A[n * p + k] = c * a + s * b, A[n * q + k] = c * b - s * a;
        }
      }
}

#endif
