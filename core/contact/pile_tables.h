// The passes for each kind of processor (pile.h).
#ifndef MB_CONTACT_PILE_TABLES_H
#define MB_CONTACT_PILE_TABLES_H

#include "core/contact/pile.h"

extern const MbPilePasses mb_pile_base, mb_pile_avx2, mb_pile_avx512;

#endif
