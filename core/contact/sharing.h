// Which of many solutions: contacts that could share a load in more than one way share it as if all gave way a little.
#ifndef MB_CONTACT_SHARING_H
#define MB_CONTACT_SHARING_H

#include "core/contact/contact_parts.h"

enum { MB_SHARED = 64 }; // rows of an island, at most

// Looks for that solution of an island in which something slips and loads could be shared otherwise, in the room that Newton's method has. `follows`: λ is the
// last step's, and few steps from there are to do, not far; else it is any solution, and steps are many. True: λ is what was looked for. False: λ
// stays, as the island is none such, or large, or nothing was found. *done ← steps of Newton's method.
bool mb_sharing_run(const MbStrips *island, MbRoom room, MbContactFunction function, bool follows,
                    double *lambda, size_t *done);

#endif
