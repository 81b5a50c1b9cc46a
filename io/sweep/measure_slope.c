// A term is a function of frames, x(frame; p), taken together: its derivative is that of x at the frame that it is, or the sum of them.
// x changes along the frame's own change, and by the parameters that stand in its expression; so does the measure along its terms.
#include "io/sweep/measure_slope.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/sweep/measure_parts.h"
#include "io/sweep/measure_turn.h"

#include <math.h>
#include <string.h>

// Of a term: the derivative so far, and for `at` the frame before.
typedef struct Slope {
  double value, lost; // a sum, and what it has lost to rounding
} Slope;

struct MbMeasureSlopes {
  const MbMeasures *m, *less, *more;
  double move;
  Slope *slope; // (nterms)
  MbArena arena;
};

MbStatus mb_measures_smooth(const MbMeasures *m, MbReport *report) {
  for (size_t i = 0; i < m->nterms; i++) {
    const MbMeasureKind kind = m->terms[i].kind;
    if (kind == MB_TIME_OF_MAX || kind == MB_TIME_OF_MIN || kind == MB_FIRST)
      return mb_error(report, MB_USAGE, "", "%s tells the time of a frame, which has no derivative",
                      mb_measure_words[kind]);
  }
  return MB_OK;
}

MbStatus mb_measure_slopes_create(const MbMeasures *m, const MbMeasures *less, const MbMeasures *more,
                                  double move, MbMeasureSlopes **out, MbReport *report) {
  *out = NULL;
  const MbStatus status = mb_measures_smooth(m, report);
  if (status != MB_OK) return status;
  MbMeasureSlopes *s = mb_calloc(1, sizeof *s);
  if (!s) return mb_no_memory(report, "measures");
  *s = (MbMeasureSlopes){.m = m, .less = less, .more = more, .move = move};
  s->slope = mb_arena_alloc(&s->arena, m->nterms, sizeof *s->slope);
  if (s->slope) *out = s;
  if (!s->slope) mb_measure_slopes_free(s);
  return *out ? MB_OK : mb_no_memory(report, "measures");
}

void mb_measure_slopes_free(MbMeasureSlopes *s) {
  if (!s) return;
  mb_arena_free(&s->arena);
  mb_free(s);
}

// ---- derivatives of expressions -------------------------------------------------------------------------------------

// The difference of fourth order over h, *size being that of the values.
static double difference(MbCurve f, const void *context, double x, double h, double *size) {
  static const double WEIGHT[5] = {1, -8, 0, 8, -1};
  double sum = 0;
  *size = 0;
  for (int side = -2; side <= 2; side++) {
    if (!side) continue;
    const double y = f(context, x + side * h);
    sum += WEIGHT[side + 2] * y;
    *size = fmax(*size, fabs(y));
  }
  return sum / (12 * h);
}

double mb_curve_slope(MbCurve f, const void *context, double x) {
  enum { TURNS = 24 };
  static const double CLOSE = 1e-9, ROUNDING = 1e-15, APART = 1e-3, LEAST = 1e-14;
  double h = 1e-3 * fmax(1, fabs(x)), before = NAN, best = NAN, least = INFINITY, size;
  for (int turn = 0; turn < TURNS && h > LEAST * fabs(x); turn++, h /= 8) {
    const double slope = difference(f, context, x, h, &size), off = fabs(slope - before);
    if (off < least || (isnan(best) && isfinite(slope))) best = slope;
    least = fmin(least, off);
    if (off <= CLOSE * fabs(slope) + ROUNDING * size / h) return slope;
    before = isfinite(slope) ? slope : NAN;
  }
  return least <= APART * fabs(best) ? best : NAN;
}

typedef struct ByColumn {
  const MbTerm *term;
  double time;
  size_t c;
} ByColumn;

static double of_column(const void *context, double x) {
  const ByColumn *by = context;
  by->term->values[by->c] = x;
  return mb_expression_value(by->term->expression, by->time);
}

double mb_term_by_column(const MbTerm *term, double time, const double *frame, size_t c) {
  const ByColumn by = {term, time, c};
  for (size_t i = 0; i < term->ncolumns; i++) term->values[i] = frame[term->columns[i]];
  return mb_curve_slope(of_column, &by, frame[term->columns[c]]);
}

typedef struct ByTerm {
  const MbMeasures *m;
  size_t i, k;
  double *terms;
  MbStatus *status;
  MbReport *report;
} ByTerm;

static double of_term(const void *context, double x) {
  const ByTerm *by = context;
  double result = NAN;
  by->terms[by->k] = x;
  if (*by->status == MB_OK)
    *by->status = mb_measure_evaluate(by->m, by->i, by->terms, "", &result, by->report);
  return result;
}

