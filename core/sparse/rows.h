// A by rows, both triangles, for products and for methods that only ever multiply by it.
#ifndef MB_SPARSE_ROWS_H
#define MB_SPARSE_ROWS_H

#include "core/sparse/sparse.h"

typedef struct MbRows {
  size_t n, bytes;
  size_t *start;    // (n + 1)
  uint32_t *column; // (start[n]) the diagonal is not among them
  size_t *source;   // (start[n]) which of the pattern's numbers
  double *value;    // (start[n])
  double *diagonal; // (n)
  // of D⁻¹ A, the diagonal of A made 1: bounds of its eigenvalues, the lower one only an estimate
  double low, high;
  double *x[2], *b, *d; // (n x 4) three right-hand sides and nothing
} MbRows;

// NULL: out of memory.
MbRows *mb_rows_make(const MbPattern *A);
void mb_rows_free(MbRows *rows);
void mb_rows_fill(MbRows *rows, const MbPattern *A, const double *values);
// Estimates `low` and `high`. False where a number of the diagonal is not positive, at row *blame; or out of memory, *blame = n.
bool mb_rows_spectrum(MbRows *rows, size_t *blame);

// r = b − A x, n rows of 3 numbers.
void mb_rows_residual(const MbRows *rows, const double *b, const double *x, double *r, int threads);

double mb_rows_residual_norm(const MbRows *rows, const double *b,
                             const double *x); // its largest over that of b

// Sweeps from x, n rows of 3 numbers, with r = b − A x:
//   Jacobi      x += γ D⁻¹ r, γ = 1 or what makes it converge
//   Chebyshev   d = c₁ d + c₂ D⁻¹ r, x += d, the c's those of the polynomial that is least on [low, high]
// The same bits for any number of threads. Does not allocate.
void mb_rows_sweep(MbRows *rows, bool chebyshev, const double *b, double *x, size_t sweeps, int threads);

#endif
