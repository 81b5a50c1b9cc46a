// Joints of Euler angles near gimbal lock (gimbal_watch.c).
#ifndef MB_SIM_GIMBAL_WATCH_H
#define MB_SIM_GIMBAL_WATCH_H

#include "core/sim/sim_internal.h"

// Makes sim->gimbal, where steps of a fixed length move Euler angles.
MbStatus mb_gimbal_create(MbSim *sim, MbReport *report);
// Looks at the state after a step; warns, once.
void mb_gimbal_watch(MbSim *sim, MbReport *report);

#endif
