// Whether two scenes' simulations differ in numbers alone, so that differences between their runs mean something.
#ifndef MB_SIM_ALIKE_H
#define MB_SIM_ALIKE_H

#include "core/mbsim.h"

// Says what of the scene differs in more than numbers; NULL: nothing.
const char *mb_sim_unlike(const MbSim *a, const MbSim *b);

#endif
