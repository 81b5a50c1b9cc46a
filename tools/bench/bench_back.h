// What derivatives of a run cost beside the run, back through it or along with it.
#ifndef MB_BENCH_BACK_H
#define MB_BENCH_BACK_H

#include "core/sim/sensitivity.h"

// A run, the numbers by which it is differentiated, and what of its end: the weights of a frame's numbers, all 0 before.
typedef struct MbBenchBack {
  const MbModel *model;
  const MbSensitivityNumber *numbers;
  size_t count;
  int64_t steps;
  void (*weigh)(void *to, int64_t step, double t, const double *frame, double *weights);
} MbBenchBack;

typedef enum MbBenchWay { MB_BENCH_ALONE, MB_BENCH_BACK, MB_BENCH_ALONG } MbBenchWay;

// Seconds of processor time, the least of some runs; NaN where a run fails, which is told. Runs alone and back are made by `one_run_timed`, for those
// who count instructions.
double mb_bench_back(const MbBenchBack *of, MbBenchWay way, int times);

#endif
