#include "core/base/targets.h"
#include "core/sim/lockstep_internal.h"

extern const MbLockstepKernels mb_lockstep_8;
#ifdef MB_TARGET_FMA
extern const MbLockstepKernels mb_lockstep_8_fma;
#endif
#ifdef MB_TARGET_AVX512
extern const MbLockstepKernels mb_lockstep_8_avx512;
#endif

const MbLockstepKernels *mb_lockstep_kernels(void) {
#ifdef MB_TARGET_AVX512
  if (mb_target_avx512()) return &mb_lockstep_8_avx512;
#endif
#ifdef MB_TARGET_FMA
  if (mb_target_fma()) return &mb_lockstep_8_fma;
#endif
  return &mb_lockstep_8;
}
