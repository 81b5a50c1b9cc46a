// Velocities of the kinematic mode (scheme_kinematic.c).
#ifndef MB_SIM_KINEMATIC_H
#define MB_SIM_KINEMATIC_H

#include "core/sim/sim_internal.h"

// Finds the velocities v that the forces at time t give the bodies of sim->x, which are at q, from the v that is there, zero or those of
// the last instant, by passes  (M − D) v⁺ = f − D v.
MbStatus mb_sim_kinematic_velocity(MbSim *sim, const double *q, double t, double *v, MbReport *report);

#endif
