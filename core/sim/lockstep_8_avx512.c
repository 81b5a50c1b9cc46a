// Steps in lockstep, on processors with AVX-512; they fuse nothing.
#include "core/base/alloc.h"
#include "core/base/targets.h"
#include "core/sim/lockstep_internal.h"
#ifdef MB_TARGET_AVX512
#pragma GCC target("avx2,avx512f,avx512vl,avx512dq,prefer-vector-width=512")
#pragma GCC optimize("O3,fp-contract=off,no-tree-slp-vectorize")
#define MB_LOCKSTEP_TABLE mb_lockstep_8_avx512
#define MB_LOCKSTEP_NAME  "8 avx512"
#include "core/sim/lockstep_kernels.h"
#endif
