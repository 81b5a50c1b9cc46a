// The least of one number in bounds by limited-memory BFGS. Unknowns that stand at a bound and want to pass it keep still; the others
// go along −H g, H being made of the last moves (Nocedal 1980, two loops) of those that are free, and the way is bent at bounds
// (Bertsekas 1982, which is what L-BFGS-B does after its Cauchy point). A step must go down by a share of what its slope promises
// (Armijo). Unknowns are counted in their sizes, so that lengths and stiffnesses go together.
//
// It has converged where the slopes, over each unknown's size, promise no more than 1e-6 of what has been gained so far or of the number
// itself, whichever is larger. An unknown that has grown counts by the size that it has come to: a number that falls for ever would
// gain so much on the way that the slope over the first size looked like nothing beside it.
//
// A start may be far smaller than what is looked for, 1e-8 where 1 is wanted, and the number may stand on a large constant: slopes over
// sizes look like nothing then. So they are believed only where the way that has been learnt promises nothing either; where nothing has
// been learnt yet a step is tried first.
#include "io/fit/fit.h"
#include "core/base/report.h"

#include <math.h>
#include <string.h>

enum { KEPT = 10, SHORTER = 40 };
static const double CLOSE = 1e-6, ARMIJO = 1e-4, BLUNT = 1e-4;

typedef struct Descent {
  const MbFitProblem *p;
  MbFitFound *found;
  double *size, *slope, *before; // (unknowns) the slopes in sizes, now and before
  double *way, *trial;           // (unknowns)
  double *move[KEPT], *turn[KEPT], share[KEPT];
  size_t kept, next;
  bool *held; // (unknowns)
  double first;
  bool straight; // the way is along the slope
  double reach;  // of a step along the slope: longer where nothing has bent so far
} Descent;

static MbStatus make(Descent *d, MbArena *arena, MbReport *report) {
  const size_t n = d->p->unknowns + 1;
  double **const lists[] = {&d->size, &d->slope, &d->before, &d->way, &d->trial};
  bool fine = true;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    fine = (*lists[i] = mb_arena_alloc(arena, n, sizeof(double))) && fine;
  for (size_t i = 0; i < KEPT; i++) {
    fine = (d->move[i] = mb_arena_alloc(arena, n, sizeof(double))) && fine;
    fine = (d->turn[i] = mb_arena_alloc(arena, n, sizeof(double))) && fine;
  }
  d->held = mb_arena_alloc(arena, n, sizeof *d->held);
  if (!fine || !d->held) return mb_no_memory(report, "a fit");
  for (size_t k = 0; k < d->p->unknowns; k++) d->size[k] = fmax(fabs(d->found->x[k]), d->p->size[k]);
  return MB_OK;
}

static double along(const Descent *d, const double *a, const double *b) {
  double sum = 0;
  for (size_t k = 0; k < d->p->unknowns; k++)
    if (!d->held[k]) sum += a[k] * b[k];
  return sum;
}

static MbStatus slopes(Descent *d, MbReport *report) {
  MbFitFound *f = d->found;
  const MbStatus status = d->p->slopes(d->p->to, f->x, f->y, f->slopes, report);
  for (size_t k = 0; k < d->p->unknowns && !status; k++) {
    d->slope[k] = f->slopes[k] * d->size[k];
    if (!isfinite(d->slope[k])) return mb_error(report, MB_NUMBERS, "", "derivatives are not finite");
    d->held[k] = mb_fit_held(d->p, f->x, k, -d->slope[k]);
  }
  return status;
}

// How much the number would fall if each unknown went by its size as it is now, at most to its bound: of what is there.
static double to_go(const Descent *d) {
  const MbFitFound *f = d->found;
  double most = 0;
  for (size_t k = 0; k < d->p->unknowns; k++) {
    if (d->held[k]) continue;
    const double room = d->slope[k] > 0 ? f->x[k] - d->p->low[k] : d->p->high[k] - f->x[k];
    const double reach = fmin(fmax(d->size[k], fabs(f->x[k])), room);
    most = fmax(most, fabs(f->slopes[k]) * reach);
  }
  const double what = fmax(fabs(f->cost), fabs(d->first - f->cost));
  return most > 0 ? most / what : 0;
}

// way ← −H g over the free unknowns.
static void choose_way(Descent *d) {
  double take[KEPT], *way = d->way;
  d->straight = false;
  for (size_t k = 0; k < d->p->unknowns; k++) way[k] = d->held[k] ? 0 : -d->slope[k];
  double scale = 0;
  for (size_t i = 0; i < d->kept; i++) {
    const size_t at = (d->next + KEPT - 1 - i) % KEPT;
    const double curve = along(d, d->move[at], d->turn[at]), turn = along(d, d->turn[at], d->turn[at]);
    d->share[at] = curve > 1e-12 * turn ? 1 / curve : 0;
    take[at] = d->share[at] * along(d, d->move[at], way);
    if (d->share[at] > 0 && scale == 0) scale = curve / turn;
    for (size_t k = 0; k < d->p->unknowns; k++)
      if (!d->held[k]) way[k] -= take[at] * d->turn[at][k];
  }
  for (size_t k = 0; k < d->p->unknowns && scale > 0; k++) way[k] *= scale;
  for (size_t i = d->kept; i-- > 0;) {
    const size_t at = (d->next + KEPT - 1 - i) % KEPT;
    const double give = d->share[at] * along(d, d->turn[at], way);
    for (size_t k = 0; k < d->p->unknowns; k++)
      if (!d->held[k]) way[k] += (take[at] - give) * d->move[at][k];
  }
  if (scale > 0 && along(d, way, d->slope) < 0) return;
  // along the slope: the first time a tenth of the size of the unknown that matters most
  double most = 0;
  d->kept = 0, d->straight = true;
  for (size_t k = 0; k < d->p->unknowns; k++) most = fmax(most, d->held[k] ? 0 : fabs(d->slope[k]));
  for (size_t k = 0; k < d->p->unknowns; k++)
    way[k] = d->held[k] || !(most > 0) ? 0 : -d->reach * d->slope[k] / most;
}

