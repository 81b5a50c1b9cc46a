// For processors with fused multiply-add.
#include "core/base/targets.h"

#include <math.h>
#include <string.h>
#ifdef MB_TARGET_FMA
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3,fp-contract=fast,no-tree-slp-vectorize,no-tree-vectorize")
#define MB_HELD_TABLE mb_held_kernels_fma
#define MB_HELD_NAME  "fma"
#include "core/solvers/maximal/held_kernels.h"
#endif
