// One instance, on processors with AVX-512.
#include "core/solvers/maximal/kkt_tree.h"
#include "core/base/targets.h"

#include <float.h>
#include <string.h>
#ifdef MB_TARGET_AVX512
#include <immintrin.h>
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512dq")
#ifdef MB_SANITIZED
#pragma GCC optimize("fp-contract=fast")
#else
#pragma GCC optimize("O3,fp-contract=fast,no-tree-slp-vectorize,no-tree-vectorize")
#endif
#define MB_LANES     1
#define MB_KKT_TABLE mb_kkt_kernels_1_avx512
#define MB_KKT_NAME  "1 avx512"
#include "core/solvers/maximal/kkt_tree_kernels.h"
#endif
