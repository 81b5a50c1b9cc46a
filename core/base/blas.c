#include "core/base/blas.h"

// OpenBLAS has it, others need not.
extern void openblas_set_num_threads(int threads) __attribute__((weak));

void mb_blas_one_thread(void) {
  if (openblas_set_num_threads) openblas_set_num_threads(1);
}
