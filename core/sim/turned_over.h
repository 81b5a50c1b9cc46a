// Rotation vectors that change to their equivalent while forces along them act (turned_over.c).
#ifndef MB_SIM_TURNED_OVER_H
#define MB_SIM_TURNED_OVER_H

#include "core/sim/sim_internal.h"

// Makes sim->turned, where springs, motors or forces act along the numbers of a rotation vector.
MbStatus mb_turned_create(MbSim *sim, MbReport *report);
// Keeps the joints' coordinates as they are before a step.
void mb_turned_note(MbSim *sim);
// Looks at them after the step.
void mb_turned_watch(MbSim *sim, MbReport *report);
// Looks at the joints' coordinates of two instants that follow one another, of which each is so many numbers behind the last: warns, once, where a vector has gone over, and leaves the
// energy to itself from then on. `state` is to tell when that is.
void mb_turned_look(MbSim *sim, const double *before, const double *after, size_t stride, MbReport *report);

#endif
