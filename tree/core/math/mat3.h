// 3 x 3 matrices, row major, as plain arrays of nine doubles.
#ifndef MB_MATH_MAT3_H
#define MB_MATH_MAT3_H

#include "core/math/vec3.h"

MB_INLINE void mb_mat3_identity(double A[9]) {
  for (int i = 0; i < 9; i++) A[i] = i % 4 == 0 ? 1.0 : 0.0;
}

// C = A B; C is neither A nor B
MB_INLINE void mb_mat3_mul(double C[9], const double A[9], const double B[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

// C = Aᵀ B; C is neither A nor B
MB_INLINE void mb_mat3_tmul(double C[9], const double A[9], const double B[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

// C = A Bᵀ; C is neither A nor B
MB_INLINE void mb_mat3_mult(double C[9], const double A[9], const double B[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3 * i + j] = A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
}

// y = A x; y may be x
MB_INLINE void mb_mat3_apply(double y[3], const double A[9], const double x[3]) {
  const double a = A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
  const double b = A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
  const double c = A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
  y[0] = a, y[1] = b, y[2] = c;
}

// y = Aᵀ x; y may be x
MB_INLINE void mb_mat3_tapply(double y[3], const double A[9], const double x[3]) {
  const double a = A[0] * x[0] + A[3] * x[1] + A[6] * x[2];
  const double b = A[1] * x[0] + A[4] * x[1] + A[7] * x[2];
  const double c = A[2] * x[0] + A[5] * x[1] + A[8] * x[2];
  y[0] = a, y[1] = b, y[2] = c;
}

// [a], with [a] b = a × b
MB_INLINE void mb_mat3_cross(double A[9], const double a[3]) {
  A[0] = 0, A[1] = -a[2], A[2] = a[1];
  A[3] = a[2], A[4] = 0, A[5] = -a[0];
  A[6] = -a[1], A[7] = a[0], A[8] = 0;
}

MB_INLINE double mb_mat3_det(const double A[9]) {
  return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
         A[2] * (A[3] * A[7] - A[4] * A[6]);
}

#endif
