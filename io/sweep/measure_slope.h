// How measures change with a number of the scene, of frames whose own changes are known: a frame that is the least or the largest stays
// the one that it is.
#ifndef MB_IO_MEASURE_SLOPE_H
#define MB_IO_MEASURE_SLOPE_H

#include "io/sweep/measure.h"

typedef struct MbMeasureSlopes MbMeasureSlopes;

// `less` and `more` are the same measures with the scene's parameters where the number is a little less and a little more, which differ by
// 2 `move`. MB_USAGE where a measure has no derivative, as the times of frames have none.
MbStatus mb_measure_slopes_create(const MbMeasures *measures, const MbMeasures *less, const MbMeasures *more,
                                  double move, MbMeasureSlopes **slopes, MbReport *report);
void mb_measure_slopes_free(MbMeasureSlopes *slopes);
// Takes in a frame and its derivative, before the measures themselves do.
void mb_measure_slopes_frame(MbMeasureSlopes *slopes, double time, const double *frame, const double *slope);
// What the derivatives come to so far: (nasks) numbers; NaN where the measure is none.
MbStatus mb_measure_slopes_values(const MbMeasureSlopes *slopes, double *values, MbReport *report);

#endif
