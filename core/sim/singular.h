// Positions at which a loop has another motion as well (singular.c).
#ifndef MB_SIM_SINGULAR_H
#define MB_SIM_SINGULAR_H

#include "core/sim/sim_internal.h"

// Tells how freely what the rows last solved for hold can move along the one that moves least, of what bodies that nothing holds
// could: it falls to 0 in proportion to the way to a position where rows come to depend on the others. *slot: which row that is.
double mb_singular_freedom(const MbSim *sim, size_t *slot);
// Tells the freedom below which a row of those last solved for says nothing of this fixed step; 0 where there is none.
double mb_singular_weak(const MbSim *sim);
// After velocities v have become v1 in a fixed step by impulses of the rows last solved for, taken so many times: notes whether the
// step is near a singular position, and ends the run (MB_NUMBERS, with the name) where it has come onto another motion there.
MbStatus mb_singular_watch(MbSim *sim, const double *v, const double *v1, double times, MbReport *report);

#endif
