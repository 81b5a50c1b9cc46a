// The blocks of A = M − a D − b K in maximal terms, made here alone: of one body, and of a pair of bodies that forces couple. K and D
// of forces on rigid bodies are not symmetric (METHODS); where A has to be, each counts as the mean of its block and of the transpose
// of the opposite one, which is its own for a body's block and the other end's for a pair's.
#ifndef MB_SOLVERS_BODY_BLOCK_H
#define MB_SOLVERS_BODY_BLOCK_H

#include "core/base/targets.h"
#include "core/math/vec3.h"
#include "core/model/model.h"

#include <string.h>

// The mean of a block and of the transpose of its opposite.
MB_INLINE void mb_mean_block(double B[36], const double *A, const double *At) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) B[6 * i + j] = (A[6 * i + j] + At[6 * j + i]) / 2;
}

// Writes −a D − b K of block number `n` of x, whose opposite is number `opposite`. A body's block has the body's number and is its own
// opposite; those of pair p are the numbers nb + 2 p and nb + 2 p + 1. Without `exact` it is symmetrised. Where x has
// no K, b is 0.
MB_INLINE void mb_force_block(double B[36], const MbMaximal *x, size_t n, size_t opposite, double a, double b,
                              bool exact) {
  const double *D = x->D + 36 * n, *Dt = x->D + 36 * opposite;
  const double *K = x->K ? x->K + 36 * n : NULL, *Kt = x->K ? x->K + 36 * opposite : NULL;
  double d[36], k[36];
  if (!exact) {
    mb_mean_block(d, D, Dt), D = d;
    if (K) mb_mean_block(k, K, Kt), K = k;
  }
  if (K) {
    MB_SIMD
    for (int i = 0; i < 36; i++) B[i] = -a * D[i] - b * K[i];
  } else {
    MB_SIMD
    for (int i = 0; i < 36; i++) B[i] = -a * D[i];
  }
}

// Writes M − a D − b K of body n: M alone where x has no derivatives, or none are asked for.
MB_INLINE void mb_body_block(double A[36], const double *M, const MbMaximal *x, size_t n, double a, double b,
                             bool exact) {
  if (x->D && (a != 0 || b != 0))
    mb_force_block(A, x, n, n, a, b, exact);
  else
    memset(A, 0, 36 * sizeof *A);
  for (size_t i = 0; i < 6; i++) A[7 * i] += M[6 * n + i];
}

#endif
