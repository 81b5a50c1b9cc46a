// Dense kernels on the blocks of supernodes, column major.
#ifndef MB_SPARSE_PANEL_H
#define MB_SPARSE_PANEL_H

#include <stdbool.h>
#include <stddef.h>

// The first `columns` columns of a symmetric matrix of `rows` rows, lower triangle: factored in place, and U (m x m,
// m = rows − columns, lower triangle) −= L₂₁ L₂₁ᵀ. False where a pivot is not positive; it is number *pivot.
bool mb_panel_factor(double *panel, size_t rows, size_t columns, double *U, size_t *pivot);

// Solves with a factored panel, x of `rows` numbers in each of k ≤ 3 columns, `rows` apart:
// x₁ ← L₁₁⁻¹ x₁, x₂ −= L₂₁ x₁;   and back  x₁ ← L₁₁⁻ᵀ (x₁ − L₂₁ᵀ x₂).
void mb_panel_forward(const double *panel, size_t rows, size_t columns, double *x, size_t k);
void mb_panel_backward(const double *panel, size_t rows, size_t columns, double *x, size_t k);

#endif
