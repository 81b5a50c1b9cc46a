// Two elements at once.
#define MB_PACK        2
#define MB_LOCAL_TABLE mb_local_base
#define MB_LOCAL_NAME  "base"
#ifndef __clang__
#pragma GCC optimize("O3,no-tree-slp-vectorize")
#endif
#include "core/deformables/local_step_kernel.h"
