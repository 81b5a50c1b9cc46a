// Slopes that go along with the run (core/sim/sensitivity.c), one run for all unknowns; of an expression of many unknowns back through it.
#include "cli/backward.h"
#include "cli/fitting.h"
#include "cli/run.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/sensitivity.h"
#include "io/sweep/measure_slope.h"

#include <stdio.h>
#include <math.h>
#include <string.h>

static const double LITTLE = 3e-6; // of a number: the square of it is lost, and rounding over it

typedef struct Exact {
  MbFit *fit;
  MbFitVariant middle, *less, *more; // (n)
  MbSensitivityNumber *numbers;      // (n)
  MbSensitivity *sensitivity;
  MbMeasureSlopes **measures; // (n) where an expression is minimised
  double *frame, *slopes;     // (frame size), (n x that)
  double *values, *samples;   // (samples), (n x samples)
  double *moved;              // (n)
  bool back;                  // slopes go back through the run
} Exact;

static void clear(Exact *e) {
  mb_sensitivity_free(e->sensitivity);
  for (size_t k = 0; k < e->fit->n; k++) {
    if (e->measures) mb_measure_slopes_free(e->measures[k]);
    if (e->less) mb_fit_variant_free(&e->less[k]);
    if (e->more) mb_fit_variant_free(&e->more[k]);
  }
  mb_fit_variant_free(&e->middle);
  mb_free(e->moved);
  mb_free(e->samples);
  mb_free(e->values);
  mb_free(e->slopes);
  mb_free(e->frame);
  mb_free(e->measures);
  mb_free(e->numbers);
  mb_free(e->more);
  mb_free(e->less);
}

// Two places about a number, `move` apart from it: both sides of it, or it and one on the side that is given.
static void sides_at(double x, double move, int side, double at[2]) {
  at[0] = side > 0 ? x : x - (side ? 2 : 1) * move;
  at[1] = side < 0 ? x : x + (side ? 2 : 1) * move;
}

static MbStatus make_both(Exact *e, const double *numbers, size_t k, const double at[2], MbReport *report) {
  MbFitVariant *const to[2] = {&e->less[k], &e->more[k]};
  MbStatus status = MB_OK;
  memcpy(e->moved, numbers, e->fit->n * sizeof *e->moved);
  for (int i = 0; i < 2 && !status; i++) {
    e->moved[k] = at[i];
    mb_fit_variant_free(to[i]);
    status = mb_fit_variant(e->fit, e->moved, k, to[i], report);
  }
  return status;
}

// A little less and a little more of a number; on one side where a bound is in the way, or where the scene is refused, as with a damping
// below 0. That costs as much exactness as the move is long.
static MbStatus make_sides(Exact *e, const double *numbers, size_t k, MbReport *report) {
  static const int SIDES[3] = {0, 1, -1};
  const MbFit *fit = e->fit;
  const MbUnknown *u = &fit->unknowns[k];
  const double size = u->logarithmic ? numbers[k] : fmax(fabs(numbers[k]), 1e-3 * fit->x_size[k]),
               move = fmin(LITTLE * size, (u->high - u->low) / 5); // so that one side has room for both
  double at[2] = {0};
  MbStatus status = MB_SCENE;
  MbReport first = {0};
  for (int i = 0; i < 3 && status == MB_SCENE; i++) {
    MbReport own = {0};
    sides_at(numbers[k], move, SIDES[i], at);
    if (at[0] < u->low || at[1] > u->high) continue;
    status = make_both(e, numbers, k, at, &own);
    if (status && !first.errors) first = own;
  }
  if (status) *report = first;
  if (status) return status;
  e->numbers[k] = (MbSensitivityNumber){u->name, e->less[k].model, e->more[k].model, (at[1] - at[0]) / 2};
  if (!fit->minimise) return MB_OK;
  return mb_measure_slopes_create(e->middle.measures, e->less[k].measures, e->more[k].measures,
                                  (at[1] - at[0]) / 2, &e->measures[k], report);
}

static MbStatus make(Exact *e, const double *numbers, MbReport *report) {
  const MbFit *fit = e->fit;
  const size_t n = fit->n, samples = fit->match.nsamples * fit->match.width;
  e->less = mb_calloc(n, sizeof *e->less), e->more = mb_calloc(n, sizeof *e->more);
  e->numbers = mb_calloc(n, sizeof *e->numbers), e->measures = mb_calloc(n, sizeof *e->measures);
  e->moved = mb_calloc(n, sizeof *e->moved), e->samples = mb_calloc(n * samples + 1, sizeof *e->samples);
  e->values = mb_calloc(samples + 1, sizeof *e->values);
  if (!e->less || !e->more || !e->numbers || !e->measures || !e->moved || !e->samples || !e->values)
    return mb_no_memory(report, "derivatives");
  MbStatus status = mb_fit_variant(fit, numbers, 0, &e->middle, report);
  for (size_t k = 0; k < n && !status; k++) status = make_sides(e, numbers, k, report);
  if (status) return status == MB_USAGE ? MB_USAGE : status;
  status = mb_sensitivity_create(e->middle.model, e->numbers, n, &e->sensitivity, report);
  if (status) return status == MB_SCENE ? MB_USAGE : status;
  const char *inexact = mb_sensitivity_by_steps(e->sensitivity);
  e->back = fit->minimise && mb_backward_pays(e->sensitivity, e->middle.measures, 1, n, &fit->plan);
  if (inexact && !e->back)
    return mb_error(report, MB_USAGE, "", "%s", inexact); // whole runs are done faster, several at a time
  const size_t size = mb_sim_frame_size(mb_sensitivity_sim(e->sensitivity));
  e->frame = mb_calloc(size + 1, sizeof *e->frame), e->slopes = mb_calloc(n * size + 1, sizeof *e->slopes);
  return e->frame && e->slopes ? MB_OK : mb_no_memory(report, "derivatives");
}

