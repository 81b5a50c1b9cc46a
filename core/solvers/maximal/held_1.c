// One instance, on any processor.
#define MB_LANES      1
#define MB_HELD_TABLE mb_held_1
#define MB_HELD_NAME  "1"
#include "core/solvers/maximal/held_kernels.h"
