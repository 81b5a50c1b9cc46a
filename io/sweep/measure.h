// Numbers that a run comes to, computed from its frames while it goes: "max(bob.joint.position)", "final(energy.total) /
// at(energy.total, 1)". What stands in a function is a column of the frames, by its name in CSV or with the channel first
// ("joint.position.bob"), or an expression of columns, the scene's parameters and the time t; outside of functions stand these, numbers
// and the parameters.
#ifndef MB_IO_MEASURE_H
#define MB_IO_MEASURE_H

#include "core/base/expression.h"
#include "core/mbsim.h"

typedef struct MbMeasureAsk {
  const char *name, *what; // "swing", "max(bob.joint.position)"
} MbMeasureAsk;

extern const char *const mb_measure_words[]; // the functions, ended by NULL
extern const char *const mb_measure_help[];

typedef struct MbMeasures MbMeasures;

// `parameters` are the scene's; `end` is the time at which the run will end. MB_USAGE where a measure makes no sense, with the nearest
// name that would.
MbStatus mb_measures_create(const MbMeasureAsk *asks, size_t nasks, const MbChannel *channels,
                            size_t nchannels, const MbConstant *parameters, size_t nparameters, double end,
                            MbMeasures **measures, MbReport *report);
void mb_measures_free(MbMeasures *measures);
// Takes a frame in; times increase. Does not allocate.
void mb_measures_frame(MbMeasures *measures, double time, const double *frame);
// The earliest time that an at() asks for; infinite where there is none.
double mb_measures_earliest(const MbMeasures *measures);
// Begins anew with another run of the same scene but for numbers that no measure uses (mb_measures_use).
void mb_measures_reset(MbMeasures *measures);
// Tells whether a name stands in what the measures are.
bool mb_measures_use(const MbMeasureAsk *asks, size_t nasks, const char *name);
// Notes which numbers of a frame the measures read: reads[column] becomes true.
void mb_measures_reads(const MbMeasures *measures, bool *reads);
// What they come to so far: (nasks) numbers; NaN where there is none.
MbStatus mb_measures_values(const MbMeasures *measures, double *values, MbReport *report);

// What the frames so far have left, as bytes, so that a run can go on from a checkpoint.
size_t mb_measures_state_size(const MbMeasures *measures);
void mb_measures_save(const MbMeasures *measures, void *bytes);
void mb_measures_restore(MbMeasures *measures, const void *bytes);

#endif
