// What rounding makes of slopes. An unknown that has no part in what is held against the data (the mass of a block that slides, say) still
// changes the last digits of a run, and by differences of runs that looks like a slope: the search would follow it to a bound, and the fit
// would tell a standard error. So one run goes by numbers that are all moved by a few of their last digits. How far it comes from the run is what
// rounding does; a slope that is no more than that is none.
#include "cli/fitting.h"
#include "core/base/alloc.h"

#include <math.h>

static const double DIGITS = 1e-13; // of a number: by how much it is moved

double mb_fit_size(const MbFit *fit, const double *numbers, size_t k) {
  const MbUnknown *u = &fit->unknowns[k];
  return u->logarithmic ? numbers[k] : fmax(fabs(numbers[k]), 1e-3 * fit->x_size[k]);
}

// The unknowns' numbers, moved up and down in turn, within bounds.
static void shake(const MbFit *fit, const double *numbers, double *shaken) {
  for (size_t k = 0; k < fit->n; k++) {
    const MbUnknown *u = &fit->unknowns[k];
    const double move = DIGITS * mb_fit_size(fit, numbers, k), up = numbers[k] + move,
                 down = numbers[k] - move;
    const bool rises = (k % 2 == 0 && up <= u->high) || down < u->low;
    shaken[k] = rises ? up : down;
  }
}

// The length of a list of outputs in standard deviations.
static double length(const MbFit *fit, const double *y, const double *from) {
  double sum = 0;
  for (size_t i = 0; i < fit->match.npoints; i++) {
    const double off = (y[i] - (from ? from[i] : 0)) / fit->match.points[i].sigma;
    sum += off * off;
  }
  return sqrt(sum);
}

MbStatus mb_fit_find_rounding(MbFit *fit, const double *numbers, const double *y, MbReport *report) {
  if (fit->rounding_known || fit->minimise) return MB_OK;
  MbFitVariant v = {0};
  double *shaken = mb_calloc(fit->n + 1, sizeof *shaken),
         *beside = mb_calloc(mb_fit_outputs(fit) + 1, sizeof *beside);
  MbStatus status = shaken && beside ? MB_OK : mb_no_memory(report, "a run");
  if (!status) {
    MbReport own = {0};
    shake(fit, numbers, shaken);
    MbStatus went = mb_fit_variant(fit, shaken, 0, &v, &own);
    if (!went) went = mb_fit_follow(fit, &v, beside, &own);
    if (!went) fit->rounding = length(fit, beside, y);
    if (went == MB_INTERRUPTED) status = went;
    fit->runs++, fit->rounding_known = true;
  }
  mb_fit_variant_free(&v);
  mb_free(beside);
  mb_free(shaken);
  return status;
}

void mb_fit_drop_rounding(const MbFit *fit, const double *numbers, double *slopes) {
  static const double FEW = 10, MANY = 100; // times what one run has shown
  const size_t outputs = mb_fit_outputs(fit);
  for (size_t k = 0; k < fit->n && fit->rounding_known; k++) {
    const double move = (fit->exact ? 1 : fit->move) * mb_fit_size(fit, numbers, k);
    if (length(fit, slopes + k * outputs, NULL) * move > (fit->exact ? MANY : FEW) * fit->rounding) continue;
    for (size_t i = 0; i < outputs; i++) slopes[k * outputs + i] = 0;
  }
}
