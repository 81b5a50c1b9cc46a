// The swing of a body that flies (model/flight.h), in tangents.
#ifndef MB_SIM_TANGENT_SWING_H
#define MB_SIM_TANGENT_SWING_H

#include <stdbool.h>

// The swing s, and its derivatives by the spin and by the moments of inertia (3 x 3, row after row).
typedef struct MbSwingSlopes {
  double s[3], by_w[9], by_I[9];
} MbSwingSlopes;

// Takes them for a body of principal moments I that spins by w, in its own axes, those by moments if they are asked for; all are 0 where it has no inertia about some axis.
void mb_tangent_swing(double h, const double I[3], const double w[3], bool moments, MbSwingSlopes *out);

#endif
