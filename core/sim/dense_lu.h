// Small systems by elimination, written here so that their bits are those of every machine (dense_lu.c).
#ifndef MB_SIM_DENSE_LU_H
#define MB_SIM_DENSE_LU_H

#include "core/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

// A (n x n, column after column) ← its factors, with partial pivoting. False: it has no inverse.
bool mb_lu_factor(double *A, size_t n, size_t *pivot);
// x ← A⁻¹ x; x ← A⁻ᵀ x.
void mb_lu_solve(const double *A, size_t n, const size_t *pivot, double *x);
void mb_lu_solve_transposed(const double *A, size_t n, const size_t *pivot, double *x);

// A system of rows of which some say the same as others, S (m x m, row after row) with its largest pivots first, of rows and columns weighed to be alike: what is left without one has a
// solution of 0.
typedef struct MbRanked {
  size_t m, rank;
  double *S;
  size_t *row, *column; // the order of pivots
  double *y, *weight;
} MbRanked;

// Makes room for systems of up to n rows; false: out of memory.
bool mb_ranked_create(MbArena *arena, MbRanked *ranked, size_t n);
// Factors the m x m that is in ranked->S.
void mb_ranked_factor(MbRanked *ranked, size_t m);
// y ← S⁻¹ x; y ← S⁻ᵀ x. x (m) and y (m) may be the same.
void mb_ranked_solve(MbRanked *ranked, const double *x, double *y);
void mb_ranked_solve_transposed(MbRanked *ranked, const double *x, double *y);
// left (m) ← what no y makes S y meet of x: of rows that have a pivot nothing.
void mb_ranked_left(MbRanked *ranked, const double *x, double *left);
// y (m) ← a solution of S y = 0, that of column `free` of those that are left without a pivot (rank ≤ free < m).
void mb_ranked_null(MbRanked *ranked, size_t free, double *y);

#endif
