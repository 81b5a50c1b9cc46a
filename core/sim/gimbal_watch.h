// Joints of Euler angles near gimbal lock (gimbal_watch.c).
#ifndef MB_SIM_GIMBAL_WATCH_H
#define MB_SIM_GIMBAL_WATCH_H

#include "core/sim/sim_internal.h"

// Makes sim->gimbal, where steps of a fixed length move Euler angles.
MbStatus mb_gimbal_create(MbSim *sim, MbReport *report);
// Looks at the state after a step; warns, once.
void mb_gimbal_watch(MbSim *sim, MbReport *report);
// Looks at a state's coordinates and velocities, of which each is so many numbers behind the last; `state` is to tell when that is.
void mb_gimbal_look(MbSim *sim, const double *q, const double *v, size_t stride, MbReport *report);

#endif
