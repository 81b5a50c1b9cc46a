// Eight instances in lockstep.
#define MB_LANES       8
#define MB_LANES_TABLE mb_lanes_8
#define MB_LANES_NAME  "8"
#include "core/solvers/redmax/lanes_passes.h"
