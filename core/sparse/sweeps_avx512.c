// For processors with AVX-512.
#include "core/sparse/sweeps.h"
#include "core/base/targets.h"

#include <string.h>
#ifdef MB_TARGET_AVX512
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512dq")
#pragma GCC optimize("O3,fp-contract=fast")
#define MB_SWEEPS_TABLE mb_sweeps_avx512
#define MB_SWEEPS_NAME  "avx512"
#include "core/sparse/sweeps_passes.h"
#endif