static MbStatus take(Exact *e, size_t sample, MbReport *report) {
  const MbFit *fit = e->fit;
  const MbSim *sim = mb_sensitivity_sim(e->sensitivity);
  const size_t size = mb_sim_frame_size(sim), samples = fit->match.nsamples * fit->match.width;
  const double t = mb_sim_time(sim);
  MbStatus status = mb_sensitivity_frame(e->sensitivity, e->frame, e->slopes, report);
  if (!status) status = mb_sim_check_frame(sim, e->frame, report);
  for (size_t k = 0; k < fit->n && !status; k++) {
    if (fit->minimise)
      mb_measure_slopes_frame(e->measures[k], t, e->frame, e->slopes + k * size);
    else
      mb_fit_match_take(&fit->match, sample, e->slopes + k * size, e->samples + k * samples);
  }
  if (!status && fit->minimise) mb_measures_frame(e->middle.measures, t, e->frame);
  if (!status && !fit->minimise) mb_fit_match_take(&fit->match, sample, e->frame, e->values);
  return status;
}

static MbStatus follow(Exact *e, double *slopes, MbReport *report) {
  const MbFit *fit = e->fit;
  const MbFitMatch *m = &fit->match;
  const int64_t last = fit->minimise ? fit->plan.steps : m->steps[m->nsamples - 1];
  MbStatus status = MB_OK;
  size_t sample = 0;
  for (int64_t step = 0; !status; step++) {
    const bool wanted = fit->minimise ? mb_plan_frame_due(&fit->plan, step)
                                      : sample < m->nsamples && m->steps[sample] == step;
    if (wanted) status = take(e, sample++, report);
    if (status || step >= last) break;
    status = mb_run_stopped() ? MB_INTERRUPTED : mb_sensitivity_step(e->sensitivity, report);
  }
  for (size_t k = 0; k < fit->n && !status; k++) {
    if (fit->minimise)
      status = mb_measure_slopes_values(e->measures[k], slopes + k, report);
    else
      mb_fit_match_slopes(m, e->values, e->samples + k * m->nsamples * m->width, slopes + k * m->npoints);
  }
  return status;
}

// Back through the run, where there are many numbers for one measure.
static MbStatus go_back(Exact *e, double *slopes, MbReport *report) {
  static const size_t MEMORY = (size_t)1 << 28;
  const MbFit *fit = e->fit;
  MbMeasureWeights *weights = NULL;
  const MbMeasures **sides = mb_calloc(2 * fit->n, sizeof *sides);
  MbStatus status = sides ? MB_OK : mb_no_memory(report, "derivatives");
  for (size_t k = 0; k < fit->n && !status; k++)
    sides[k] = e->less[k].measures, sides[fit->n + k] = e->more[k].measures;
  if (!status) status = mb_measure_weights_create(e->middle.measures, &weights, report);
  const MbBackward asked = {.plan = fit->plan,
                            .memory = MEMORY,
                            .measures = e->middle.measures,
                            .weights = weights,
                            .count = fit->n,
                            .numbers = e->numbers,
                            .less = sides,
                            .more = sides + fit->n};
  if (!status) status = mb_backward(e->sensitivity, &asked, slopes, report);
  mb_measure_weights_free(weights);
  mb_free(sides);
  return status;
}

// What goes along where the way back has met a step that it cannot pass; MB_USAGE: nothing exact does.
static MbStatus go_along(Exact *e, const double *numbers, double *slopes, MbReport *report) {
  const MbStatus status = make(e, numbers, report);
  const char *inexact = status ? NULL : mb_sensitivity_by_steps(e->sensitivity);
  e->back = false;
  if (inexact) return mb_error(report, MB_USAGE, "", "%s", inexact);
  return status ? status : follow(e, slopes, report);
}

MbStatus mb_fit_exact(MbFit *fit, const double *numbers, double *slopes, MbReport *report) {
  Exact e = {.fit = fit};
  const MbReport told = *report;
  MbStatus status = make(&e, numbers, report);
  if (!status) status = e.back ? go_back(&e, slopes, report) : follow(&e, slopes, report);
  if (status && e.sensitivity && mb_sensitivity_astray(e.sensitivity)) {
    *report = told;
    clear(&e);
    e = (Exact){.fit = fit};
    status = go_along(&e, numbers, slopes, report);
  }
  fit->back = e.back;
  if (e.sensitivity) fit->wholes += mb_sensitivity_wholes(e.sensitivity);
  clear(&e);
  fit->runs++, fit->followed++;
  return status;
}

const char *mb_fit_exactness(const MbFit *fit, char text[100]) {
  const char *way = fit->back ? "back through the run" : "along with the run";
  if (fit->wholes)
    snprintf(text, 100, "exact but for %lld step%s by differences, %s", (long long)fit->wholes,
             fit->wholes == 1 ? "" : "s", way);
  else
    snprintf(text, 100, "exact, %s", way);
  return text;
}
