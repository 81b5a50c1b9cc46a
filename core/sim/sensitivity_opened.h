// Private to core/sim/sensitivity*.c: numbers that open rows which nothing can close (sensitivity_opened.c).
#ifndef MB_SIM_SENSITIVITY_OPENED_H
#define MB_SIM_SENSITIVITY_OPENED_H

#include "core/sim/sensitivity_parts.h"

// Notes that a number changes what a simulation's row asks for by `rate`, which no motion meets: if that is more than rounding, it is told of.
void mb_slope_opens(MbSensitivity *g, const MbSlope *slope, const MbSim *sim, size_t slot, double rate);
// Whether the way back looks for such numbers in a step, as it does in steps 1, 2, 4, 8 and so on, where looking costs next to nothing.
bool mb_slope_looks(const MbSensitivity *g, int64_t step);
// Warns of such numbers, once of each.
void mb_slope_opened_tell(MbSensitivity *g, double t, int64_t step, MbReport *report);

#endif
