// A run that is to go in lockstep with others: built, and waiting for them.
#ifndef MB_CLI_SWEEP_ENTRY_H
#define MB_CLI_SWEEP_ENTRY_H

#include "cli/sweep.h"
#include "core/sim/lockstep.h"
#include "core/sim/plan.h"

typedef struct MbSweepEntry {
  uint64_t run;
  MbResult said; // its message: what was warned of before the first step
  MbScene *scene;
  MbModel *model;
  MbLane lane;
  MbDevice device; // that it asks for
} MbSweepEntry;

// Builds a run's model and simulation. Why it cannot go in lockstep, as words that fit behind "it "; NULL: it can. What it has to say is
// told by its own process, where it comes to that: `ignored` takes it. Whatever comes of it, mb_sweep_entry_free.
const char *mb_sweep_entry_build(MbSweep *sweep, MbSceneKept *kept, uint64_t run, MbSweepEntry *entry,
                                 MbReport *ignored);
void mb_sweep_entry_free(MbSweepEntry *entry);
// Makes the sweep's measures for a run that ends at `end`.
MbStatus mb_sweep_entry_measures(const MbSweep *sweep, const MbSweepEntry *entry, const MbChannel *channels,
                                 size_t nchannels, double end, MbMeasures **measures, MbReport *report);
// Tells whether frames of two plans fall on the same steps.
bool mb_sweep_same_plan(const MbPlan *a, const MbPlan *b);

#endif
