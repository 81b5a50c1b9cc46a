#include "core/sparse/sweeps.h"
#include "core/sparse/targets.h"

extern const MbSweepPasses mb_sweeps_base;
#ifdef MB_SPARSE_TARGETS
extern const MbSweepPasses mb_sweeps_fma, mb_sweeps_avx512;
#endif

const MbSweepPasses *const mb_sweep_passes_list[] = {
#ifdef MB_SPARSE_TARGETS
    &mb_sweeps_avx512, &mb_sweeps_fma,
#endif
    &mb_sweeps_base, NULL};

bool mb_sweep_passes_run(const MbSweepPasses *passes) {
#ifdef MB_SPARSE_TARGETS
  const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (passes == &mb_sweeps_fma) return fma;
  if (passes == &mb_sweeps_avx512)
    return fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq");
#endif
  (void)passes;
  return true;
}

const MbSweepPasses *mb_sweep_passes(void) {
  const MbSweepPasses *const *row = mb_sweep_passes_list;
  while (!mb_sweep_passes_run(*row)) row++;
  return *row;
}
