// Dense systems of the methods: by LAPACK where they are large and it can be had, else by hand.
#ifndef MB_CONTACT_CONTACT_DENSE_H
#define MB_CONTACT_CONTACT_DENSE_H

#include <stdbool.h>
#include <stddef.h>

// Loads what large systems want: the systems themselves then allocate nothing.
void mb_dense_start(size_t rows);
// x ← J⁻¹ x, J (m x m) by columns, overwritten; pivot (m) is scratch. False where J is singular.
bool mb_dense_solve(double *J, double *x, int *pivot, size_t m);
// Tells how far apart the columns of m rows are in the next function.
static inline size_t mb_dense_stride(size_t m) { return (m + 3) / 4 * 4; }
// The same of columns that are mb_dense_stride(m) numbers apart, faster of few rows; J has room for a column more.
bool mb_dense_solve_columns(double *J, double *x, int *pivot, size_t m);
// The same once more, of few rows, for another x. False where they are not few, and x is as it was.
bool mb_dense_solve_again(const double *J, double *x, const int *pivot, size_t m);
// A (m x m), symmetric and definite, ← its lower factor by rows. False where it is not definite.
bool mb_dense_factor(double *A, size_t m);
// x ← (L Lᵀ)⁻¹ x
void mb_dense_apply(const double *L, double *x, size_t m);

#endif
