#include "tools/bench/bench_back.h"
#include "core/base/alloc.h"
#include "tools/bench/bench.h"

#include <math.h>
#include <stdio.h>

static bool at_the_end(void *to, int64_t step, double t) {
  (void)t;
  return step == ((const MbBenchBack *)to)->steps;
}

static __attribute__((noinline)) MbStatus one_run_timed(const MbBenchBack *of, MbSensitivity *with,
                                                        MbSim *alone, double *derivatives, MbReport *report) {
  const MbSensitivityWeights weights = {.wanted = at_the_end, .weigh = of->weigh, .to = (void *)of};
  MbStatus status = MB_OK;
  if (with)
    return mb_sensitivity_backward(with, of->steps, (size_t)1 << 28, &weights, derivatives, NULL, report);
  for (int64_t s = 0; s < of->steps && status == MB_OK; s++) status = mb_sim_step(alone, report);
  return status;
}

static MbStatus along(const MbBenchBack *of, MbSensitivity *with, MbReport *report) {
  MbStatus status = MB_OK;
  for (int64_t s = 0; s < of->steps && status == MB_OK; s++) status = mb_sensitivity_step(with, report);
  return status;
}

static double once(const MbBenchBack *of, MbBenchWay way, double *derivatives) {
  MbReport report = {0};
  MbSensitivity *with = NULL;
  MbSim *alone = NULL;
  MbStatus status = way == MB_BENCH_ALONE
                        ? mb_sim_create(of->model, NULL, &alone, &report)
                        : mb_sensitivity_create(of->model, of->numbers, of->count, &with, &report);
  const double start = mb_bench_cpu();
  if (status == MB_OK)
    status = way == MB_BENCH_ALONG ? along(of, with, &report)
                                   : one_run_timed(of, with, alone, derivatives, &report);
  const double took = mb_bench_cpu() - start;
  if (status != MB_OK) fprintf(stderr, "%s\n", report.kept ? report.issues[0].text : "no derivatives");
  mb_sensitivity_free(with);
  mb_sim_free(alone);
  return status == MB_OK ? took : NAN;
}

double mb_bench_back(const MbBenchBack *of, MbBenchWay way, int times) {
  double best = INFINITY, *const derivatives = mb_calloc(of->count ? of->count : 1, sizeof *derivatives);
  for (int i = 0; i < times && derivatives && !isnan(best); i++) {
    const double took = once(of, way, derivatives);
    best = isnan(took) ? NAN : fmin(best, took);
  }
  mb_free(derivatives);
  return isfinite(best) ? best : NAN;
}
