// For processors with AVX-512; nothing is fused.
#include "core/base/targets.h"
#include "core/contact/pile_tables.h"

#include <math.h>
#include <string.h>
#ifdef MB_TARGET_AVX512
#pragma GCC target("avx2,avx512f,avx512vl,avx512dq,prefer-vector-width=512")
#pragma GCC optimize("O3,fp-contract=off,no-tree-slp-vectorize")
#define MB_PACK       8
#define MB_PILE_TABLE mb_pile_avx512
#define MB_PILE_NAME  "avx512"
#include "core/contact/pile_passes.h"
#endif
