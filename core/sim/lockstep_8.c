// Steps in lockstep.
#define MB_LOCKSTEP_TABLE mb_lockstep_8
#define MB_LOCKSTEP_NAME  "8"
#include "core/sim/lockstep_kernels.h"
