// The BLAS behind LAPACKE.
#ifndef MB_BASE_BLAS_H
#define MB_BASE_BLAS_H

#include <stdbool.h>

// Keeps it to one thread from now on, where it has its own (OpenBLAS), so that its sums do not depend on how many there are, and has
// it take the memory that calls from so many threads of ours need at a time: where there is none it would try for ever.
// Call it before the first factorisation. False: out of memory.
bool mb_blas_start(int threads);

// How many of so many threads of ours may call it at a time: an OpenBLAS that was built without threads hands the same memory to two
// callers, and their numbers are wrong.
int mb_blas_callers(int threads);

// What its sums depend on: the kernels that it has chosen for this processor, as "Haswell"; NULL where it does not say.
const char *mb_blas_kernels(void);

#endif
