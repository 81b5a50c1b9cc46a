// Pivoting on the problem of contact_ops.h.
#ifndef MB_CONTACT_CONTACT_PIVOTING_H
#define MB_CONTACT_CONTACT_PIVOTING_H

#include "core/contact/contact_parts.h"

// Whether there is more than rows both ways and one way.
bool mb_contact_has_bounds(const MbContactProblem *problem);
// Why a problem with bounds is too large, or NULL.
const char *mb_contact_pivoting_refuses(const MbContactProblem *problem);
size_t mb_contact_pivoting_room(const MbContactProblem *problem);
bool mb_contact_pivoting_reserve(MbContactWork *work, const MbContactProblem *problem);
MbContactResult mb_contact_pivoting_solve(MbContactWork *work, const MbContactProblem *problem,
                                          MbContactAnswer *answer);

// Solves a problem of rows both ways and one way alone, whose method need not be looked for. There must be room.
MbContactResult mb_contact_pivot(MbContactWork *work, const MbContactProblem *problem,
                                 MbContactAnswer *answer);

extern const MbContactMethod mb_contact_pivoting;

#endif
