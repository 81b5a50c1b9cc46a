// The passes for each kind of processor (contact_lanes.h).
#ifndef MB_CONTACT_CONTACT_LANES_TABLES_H
#define MB_CONTACT_CONTACT_LANES_TABLES_H

#include "core/contact/contact_lanes.h"

extern const MbLanePasses mb_lanes_base, mb_lanes_avx2, mb_lanes_avx512;

#endif
