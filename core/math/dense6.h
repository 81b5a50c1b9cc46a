// 6 x 6 systems, row major: LU with partial pivoting; A need not be symmetric.
#ifndef MB_MATH_DENSE6_H
#define MB_MATH_DENSE6_H

#include "core/base/targets.h"
#include "core/math/vec3.h"
#include <stdbool.h>

// A ← L\U with row exchanges in pivot (6), of the first n rows and columns alone: the others are left as they are. False where a pivot is
// zero or not finite.
MB_INLINE bool mb_lu6_factor_of(double A[36], int n, int pivot[6]) {
  MB_UNROLL for (int k = 0; k < n; k++) {
    int best = k;
    MB_UNROLL for (int i = k + 1; i < n; i++) if (fabs(A[6 * i + k]) > fabs(A[6 * best + k])) best = i;
    pivot[k] = best;
    if (!(fabs(A[6 * best + k]) > 0) || !isfinite(A[6 * best + k])) return false;
    if (best != k) MB_UNROLL for (int j = 0; j < n; j++) {
        const double t = A[6 * k + j];
        A[6 * k + j] = A[6 * best + j];
        A[6 * best + j] = t;
      }
    const double inverse = 1 / A[6 * k + k];
    MB_UNROLL for (int i = k + 1; i < n; i++) {
      const double l = A[6 * i + k] *= inverse;
      MB_UNROLL for (int j = k + 1; j < n; j++) A[6 * i + j] -= l * A[6 * k + j];
    }
  }
  return true;
}

// x ← A⁻¹ x
MB_INLINE void mb_lu6_solve_of(const double A[36], int n, const int pivot[6], double x[6]) {
  MB_UNROLL for (int k = 0; k < n; k++) {
    const double t = x[pivot[k]];
    x[pivot[k]] = x[k];
    x[k] = t;
  }
  MB_UNROLL for (int i = 1; i < n; i++) {
    double sum = x[i];
    MB_UNROLL for (int j = 0; j < i; j++) sum -= A[6 * i + j] * x[j];
    x[i] = sum;
  }
  MB_UNROLL for (int i = n - 1; i >= 0; i--) {
    double sum = x[i];
    MB_UNROLL for (int j = i + 1; j < n; j++) sum -= A[6 * i + j] * x[j];
    x[i] = sum / A[6 * i + i];
  }
}

MB_INLINE bool mb_lu6_factor(double A[36], int pivot[6]) { return mb_lu6_factor_of(A, 6, pivot); }
MB_INLINE void mb_lu6_solve(const double A[36], const int pivot[6], double x[6]) {
  mb_lu6_solve_of(A, 6, pivot, x);
}

// y = A x
MB_INLINE void mb_mat6_apply(double y[6], const double A[36], const double x[6]) {
  for (int i = 0; i < 6; i++) {
    double sum = 0;
    for (int j = 0; j < 6; j++) sum += A[6 * i + j] * x[j];
    y[i] = sum;
  }
}

#endif
