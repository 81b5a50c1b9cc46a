// For any processor.
#define MB_PACK        2
#define MB_LANES_TABLE mb_lanes_base
#define MB_LANES_NAME  "base"
#include "core/contact/contact_lanes_tables.h"

#include "core/contact/contact_lanes_passes.h"
