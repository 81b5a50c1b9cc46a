// The BLAS behind LAPACKE.
#ifndef MB_BASE_BLAS_H
#define MB_BASE_BLAS_H

// Keeps it to one thread from now on, where it has its own (OpenBLAS): its sums are then the same on every machine and
// under any number of our threads. Call it before the first factorisation; it costs nothing.
void mb_blas_one_thread(void);

#endif
