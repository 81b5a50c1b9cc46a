// Which steps of a run give a frame, and which a checkpoint. Depends on the scene alone, never on the clock.
#ifndef MB_SIM_PLAN_H
#define MB_SIM_PLAN_H

#include "core/model/spec.h"

typedef struct MbPlan {
  int64_t steps;      // to do
  double step;        // s
  int64_t every;      // steps a frame; 0 where an interval is given
  double interval;    // s a frame
  int64_t checkpoint; // steps between checkpoints; 0 = only where the run ends
} MbPlan;

// Of a run without end: the frames that it has however long it goes on.
MbPlan mb_plan_frames_of(double step, double interval, int64_t every);
// From time and output of a scene (which need not be complete: core/compile has checked them).
MbPlan mb_plan(const MbSceneSpec *spec);
// Step 0 is the initial state. The first and the last step always give a frame.
bool mb_plan_frame_due(const MbPlan *plan, int64_t step);
bool mb_plan_checkpoint_due(const MbPlan *plan, int64_t step);

#endif
