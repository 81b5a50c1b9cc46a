// Least squares by the method of Levenberg and Marquardt, in bounds. With residuals y and slopes J at x a step d makes
//
//   |W^½ (y + J d)|² + λ |D d|²   least,
//
// D the largest length of each column so far (Moré 1978), W the weights that a loss other than squares gives. An unknown that stands at
// a bound and wants to pass it keeps still; a step that passes one ends there. λ follows the share of what the linear model had
// promised that was kept (Nielsen 1999).
//
// It has converged where the linear model, without λ, sees no more than a thousandth of a standard error to go, or a step of 1e-10 of
// every unknown's size, or where nothing is left of y but rounding. A step that is short for λ's sake says nothing.
#include "io/fit/fit.h"
#include "core/base/report.h"

#include <math.h>
#include <string.h>

static const double CLOSE = 1e-3, // of a standard error
    NEAR = 1e-10,                 // of an unknown
    BLUNT = 1e-6,                 // the same, where noise of y hides what is left
    NOTHING = 1e-24,              // of the sum of squares at the start
    FIRST = 1e-3, LONGEST = 1e16; // λ

typedef struct Search {
  const MbFitProblem *p;
  MbFitFound *found;
  double *matrix, *side;     // (numbers x unknowns), (numbers)
  double *damped, *damped_b; // (2 unknowns x unknowns), (2 unknowns)
  double *scale;             // (unknowns) D
  double *down;              // (unknowns) minus the cost's slope
  double *trial, *y;         // (unknowns), (numbers)
  double *step, *whole;      // (unknowns) with λ and without
  size_t *free, nfree;       // unknowns that may move
  size_t *order, *order2;
  double lambda, growth;
  double first; // the cost at the start
} Search;

static double *numbers(MbArena *arena, size_t n) { return mb_arena_alloc(arena, n + 1, sizeof(double)); }

static MbStatus make(Search *s, MbArena *arena, MbReport *report) {
  const size_t n = s->p->unknowns, m = s->p->numbers, rows = m > n ? m : n;
  s->matrix = numbers(arena, rows * n), s->side = numbers(arena, rows);
  s->damped = numbers(arena, 2 * n * n), s->damped_b = numbers(arena, 2 * n);
  double **const lists[] = {&s->scale, &s->down, &s->trial, &s->step, &s->whole};
  bool fine = s->matrix && s->side && s->damped && s->damped_b;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) fine = (*lists[i] = numbers(arena, n)) && fine;
  s->y = numbers(arena, m);
  s->free = mb_arena_alloc(arena, n + 1, sizeof *s->free);
  s->order = mb_arena_alloc(arena, n + 1, sizeof *s->order);
  s->order2 = mb_arena_alloc(arena, n + 1, sizeof *s->order2);
  return fine && s->y && s->free && s->order && s->order2 ? MB_OK : mb_no_memory(report, "a fit");
}

// How large unknown k counts.
static double size(const Search *s, size_t k) {
  static const double LITTLE = 1e-3; // the start may have been far too large
  return fmax(fabs(s->found->x[k]), LITTLE * s->p->size[k]);
}

// ---- the linear model ---------------------------------------------------------------------------------------

// Which unknowns may move, and R and Qᵀy of their columns.
static void reduce(Search *s) {
  const MbFitProblem *p = s->p;
  const size_t n = p->unknowns, m = p->numbers, rows = m > n ? m : n;
  const double *y = s->found->y, *slopes = s->found->slopes;
  s->nfree = 0;
  memset(s->side, 0, rows * sizeof *s->side);
  memset(s->matrix, 0, rows * n * sizeof *s->matrix);
  for (size_t k = 0; k < n; k++) {
    double sum = 0, length = 0;
    for (size_t i = 0; i < m; i++) {
      const double w = mb_fit_weight(p, y, i), j = slopes[k * m + i];
      sum += w * j * y[i], length += w * j * j;
    }
    s->down[k] = -sum;
    s->scale[k] = fmax(s->scale[k], sqrt(length));
    if (length > 0 && !mb_fit_held(p, s->found->x, k, s->down[k])) s->free[s->nfree++] = k;
  }
  for (size_t i = 0; i < m; i++) {
    const double root = sqrt(mb_fit_weight(p, y, i));
    s->side[i] = root * y[i];
    for (size_t c = 0; c < s->nfree; c++) s->matrix[c * rows + i] = root * slopes[s->free[c] * m + i];
  }
  mb_reflect(s->matrix, rows, s->nfree, s->side, s->order);
}

