#include "core/sparse/sweeps.h"
#include "core/base/targets.h"

extern const MbSweepPasses mb_sweeps_base;
#ifdef MB_TARGET_FMA
extern const MbSweepPasses mb_sweeps_fma;
#endif
#ifdef MB_TARGET_AVX512
extern const MbSweepPasses mb_sweeps_avx512;
#endif

const MbSweepPasses *const mb_sweep_passes_list[] = {
#ifdef MB_TARGET_AVX512
    &mb_sweeps_avx512,
#endif
#ifdef MB_TARGET_FMA
    &mb_sweeps_fma,
#endif
    &mb_sweeps_base, NULL};

bool mb_sweep_passes_run(const MbSweepPasses *passes) {
#ifdef MB_TARGET_FMA
  if (passes == &mb_sweeps_fma) return mb_target_fma();
#endif
#ifdef MB_TARGET_AVX512
  if (passes == &mb_sweeps_avx512) return mb_target_avx512();
#endif
  (void)passes;
  return true;
}

const MbSweepPasses *mb_sweep_passes(void) {
  const MbSweepPasses *const *row = mb_sweep_passes_list;
  while (!mb_sweep_passes_run(*row)) row++;
  return *row;
}
