#include "core/base/targets.h"
#include "core/solvers/redmax/recursion.h"

#include <assert.h>

extern const MbLanes mb_lanes_1, mb_lanes_8;
#ifdef MB_TARGET_FMA
extern const MbLanes mb_lanes_1_fma, mb_lanes_8_fma;
#endif
#ifdef MB_TARGET_AVX512
extern const MbLanes mb_lanes_1_avx512, mb_lanes_8_avx512;
#endif

// The fastest first.
const MbLanes *const mb_lanes_list[] = {
#ifdef MB_TARGET_AVX512
    &mb_lanes_1_avx512, &mb_lanes_8_avx512,
#endif
#ifdef MB_TARGET_FMA
    &mb_lanes_1_fma,    &mb_lanes_8_fma,
#endif
    &mb_lanes_1,        &mb_lanes_8,        NULL};

bool mb_lanes_runs(const MbLanes *lanes) {
#ifdef MB_TARGET_AVX512
  if (lanes == &mb_lanes_1_avx512 || lanes == &mb_lanes_8_avx512) return mb_target_avx512();
#endif
#ifdef MB_TARGET_FMA
  if (lanes == &mb_lanes_1_fma || lanes == &mb_lanes_8_fma) return mb_target_fma();
#endif
  (void)lanes;
  return true;
}

const MbLanes *mb_lanes_for(size_t lanes) {
  assert(lanes == 1 || lanes == 8);
  const MbLanes *const *row = mb_lanes_list;
  while ((*row)->lanes != lanes || !mb_lanes_runs(*row)) row++;
  return *row;
}
