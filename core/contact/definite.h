// Small systems that are symmetric and definite, by fours of numbers: some two dozen rows take a microsecond.
#ifndef MB_CONTACT_DEFINITE_H
#define MB_CONTACT_DEFINITE_H

#include <stdbool.h>
#include <stddef.h>

// Tells how far apart columns of m rows are.
static inline size_t mb_definite_stride(size_t m) { return (m + 3) / 4 * 4; }
// K (stride x stride) by columns, of which what is on and below the diagonal counts, ← U below the diagonal and 1/D on it, K = U D⁻¹ Uᵀ. The rows and
// columns behind m are the caller's to make those of the unit matrix. False where K is not definite.
bool mb_definite_factor(double *K, size_t stride);
// x (stride) ← K⁻¹ x by that factor.
void mb_definite_apply(const double *L, size_t stride, double *x);
// out (stride) ← b + W x, W (n x n) symmetric; b (n), x (n).
void mb_definite_product(const double *W, size_t n, const double *x, const double *b, double *out);

#endif
