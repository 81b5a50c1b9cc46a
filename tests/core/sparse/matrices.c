#include "tests/core/sparse/matrices.h"
#include "core/base/alloc.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

void test_matrix_free(TestMatrix *A) {
  mb_free((void *)A->pattern.start);
  mb_free((void *)A->pattern.row);
  mb_free(A->value);
}

// Entries in random order and places, some twice, some missing on the diagonal's list; made positive definite by dominance.
TestMatrix test_matrix_random(size_t n, double density, uint64_t *seed) {
  size_t *start = mb_calloc(n + 1, sizeof *start), count = 0,
         room = 3 * n + (size_t)(density * (double)(n * n)) + 8;
  uint32_t *row = mb_calloc(room, sizeof *row);
  double *value = mb_calloc(room, sizeof *value), *sum = mb_calloc(n, sizeof *sum);
  for (size_t j = 0; j < n; j++) {
    start[j] = count;
    for (size_t i = j + 1; i < n && count + 2 * (n - j) < room; i++)
      while (test_random(seed) < density) {
        const double a = 2 * test_random(seed) - 1;
        row[count] = (uint32_t)i, value[count++] = a;
        sum[i] += fabs(a), sum[j] += fabs(a);
      }
    row[count] = (uint32_t)j, value[count++] = sum[j] / 2; // the rest of the diagonal follows below
    row[count] = (uint32_t)j, value[count++] = 0;
  }
  start[n] = count;
  for (size_t j = 0; j < n; j++) value[start[j + 1] - 1] = sum[j] / 2 + 0.1 + test_random(seed);
  mb_free(sum);
  return (TestMatrix){{n, start, row}, value};
}

// Seven-point differences on a box of nx x ny x nz, plus the identity.
TestMatrix test_matrix_grid(size_t nx, size_t ny, size_t nz) {
  const size_t n = nx * ny * nz;
  size_t *start = mb_calloc(n + 1, sizeof *start), count = 0;
  uint32_t *row = mb_calloc(4 * n, sizeof *row);
  double *value = mb_calloc(4 * n, sizeof *value);
  for (size_t z = 0, j = 0; z < nz; z++)
    for (size_t y = 0; y < ny; y++)
      for (size_t x = 0; x < nx; x++, j++) {
        start[j] = count;
        row[count] = (uint32_t)j, value[count++] = 7;
        if (x + 1 < nx) row[count] = (uint32_t)(j + 1), value[count++] = -1;
        if (y + 1 < ny) row[count] = (uint32_t)(j + nx), value[count++] = -1;
        if (z + 1 < nz) row[count] = (uint32_t)(j + nx * ny), value[count++] = -1;
      }
  start[n] = count;
  return (TestMatrix){{n, start, row}, value};
}

// y = A x, n rows of k numbers
static void multiply(const TestMatrix *A, const double *x, double *y, size_t k) {
  memset(y, 0, A->pattern.n * k * sizeof *y);
  for (size_t j = 0; j < A->pattern.n; j++)
    for (size_t p = A->pattern.start[j]; p < A->pattern.start[j + 1]; p++)
      for (size_t r = 0; r < k; r++) {
        const size_t i = A->pattern.row[p];
        y[i * k + r] += A->value[p] * x[j * k + r];
        if (i != j) y[j * k + r] += A->value[p] * x[i * k + r];
      }
}

double test_matrix_residual(const TestMatrix *A, const double *x, const double *b, size_t k) {
  const size_t n = A->pattern.n * k;
  double *y = mb_calloc(n, sizeof *y), worst = 0, largest = 0;
  multiply(A, x, y, k);
  for (size_t i = 0; i < n; i++) {
    worst = fmax(worst, fabs(y[i] - b[i]));
    largest = fmax(largest, fabs(b[i]));
  }
  mb_free(y);
  return worst / largest;
}
