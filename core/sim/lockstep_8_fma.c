// Steps in lockstep, on processors with AVX2; they fuse nothing.
#include "core/base/alloc.h"
#include "core/base/targets.h"
#include "core/sim/lockstep_internal.h"
#ifdef MB_TARGET_FMA
#pragma GCC target("avx2")
#pragma GCC optimize("O3,fp-contract=off,no-tree-slp-vectorize")
#define MB_LOCKSTEP_TABLE mb_lockstep_8_fma
#define MB_LOCKSTEP_NAME  "8 fma"
#include "core/sim/lockstep_kernels.h"
#endif
