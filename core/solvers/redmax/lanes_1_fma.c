// One instance, on processors with fused multiply-add.
#include "core/base/alloc.h"
#include "core/solvers/redmax/recursion.h"
#include "core/base/targets.h"
#ifdef MB_TARGET_FMA
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3,fp-contract=off,no-tree-slp-vectorize")
#define MB_FUSED       256
#define MB_LANES       1
#define MB_LANES_TABLE mb_lanes_1_fma
#define MB_LANES_NAME  "1 fma"
#include "core/solvers/redmax/lanes_passes.h"
#endif
