// For processors with AVX-512.
#include "core/base/targets.h"

#include <math.h>
#include <string.h>
#ifdef MB_TARGET_AVX512
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512dq")
#pragma GCC optimize("O3,fp-contract=fast,no-tree-slp-vectorize,no-tree-vectorize")
#define MB_HELD_TABLE mb_held_kernels_avx512
#define MB_HELD_NAME  "avx512"
#include "core/solvers/maximal/held_kernels.h"
#endif
