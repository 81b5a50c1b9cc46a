// Strips of W = F Fᵀ, which is formed where it is small only.
#ifndef MB_CONTACT_CONTACT_FACTOR_H
#define MB_CONTACT_CONTACT_FACTOR_H

#include "core/contact/contact_parts.h"

static inline bool mb_factor_is(const MbContactProblem *problem) {
  return problem->W.factor && !problem->W.dense && !problem->W.value;
}

void mb_factor_lay(MbStrips *strips, MbRoom *room);
// The block's columns side by side, and D.
void mb_factor_fill(MbStrips *strips, const MbContactProblem *problem, size_t block);
// Forms the strips of all blocks of `from`.
void mb_factor_form(MbStrips *strips, MbRoom *room, const MbStrips *from);
// `part`, whose blocks are there, of an unformed whole.
void mb_factor_part(MbStrips *part, MbRoom *room, const MbStrips *whole, const uint32_t *blocks,
                    const uint32_t *rows);

// y ← Fᵀ λ
void mb_factor_begin(const MbStrips *strips, const double *lambda, double *y);
// u ← rows of one block of F y + soft λ + b
void mb_factor_rates(const MbStrips *strips, size_t block, const double *lambda, const double *y,
                     double u[3]);
// y ← y + Fᵀ of one block's d
void mb_factor_push(const MbStrips *strips, size_t block, const double *d, double *y);

#endif
