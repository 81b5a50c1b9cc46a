// What comes out of a run for some numbers, and how it changes with them: by the run's own derivatives (fit_sensitivity.c), or by
// differences of whole runs, several at a time.
#include "cli/fitting.h"
#include "cli/run.h"
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/base/lapack.h"
#include "core/base/report.h"
#include "core/base/threads.h"

#include <math.h>
#include <string.h>

size_t mb_fit_outputs(const MbFit *fit) { return fit->minimise ? 1 : fit->match.npoints; }

// ---- one run --------------------------------------------------------------------------------------

static bool frame_wanted(const MbFit *fit, int64_t step, size_t sample) {
  if (fit->minimise) return mb_plan_frame_due(&fit->plan, step);
  return sample < fit->match.nsamples && fit->match.steps[sample] == step;
}

MbStatus mb_fit_follow(const MbFit *fit, const MbFitVariant *v, double *y, MbReport *report) {
  const MbFitMatch *m = &fit->match;
  const int64_t last = fit->minimise ? fit->plan.steps : m->steps[m->nsamples - 1];
  double *frame = mb_calloc(mb_sim_frame_size(v->sim) + 1, sizeof *frame),
         *samples = mb_calloc(m->nsamples * m->width + 1, sizeof *samples);
  MbStatus status = frame && samples ? MB_OK : mb_no_memory(report, "a run");
  size_t sample = 0;
  for (int64_t step = 0; !status; step++) {
    if (frame_wanted(fit, step, sample)) {
      status = mb_sim_sample(v->sim, frame, report);
      if (!status) status = mb_sim_check_frame(v->sim, frame, report);
      if (!status && fit->minimise) mb_measures_frame(v->measures, mb_sim_time(v->sim), frame);
      if (!status && !fit->minimise) mb_fit_match_take(m, sample++, frame, samples);
    }
    if (status || step >= last) break;
    status = mb_run_stopped() ? MB_INTERRUPTED : mb_sim_step(v->sim, report);
  }
  if (!status && fit->minimise) status = mb_measures_values(v->measures, y, report);
  if (!status && !fit->minimise) mb_fit_match_at_points(m, samples, y);
  mb_free(samples);
  mb_free(frame);
  return status;
}

static void numbers_of(const MbFit *fit, const double *x, double *numbers) {
  for (size_t k = 0; k < fit->n; k++) {
    const MbUnknown *u = &fit->unknowns[k];
    numbers[k] = fmin(fmax(mb_fit_number(u, x[k]), u->low), u->high); // exp and log round
  }
}

// From what comes out to what the search makes least.
static void misfits(const MbFit *fit, const double *numbers, double *y) {
  const MbFitMatch *m = &fit->match;
  for (size_t i = 0; i < m->npoints; i++) y[i] = (y[i] - m->points[i].value) / m->points[i].sigma;
  size_t at = m->npoints;
  for (size_t k = 0; k < fit->n; k++)
    if (fit->unknowns[k].expected)
      y[at++] = (numbers[k] - fit->unknowns[k].mean) / fit->unknowns[k].deviation;
}

// A scene that is refused on the way is as if it had no answer there: the search turns round.
static MbStatus as_no_answer(MbStatus status) { return status == MB_SCENE ? MB_NUMBERS : status; }

MbStatus mb_fit_value(void *to, const double *x, double *y, MbReport *report) {
  MbFit *fit = to;
  MbFitVariant v = {0};
  double *numbers = mb_calloc(fit->n + 1, sizeof *numbers);
  if (!numbers) return mb_no_memory(report, "a run");
  numbers_of(fit, x, numbers);
  MbStatus status = as_no_answer(mb_fit_variant(fit, numbers, 0, &v, report));
  if (!status) status = mb_fit_follow(fit, &v, y, report);
  if (!status && !fit->minimise) misfits(fit, numbers, y);
  mb_fit_variant_free(&v);
  mb_free(numbers);
  fit->runs++;
  return status;
}

// ---- differences ----------------------------------------------------------------------------------

