// Four elements at once, on processors with fused multiply-add.
#include "core/base/targets.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef MB_TARGET_FMA
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3,fp-contract=fast,no-tree-slp-vectorize")
#define MB_PACK        4
#define MB_LOCAL_TABLE mb_local_fma
#define MB_LOCAL_NAME  "fma"
#include "core/deformables/local_step_kernel.h"
#endif
