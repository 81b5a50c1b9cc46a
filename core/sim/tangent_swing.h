// The swing of a body that flies (model/flight.h), in tangents.
#ifndef MB_SIM_TANGENT_SWING_H
#define MB_SIM_TANGENT_SWING_H

#include "core/model/model.h"

// B (3 x 3, row after row) ← ∂s/∂ω of body b at the spin w, in its own axes.
void mb_tangent_swing(const MbModel *model, size_t b, const double w[3], double B[9]);

#endif
