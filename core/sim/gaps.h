// When a gap of a hard constraint is one that stays open. A run, and whoever looks at the numbers of one, ask the same.
#ifndef MB_SIM_GAPS_H
#define MB_SIM_GAPS_H

#include "core/sim/sim_internal.h"

enum { MB_GAP_STEPS = 10 }; // that a gap may be open before anything is said
#define MB_GAP_BURST 30     // times what is allowed: as wide as the scene, or wider

// What is known of the worst gap from look to look. Zero it before the first.
typedef struct MbGap {
  double open;  // how far it was, by what is allowed, when it opened or had last halved; 0 = it is closed
  double since; // when that was
} MbGap;

// Takes in how far the worst gap is open at t, by what is allowed. True where it stays open: beyond 1 for ten steps of length
// h, in which it has not become smaller, or for `patience`, in which it has not halved.
static inline bool mb_gap_stays(MbGap *gap, double t, double far, double h, double patience) {
  if (!(far > 1)) {
    *gap = (MbGap){0};
    return false;
  }
  if (!(gap->open > 0) || far <= gap->open / 2) {
    *gap = (MbGap){.open = far, .since = t};
    return false;
  }
  const double waited = (t - gap->since) * (1 + 1e-9);
  return waited >= MB_GAP_STEPS * h && (far >= gap->open || waited >= patience);
}

enum {
  MB_GAPS_SELDOM = 16
}; // steps from look to look while all are closed: a look costs up to a third of a step
// Ends the run (MB_NUMBERS, with the name) where a hard constraint stays open: of the state to come, (q, v) at t, the bodies being
// there.
MbStatus mb_gaps_watch(MbSim *sim, const double *q, const double *v, double t, MbReport *report);
// Refuses (MB_USAGE, with the name) a state that was set where a hard constraint is open by more than a run allows, or has no numbers;
// remembers where joints that close loops were found.
MbStatus mb_gaps_closed(MbSim *sim, MbReport *report);
// Tells how long a gap that closes may take until it has halved.
double mb_gap_patience(const MbModel *model);

#endif
