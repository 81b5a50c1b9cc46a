// Sparse symmetric systems: analyse the pattern once, factor numbers often, solve for several right-hand sides at once.
#ifndef MB_SPARSE_SPARSE_H
#define MB_SPARSE_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The lower triangle by columns: rows row[start[j]] … row[start[j + 1] − 1] of column j, each ≥ j, in any order. Entries may
// repeat (they add up) and may be missing, even on the diagonal. Numbers come separately, in the same order.
typedef struct MbPattern {
  size_t n;
  const size_t *start; // (n + 1)
  const uint32_t *row; // (start[n])
} MbPattern;

// perm[k] = what is eliminated as number k. False: out of memory, or more entries than METIS can count.
// Nested dissection by METIS, the same for the same pattern.
bool mb_order_dissection(const MbPattern *A, uint32_t *perm);

// Bytes that factors and inverses may take on this machine: three quarters of its memory.
double mb_sparse_room(void);

// ---- Cholesky: P A Pᵀ = L Lᵀ, supernodal and multifrontal ----------------------------------------------------

typedef struct MbCholesky MbCholesky;

typedef struct MbCholeskySize {
  size_t entries; // of L, its dense blocks' zeros included
  size_t supernodes;
  double flops; // multiplications and additions of a factorisation
  size_t bytes; // that the object holds
} MbCholeskySize;

// Ordered by nested dissection, or as `perm` says where it is not NULL. NULL: out of memory.
MbCholesky *mb_cholesky_analyse(const MbPattern *A, const uint32_t *perm, int threads);
void mb_cholesky_free(MbCholesky *cholesky); // NULL is fine
MbCholeskySize mb_cholesky_size(const MbCholesky *cholesky);

// False where A is not positive definite, with the row of A at which that shows. Does not allocate. The same bits for any
// number of threads.
bool mb_cholesky_factor(MbCholesky *cholesky, const double *values, size_t *blame);
// x ← A⁻¹ x, with x of n rows of k numbers each. Does not allocate. It uses scratch of the object: one solve at a time.
void mb_cholesky_solve(MbCholesky *cholesky, double *x, size_t k);

#endif
