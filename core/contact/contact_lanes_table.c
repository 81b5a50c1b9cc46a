// Which of the passes this machine runs.
#include "core/base/targets.h"
#include "core/contact/contact_lanes_tables.h"

const MbLanePasses *const mb_lane_passes_list[] = {
#ifdef MB_TARGET_AVX512
    &mb_lanes_avx512,
#endif
#ifdef MB_TARGET_FMA
    &mb_lanes_avx2,
#endif
    &mb_lanes_base, NULL};

bool mb_lane_passes_run(const MbLanePasses *passes) {
#ifdef MB_TARGET_AVX512
  if (passes == &mb_lanes_avx512) return mb_target_avx512();
#endif
#ifdef MB_TARGET_FMA
  if (passes == &mb_lanes_avx2) return mb_target_fma();
#endif
  (void)passes;
  return true;
}

const MbLanePasses *mb_lane_passes(void) {
  const MbLanePasses *const *row = mb_lane_passes_list;
  while (!mb_lane_passes_run(*row)) row++;
  return *row;
}
