#include "core/sparse/inverse.h"
#include "core/base/targets.h"

extern const MbInversePasses mb_inverse_base;
#ifdef MB_TARGET_FMA
extern const MbInversePasses mb_inverse_fma;
#endif
#ifdef MB_TARGET_AVX512
extern const MbInversePasses mb_inverse_avx512;
#endif

const MbInversePasses *const mb_inverse_passes_list[] = {
#ifdef MB_TARGET_AVX512
    &mb_inverse_avx512,
#endif
#ifdef MB_TARGET_FMA
    &mb_inverse_fma,
#endif
    &mb_inverse_base, NULL};

bool mb_inverse_passes_run(const MbInversePasses *passes) {
#ifdef MB_TARGET_FMA
  if (passes == &mb_inverse_fma) return mb_target_fma();
#endif
#ifdef MB_TARGET_AVX512
  if (passes == &mb_inverse_avx512) return mb_target_avx512();
#endif
  (void)passes;
  return true;
}

const MbInversePasses *mb_inverse_passes(void) {
  const MbInversePasses *const *row = mb_inverse_passes_list;
  while (!mb_inverse_passes_run(*row)) row++;
  return *row;
}
