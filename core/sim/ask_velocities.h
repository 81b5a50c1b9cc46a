// The part of ask.c that every step asks of every row: inlined, so that what a row has not is not worked out.
#ifndef MB_SIM_ASK_VELOCITIES_H
#define MB_SIM_ASK_VELOCITIES_H

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
  const double curve = curved ? asking->curve * (row->drift + row->gtt) : 0;
  return (MbAsked){.takes = true,
                   .b = row->rate + gt + pull * row->g + curve,
                   .size = row->size + fabs(gt) + fabs(pull * row->g),
                   .soft = row->alpha > 0 ? row->alpha / (h * way) : 0};
}

#endif