// A run beside: where, and what came out.
typedef struct Side {
  double at; // of the unknown's number
  MbFitVariant variant;
  MbStatus status;
  MbReport report;
  double *y;
} Side;

typedef struct Batch {
  const MbFit *fit;
  Side *sides;
} Batch;

static void do_side(void *context, size_t i) {
  const Batch *batch = context;
  Side *side = &batch->sides[i];
  if (!side->status) side->status = mb_fit_follow(batch->fit, &side->variant, side->y, &side->report);
}

// Two places on both sides of an unknown, or both on the side that is given; false where a bound is in the way.
static bool choose_places(const MbFit *fit, const double *numbers, size_t k, int side, double at[2]) {
  const MbUnknown *u = &fit->unknowns[k];
  // so that one side has room for both
  const double move = fmin(fit->move * mb_fit_size(fit, numbers, k), (u->high - u->low) / 5);
  at[0] = numbers[k] + (side < 0 ? -2 : side > 0 ? 1 : -1) * move;
  at[1] = numbers[k] + (side < 0 ? -1 : side > 0 ? 2 : 1) * move;
  return at[0] >= u->low && at[1] <= u->high;
}

// Scenes at two places, on both sides or, where a bound is in the way or the scene is refused there, on one.
static void make_sides(const MbFit *fit, const double *numbers, size_t k, double *moved, Side sides[2]) {
  static const int SIDES[3] = {0, 1, -1};
  bool refused = true;
  for (int i = 0; i < 3 && refused; i++) {
    double at[2];
    if (!choose_places(fit, numbers, k, SIDES[i], at)) continue;
    refused = false;
    for (int j = 0; j < 2; j++) {
      Side *side = &sides[j];
      mb_fit_variant_free(&side->variant);
      memset(&side->report, 0, sizeof side->report);
      memcpy(moved, numbers, fit->n * sizeof *moved);
      side->at = moved[k] = at[j];
      side->status = mb_fit_variant(fit, moved, k, &side->variant, &side->report);
      refused |= side->status == MB_SCENE;
    }
  }
}

// The slope at x by what came out at two places and at x: exact for parabolas.
static double slope(double x, double y, const double at[2], double a, double b) {
  const double p = at[0] - x, q = at[1] - x;
  return ((a - y) * q * q - (b - y) * p * p) / (p * q * (q - p));
}

// How many runs may go at a time: where they call BLAS, as many as it bears.
static int callers(const MbFit *fit) {
  if (!mb_lapack.dgetrf) return fit->jobs;
  const int most = mb_blas_callers(fit->jobs);
  return mb_blas_start(most) ? most : 1;
}

static MbStatus run_sides(MbFit *fit, const double *numbers, size_t first, size_t count, Side *sides,
                          MbReport *report) {
  double *moved = mb_calloc(fit->n + 1, sizeof *moved);
  if (!moved) return mb_no_memory(report, "a run");
  for (size_t c = 0; c < count; c++) make_sides(fit, numbers, first + c, moved, &sides[2 * c]);
  mb_free(moved);
  mb_parallel_tasks(callers(fit), 2 * count, do_side, &(Batch){fit, sides});
  fit->runs += 2 * (int64_t)count;
  for (size_t i = 0; i < 2 * count; i++) {
    mb_fit_variant_free(&sides[i].variant);
    if (!sides[i].status) continue;
    *report = sides[i].report;
    if (sides[i].status == MB_INTERRUPTED) return MB_INTERRUPTED;
    return mb_error(report, sides[i].status, "", "--free %s: its derivative takes a run at %.9g, which fails",
                    fit->unknowns[first + i / 2].name, sides[i].at);
  }
  return MB_OK;
}

