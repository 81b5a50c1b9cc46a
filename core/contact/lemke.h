// Lemke's method for problems with bounds: bounded rows, friction in a box or in a pyramid.
#ifndef MB_CONTACT_LEMKE_H
#define MB_CONTACT_LEMKE_H

#include "core/contact/contact_parts.h"

enum { MB_LEMKE_MOST = 1200 }; // unknowns: 200 contacts of four sides

size_t mb_lemke_unknowns(const MbContactProblem *problem);
size_t mb_lemke_room(const MbContactProblem *problem);
MbContactResult mb_lemke_solve(MbContactWork *work, const MbContactProblem *problem, MbContactAnswer *answer);

#endif