// The step of every unknown for λ, into `step`.
static void solve(Search *s, double lambda, double *step) {
  const size_t n = s->p->unknowns, f = s->nfree, rows = s->p->numbers > n ? s->p->numbers : n, tall = 2 * f;
  static const double LOST = 1e-13; // a column that is a sum of others
  memset(step, 0, n * sizeof *step);
  memset(s->damped, 0, tall * f * sizeof *s->damped);
  memset(s->damped_b, 0, tall * sizeof *s->damped_b);
  for (size_t c = 0; c < f; c++) {
    for (size_t i = 0; i <= c; i++) s->damped[c * tall + i] = s->matrix[c * rows + i];
    s->damped[c * tall + f + c] = sqrt(lambda) * s->scale[s->free[s->order[c]]];
    s->damped_b[c] = -s->side[c];
  }
  mb_reflect(s->damped, tall, f, s->damped_b, s->order2);
  for (size_t c = f; c-- > 0;) {
    double sum = s->damped_b[c];
    for (size_t k = c + 1; k < f; k++) sum -= s->damped[k * tall + c] * step[s->free[s->order[s->order2[k]]]];
    const double pivot = s->damped[c * tall + c];
    if (fabs(pivot) <= LOST * fabs(s->damped[0])) continue;
    step[s->free[s->order[s->order2[c]]]] = sum / pivot;
  }
}

// Whether column c is a sum of those before it, but for rounding: along what is left of it nobody can tell where down is.
static bool is_lost(const Search *s, size_t c) {
  static const double LOST = 1e-7;
  const size_t rows = s->p->numbers > s->p->unknowns ? s->p->numbers : s->p->unknowns;
  const double *column = s->matrix + c * rows;
  double sum = 0;
  for (size_t i = 0; i <= c; i++) sum += column[i] * column[i];
  return column[c] * column[c] <= LOST * LOST * sum;
}

// What the whole step would take off the sum of squares.
static double decrement(const Search *s) {
  double sum = 0;
  for (size_t c = 0; c < s->nfree; c++)
    if (!is_lost(s, c)) sum += s->side[c] * s->side[c];
  return sum;
}

static double longest(const Search *s, const double *step) {
  double most = 0;
  for (size_t k = 0; k < s->p->unknowns; k++) most = fmax(most, fabs(step[k]) / size(s, k));
  return most;
}

static double left_over(const Search *s) {
  double sum = 0;
  for (size_t i = 0; i < s->p->numbers; i++)
    sum += mb_fit_weight(s->p, s->found->y, i) * s->found->y[i] * s->found->y[i];
  return sum;
}

// How many standard errors there are to go; infinite where there is nothing to judge by.
static double errors_to_go(const Search *s) {
  const double freedom = (double)s->p->numbers - (double)s->nfree, left = left_over(s) - decrement(s);
  return freedom > 0 && left > 0 ? sqrt(decrement(s) / (left / freedom)) : INFINITY;
}

static bool at_the_end(Search *s) {
  if (!s->nfree || s->found->cost <= NOTHING * s->first) return true;
  solve(s, 0, s->whole);
  return errors_to_go(s) <= CLOSE || longest(s, s->whole) <= NEAR;
}

// ---- a step ---------------------------------------------------------------------------------------------------

// Cuts the step at bounds; what the linear model promises for it.
static double promise(Search *s) {
  const MbFitProblem *p = s->p;
  const size_t n = p->unknowns, m = p->numbers;
  for (size_t k = 0; k < n; k++) {
    s->trial[k] = fmin(fmax(s->found->x[k] + s->step[k], p->low[k]), p->high[k]);
    s->step[k] = s->trial[k] - s->found->x[k];
  }
  double gain = 0;
  for (size_t i = 0; i < m; i++) {
    double change = 0;
    for (size_t k = 0; k < n; k++) change += s->found->slopes[k * m + i] * s->step[k];
    gain -= mb_fit_weight(p, s->found->y, i) * change * (s->found->y[i] + change / 2);
  }
  return gain;
}

static bool all_finite(const double *y, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(y[i])) return false;
  return true;
}

