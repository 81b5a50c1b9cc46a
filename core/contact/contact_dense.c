// Dense systems by hand and by LAPACK. Few rows, as of contacts that a step begins with, go by fours of numbers, column by column: systems of two dozen
// rows take a microsecond or two, and a function of LAPACK takes longer to be called.
#include "core/contact/contact_dense.h"
#include "core/base/blas.h"
#include "core/base/lapack.h"
#include "core/base/targets.h"

#include <math.h>
#include <string.h>

enum {
  FEW = 24,       // rows from which on LAPACK is faster
  DENSE_FEW = 64, // the same of columns that begin at multiples of four
};

void mb_dense_start(size_t rows) {
  if (rows >= FEW) mb_blas_start(1); // without it they are solved by hand
}

static void exchange(double *a, double *b) {
  const double t = *a;
  *a = *b, *b = t;
}

typedef double Four __attribute__((vector_size(4 * sizeof(double))));

// Four columns behind column k, less what it takes off them: `own` has its numbers below the diagonal over the pivot, and zeros down to there.
// Rows go by fours from `from` on, a multiple of four.
static inline __attribute__((always_inline)) void take_off(double *column, size_t stride, const double *own,
                                                           size_t k, size_t from, size_t count) {
  Four by[4], x, y;
  MB_UNROLL
  for (size_t c = 0; c < count; c++) by[c] = (Four){0} + column[c * stride + k];
  for (size_t i = from; i < stride; i += 4) {
    memcpy(&x, own + i, sizeof x);
    MB_UNROLL
    for (size_t c = 0; c < count; c++) {
      memcpy(&y, column + c * stride + i, sizeof y);
      y -= x * by[c];
      memcpy(column + c * stride + i, &y, sizeof y);
    }
  }
}

typedef long long FourBits __attribute__((vector_size(4 * sizeof(long long))));

// Which of rows i to i + 3 are behind row k.
static inline FourBits behind(size_t i, size_t k) {
  const long long at = (long long)i - (long long)k;
  return (FourBits){at, at + 1, at + 2, at + 3} > 0;
}

static inline Four chosen(FourBits which, Four x, Four y) {
  return (Four)((which & (FourBits)x) | (~which & (FourBits)y));
}

