// Sums over the bodies of strips with W = F Fᵀ, in the order in which the factor of a group of bodies has them (body_factor.h).
#ifndef MB_CONTACT_BODY_SUMS_H
#define MB_CONTACT_BODY_SUMS_H

#include "core/contact/body_factor.h"
#include "core/contact/contact_parts.h"

typedef struct MbBodySums {
  MbBodyFactor *factor;
  uint32_t group;       // of the factor
  size_t width;         // six numbers a body of the group
  uint32_t (*place)[2]; // (nblocks) of a block's ends in the group's order; MB_NO_PLACE: none
} MbBodySums;

// Tells whether the strips, which are a whole problem's or an island's, are of one group of the pattern that has been found for the problem.
bool mb_body_sums_takes(const MbStrips *strips, const MbBodyFactor *factor);
// That group; MB_NO_PLACE: there is none.
uint32_t mb_body_sums_group(const MbStrips *strips, const MbBodyFactor *factor);
// Finds the places of all blocks' ends.
void mb_body_sums_make(MbBodySums *sums, MbRoom *room, const MbStrips *strips, MbBodyFactor *factor);
// y (width + 6) ← Fᵀ λ; what is no body's is behind the last.
void mb_body_sums_gather(const MbBodySums *sums, const MbStrips *strips, const double *lambda, double *y);

static inline __attribute__((always_inline)) size_t mb_body_sums_at(const MbBodySums *t, size_t j,
                                                                    size_t end) {
  return t->place[j][end] == MB_NO_PLACE ? t->width : 6 * (size_t)t->place[j][end];
}

// u ← F y of one block
static inline __attribute__((always_inline)) void mb_body_sums_spread(const MbBodySums *t, const MbStrips *s,
                                                                      size_t j, const double *y,
                                                                      double u[3]) {
  const double *p = y + mb_body_sums_at(t, j, 0), *q = y + mb_body_sums_at(t, j, 1);
  for (size_t r = 0; r < s->block[j].rows; r++) {
    const double *F = s->F + 12 * (s->block[j].row + r);
    double sum[6];
    for (size_t k = 0; k < 6; k++) sum[k] = F[k] * p[k] + F[6 + k] * q[k];
    u[r] = (sum[0] + sum[3]) + (sum[1] + sum[4]) + (sum[2] + sum[5]);
  }
}

#endif
