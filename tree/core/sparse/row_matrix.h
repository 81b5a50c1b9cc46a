// A by rows, both triangles, for products and for methods that only ever multiply by it.
#ifndef MB_SPARSE_ROW_MATRIX_H
#define MB_SPARSE_ROW_MATRIX_H

#include "core/sparse/sparse.h"

typedef struct MbRowMatrix {
  size_t n, bytes;
  size_t *start;    // (n + 1)
  uint32_t *column; // (start[n]) the diagonal is not among them
  size_t *source;   // (start[n]) which of the pattern's numbers
  double *value;    // (start[n])
  double *diagonal; // (n)
  // of D⁻¹ A, the diagonal of A made 1: bounds of its eigenvalues, the lower one only an estimate
  double low, high;
  double *x[2], *b, *d; // (n x 4) three right-hand sides and nothing
} MbRowMatrix;

// NULL: out of memory.
MbRowMatrix *mb_row_matrix_make(const MbPattern *A);
void mb_row_matrix_free(MbRowMatrix *rows);
bool mb_row_matrix_hold(MbRowMatrix *rows); // allocates the vectors that sweeps need; false: out of memory
void mb_row_matrix_fill(MbRowMatrix *rows, const MbPattern *A, const double *values);
// The same with `low` and `high`, for sweeps. False where a number of the diagonal is not positive, at row *blame; nothing has
// changed then.
bool mb_row_matrix_fill_for_sweeps(MbRowMatrix *rows, const MbPattern *A, const double *values,
                                   size_t *blame);

// r = b − A x, n rows of 3 numbers.
void mb_row_matrix_residual(const MbRowMatrix *rows, const double *b, const double *x, double *r,
                            int threads);

double mb_row_matrix_residual_norm(const MbRowMatrix *rows, const double *b,
                                   const double *x); // its largest over that of b

// Sweeps from x, n rows of 3 numbers, with r = b − A x:
//   Jacobi      x += γ D⁻¹ r, γ = 1 or what makes it converge
//   Chebyshev   d = c₁ d + c₂ D⁻¹ r, x += d, the c's those of the polynomial that is least on [low, high]
// The same bits for any number of threads. Does not allocate.
void mb_row_matrix_sweep(MbRowMatrix *rows, bool chebyshev, const double *b, double *x, size_t sweeps,
                         int threads);

#endif
