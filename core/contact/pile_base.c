// For any processor.
#define MB_PACK       2
#define MB_PILE_TABLE mb_pile_base
#define MB_PILE_NAME  "base"
#include "core/contact/pile_tables.h"

#include "core/contact/pile_passes.h"
