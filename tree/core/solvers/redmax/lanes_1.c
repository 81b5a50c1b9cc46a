// One instance.
#define MB_LANES       1
#define MB_LANES_TABLE mb_lanes_1
#define MB_LANES_NAME  "1"
#include "core/solvers/redmax/lanes_passes.h"
