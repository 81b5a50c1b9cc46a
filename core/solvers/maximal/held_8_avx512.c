// Eight instances in lockstep, on processors with AVX-512.
#include "core/base/targets.h"
#include "core/solvers/maximal/held.h"

#include <math.h>
#include <string.h>
#ifdef MB_TARGET_AVX512
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512dq,prefer-vector-width=512")
#pragma GCC optimize("O3,fp-contract=off,no-tree-slp-vectorize")
#define MB_FUSED      512
#define MB_LANES      8
#define MB_HELD_TABLE mb_held_8_avx512
#define MB_HELD_NAME  "8 avx512"
#include "core/solvers/maximal/held_kernels.h"
#endif
