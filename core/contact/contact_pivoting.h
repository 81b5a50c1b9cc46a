// Principal pivoting (pivoting.h) on the problem of contact_ops.h, where it has no contacts and no bounded rows.
#ifndef MB_CONTACT_CONTACT_PIVOTING_H
#define MB_CONTACT_CONTACT_PIVOTING_H

#include "core/contact/contact_parts.h"

size_t mb_contact_pivoting_room(const MbContactProblem *problem);
bool mb_contact_pivoting_reserve(MbContactWork *work, const MbContactProblem *problem);
MbContactResult mb_contact_pivoting_solve(MbContactWork *work, const MbContactProblem *problem,
                                          MbContactAnswer *answer);

extern const MbContactMethod mb_contact_pivoting;

#endif
