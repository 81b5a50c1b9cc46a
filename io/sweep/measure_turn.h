// Private to io/sweep/measure*.c: rotations between two frames, which a run may tell in two ways (core/sim/turns.h).
#ifndef MB_IO_MEASURE_TURN_H
#define MB_IO_MEASURE_TURN_H

#include "io/sweep/measure_parts.h"

// Finds the rotations of which a term that asks for a time reads a number; MB_NO_MEMORY where there is no room.
MbStatus mb_measure_turns_find(MbMeasures *m, const MbChannel *channels, size_t nchannels, MbReport *report);
// Keeps what a frame tells of them, for the frame behind it.
void mb_measure_turns_keep(MbMeasures *m, const double *frame);

// A frame and how it changes, told in the ways of the frame before.
typedef struct MbTold {
  const double *frame, *slope;
} MbTold;

// `slope` may be NULL. `other`, (turns.n) or NULL: which rotations are told in the other way. What comes back holds until the next call.
MbTold mb_measure_turns_told(const MbMeasures *m, const double *frame, const double *slope, bool *other);
// The frame with the rotations that `other` says told in the other way.
const double *mb_measure_turns_as(const MbMeasures *m, const double *frame, const bool *other);
// Weights of what that frame tells, as those of the frame itself.
void mb_measure_turns_weights(const MbMeasures *m, const double *frame, const bool *other, double *weights);

#endif
