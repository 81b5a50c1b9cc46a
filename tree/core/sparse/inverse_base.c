// For any processor.
#define MB_INVERSE_TABLE mb_inverse_base
#define MB_INVERSE_NAME  "base"
#include "core/sparse/inverse_machine.h"
