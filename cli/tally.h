// What the frames of a run come to: energy drift and the worst constraint error, for the closing summary.
#ifndef MB_CLI_TALLY_H
#define MB_CLI_TALLY_H

#include "core/mbsim.h"

typedef struct MbTally {
  size_t energy; // index of the number in a frame; SIZE_MAX = there is none
  bool started;
  double first, last;         // energy.total
  double scale;               // largest absolute energy of any kind so far
  size_t energies, nenergies; // all of the energy channel
  double worst;               // constraint error; NaN = nothing is constrained
} MbTally;

void mb_tally_start(MbTally *tally, const MbChannel *channels, size_t count);
// A frame and the constraint error at it.
void mb_tally_frame(MbTally *tally, const double *frame, double error);
// (last - first) over the largest energy of any kind; NaN where the file has no energy.
double mb_tally_drift(const MbTally *tally);
double mb_tally_constraint(const MbTally *tally); // the worst; NaN where there is none

#endif
