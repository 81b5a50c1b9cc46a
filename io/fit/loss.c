#include "io/fit/fit.h"

#include <math.h>

const char *const mb_loss_words[MB_LOSSES + 1] = {"squares", "huber", "cauchy", NULL};

// Where they part from squares, in standard deviations: of normal scatter they keep 95 % of the information.
static const double HUBER = 1.345, CAUCHY = 2.3849;

static double loss(MbLoss kind, double y) {
  const double a = fabs(y), z = y / CAUCHY;
  if (kind == MB_LOSS_HUBER) return a <= HUBER ? y * y : HUBER * (2 * a - HUBER);
  if (kind == MB_LOSS_CAUCHY) return CAUCHY * CAUCHY * log1p(z * z);
  return y * y;
}

double mb_fit_cost(const MbFitProblem *p, const double *y) {
  double sum = 0, lost = 0; // what the sum has lost to rounding (Neumaier)
  for (size_t i = 0; i < p->numbers; i++) {
    const double x = loss(i < p->data ? p->loss : MB_LOSS_SQUARES, y[i]), next = sum + x;
    lost += sum >= x ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  return (sum + lost) / 2;
}

double mb_fit_weight(const MbFitProblem *p, const double *y, size_t i) {
  if (i >= p->data || p->loss == MB_LOSS_SQUARES) return 1;
  const double a = fabs(y[i]), z = a / CAUCHY;
  if (p->loss == MB_LOSS_HUBER) return a <= HUBER ? 1 : HUBER / a;
  return 1 / (1 + z * z);
}

bool mb_fit_held(const MbFitProblem *p, const double *x, size_t k, double down) {
  return (x[k] <= p->low[k] && down <= 0) || (x[k] >= p->high[k] && down >= 0);
}

const char *mb_fit_end_text(MbFitEnd end) {
  static const char *const text[] = {
      "converged",
      "the most iterations were done",
      "no way further down was found, though derivatives say that there is one",
      "stopped",
      "there is no derivative where the search has come to",
      "no unknown changes what is to become least where the search begins: ended"};
  return text[end];
}
