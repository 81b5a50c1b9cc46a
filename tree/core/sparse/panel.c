#include "core/base/lapack.h"
#include "core/sparse/panel.h"
#include "core/base/targets.h"

#include <math.h>

enum { SMALL = 16 }; // columns up to which calling BLAS costs more than it saves

// y −= a x
MB_CLONES static void subtract(size_t n, double a, const double *restrict x, double *restrict y) {
  MB_SIMD
  for (size_t i = 0; i < n; i++) y[i] -= a * x[i];
}

MB_CLONES static void subtract4(size_t n, const double a[4], const double *restrict x, size_t stride,
                                double *restrict y) {
  const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  const double *x0 = x, *x1 = x0 + stride, *x2 = x1 + stride, *x3 = x2 + stride;
  MB_SIMD
  for (size_t i = 0; i < n; i++) y[i] -= a0 * x0[i] + a1 * x1[i] + a2 * x2[i] + a3 * x3[i];
}

static bool factor_small(double *P, size_t rows, size_t columns, double *U, size_t *pivot) {
  for (size_t k = 0; k < columns; k++) {
    double *p = P + k * rows;
    if (!(p[k] > 0) || !isfinite(p[k])) {
      *pivot = k;
      return false;
    }
    const double d = sqrt(p[k]), inverse = 1 / d;
    p[k] = d;
    for (size_t i = k + 1; i < rows; i++) p[i] *= inverse;
    for (size_t j = k + 1; j < columns; j++) subtract(rows - j, p[j], p + j, P + j * rows + j);
  }
  const size_t m = rows - columns;
  for (size_t j = 0; j < m; j++) {
    double *u = U + j * m + j;
    const double *p = P + columns + j;
    size_t k = 0;
    for (; k + 4 <= columns; k += 4) {
      const double *q = p + k * rows, a[4] = {q[0], q[rows], q[2 * rows], q[3 * rows]};
      subtract4(m - j, a, q, rows, u);
    }
    for (; k < columns; k++) subtract(m - j, p[k * rows], p + k * rows, u);
  }
  return true;
}

bool mb_panel_factor(double *P, size_t rows, size_t columns, double *U, size_t *pivot) {
  if (columns <= SMALL) return factor_small(P, rows, columns, U, pivot);
  const int n = (int)columns, m = (int)(rows - columns), ld = (int)rows;
  const int info = (int)mb_lapack.dpotrf(LAPACK_COL_MAJOR, 'L', n, P, ld);
  if (info != 0) {
    *pivot = info > 0 ? (size_t)info - 1 : 0;
    return false;
  }
  for (size_t k = 0; k < columns; k++) // not every LAPACK stops at what is not a number
    if (!isfinite(P[k * rows + k])) {
      *pivot = k;
      return false;
    }
  if (m == 0) return true;
  mb_lapack.dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, n, 1, P, ld, P + n, ld);
  mb_lapack.dsyrk(CblasColMajor, CblasLower, CblasNoTrans, m, n, -1, P + n, ld, 1, U, m);
  return true;
}

// ---- solves ---------------------------------------------------------------------------------------------------
// Four columns of L at a time, three right-hand sides: every number of L is loaded once.

#define EACH(r) for (size_t r = 0; r < k; r++)

MB_CLONES static void forward4(const double *restrict P, size_t rows, size_t n, const double *a,
                               double *restrict x, size_t stride, size_t k) {
  const double *p0 = P, *p1 = p0 + rows, *p2 = p1 + rows, *p3 = p2 + rows;
  if (k == 3) {
    double *x0 = x, *x1 = x + stride, *x2 = x1 + stride;
    MB_SIMD
    for (size_t i = 0; i < n; i++) {
      x0[i] -= a[0] * p0[i] + a[1] * p1[i] + a[2] * p2[i] + a[3] * p3[i];
      x1[i] -= a[4] * p0[i] + a[5] * p1[i] + a[6] * p2[i] + a[7] * p3[i];
      x2[i] -= a[8] * p0[i] + a[9] * p1[i] + a[10] * p2[i] + a[11] * p3[i];
    }
    return;
  }
  EACH(r) subtract4(n, a + 4 * r, P, rows, x + r * stride);
}

void mb_panel_forward(const double *P, size_t rows, size_t columns, double *x, size_t k) {
  size_t j = 0;
  double a[12];
  for (; j + 4 <= columns; j += 4) {
    const double *p = P + j * rows + j;
    EACH(r) {
      double *y = x + r * rows + j, *b = a + 4 * r;
      for (size_t i = 0; i < 4; i++) {
        b[i] = y[i];
        for (size_t l = 0; l < i; l++) b[i] -= p[l * rows + i] * b[l];
        y[i] = b[i] /= p[i * rows + i];
      }
    }
    forward4(p + 4, rows, rows - j - 4, a, x + j + 4, rows, k);
  }
  for (; j < columns; j++) {
    const double *p = P + j * rows + j;
    EACH(r) {
      double *y = x + r * rows + j;
      y[0] /= p[0];
      subtract(rows - j - 1, y[0], p + 1, y + 1);
    }
  }
}

MB_CLONES static double dot(size_t n, const double *restrict a, const double *restrict b) {
  double sum = 0;
  MB_SIMD_SUM(sum)
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// sums (k x 4) of the products of four columns with each x
MB_CLONES static void backward4(const double *restrict P, size_t rows, size_t n, const double *restrict x,
                                size_t stride, size_t k, double *sums) {
  const double *p0 = P, *p1 = p0 + rows, *p2 = p1 + rows, *p3 = p2 + rows;
  EACH(r) {
    const double *y = x + r * stride;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    MB_SIMD_SUM(s0, s1, s2, s3)
    for (size_t i = 0; i < n; i++)
      s0 += p0[i] * y[i], s1 += p1[i] * y[i], s2 += p2[i] * y[i], s3 += p3[i] * y[i];
    sums[4 * r] = s0, sums[4 * r + 1] = s1, sums[4 * r + 2] = s2, sums[4 * r + 3] = s3;
  }
}

void mb_panel_backward(const double *P, size_t rows, size_t columns, double *x, size_t k) {
  size_t j = columns;
  for (; j % 4; j--) {
    const double *p = P + (j - 1) * rows + j - 1;
    EACH(r) {
      double *y = x + r * rows + j - 1;
      y[0] = (y[0] - dot(rows - j, p + 1, y + 1)) / p[0];
    }
  }
  for (; j > 0; j -= 4) {
    const double *p = P + (j - 4) * rows + j - 4;
    double sums[12];
    backward4(p + 4, rows, rows - j, x + j, rows, k, sums);
    EACH(r) {
      double *y = x + r * rows + j - 4;
      for (size_t i = 4; i-- > 0;) {
        double b = y[i] - sums[4 * r + i];
        for (size_t l = i + 1; l < 4; l++) b -= p[i * rows + l] * y[l];
        y[i] = b / p[i * rows + i];
      }
    }
  }
}
