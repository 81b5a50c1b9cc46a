// Eight instances in lockstep.
#define MB_LANES     8
#define MB_KKT_TABLE mb_kkt_kernels_8
#define MB_KKT_NAME  "8"
#include "core/solvers/maximal/kkt_tree_kernels.h"
