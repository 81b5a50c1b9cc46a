#include "core/solvers/maximal/held.h"
#include "core/base/targets.h"

extern const MbHeldKernels mb_held_1, mb_held_8;
#ifdef MB_TARGET_FMA
extern const MbHeldKernels mb_held_1_fma, mb_held_8_fma;
#endif
#ifdef MB_TARGET_AVX512
extern const MbHeldKernels mb_held_1_avx512, mb_held_8_avx512;
#endif

// The fastest first.
const MbHeldKernels *const mb_held_kernels_list[] = {
#ifdef MB_TARGET_AVX512
    &mb_held_1_avx512, &mb_held_8_avx512,
#endif
#ifdef MB_TARGET_FMA
    &mb_held_1_fma,    &mb_held_8_fma,
#endif
    &mb_held_1,        &mb_held_8,        NULL};

bool mb_held_kernels_run(const MbHeldKernels *kernels) {
#ifdef MB_TARGET_AVX512
  if (kernels == &mb_held_1_avx512 || kernels == &mb_held_8_avx512) return mb_target_avx512();
#endif
#ifdef MB_TARGET_FMA
  if (kernels == &mb_held_1_fma || kernels == &mb_held_8_fma) return mb_target_fma();
#endif
  (void)kernels;
  return true;
}

const MbHeldKernels *mb_held_kernels(size_t lanes) {
  const MbHeldKernels *const *row = mb_held_kernels_list;
  while ((*row)->lanes != lanes || !mb_held_kernels_run(*row)) row++;
  return *row;
}
