#include "core/sparse/inverse.h"
#include "core/sparse/targets.h"

extern const MbInversePasses mb_inverse_base;
#ifdef MB_SPARSE_TARGETS
extern const MbInversePasses mb_inverse_fma, mb_inverse_avx512;
#endif

const MbInversePasses *const mb_inverse_passes_list[] = {
#ifdef MB_SPARSE_TARGETS
    &mb_inverse_avx512, &mb_inverse_fma,
#endif
    &mb_inverse_base, NULL};

bool mb_inverse_passes_run(const MbInversePasses *passes) {
#ifdef MB_SPARSE_TARGETS
  const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (passes == &mb_inverse_fma) return fma;
  if (passes == &mb_inverse_avx512)
    return fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq");
#endif
  (void)passes;
  return true;
}

const MbInversePasses *mb_inverse_passes(void) {
  const MbInversePasses *const *row = mb_inverse_passes_list;
  while (!mb_inverse_passes_run(*row)) row++;
  return *row;
}
