#include "core/contact/contact_dense.h"
#include "core/base/blas.h"
#include "core/base/lapack.h"

#include <math.h>

enum { FEW = 24 }; // rows from which on LAPACK is faster

void mb_dense_start(size_t rows) {
  if (rows >= FEW) mb_blas_start(1); // without it they are solved by hand
}

static void exchange(double *a, double *b) {
  const double t = *a;
  *a = *b, *b = t;
}

bool mb_dense_solve(double *J, double *x, int *pivot, size_t m) {
  const int n = (int)m;
  if (m >= FEW && mb_blas_start(1)) {
    if (mb_lapack.dgetrf(LAPACK_COL_MAJOR, n, n, J, n, pivot) != 0) return false;
    return mb_lapack.dgetrs(LAPACK_COL_MAJOR, 'N', n, 1, J, n, pivot, x, n) == 0;
  }
  for (size_t k = 0; k < m; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < m; i++)
      if (fabs(J[k * m + i]) > fabs(J[k * m + best])) best = i;
    if (!(fabs(J[k * m + best]) > 0)) return false;
    for (size_t j = k; j < m && best != k; j++) exchange(&J[j * m + k], &J[j * m + best]);
    if (best != k) exchange(&x[k], &x[best]);
    for (size_t i = k + 1; i < m; i++) J[k * m + i] /= J[k * m + k];
    for (size_t j = k + 1; j < m; j++)
      for (size_t i = k + 1; i < m; i++) J[j * m + i] -= J[k * m + i] * J[j * m + k];
    for (size_t i = k + 1; i < m; i++) x[i] -= J[k * m + i] * x[k];
  }
  for (size_t k = m; k-- > 0;) {
    x[k] /= J[k * m + k];
    for (size_t i = 0; i < k; i++) x[i] -= J[k * m + i] * x[k];
  }
  return true;
}

bool mb_dense_factor(double *A, size_t m) {
  // the upper factor of columns is the lower one of rows
  if (m >= FEW && mb_blas_start(1)) return mb_lapack.dpotrf(LAPACK_COL_MAJOR, 'U', (int)m, A, (int)m) == 0;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j <= i; j++) {
      double s = A[i * m + j];
      for (size_t k = 0; k < j; k++) s -= A[i * m + k] * A[j * m + k];
      if (i == j && !(s > 0)) return false;
      A[i * m + j] = i == j ? sqrt(s) : s / A[j * m + j];
    }
  return true;
}

void mb_dense_apply(const double *L, double *x, size_t m) {
  if (m >= FEW && mb_blas_start(1)) {
    mb_lapack.dpotrs(LAPACK_COL_MAJOR, 'U', (int)m, 1, L, (int)m, x, (int)m);
    return;
  }
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < i; j++) x[i] -= L[i * m + j] * x[j];
    x[i] /= L[i * m + i];
  }
  for (size_t i = m; i-- > 0;) {
    x[i] /= L[i * m + i];
    for (size_t j = 0; j < i; j++) x[j] -= L[i * m + j] * x[i];
  }
}
