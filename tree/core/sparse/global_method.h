// The methods of the global step (global.h), by the words that scenes have for them.
#ifndef MB_SPARSE_GLOBAL_METHOD_H
#define MB_SPARSE_GLOBAL_METHOD_H

typedef enum MbGlobalMethod {
  MB_GLOBAL_AUTO,                // cholesky; on a device an inverse, whole where it has room
  MB_GLOBAL_CHOLESKY,            // triangular solves, as sweeps of dense products
  MB_GLOBAL_SPARSE_INVERSE,      // Sᵀ(S b), S = L⁻¹
  MB_GLOBAL_PARTITIONED_INVERSE, // the same in three levels: a little more than L has
  MB_GLOBAL_JACOBI,
  MB_GLOBAL_CHEBYSHEV,
  MB_GLOBAL_METHODS,
} MbGlobalMethod;

extern const char *const mb_global_words[MB_GLOBAL_METHODS + 1]; // "auto", "cholesky", … NULL

#endif
