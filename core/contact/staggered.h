// Staggered projections.
#ifndef MB_CONTACT_STAGGERED_H
#define MB_CONTACT_STAGGERED_H

#include "core/contact/contact_parts.h"
#include "core/contact/nonsmooth_newton.h"
#include "core/math/averages.h"

// The turns over a problem's strips, and what they keep.
typedef struct MbStaggered {
  const MbStrips *whole;
  MbStrips half; // its blocks and b are its own
  MbNewton newton;
  double *lambda, *w, *best, *b; // (n)
  MbAverages averages;           // of turns, in the λ that normals are found for
  double *was, *change,
      *past;  // (n) that λ before a turn, and by what the turn has changed it; room of the averages
  bool round; // it was given up as its turns went round
} MbStaggered;

// Lays out the turns over strips, which stay their owner's.
void mb_staggered_make(MbStaggered *staggered, MbRoom *room, const MbStrips *whole,
                       MbContactFunction function);
// Takes at most so many turns from λ, which becomes the best that was met. Returns whether that is good enough.
bool mb_staggered_run(MbStaggered *staggered, size_t most, size_t *turns);

extern const MbContactMethod mb_contact_staggered;

#endif
