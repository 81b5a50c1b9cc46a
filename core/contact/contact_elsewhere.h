// Who solves problems of contacts in the processor's place, where all that W is made of is: a device that moves deformables' nodes, to which a
// problem gives its points as sums of nodes, and neither S nor branches (gpu/moved_touch.c).
#ifndef MB_CONTACT_CONTACT_ELSEWHERE_H
#define MB_CONTACT_CONTACT_ELSEWHERE_H

#include "core/contact/contact_ops.h"

typedef struct MbContactElsewhere {
  void *context;
  // Solves a problem whose W is that of its points, if it is of a kind that it knows; else MB_CONTACT_REFUSED. It is judged as methods are. Does not
  // allocate; the answer's arrays are good until its next use.
  MbContactResult (*solve)(void *context, const MbContactProblem *problem, MbContactAnswer *answer);
} MbContactElsewhere;

#endif
