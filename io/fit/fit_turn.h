// Rotations of a run beside those of the data.
#ifndef MB_IO_FIT_TURN_H
#define MB_IO_FIT_TURN_H

#include "io/fit/fit_data.h"

// What a run tells of a rotation at a point: value (4), and slope (4) how that changes where samples change by `changes` (NULL: slope is not
// asked for).
void mb_fit_turn_at(const MbFitMatch *match, const MbFitPoint *point, const MbFitTurn *turn,
                    const double *samples, const double *changes, double value[4], double *slope);

#endif
