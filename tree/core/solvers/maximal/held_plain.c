// For any processor.
#define MB_HELD_TABLE mb_held_kernels_plain
#define MB_HELD_NAME  "plain"
#include "core/solvers/maximal/held_kernels.h"
