// What a run is fitted to: numbers by names over time, from a table (CSV) or a trajectory; and which of a run's numbers they stand
// beside.
#ifndef MB_IO_FIT_DATA_H
#define MB_IO_FIT_DATA_H

#include "core/base/arena.h"
#include "core/mbsim.h"
#include "core/sim/turns.h"

typedef struct MbFitColumn {
  const char *name;
  double *value;            // (rows) NaN: nothing there
  const char *bad;          // the first of its cells that is no finite number; NULL: none
  int bad_line, bad_column; // where that stands; 0 in a trajectory
} MbFitColumn;

typedef struct MbFitData {
  const char *file; // for messages
  double *time;     // (rows) increasing
  size_t rows;
  MbFitColumn *columns; // (ncolumns) but the time's
  size_t ncolumns;
  MbArena arena;
} MbFitData;

// Takes in a table's text, or all frames of a trajectory; `file` must last. Free whatever came.
MbStatus mb_fit_data_table(MbFitData *data, const char *file, const char *text, size_t length,
                           MbReport *report);
MbStatus mb_fit_data_trajectory(MbFitData *data, const char *file, MbTraj *traj, MbReport *report);
void mb_fit_data_free(MbFitData *data);

// "hand.position", or "hand.position=marker" where the data calls it otherwise, and how much the data scatters about it.
typedef struct MbFitMatchAsk {
  const char *model, *data; // columns, or what their names begin with up to a point
  double sigma;             // standard deviation
  size_t found;             // columns that it has come to
} MbFitMatchAsk;

enum { MB_FIT_STENCIL = 4 };

// A number of the data, and what of the run stands beside it: the sum of weights by samples, which are one step behind the other.
typedef struct MbFitPoint {
  size_t series, row;
  size_t first, count; // samples
  double weight[MB_FIT_STENCIL];
  double value, sigma;
} MbFitPoint;

typedef struct MbFitSeries {
  const char *name; // of the model's column
  size_t at;        // in a frame
  const MbFitColumn *data;
  double sigma;
  size_t points;     // how many
  size_t turn, part; // which number of which rotation it is; MB_FIT_NO_TURN: of none
} MbFitSeries;

#define MB_FIT_NO_TURN SIZE_MAX

// A rotation of which some numbers are matched: all of them are kept, as each of the two ways to tell it counts as the other.
typedef struct MbFitTurn {
  MbRotationPlace in_frame;
  const MbFitColumn *data[4]; // of its numbers; NULL: not matched
  size_t at;                  // of its first number in a sample
} MbFitTurn;

typedef struct MbFitMatch {
  MbFitSeries *series; // (nseries)
  size_t nseries;
  MbFitTurn *turns; // (nturns)
  size_t nturns;
  size_t width;       // numbers of a sample: those of the series, then of the turns
  MbFitPoint *points; // (npoints)
  size_t npoints;
  int64_t *steps; // (nsamples) of the run whose frames are wanted, increasing
  size_t nsamples;
  size_t outside; // rows of the data before the run's start or behind its end
} MbFitMatch;

// What a run has.
typedef struct MbFitModel {
  const MbChannel *channels;
  size_t nchannels;
  const MbRotationPlace *turns; // (nturns) the rotations in its frames
  size_t nturns;
  double step;
  int64_t steps;
} MbFitModel;

// Finds everything that `asks` name. MB_USAGE with the nearest name where there is none, where data and run have no time in common, and
// where a number that is wanted is not finite.
MbStatus mb_fit_match(const MbFitData *data, MbFitMatchAsk *asks, size_t nasks, const MbFitModel *model,
                      MbFitMatch *match, MbArena *arena, MbReport *report);
// Keeps what is needed of a frame, or of its slopes: samples (nsamples x width), `sample` is the frame's place among the steps.
void mb_fit_match_take(const MbFitMatch *match, size_t sample, const double *frame, double *samples);
// y (npoints) ← what the run has beside each point; of a rotation in the way to tell it that is nearer to the data.
void mb_fit_match_at_points(const MbFitMatch *match, const double *samples, double *y);
// slopes (npoints) ← how that changes where the samples change by `changes`.
void mb_fit_match_slopes(const MbFitMatch *match, const double *samples, const double *changes,
                         double *slopes);

#endif
