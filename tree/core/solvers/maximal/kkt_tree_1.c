// One instance.
#define MB_LANES     1
#define MB_KKT_TABLE mb_kkt_kernels_1
#define MB_KKT_NAME  "1"
#include "core/solvers/maximal/kkt_tree_kernels.h"
