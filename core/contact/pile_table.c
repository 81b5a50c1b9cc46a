// Which of the passes this machine runs.
#include "core/base/targets.h"
#include "core/contact/pile_tables.h"

const MbPilePasses *const mb_pile_passes_list[] = {
#ifdef MB_TARGET_AVX512
    &mb_pile_avx512,
#endif
#ifdef MB_TARGET_FMA
    &mb_pile_avx2,
#endif
    &mb_pile_base, NULL};

bool mb_pile_passes_run(const MbPilePasses *passes) {
#ifdef MB_TARGET_AVX512
  if (passes == &mb_pile_avx512) return mb_target_avx512();
#endif
#ifdef MB_TARGET_FMA
  if (passes == &mb_pile_avx2) return mb_target_fma();
#endif
  (void)passes;
  return true;
}

const MbPilePasses *mb_pile_passes(void) {
  const MbPilePasses *const *row = mb_pile_passes_list;
  while (!mb_pile_passes_run(*row)) row++;
  return *row;
}
