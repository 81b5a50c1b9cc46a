// Eight instances in lockstep, on processors with fused multiply-add.
#include "core/solvers/maximal/kkt_tree.h"
#include "core/base/targets.h"

#include <float.h>
#include <string.h>
#ifdef MB_TARGET_FMA
#pragma GCC target("avx2,fma")
#ifdef MB_SANITIZED
#pragma GCC optimize("fp-contract=fast")
#else
#pragma GCC optimize("O3,fp-contract=fast,no-tree-slp-vectorize,no-tree-vectorize")
#endif
#define MB_LANES     8
#define MB_KKT_TABLE mb_kkt_kernels_8_fma
#define MB_KKT_NAME  "8 fma"
#include "core/solvers/maximal/kkt_tree_kernels.h"
#endif
