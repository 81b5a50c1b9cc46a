// Events of the adaptive integrator (events.c): hard unilateral rows come to their bound, or let go.
#ifndef MB_SIM_EVENTS_H
#define MB_SIM_EVENTS_H

#include "core/sim/sim_internal.h"

// Tells whether one is due at the point of the last derivative, whose velocities are v; notes which.
bool mb_events_due(MbSim *sim, const double *v);
// Between these two the accelerations decide which of the rows noted, or at their bounds, are latched.
void mb_events_decide(MbSim *sim);
void mb_events_decided(MbSim *sim);

#endif
