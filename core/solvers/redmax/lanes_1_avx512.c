// One instance, on processors with AVX-512.
#include "core/base/alloc.h"
#include "core/solvers/redmax/recursion.h"
#include "core/base/targets.h"
#ifdef MB_TARGET_AVX512
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512dq")
#pragma GCC optimize("O3,fp-contract=off,no-tree-slp-vectorize")
#define MB_FUSED       512
#define MB_LANES       1
#define MB_LANES_TABLE mb_lanes_1_avx512
#define MB_LANES_NAME  "1 avx512"
#include "core/solvers/redmax/lanes_passes.h"
#endif
