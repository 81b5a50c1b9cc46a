// Two elements at once.
#define MB_PACK        2
#define MB_LOCAL_TABLE mb_local_base
#define MB_LOCAL_NAME  "base"
#pragma GCC optimize("O3,no-tree-slp-vectorize")
#include "core/deformables/local_step_kernel.h"