// Whether the way promises nothing beside what has been gained, or beside the number's own last digits.
static bool is_over(const Descent *d, double left) {
  static const double DIGITS = 1e-6;
  const MbFitFound *f = d->found;
  if (left == 0) return true;
  if (left > CLOSE || d->straight) return false;
  const double promised = -along(d, d->way, d->slope) / 2;
  return promised <= CLOSE * fmax(fabs(d->first - f->cost), DIGITS * fabs(f->cost));
}

// Whether no unknown changes the number at all: it does not depend on them there, as the largest of frames does not where that is the first.
static bool is_flat(const Descent *d) {
  bool flat = true;
  for (size_t k = 0; k < d->p->unknowns; k++) flat &= d->found->slopes[k] == 0;
  return flat;
}

// Goes down along the way, bent at bounds. *moved: whether it could.
static MbStatus go_down(Descent *d, bool *moved, double *step, MbReport *report) {
  const MbFitProblem *p = d->p;
  MbFitFound *f = d->found;
  double length = 1;
  *moved = false;
  for (int i = 0; i < SHORTER; i++, length /= 2) {
    double promised = 0, y = 0;
    if (p->stop && p->stop(p->to)) return MB_OK;
    for (size_t k = 0; k < p->unknowns; k++) {
      d->trial[k] = fmin(fmax(f->x[k] + length * d->way[k] * d->size[k], p->low[k]), p->high[k]);
      promised -= f->slopes[k] * (d->trial[k] - f->x[k]);
    }
    MbReport own = {0};
    const MbStatus status = p->value(p->to, d->trial, &y, &own);
    if (status == MB_NUMBERS || (!status && !isfinite(y))) continue;
    if (status) {
      *report = own;
      return status;
    }
    if (!(promised > 0) || !(f->cost - y >= ARMIJO * promised)) continue;
    *moved = true, *step = 0;
    if (d->straight) d->reach = i ? length * d->reach : 2 * d->reach;
    for (size_t k = 0; k < p->unknowns; k++) {
      d->move[d->next][k] = (d->trial[k] - f->x[k]) / d->size[k];
      *step = fmax(*step, fabs(d->move[d->next][k]));
    }
    memcpy(f->x, d->trial, p->unknowns * sizeof *f->x);
    f->y[0] = f->cost = y;
    return MB_OK;
  }
  return MB_OK;
}

static void tell(const Descent *d, double step) {
  const MbFitNews news = {d->found->iterations, d->found->x, d->found->cost, step, to_go(d)};
  if (d->p->told) d->p->told(d->p->to, &news);
}

static MbStatus search(Descent *d, MbReport *report) {
  const MbFitProblem *p = d->p;
  MbFitFound *f = d->found;
  const size_t n = p->unknowns;
  MbStatus status = p->value(p->to, f->x, f->y, report);
  if (!status && !isfinite(f->y[0]))
    status = mb_error(report, MB_NUMBERS, "", "what the run gives at the start is not finite");
  if (status) return status;
  f->cost = d->first = f->y[0];
  status = slopes(d, report);
  if (!status) tell(d, 0);
  bool again = false;
  for (f->iterations = 0; !status;) {
    const double left = to_go(d);
    bool moved = false;
    double step = 0;
    choose_way(d);
    const bool over = is_over(d, left);
    f->end = !over ? MB_FIT_ITERATIONS : f->iterations == 0 && is_flat(d) ? MB_FIT_FLAT : MB_FIT_CONVERGED;
    if (over || f->iterations >= p->most) return MB_OK;
    memcpy(d->before, d->slope, n * sizeof *d->before);
    status = go_down(d, &moved, &step, report);
    if (status) return status;
    const bool stopped = p->stop && p->stop(p->to);
    if (!stopped && !moved && d->kept && !again) { // what was learnt may mislead: along the slope then
      d->kept = 0, again = true;
      continue;
    }
    const bool anew = !stopped && !moved && left > BLUNT && p->otherwise && p->otherwise(p->to);
    if (!anew && (stopped || !moved)) {
      f->end = stopped ? MB_FIT_STOPPED : left <= BLUNT ? MB_FIT_CONVERGED : MB_FIT_STUCK;
      return MB_OK;
    }
    again = false;
    f->iterations += moved;
    status = slopes(d, report);
    if (status == MB_NUMBERS) f->end = anew ? MB_FIT_STUCK : MB_FIT_EDGE;
    if (status) return status == MB_NUMBERS ? MB_OK : status;
    if (anew) {
      d->kept = 0;
      continue;
    }
    for (size_t k = 0; k < n; k++) d->turn[d->next][k] = d->slope[k] - d->before[k];
    d->next = (d->next + 1) % KEPT;
    if (d->kept < KEPT) d->kept++;
    tell(d, step);
  }
  return status;
}

MbStatus mb_fit_least(const MbFitProblem *problem, MbFitFound *found, MbReport *report) {
  MbArena arena = {0};
  Descent d = {.p = problem, .found = found, .reach = 0.1};
  MbStatus status = make(&d, &arena, report);
  if (!status) status = search(&d, report);
  mb_arena_free(&arena);
  return status;
}