// The largest of rows [k, m) of a column. Numbers are read as they have been written, by fours: a machine waits for those that it reads otherwise.
static inline __attribute__((always_inline)) double largest_of(const double *column, size_t k, size_t m) {
  const Four none = {0};
  Four most = none, x;
  for (size_t i = k / 4 * 4; i < m; i += 4) {
    memcpy(&x, column + i, sizeof x);
    x = chosen(behind(i + 1, k) & ~behind(i + 1, m), x, none);
    x = chosen(x < none, -x, x);
    most = chosen(x > most, x, most);
  }
  return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

// Exchanges two rows of columns [k, m], x being column m, where the pivot on the diagonal is small beside another, and notes which.
static inline __attribute__((always_inline)) double choose_pivot(double *J, size_t stride, size_t m, size_t k,
                                                                 int *pivot) {
  static const double SMALL = 0.1;
  const double *column = J + k * stride;
  const double largest = largest_of(column, k, m);
  size_t best = k;
  if (fabs(column[k]) < SMALL * largest)
    while (fabs(column[best]) < largest) best++;
  for (size_t j = k; j <= m && best != k; j++) exchange(&J[j * stride + k], &J[j * stride + best]);
  pivot[k] = (int)best;
  return column[k];
}

// x ← U⁻¹ x, of U's diagonal the inverse
static inline __attribute__((always_inline)) void solve_upper(const double *J, size_t stride,
                                                              const double *inverse, double *restrict x,
                                                              size_t m) {
  for (size_t k = m; k-- > 0;) {
    const double *const column = J + k * stride, by = x[k] *= inverse[k];
    MB_SIMD
    for (size_t i = 0; i < k; i++) x[i] -= column[i] * by;
  }
}

// Few rows, whose columns begin at multiples of four; x is the last column. L's columns stay below the diagonal, the inverses of U's in the last column.
MB_CLONES static bool solve_few(double *J, size_t stride, double *restrict x, int *pivot, size_t m) {
  double own[DENSE_FEW], inverse[DENSE_FEW];
  for (size_t k = 0; k < m; k++) {
    const double diagonal = choose_pivot(J, stride, m, k, pivot);
    double *const column = J + k * stride;
    const size_t from = (k + 1) / 4 * 4;
    if (!(fabs(diagonal) > 0)) return false;
    inverse[k] = 1 / diagonal;
    for (size_t i = from; i < stride; i += 4) {
      const FourBits which = behind(i, k);
      Four x4;
      memcpy(&x4, column + i, sizeof x4);
      const Four by = x4 * inverse[k], l = chosen(which, by, (Four){0});
      memcpy(own + i, &l, sizeof l);
      x4 = chosen(which, by, x4);
      memcpy(column + i, &x4, sizeof x4);
    }
    size_t j = k + 1;
    for (; j + 4 <= m + 1; j += 4) take_off(J + j * stride, stride, own, k, from, 4);
    for (; j < m + 1; j++) take_off(J + j * stride, stride, own, k, from, 1);
  }
  memcpy(x, J + m * stride, m * sizeof *x);
  memcpy(J + m * stride, inverse, m * sizeof *x);
  solve_upper(J, stride, inverse, x, m);
  return true;
}

MB_CLONES static void solve_few_again(const double *J, size_t stride, double *restrict x, const int *pivot,
                                      size_t m) {
  for (size_t k = 0; k < m; k++) {
    const double *const column = J + k * stride;
    exchange(&x[k], &x[pivot[k]]);
    const double by = x[k];
    MB_SIMD
    for (size_t i = k + 1; i < m; i++) x[i] -= column[i] * by;
  }
  solve_upper(J, stride, J + m * stride, x, m);
}

static bool solve_by_hand(double *J, size_t stride, double *x, size_t m) {
  for (size_t k = 0; k < m; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < m; i++)
      if (fabs(J[k * stride + i]) > fabs(J[k * stride + best])) best = i;
    if (!(fabs(J[k * stride + best]) > 0)) return false;
    for (size_t j = k; j < m && best != k; j++) exchange(&J[j * stride + k], &J[j * stride + best]);
    if (best != k) exchange(&x[k], &x[best]);
    for (size_t i = k + 1; i < m; i++) J[k * stride + i] /= J[k * stride + k];
    for (size_t j = k + 1; j < m; j++)
      for (size_t i = k + 1; i < m; i++) J[j * stride + i] -= J[k * stride + i] * J[j * stride + k];
    for (size_t i = k + 1; i < m; i++) x[i] -= J[k * stride + i] * x[k];
  }
  for (size_t k = m; k-- > 0;) {
    x[k] /= J[k * stride + k];
    for (size_t i = 0; i < k; i++) x[i] -= J[k * stride + i] * x[k];
  }
  return true;
}

static bool solve_many(double *J, size_t stride, double *x, int *pivot, size_t m) {
  const int n = (int)m;
  if (mb_lapack.dgetrf(LAPACK_COL_MAJOR, n, n, J, (int)stride, pivot) != 0) return false;
  return mb_lapack.dgetrs(LAPACK_COL_MAJOR, 'N', n, 1, J, (int)stride, pivot, x, n) == 0;
}

bool mb_dense_solve(double *J, double *x, int *pivot, size_t m) {
  return m >= FEW && mb_blas_start(1) ? solve_many(J, m, x, pivot, m) : solve_by_hand(J, m, x, m);
}

bool mb_dense_solve_columns(double *J, double *x, int *pivot, size_t m) {
  const size_t stride = mb_dense_stride(m);
  if (m > DENSE_FEW)
    return mb_blas_start(1) ? solve_many(J, stride, x, pivot, m) : solve_by_hand(J, stride, x, m);
  memcpy(J + m * stride, x, m * sizeof *x);
  return solve_few(J, stride, x, pivot, m);
}

bool mb_dense_solve_again(const double *J, double *x, const int *pivot, size_t m) {
  if (m > DENSE_FEW) return false;
  solve_few_again(J, mb_dense_stride(m), x, pivot, m);
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
