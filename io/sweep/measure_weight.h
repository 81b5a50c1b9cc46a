// What a measure is felt by: its derivative by the numbers of every frame, for runs that are gone through backwards. A frame that is the least or
// the largest stays the one that it is.
#ifndef MB_IO_MEASURE_WEIGHT_H
#define MB_IO_MEASURE_WEIGHT_H

#include "io/sweep/measure.h"

typedef struct MbMeasureWeights MbMeasureWeights;

// MB_USAGE where a measure has no derivative, as the times of frames have none. The measures must outlive it.
MbStatus mb_measure_weights_create(const MbMeasures *measures, MbMeasureWeights **weights, MbReport *report);
void mb_measure_weights_free(MbMeasureWeights *weights);
// Takes in a frame, before the measures themselves do.
void mb_measure_weights_frame(MbMeasureWeights *weights, double time, const double *frame);

// ---- when the run is done ---------------------------------------------------------------------------------

// Turns to measure i. *none: it is no number.
MbStatus mb_measure_weights_of(MbMeasureWeights *weights, size_t i, bool *none, MbReport *report);
// Tells whether the frame at that time counts.
bool mb_measure_weights_wanted(const MbMeasureWeights *weights, double time);
// Adds to `out` (frame size) the measure's derivative by each number of the frame at that time.
void mb_measure_weights_add(const MbMeasureWeights *weights, double time, const double *frame, double *out);
// Returns how the measure changes with parameters that stand in its expressions, with the frame at that time as it is: `less` and `more` are the
// same measures with other parameters.
double mb_measure_weights_told(const MbMeasureWeights *weights, double time, const double *frame,
                               const MbMeasures *less, const MbMeasures *more);
// The same with all frames as they are, of the expression around them.
MbStatus mb_measure_weights_around(const MbMeasureWeights *weights, const MbMeasures *less,
                                   const MbMeasures *more, double *change, MbReport *report);
// reads[column] ← true of the numbers that count in all frames.
void mb_measure_weights_often(const MbMeasures *measures, size_t i, bool *reads);

#endif
