// Whole steps of hinged bodies under solver `maximal`, joints as rows with Baumgarte's stabilisation, against the recursion in
// reduced coordinates: one after the other, many times in turn, in one process, so that what else the machine does hits
// both. Nanoseconds a body of one processor's time; the ratio is the median of the pairs'.
#include "core/sim/sim_internal.h"
#include "tools/bench/bench.h"
#include "tools/bench/hinged.h"

#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 41 };

static double median(double *x) {
  qsort(x, TIMES, sizeof *x, mb_bench_ascending);
  return x[TIMES / 2];
}

static double steps(MbSim *sim, int repeat) {
  static MbReport report; // large: not to be cleared each time
  const double start = mb_bench_cpu();
  for (int i = 0; i < repeat; i++)
    if (mb_sim_step(sim, &report) != MB_OK) return NAN;
  return (mb_bench_cpu() - start) * 1e9 / repeat / (double)sim->model->nb;
}

static double ratio(Tree tree, size_t n) {
  static const MbSolverSpec solver[2] = {
      {.kind = MB_SOLVER_REDMAX, .threads = 1, .dynamics = MB_RECURSIVE},
      {.kind = MB_SOLVER_MAXIMAL, .threads = 1, .stabilization = {.kind = MB_BAUMGARTE, .gamma = NAN}}};
  MbModel *model[2] = {0};
  MbSim *sim[2] = {0};
  MbReport report = {0};
  bool fine = true;
  for (int s = 0; s < 2; s++)
    fine = fine && (model[s] = hinged_make(tree, n, &solver[s])) &&
           mb_sim_create(model[s], NULL, &sim[s], &report) == MB_OK && !isnan(steps(sim[s], 2));
  double each[2][TIMES], quotient[TIMES];
  const int repeat = 1 + (int)(20000 / n);
  for (int t = 0; fine && t < TIMES; t++) {
    each[0][t] = steps(sim[0], repeat), each[1][t] = steps(sim[1], repeat);
    quotient[t] = each[1][t] / each[0][t];
    fine = !isnan(quotient[t]);
  }
  for (int s = 0; s < 2; s++) mb_sim_free(sim[s]), mb_model_free(model[s]);
  if (!fine) return NAN;
  const double times = median(quotient);
  printf("  %-12s %8zu %10.1f %10.1f %8.2f\n", tree_names[tree], n, median(each[0]), median(each[1]), times);
  return times;
}

bool mb_bench_maxstep(void) {
  bool met = true;
  printf("  %-12s %8s %10s %10s %8s\n", "", "bodies", "redmax", "maximal", "times");
  for (int tree = CHAIN; tree <= BINARY; tree++) {
    ratio((Tree)tree, 100);
    const double times = ratio((Tree)tree, 1000);
    ratio((Tree)tree, 10000);
    met &= mb_bench_target("1000 bodies", times, "times", 4, false);
  }
  return met;
}
