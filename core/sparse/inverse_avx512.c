// For processors with AVX-512.
#include "core/sparse/inverse.h"
#include "core/base/targets.h"

#include <string.h>
#ifdef MB_TARGET_AVX512
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512dq")
#pragma GCC optimize("O3,fp-contract=fast")
#define MB_INVERSE_TABLE mb_inverse_avx512
#define MB_INVERSE_NAME  "avx512"
#include "core/sparse/inverse_machine.h"
#endif
