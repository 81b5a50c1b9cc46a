// One instance, on processors with fused multiply-add.
#include "core/base/targets.h"
#include "core/solvers/maximal/held.h"

#include <math.h>
#include <string.h>
#ifdef MB_TARGET_FMA
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3,fp-contract=off,no-tree-slp-vectorize")
#define MB_FUSED      256
#define MB_LANES      1
#define MB_HELD_TABLE mb_held_1_fma
#define MB_HELD_NAME  "1 fma"
#include "core/solvers/maximal/held_kernels.h"
#endif
