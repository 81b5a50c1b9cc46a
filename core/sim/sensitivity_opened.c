// Numbers that open rows which nothing can close. Where rows say the same as others, S y = x has a solution only for some x: with yᵀ S = 0, and so yᵀ G = 0, for those of which yᵀ x is 0. What the state
// does to the rows is of that kind, being G along something. What a number does, ∂r/∂p, need not be: beside the run rows contradict one another then, and none of its motions is like it. As is what
// yᵀ ∂r/∂p leaves of a row without a pivot, and of a row that holds nothing which could move, how fast that row opens.
#include "core/base/report.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/sensitivity_opened.h"

#include <math.h>

void mb_slope_opens(MbSensitivity *g, const MbSlope *slope, const MbSim *sim, size_t slot, double rate) {
  static const double OPENS = 1e-6; // of a row's size, by the whole number: differences of rows are surer
  const size_t k = (size_t)(slope - g->slopes);
  const MbRowTerms *is = &sim->constraining->set.is[slot];
  const double gap = fabs(rate) * sim->model->h * slope->whole, size = sim->constraining->set.row[slot].size;
  if (g->slopes[k].opens || is->kind != MB_ROW_BOTH_WAYS || is->alpha > 0) return;
  if (gap > OPENS * size) g->slopes[k].opens = is->name;
}

bool mb_slope_looks(const MbSensitivity *g, int64_t step) {
  const int64_t n = step - g->began;
  return (n & (n - 1)) == 0;
}

void mb_slope_opened_tell(MbSensitivity *g, double t, int64_t step, MbReport *report) {
  for (size_t k = 0; k < g->count; k++) {
    MbSlope *slope = &g->slopes[k];
    if (!slope->opens || slope->told_opened) continue;
    slope->told_opened = true;
    mb_warning(
        report, "",
        "at t = %.9g s, step %lld: %s opens \"%s\", and other rows hold all that could close it: with "
        "another value of %s there is no such run, and the derivative by it, which is that of the other "
        "rows, tells nothing",
        t, (long long)step, g->number[k].name, slope->opens, g->number[k].name);
  }
}
