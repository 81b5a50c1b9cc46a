// The proximal Newton method, as a method and as a part of others.
#ifndef MB_CONTACT_PROXIMAL_H
#define MB_CONTACT_PROXIMAL_H

#include "core/contact/body_sums.h"

typedef struct MbProximal {
  MbStrips strips; // unformed
  MbBodySums sums;
  double *lambda, *w, *best;  // (n)
  double *kept, *tried;       // (n) λ to which the next is drawn; that of a trial
  double (*K)[9];             // (nblocks) minus how λ changes with F y
  double *y, *trial, *g, *dy; // (width + 6)
  double alpha;               // of each block's scale
  double natural;             // of the best λ
  size_t until;               // turns that the best may be bettered
} MbProximal;

// Lays out what steps need, of strips that sums over bodies take; λ is the caller's to fill.
void mb_proximal_make(MbProximal *proximal, MbRoom *room, const MbStrips *strips, MbBodyFactor *factor);
// Steps from λ until the natural map is enough, or `most` times. Leaves the best λ that was met, and its w.
bool mb_proximal_run(MbProximal *proximal, size_t most, size_t *done);

#endif
