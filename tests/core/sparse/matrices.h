// Matrices that tests of sparse solvers share.
#ifndef MB_TESTS_MATRICES_H
#define MB_TESTS_MATRICES_H

#include "core/sparse/sparse.h"

typedef struct TestMatrix {
  MbPattern pattern;
  double *value;
} TestMatrix;

// Entries in random order and places, some twice, some missing on the diagonal's list; made positive definite by dominance.
TestMatrix test_matrix_random(size_t n, double density, uint64_t *seed);
// Seven-point differences on a box of nx x ny x nz, plus the identity.
TestMatrix test_matrix_grid(size_t nx, size_t ny, size_t nz);
void test_matrix_free(TestMatrix *A);
// The largest |b − A x| over the largest |b|, n rows of k numbers.
double test_matrix_residual(const TestMatrix *A, const double *x, const double *b, size_t k);

#endif