MbStatus mb_measure_by_term(const MbMeasures *m, size_t i, const double *terms, size_t k, double *slope,
                            MbReport *report) {
  double at[MB_MEASURE_MOST_TERMS + 1];
  MbStatus status = MB_OK;
  memcpy(at, terms, m->measures[i].count * sizeof *at);
  const ByTerm by = {m, i, k, at, &status, report};
  *slope = mb_curve_slope(of_term, &by, terms[k]);
  return status;
}

// ---- frames ---------------------------------------------------------------------------------------------------------

static double number_slope(const MbMeasureSlopes *s, size_t i, double time, const double *frame,
                           const double *slope) {
  const MbTerm *term = &s->m->terms[i];
  double sum = 0;
  if (term->column != SIZE_MAX) return slope[term->column];
  for (size_t c = 0; c < term->ncolumns; c++)
    if (slope[term->columns[c]] != 0)
      sum += slope[term->columns[c]] * mb_term_by_column(term, time, frame, c);
  return sum +
         (mb_term_number(&s->more->terms[i], time, frame) - mb_term_number(&s->less->terms[i], time, frame)) /
             (2 * s->move);
}

static void add(Slope *s, double x) {
  const double sum = s->value + x;
  s->lost += fabs(s->value) >= fabs(x) ? (s->value - sum) + x : (x - sum) + s->value;
  s->value = sum;
}

// As `at` itself goes from frame to frame (measure.c).
static void take_at(MbMeasureSlopes *s, size_t i, double time, const double *frame, const double *slope) {
  const MbTerm *term = &s->m->terms[i];
  const MbTermState *had = &term->state;
  if (had->count && had->other >= term->when) return;
  const double close = 1e-9 * fabs(time - (had->count ? had->other : 0));
  if (!had->count || time <= term->when + close) {
    s->slope[i].value = number_slope(s, i, time, frame, slope);
    return;
  }
  const MbTold told = mb_measure_turns_told(s->m, frame, slope, NULL);
  s->slope[i].value += (number_slope(s, i, time, told.frame, told.slope) - s->slope[i].value) *
                       ((term->when - had->other) / (time - had->other));
}

void mb_measure_slopes_frame(MbMeasureSlopes *s, double time, const double *frame, const double *slope) {
  for (size_t i = 0; i < s->m->nterms; i++) {
    const MbTerm *term = &s->m->terms[i];
    const MbTermState *had = &term->state;
    const bool at = term->kind == MB_AT;
    const double x = at ? 0 : mb_term_number(term, time, frame);
    const double dx = at ? 0 : number_slope(s, i, time, frame, slope);
    switch (term->kind) {
    case MB_FINAL:
      s->slope[i].value = dx;
      break;
    case MB_MIN:
      if (!had->count || x < had->value) s->slope[i].value = dx;
      break;
    case MB_MAX:
      if (!had->count || x > had->value) s->slope[i].value = dx;
      break;
    case MB_MEAN:
      add(&s->slope[i], dx);
      break;
    case MB_RMS:
      add(&s->slope[i], x * dx);
      break;
    case MB_AT:
      take_at(s, i, time, frame, slope);
      break;
    default: // refused
      break;
    }
  }
}

static double term_slope(const MbMeasureSlopes *s, size_t i) {
  const MbTerm *term = &s->m->terms[i];
  const double value = s->slope[i].value + s->slope[i].lost, n = (double)term->state.count;
  if (isnan(mb_term_result(term))) return NAN;
  if (term->kind == MB_MEAN) return value / n;
  if (term->kind == MB_RMS) return value == 0 ? 0 : value / (n * mb_term_result(term));
  return s->slope[i].value;
}

// dM = ∂M/∂terms · dterms + ∂M/∂parameters · dparameters
MbStatus mb_measure_slopes_values(const MbMeasureSlopes *s, double *values, MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t i = 0; i < s->m->nmeasures && status == MB_OK; i++) {
    const MbMeasure *measure = &s->m->measures[i];
    double term[MB_MEASURE_MOST_TERMS + 1] = {NAN}, slope[MB_MEASURE_MOST_TERMS + 1] = {0}, by, side[2];
    bool none = false;
    for (size_t k = 0; k < measure->count; k++) {
      term[k] = mb_term_result(&s->m->terms[measure->first + k]);
      slope[k] = term_slope(s, measure->first + k);
      none |= isnan(slope[k]);
    }
    if (none || (measure->count == 1 && !strcmp(measure->text, "_m0"))) {
      values[i] = none ? NAN : slope[0];
      continue;
    }
    status = mb_measure_evaluate(s->less, i, term, "", &side[0], report);
    if (status == MB_OK) status = mb_measure_evaluate(s->more, i, term, "", &side[1], report);
    if (status != MB_OK) return status;
    values[i] = (side[1] - side[0]) / (2 * s->move);
    for (size_t k = 0; k < measure->count && status == MB_OK; k++) {
      if (slope[k] == 0) continue;
      status = mb_measure_by_term(s->m, i, term, k, &by, report);
      values[i] += by * slope[k];
    }
  }
  return status;
}