// Central differences, as many unknowns at a time as keep all jobs busy. slopes: (outputs x unknowns) by numbers.
static MbStatus differences(MbFit *fit, const double *numbers, const double *y, double *slopes,
                            MbReport *report) {
  const size_t outputs = mb_fit_outputs(fit), batch = fit->jobs > 1 ? ((size_t)fit->jobs + 1) / 2 : 1;
  Side *sides = mb_calloc(2 * batch, sizeof *sides);
  double *all = mb_calloc(2 * batch * outputs, sizeof *all);
  MbStatus status = sides && all ? MB_OK : mb_no_memory(report, "derivatives");
  for (size_t first = 0; first < fit->n && !status; first += batch) {
    const size_t count = fit->n - first < batch ? fit->n - first : batch;
    memset(sides, 0, 2 * batch * sizeof *sides);
    for (size_t i = 0; i < 2 * count; i++) sides[i].y = all + i * outputs;
    status = run_sides(fit, numbers, first, count, sides, report);
    for (size_t c = 0; c < count && !status; c++) {
      const Side *a = &sides[2 * c], *b = a + 1;
      const double at[2] = {a->at, b->at};
      for (size_t i = 0; i < outputs; i++)
        slopes[(first + c) * outputs + i] = slope(numbers[first + c], y[i], at, a->y[i], b->y[i]);
    }
  }
  mb_free(all);
  mb_free(sides);
  return status;
}

// Contacts that come, go or come to hold between the two runs bend what lies between: another move may pass by.
bool mb_fit_move_otherwise(void *to) {
  static const double OTHERS[] = {0.1, 100}; // of the one before
  MbFit *fit = to;
  if (fit->exact || (size_t)fit->moves == sizeof OTHERS / sizeof *OTHERS) return false;
  fit->move *= OTHERS[fit->moves++];
  return true;
}

// ---- slopes ---------------------------------------------------------------------------------------

// From slopes by numbers of what comes out to slopes by x of misfits. `out` is (numbers x unknowns).
static void to_problem(const MbFit *fit, const double *numbers, const double *slopes, double *out) {
  const size_t outputs = mb_fit_outputs(fit), rows = fit->problem.numbers;
  for (size_t k = 0; k < fit->n; k++) {
    const double turn = fit->unknowns[k].logarithmic ? numbers[k] : 1; // dp/dx
    for (size_t i = 0; i < outputs; i++)
      out[k * rows + i] = slopes[k * outputs + i] * turn / (fit->minimise ? 1 : fit->match.points[i].sigma);
    size_t at = outputs;
    for (size_t j = 0; j < fit->n && !fit->minimise; j++)
      if (fit->unknowns[j].expected) out[k * rows + at++] = j == k ? turn / fit->unknowns[k].deviation : 0;
  }
}

MbStatus mb_fit_slopes(void *to, const double *x, const double *y, double *out, MbReport *report) {
  MbFit *fit = to;
  const size_t outputs = mb_fit_outputs(fit);
  double *numbers = mb_calloc(fit->n + 1, sizeof *numbers),
         *slopes = mb_calloc(outputs * fit->n + 1, sizeof *slopes),
         *raw = mb_calloc(outputs + 1, sizeof *raw);
  MbStatus status = numbers && slopes && raw ? MB_OK : mb_no_memory(report, "derivatives");
  if (!status) {
    numbers_of(fit, x, numbers);
    for (size_t i = 0; i < outputs; i++)
      raw[i] = fit->minimise ? y[i] : y[i] * fit->match.points[i].sigma + fit->match.points[i].value;
    bool done = false;
    if (fit->exact) {
      MbReport own = {0};
      status = mb_fit_exact(fit, numbers, slopes, &own);
      done = status != MB_USAGE || fit->only_exact;
      if (status && done) *report = own;
      if (!done) {
        fit->exact = false, status = MB_OK;
        snprintf(fit->why, sizeof fit->why, "%.390s", own.kept ? own.issues[0].text : "");
      }
    }
    if (!done) status = differences(fit, numbers, raw, slopes, report);
    if (!status) fit->moved = fit->move;
    if (!status) status = mb_fit_find_rounding(fit, numbers, raw, report);
    if (!status) mb_fit_drop_rounding(fit, numbers, slopes);
    if (!status) to_problem(fit, numbers, slopes, out);
  }
  mb_free(raw);
  mb_free(slopes);
  mb_free(numbers);
  return as_no_answer(status);
}
