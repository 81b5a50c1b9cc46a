// The derivatives of one measure of a run by all numbers asked for, backwards through the run.
#ifndef MB_CLI_BACKWARD_H
#define MB_CLI_BACKWARD_H

#include "core/sim/plan.h"
#include "core/sim/sensitivity.h"
#include "io/sweep/measure_weight.h"

typedef struct MbBackward {
  MbPlan plan;
  size_t memory;        // bytes for what the way back has to know
  MbMeasures *measures; // of the scene as it is; the run fills them
  MbMeasureWeights *weights;
  size_t which; // of the measures
  bool again;   // the measures have seen the run
  size_t count; // of numbers
  const MbSensitivityNumber *numbers;
  const MbMeasures *const *less, *const *more; // (count) the same measures with the scene's other parameters
} MbBackward;

// derivatives (count) ← those of the measure. The run of `gradient` must not have begun, and no other is to be had of it.
MbStatus mb_backward(MbSensitivity *gradient, const MbBackward *asked, double *derivatives, MbReport *report);
// Says why there is no way back for these measures; NULL: there is one.
const char *mb_backward_refuses(const MbSensitivity *gradient, const MbMeasures *measures);
// Tells whether going back once for every measure is possible, and costs less than going along with the run.
bool mb_backward_pays(const MbSensitivity *gradient, const MbMeasures *measures, size_t nmeasures,
                      size_t count, const MbPlan *plan);

#endif
