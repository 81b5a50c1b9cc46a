// A solver whose seam is watched: calls in an order that has no meaning, and sizes that do not fit, end the program there instead of
// giving numbers of another instant. Sanitized builds and the tests have it on; what users run goes to the solver itself.
#ifndef MB_SOLVERS_WATCHED_H
#define MB_SOLVERS_WATCHED_H

#include "core/base/arena.h"
#include "core/model/ops.h"

// Whether simulations that are created from now on watch their solvers.
extern bool mb_watch_solvers;

// Returns the model's solver with asserts around it; its tables lie in the arena. NULL: out of memory.
const MbSolverOps *mb_watched_solver(const MbModel *model, MbArena *arena);

#endif
