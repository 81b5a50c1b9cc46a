// Private to core/sim/sensitivity*.c: derivatives of steps of deformables by another method than Newton's (sensitivity_twin.c).
#ifndef MB_SIM_SENSITIVITY_TWIN_H
#define MB_SIM_SENSITIVITY_TWIN_H

#include "core/sim/sensitivity_parts.h"

// Makes twins of the run's model and of the numbers' models, where the run's method is another one, and the run itself beside: *model ← the twin that derivatives are taken of. The
// model itself where it has none. MB_SCENE where the run's steps are not asked to come to their end.
MbStatus mb_twin_make(MbSensitivity *g, const MbModel **model, MbReport *report);
// Frees the run itself.
void mb_twin_free(MbSensitivity *g);
// Takes the run itself a step on, when its twin has done one more than it, and looks how far they are apart. MB_NUMBERS: too far.
MbStatus mb_twin_step(MbSensitivity *g, MbReport *report);

#endif
