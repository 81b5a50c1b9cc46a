// For processors with AVX2; nothing is fused.
#include "core/base/targets.h"
#include "core/contact/pile_tables.h"

#include <math.h>
#include <string.h>
#ifdef MB_TARGET_FMA
#pragma GCC target("avx2")
#pragma GCC optimize("O3,fp-contract=off,no-tree-slp-vectorize")
#define MB_PACK       4
#define MB_PILE_TABLE mb_pile_avx2
#define MB_PILE_NAME  "avx2"
#include "core/contact/pile_passes.h"
#endif
