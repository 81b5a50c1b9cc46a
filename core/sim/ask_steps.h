// The part of ask.c that steps ask of every row: inlined, so that what a row has not is not worked out.
#ifndef MB_SIM_ASK_STEPS_H
#define MB_SIM_ASK_STEPS_H

#include "core/sim/ask.h"

#include <math.h>

// A soft row of one way that is not at its bound.
static inline bool mb_ask_slack(const MbAskRow *row) { return row->one_way && row->alpha > 0 && row->g > 0; }

static inline __attribute__((always_inline)) MbAsked mb_ask_velocities(const MbAsking *asking,
                                                                       const MbAskRow *row) {
  const double h = asking->h;
  // of a rate there is no way that it came in a step: it slips at β/α
  const double way = (row->order == 0 ? h / 2 : 0) + row->beta;
  double pull = row->order == 0 ? asking->gamma : 0;
  if (mb_ask_slack(row)) return (MbAsked){0};
  if (row->alpha > 0) {
    pull = row->order == 0 ? 1 / way : 0;
  } else if (row->one_way && row->g > 0) {
    if (!asking->ahead) return (MbAsked){0};
    pull = 1 / h; // as far as the bound, not beyond
  }
  const double gt = row->order == 0 && asking->ahead && asking->gamma > 0 ? 0 : row->gt;
  const bool curved = asking->curve != 0 && !row->target && !row->one_way && !(row->alpha > 0) && !row->order;
  // what coordinates speed up by themselves is no part of a prescribed acceleration
  const double curve = curved            ? asking->curve * (row->drift + row->gtt)
                       : row->order == 2 ? h * row->drift
                                         : 0;
  return (MbAsked){.takes = true,
                   .b = row->rate + gt + pull * row->g + curve,
                   .size = row->size + fabs(gt) + fabs(pull * row->g),
                   .soft = row->alpha > 0 ? row->alpha / (h * way) : 0};
}

static inline MbAsked mb_ask_soft_half(const MbAsking *asking, const MbAskRow *row) {
  const double h = asking->h, reach = asking->of == MB_ASK_SECOND_HALF ? 0.5 : fmax(asking->theta, 0.5);
  const double way = reach * h + row->beta, before = row->rate - row->last;
  if (row->order)
    return (MbAsked){.takes = true,
                     .b = row->rate + row->gt,
                     .size = row->size + fabs(row->g / way),
                     .soft = row->alpha / (asking->impulse * row->beta)};
  return (MbAsked){.takes = true,
                   .b = row->rate + (row->g - asking->theta * h * before) / way,
                   .size = row->size + fabs(row->g / way),
                   .soft = row->alpha / (asking->impulse * way)};
}

static inline __attribute__((always_inline)) MbAsked mb_ask_half(const MbAsking *asking,
                                                                 const MbAskRow *row) {
  const double h = asking->h, gamma = asking->gamma - row->outward;
  if (mb_ask_slack(row)) return (MbAsked){0};
  if (row->alpha > 0) return mb_ask_soft_half(asking, row);
  if (row->order) {
    const bool bends = asking->theta == 0 && !row->turns;
    const double bend = bends ? (row->g1 - row->rate + row->last) / 2 : 0;
    return (MbAsked){.takes = true, .b = row->rate + bend + row->gt, .size = row->size + fabs(row->gt)};
  }
  const bool free = row->one_way && row->g0 > 0; // on its way to its bound
  if (free && !asking->ahead) return (MbAsked){0};
  const double aim = free ? 0 : (1 - gamma * h) * row->g0;
  return (MbAsked){.takes = true,
                   .b = row->last + (row->g1 - aim) / h,
                   .size = row->size + fabs(row->g1 / h) + fabs(aim / h)};
}

#endif
