// Few contacts of which all that push hold, as they did in the step before: one system of equations, where islands, sweeps and Newton's method
// would have to be made ready first.
#ifndef MB_CONTACT_STICKING_H
#define MB_CONTACT_STICKING_H

#include "core/contact/contact_ops.h"

// Tries to solve the problem as one in which what pushes holds, from its start. True: it is solved, far better than is enough. False: it is not, or
// it is no such problem, and only `work` has changed. It makes room for itself, which is the same for all problems.
bool mb_sticking_solve(MbContactWork *work, const MbContactProblem *problem, MbContactAnswer *answer);

#endif
