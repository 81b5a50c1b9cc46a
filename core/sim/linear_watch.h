// What linearised forces take of the energy in steps of one solution (linear_watch.c).
#ifndef MB_SIM_LINEAR_WATCH_H
#define MB_SIM_LINEAR_WATCH_H

#include "core/sim/sim_internal.h"

// Before a step of one solution solves for its velocities: notes the forces that it linearises, in the steps that are looked at.
void mb_linear_begin(MbSim *sim);
// When its velocities v1 are known, with K and D as it had them: notes what the linearised forces do.
void mb_linear_solved(MbSim *sim, const double *v1);
// When the state is at the step's end: compares, and warns, once.
void mb_linear_step(MbSim *sim, MbReport *report);

#endif
