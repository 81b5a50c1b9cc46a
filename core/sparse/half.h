// Half of a solution with a factor: with A = Pᵀ L Lᵀ P and s = L⁻¹ P x
//
//   xᵀ A⁻¹ y = s · t,   t = L⁻¹ P y
//
// and of an x with few numbers s is nonzero on the branches of their rows alone (branches.h), which are short beside all rows.
#ifndef MB_SPARSE_HALF_H
#define MB_SPARSE_HALF_H

#include "core/sparse/branches.h"
#include "core/sparse/sparse.h"

typedef struct MbHalf MbHalf;

enum {
  MB_HALVES = 3,    // right-hand sides at once
  MB_HALF_ROWS = 64 // that have numbers, at most
};

// Of a factor that outlives it. NULL: out of memory.
MbHalf *mb_half_make(MbCholesky *cholesky);
void mb_half_free(MbHalf *half); // NULL is fine
size_t mb_half_bytes(const MbHalf *half);

// Tells the runs of s of any x with numbers at n rows, rising in the order of elimination, to `run` if that is not NULL; returns how many.
// *length: how many numbers s has.
size_t mb_half_runs(MbHalf *half, const uint32_t *row, size_t n, MbStretch *run, size_t *length);
// s[r] ← the numbers of s of right-hand side r, of `sides` (MB_HALVES at most), each x of which has x[r][k] at row[k]. It uses scratch of the
// factor: no solve meanwhile.
void mb_half_find(MbHalf *half, const uint32_t *row, size_t n, const double *const *x, size_t sides,
                  double *const *s);

#endif
