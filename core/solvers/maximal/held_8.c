// Eight instances in lockstep, on any processor.
#define MB_LANES      8
#define MB_HELD_TABLE mb_held_8
#define MB_HELD_NAME  "8"
#include "core/solvers/maximal/held_kernels.h"
