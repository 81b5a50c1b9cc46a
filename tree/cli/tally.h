// What the frames of a run come to: energy drift and the worst constraint error, for the closing summary.
#ifndef MB_CLI_TALLY_H
#define MB_CLI_TALLY_H

#include "core/mbsim.h"

typedef struct MbTally {
  size_t kinetic, gravity, elastic, total; // indices of the energies in a frame; SIZE_MAX = there are none
  bool started;
  double first, last;    // total
  double moving;         // kinetic and elastic energy of the first frame
  double height, fallen; // gravitational energy of the first frame; how far it has fallen at most
  double worst;          // constraint error; NaN = nothing is constrained
} MbTally;

void mb_tally_start(MbTally *tally, const MbChannel *channels, size_t count);
// A frame and the constraint error at it.
void mb_tally_frame(MbTally *tally, const double *frame, double error);
// What there was to move with: kinetic and elastic energy of the first frame, and what of gravitational energy has come free
// since. It is no larger for an energy that grows by itself. NaN where the file has no energy.
double mb_tally_scale(const MbTally *tally);
// (last - first) over that; NaN where the file has no energy, or where there was nothing to move with, but for rounding, and now there is.
double mb_tally_drift(const MbTally *tally);
double mb_tally_constraint(const MbTally *tally); // the worst; NaN where there is none

#endif
