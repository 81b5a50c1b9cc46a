// Eight elements at once, on processors with AVX-512.
#include "core/base/targets.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef MB_TARGET_AVX512
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512dq,prefer-vector-width=512")
#pragma GCC optimize("O3,fp-contract=fast,no-tree-slp-vectorize")
#define MB_PACK        8
#define MB_LOCAL_TABLE mb_local_avx512
#define MB_LOCAL_NAME  "avx512"
#include "core/deformables/local_step_kernel.h"
#endif
