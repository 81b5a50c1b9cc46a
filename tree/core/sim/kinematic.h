// Velocities of the kinematic mode (scheme_kinematic.c).
#ifndef MB_SIM_KINEMATIC_H
#define MB_SIM_KINEMATIC_H

#include "core/sim/sim_internal.h"

// Finds the velocities v that the forces at time t give the bodies of sim->x, whose own twists must be zero or those of the last
// instant:  (M − D) v⁺ = f − D v.
MbStatus mb_sim_kinematic_velocity(MbSim *sim, double t, double *v, MbReport *report);

#endif
