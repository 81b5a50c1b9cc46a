// Forces between bodies and nodes of deformables that are ports, taken implicitly (ties.c). All of it does nothing where there are none.
#ifndef MB_SIM_TIES_H
#define MB_SIM_TIES_H

#include "core/sim/sim_internal.h"

// Makes room, where forces act on ports. MB_IO: out of memory.
MbStatus mb_ties_create(MbSim *sim, MbReport *report);

// Takes, of the forces at the step's start, what they push the ports with over the step (h y) and their derivatives there; of these
// it leaves the bodies' own in sim->x, which is about to be factored.
void mb_ties_take(MbSim *sim, const double *y);
// Prepares the solution with them, when the bodies' matrix is factored.
MbStatus mb_ties_factor(MbSim *sim, MbReport *report);
// Makes of x = A₀⁻¹ r, the solution without these derivatives, that with them.
void mb_ties_correct(MbSim *sim, double *x);
// Adds to the impulses at the ports what these forces push with over the step, at its start.
void mb_ties_push(const MbSim *sim, double *impulse);
// Adds what their derivatives push with besides, at velocities v.
void mb_ties_pull(const MbSim *sim, const double *v, double *impulse);

#endif
