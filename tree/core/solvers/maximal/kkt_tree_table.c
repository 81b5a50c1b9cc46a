#include "core/solvers/maximal/kkt_tree.h"
#include "core/base/targets.h"

#include <assert.h>

extern const MbKktKernels mb_kkt_kernels_1, mb_kkt_kernels_8;
#ifdef MB_TARGET_FMA
extern const MbKktKernels mb_kkt_kernels_1_fma, mb_kkt_kernels_8_fma;
#endif
#ifdef MB_TARGET_AVX512
extern const MbKktKernels mb_kkt_kernels_1_avx512, mb_kkt_kernels_8_avx512;
#endif

// The fastest first.
const MbKktKernels *const mb_kkt_kernels_list[] = {
#ifdef MB_TARGET_AVX512
    &mb_kkt_kernels_1_avx512, &mb_kkt_kernels_8_avx512,
#endif
#ifdef MB_TARGET_FMA
    &mb_kkt_kernels_1_fma,    &mb_kkt_kernels_8_fma,
#endif
    &mb_kkt_kernels_1,        &mb_kkt_kernels_8,        NULL};

bool mb_kkt_kernels_run(const MbKktKernels *kernels) {
#ifdef MB_TARGET_AVX512
  if (kernels == &mb_kkt_kernels_1_avx512 || kernels == &mb_kkt_kernels_8_avx512) return mb_target_avx512();
#endif
#ifdef MB_TARGET_FMA
  if (kernels == &mb_kkt_kernels_1_fma || kernels == &mb_kkt_kernels_8_fma) return mb_target_fma();
#endif
  (void)kernels;
  return true;
}

const MbKktKernels *mb_kkt_kernels_for(size_t lanes) {
  assert(lanes == 1 || lanes == 8);
  const MbKktKernels *const *row = mb_kkt_kernels_list;
  while ((*row)->lanes != lanes || !mb_kkt_kernels_run(*row)) row++;
  return *row;
}
