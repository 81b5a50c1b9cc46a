// Staggered projections.
#ifndef MB_CONTACT_STAGGERED_H
#define MB_CONTACT_STAGGERED_H

#include "core/contact/contact_parts.h"

extern const MbContactMethod mb_contact_staggered;

#endif
