// Whose fault it is that numbers failed (trouble.c).
#ifndef MB_SIM_TROUBLE_H
#define MB_SIM_TROUBLE_H

#include "core/sim/sim_internal.h"

// Notes in sim->trouble the first signal that changes with time and is not finite, unless something has been noted in this step.
void mb_sim_watch_signals(MbSim *sim, double t);
// Notes there the first force whose wrench is not finite.
void mb_sim_watch_forces(MbSim *sim, double t);
// Reports what has been noted as MB_NUMBERS; says nothing and returns MB_OK where nothing was.
MbStatus mb_sim_trouble(const MbSim *sim, MbReport *report);

// Reports a body of sim->x whose numbers are not finite, or have grown beyond all bounds, as MB_NUMBERS.
MbStatus mb_sim_check(const MbSim *sim, double t, int64_t step, MbReport *report);
// Reports the first of channel i's numbers that is not finite, as MB_NUMBERS.
MbStatus mb_sim_check_channel(const MbSim *sim, size_t i, const double *numbers, MbReport *report);
// Reports that A is singular because of body `blame`, or of what has been noted.
MbStatus mb_sim_singular(const MbSim *sim, size_t blame, MbReport *report);
// Reports that the step's equations, solved by iterations, have no solution to their tolerance.
MbStatus mb_sim_unsolved(const MbSim *sim, MbReport *report);

#endif
