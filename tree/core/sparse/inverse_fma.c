// For processors with fused multiply-add.
#include "core/sparse/inverse.h"
#include "core/base/targets.h"

#include <string.h>
#ifdef MB_TARGET_FMA
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3,fp-contract=fast")
#define MB_INVERSE_TABLE mb_inverse_fma
#define MB_INVERSE_NAME  "fma"
#include "core/sparse/inverse_machine.h"
#endif
