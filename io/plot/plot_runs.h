// What trajectories hold as curves: which numbers, over time or over another, in a panel for each unit.
#ifndef MB_IO_PLOT_RUNS_H
#define MB_IO_PLOT_RUNS_H

#include "core/base/arena.h"
#include "io/plot/plot.h"
#include "io/plot/series.h"
#include "io/trajectory/trajectory.h"

enum { MB_PLOT_TRACES = 32 }; // curves of a plot at most: more cannot be told apart

typedef struct MbRunsAsk {
  MbTraj *const *runs;       // (nruns)
  const char *const *labels; // (nruns) what they are called
  size_t nruns;
  const char *const
      *names; // (nnames) a channel, a column as csv names it, or what such names begin with up to a point
  size_t nnames;
  const char *across; // one column, to stand in time's place; NULL = time
  MbTrajSlice slice;  // of the frames, with a stride above 0
} MbRunsAsk;

// One number of one run.
typedef struct MbTrace {
  size_t run, at, pick; // at: in a frame; pick: among the plot's columns
  MbSeries series;
} MbTrace;

// A plot and what it is made of.
typedef struct MbRunsPlot {
  MbPlot plot;
  MbArena arena;
  MbTrace *traces; // (ntraces)
  size_t ntraces;
} MbRunsPlot;

// MB_USAGE (a name that no run knows, too many columns, no frames), MB_IO. Warns of names that some runs do not know, and of numbers
// that are not finite. Free whatever came.
MbStatus mb_runs_plot(const MbRunsAsk *ask, MbRunsPlot *made, MbReport *report);
void mb_runs_plot_free(MbRunsPlot *made);

#endif