// The cost at the trial; infinite where the model has no answer there.
static MbStatus try_it(Search *s, double *cost, MbReport *report) {
  MbReport own = {0};
  MbStatus status = s->p->value(s->p->to, s->trial, s->y, &own);
  *cost = INFINITY;
  if (status == MB_NUMBERS) return MB_OK;
  if (status) {
    *report = own;
    return status;
  }
  if (all_finite(s->y, s->p->numbers)) *cost = mb_fit_cost(s->p, s->y);
  return MB_OK;
}

// Steps shorter and shorter until one goes down. *moved: whether one did.
static MbStatus go_down(Search *s, bool *moved, MbReport *report) {
  *moved = false;
  while (s->lambda <= LONGEST) {
    double cost = 0;
    if (s->p->stop && s->p->stop(s->p->to)) return MB_OK;
    solve(s, s->lambda, s->step);
    const double promised = promise(s);
    const MbStatus status = try_it(s, &cost, report);
    if (status) return status;
    const double kept = promised > 0 ? (s->found->cost - cost) / promised : -1;
    if (cost < s->found->cost) {
      const double off = 2 * fmin(fmax(kept, 0), 1) - 1;
      s->lambda *= fmax(1.0 / 3, 1 - off * off * off);
      s->growth = 2;
      s->found->cost = cost;
      memcpy(s->found->x, s->trial, s->p->unknowns * sizeof *s->trial);
      memcpy(s->found->y, s->y, s->p->numbers * sizeof *s->y);
      *moved = true;
      return MB_OK;
    }
    s->lambda *= s->growth, s->growth *= 2;
  }
  return MB_OK;
}

static void tell(const Search *s, double step) {
  const MbFitNews news = {s->found->iterations, s->found->x, s->found->cost, step,
                          s->nfree ? errors_to_go(s) : 0};
  if (s->p->told) s->p->told(s->p->to, &news);
}

static MbStatus slopes(Search *s, MbReport *report) {
  const MbFitProblem *p = s->p;
  const MbStatus status = p->slopes(p->to, s->found->x, s->found->y, s->found->slopes, report);
  if (status) return status;
  if (!all_finite(s->found->slopes, p->numbers * p->unknowns))
    return mb_error(report, MB_NUMBERS, "", "derivatives are not finite");
  reduce(s);
  return MB_OK;
}

static MbStatus search(Search *s, MbReport *report) {
  MbFitFound *found = s->found;
  const MbFitProblem *p = s->p;
  MbStatus status = p->value(p->to, found->x, found->y, report);
  if (!status && !all_finite(found->y, p->numbers))
    status = mb_error(report, MB_NUMBERS, "", "what the run gives at the start is not finite");
  if (status) return status;
  found->cost = s->first = mb_fit_cost(p, found->y);
  status = slopes(s, report);
  if (!status) tell(s, 0);
  for (found->iterations = 0; !status;) {
    const bool near = at_the_end(s);
    if (near) found->end = MB_FIT_CONVERGED;
    if (!near && found->iterations >= p->most) found->end = MB_FIT_ITERATIONS;
    if (near || found->iterations >= p->most) return MB_OK;
    bool moved = false;
    const bool blunt = longest(s, s->whole) <= BLUNT;
    status = go_down(s, &moved, report);
    const bool stopped = p->stop && p->stop(p->to);
    if (status) return status;
    const bool anew = !stopped && !moved && !blunt && p->otherwise && p->otherwise(p->to);
    if (!anew && (stopped || !moved)) {
      found->end = stopped ? MB_FIT_STOPPED : blunt ? MB_FIT_CONVERGED : MB_FIT_STUCK;
      return MB_OK;
    }
    if (anew) s->lambda = FIRST, s->growth = 2;
    found->iterations += moved;
    status = slopes(s, report);
    if (status == MB_NUMBERS) {
      found->end = anew && all_finite(found->slopes, p->numbers * p->unknowns) ? MB_FIT_STUCK : MB_FIT_EDGE;
      return MB_OK;
    }
    if (!status && moved) tell(s, longest(s, s->step));
  }
  return status;
}

MbStatus mb_fit_squares(const MbFitProblem *problem, MbFitFound *found, MbReport *report) {
  MbArena arena = {0};
  Search s = {.p = problem, .found = found, .lambda = FIRST, .growth = 2};
  MbStatus status = make(&s, &arena, report);
  if (!status) status = search(&s, report);
  mb_arena_free(&arena);
  return status;
}
