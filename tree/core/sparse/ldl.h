// Symmetric systems whose pivots have known signs in a known order:  P A Pᵀ = L D Lᵀ, D diagonal, without exchanges.
#ifndef MB_SPARSE_LDL_H
#define MB_SPARSE_LDL_H

#include "core/sparse/sparse.h"

typedef struct MbLdl MbLdl;

// Eliminated as `perm` says, up to an order with the same pivots and the same fill. sign (n): of the pivot of every row of A,
// 1 or −1. NULL: out of memory, or more entries than can be counted.
MbLdl *mb_ldl_analyse(const MbPattern *A, const uint32_t *perm, const int8_t *sign);
void mb_ldl_free(MbLdl *ldl); // NULL is fine
size_t mb_ldl_entries(const MbLdl *ldl);
size_t mb_ldl_bytes(const MbLdl *ldl);

// False where a pivot has the wrong sign, is not finite, or is not larger than least (n; NULL = zeros): the row of A.
// Does not allocate.
bool mb_ldl_factor(MbLdl *ldl, const double *values, const double *least, size_t *blame);
// x ← A⁻¹ x. Does not allocate.
void mb_ldl_solve(MbLdl *ldl, double *x);

#endif
