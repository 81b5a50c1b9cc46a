// Strips of W = F Fᵀ, which is formed where it is small only.
#ifndef MB_CONTACT_CONTACT_FACTOR_H
#define MB_CONTACT_CONTACT_FACTOR_H

#include "core/contact/contact_parts.h"

static inline bool mb_factor_is(const MbContactProblem *problem) {
  return problem->W.factor && !problem->W.dense && !problem->W.value;
}

void mb_factor_lay(MbStrips *strips, MbRoom *room);
// Finds every block's slots and D; F is the problem's own where that can be taken as it is.
void mb_factor_fill(MbStrips *strips, const MbContactProblem *problem);
// Forms the strips of all blocks of `from`.
void mb_factor_form(MbStrips *strips, MbRoom *room, const MbStrips *from);
// `part`, whose blocks are there, of an unformed whole.
void mb_factor_part(MbStrips *part, MbRoom *room, const MbStrips *whole, const uint32_t *blocks,
                    const uint32_t *rows);

// y ← Fᵀ λ
void mb_factor_begin(const MbStrips *strips, const double *lambda);
// w ← F y + soft λ + b
void mb_factor_rates(const MbStrips *strips, const double *lambda, double *w);
// Solves blocks [from, to) one after the other, and keeps y. Returns the sum of the squares of what their velocities change by.
double mb_factor_sweep(const MbStrips *strips, size_t from, size_t to, double *lambda);

#endif
