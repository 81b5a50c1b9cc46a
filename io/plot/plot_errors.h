// What a comparison finds as curves: the largest error over time, a panel for each channel and unit, with the tolerance.
#ifndef MB_IO_PLOT_ERRORS_H
#define MB_IO_PLOT_ERRORS_H

#include "core/base/arena.h"
#include "io/compare/compare.h"
#include "io/plot/plot.h"
#include "io/plot/series.h"

// Components of one channel that have one unit and one tolerance: where their curve crosses the line, the runs differ.
typedef struct MbErrorCurve {
  size_t channel; // in the comparison's result
  const MbChannel *of;
  const char *unit;
  double allowed;
  bool *member;  // (of->width) which components
  double now;    // largest error of the frame
  double beyond; // time of the first that is not allowed; NaN = none
  MbSeries series;
} MbErrorCurve;

// It watches a comparison, and becomes a plot.
typedef struct MbErrorPlot {
  MbArena arena;
  double from, to;      // times
  MbErrorCurve *curves; // (ncurves)
  size_t ncurves, room;
  bool failed; // memory ran out
  MbPlot plot; // of mb_error_plot_make
} MbErrorPlot;

// `a` is the first file of the comparison.
MbStatus mb_error_plot_begin(MbErrorPlot *made, MbTraj *a, MbReport *report);
void mb_error_plot_watch(void *made, const MbFrameErrors *errors); // for MbCompareOptions
// Makes the plot of what was seen; `labels` are what the two files are called. The result must last as long as the plot.
MbStatus mb_error_plot_make(MbErrorPlot *made, const MbCompareResult *result, const char *const labels[2],
                            MbReport *report);
void mb_error_plot_free(MbErrorPlot *made);

#endif
