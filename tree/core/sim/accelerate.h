// Accelerations at an instant (accelerate.c).
#ifndef MB_SIM_ACCELERATE_H
#define MB_SIM_ACCELERATE_H

#include "core/sim/sim_internal.h"

// Finds v̇ at coordinates q, velocities v and time t, the bodies of sim->x being there. The solver holds M factored afterwards. A
// matrix that is singular ends it with MB_NUMBERS.
MbStatus mb_sim_accelerations(MbSim *sim, double t, const double *q, const double *v, double *vdot,
                              MbReport *report);
// Adds to y (nv) the forces along the coordinates that the solver itself keeps in step, at the state.
void mb_sim_reactions(MbSim *sim, double *y);

#endif
