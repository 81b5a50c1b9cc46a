// Columns of the inverse of a factor, of rows that are asked for: with A = L Lᵀ in the order of elimination and s_i = L⁻¹ e_i,
//
//   (A⁻¹)_ij = s_i · s_j
//
// and s_i is nonzero at the ancestors of i in the elimination tree alone: on the branch from i to the root, which is short beside all rows. So
// what pushes at some rows do to others is had by y = Σ f_i s_i and s_j · y, and neither whole columns of A⁻¹ nor its block of these rows need be.
// A branch is told in runs of rows that follow one another, as numbers of the elimination's order.
//
// Where the solver keeps D⁻¹ = (L_JJ L_JJᵀ)⁻¹ of a supernode J in the place of L_JJ (sweeps.h), any root R Rᵀ = D⁻¹ does as well as L_JJ⁻ᵀ: with f what
// the way up leaves at J, s_J = Rᵀ f.
#ifndef MB_SPARSE_BRANCHES_H
#define MB_SPARSE_BRANCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct MbGlobal;

typedef struct MbStretch { // of rows
  uint32_t first, count;
} MbStretch;

typedef struct MbBranch {
  const MbStretch *run;
  const double *s; // the runs' numbers one after the other; NULL: it is zero
  uint32_t nruns;
} MbBranch;

enum { MB_BRANCH_TERMS = 4 }; // of a sum, at most

typedef struct MbBranches MbBranches;

// Tells whether branches can be had of this method's numbers, exact ones: of a factor, and of a whole inverse of doubles.
bool mb_branches_are(const struct MbGlobal *global);
// For a global step that they can be had of, has its numbers and outlives it. NULL: out of memory.
MbBranches *mb_branches_make(struct MbGlobal *global);
void mb_branches_free(MbBranches *branches); // NULL is fine
size_t mb_branches_bytes(const MbBranches *branches);

// Rows that follow one another in this order have much of their branches in common.
uint32_t mb_branch_place(const MbBranches *branches, size_t row);
// Tells the runs of a row, rising, to `run` if that is not NULL; returns how many there are. *length: how many numbers.
size_t mb_branch_runs(const MbBranches *branches, size_t row, MbStretch *run, size_t *length);
// s[k] ← the numbers of row[k], of up to three rows at once. False: out of memory. It uses scratch of the global step: no solve meanwhile.
bool mb_branch_find(MbBranches *branches, const size_t *row, size_t n, double *const *s);

// Tells the runs that any of n branches has, four at most, rising, to `run` if that is not NULL; returns how many. *length: how many numbers.
size_t mb_branch_join(const MbBranch *const *of, size_t n, MbStretch *run, size_t *length);
// s, numbers of the runs that `sum` has from mb_branch_join ← Σ weight of
void mb_branch_sum(const MbBranch *const *of, const double *weight, size_t n, const MbBranch *sum, double *s);

// s · t
double mb_branch_dot(const MbBranch *s, const MbBranch *t);
// y += s f for three right-hand sides, of so many rows each, one after the other in y; out ← s · y of each.
void mb_branch_add(const MbBranch *s, const double f[3], size_t rows, double *y);
void mb_branch_rate(const MbBranch *s, size_t rows, const double *y, double out[3]);
// The same for one right-hand side.
void mb_branch_add_alone(const MbBranch *s, double f, double *y);
double mb_branch_rate_alone(const MbBranch *s, const double *y);

#endif
