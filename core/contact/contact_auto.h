// The method that tries the others.
#ifndef MB_CONTACT_CONTACT_AUTO_H
#define MB_CONTACT_CONTACT_AUTO_H

#include "core/contact/contact_parts.h"

extern const MbContactMethod mb_contact_auto;

#endif
