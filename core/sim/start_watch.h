// Velocities at the start that constraints contradict (start_watch.c).
#ifndef MB_SIM_START_WATCH_H
#define MB_SIM_START_WATCH_H

#include "core/sim/sim_internal.h"

// Warns where velocities at the start contradict a hard constraint: of the one that they contradict most.
void mb_start_watch(MbSim *sim, MbReport *report);

#endif
