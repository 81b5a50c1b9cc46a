// For any processor.
#define MB_SWEEPS_TABLE mb_sweeps_base
#define MB_SWEEPS_NAME  "base"
#include "core/sparse/sweeps_passes.h"
