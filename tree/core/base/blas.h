// The BLAS behind LAPACKE: loads it when it is first needed. core/base/lapack.h has its calls.
#ifndef MB_BASE_BLAS_H
#define MB_BASE_BLAS_H

#include <stdbool.h>

// Loads LAPACKE, keeps the BLAS to one thread where it has its own (OpenBLAS), so that its sums do not depend on how many there are,
// and has it take the memory that calls from so many threads of ours need at a time: where there is none it would try for ever.
// Call it before the first call of mb_lapack. False: out of memory, or mb_blas_missing() says why it cannot be loaded.
bool mb_blas_start(int threads);

// Why LAPACKE could not be loaded, and what to do; NULL where it was, or has not been needed yet.
const char *mb_blas_missing(void);

// How many of so many threads of ours may call it at a time: an OpenBLAS that was built without threads hands the same memory to two
// callers, and their numbers are wrong.
int mb_blas_callers(int threads);

// What its sums depend on: the kernels that it has chosen for this processor, as "Haswell"; NULL where it does not say, or cannot be
// loaded.
const char *mb_blas_kernels(void);

#endif
