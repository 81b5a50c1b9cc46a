// For processors with fused multiply-add.
#include "core/sparse/sweeps.h"
#include "core/base/targets.h"

#include <string.h>
#ifdef MB_TARGET_FMA
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3,fp-contract=fast")
#define MB_SWEEPS_TABLE mb_sweeps_fma
#define MB_SWEEPS_NAME  "fma"
#include "core/sparse/sweeps_passes.h"
#endif
