// Whether stiffness or damping is too fast for the integrator (advise.c).
#ifndef MB_SIM_ADVISE_H
#define MB_SIM_ADVISE_H

#include "core/sim/sim_internal.h"

// Warns of it, at the start. MB_IO: out of memory.
MbStatus mb_sim_advise(MbSim *sim, MbReport *report);

#endif
