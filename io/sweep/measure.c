// Reads measures and works them out frame by frame: terms that gather numbers of columns, and expressions of these.
#include "io/sweep/measure.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/sweep/measure_parts.h"
#include "io/sweep/measure_turn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

MbStatus mb_measure_evaluate(const MbMeasures *m, size_t i, const double *values, const char *name,
                             double *result, MbReport *report) {
  const MbMeasure *measure = &m->measures[i];
  *result = values[0];
  if (measure->count == 1 && !strcmp(measure->text, "_m0")) return MB_OK;
  const size_t n = m->nparameters + measure->count;
  MbConstant *constants = mb_calloc(n, sizeof *constants);
  char names[MB_MEASURE_MOST_TERMS][24], message[300];
  if (!constants) return mb_no_memory(report, "a measure");
  for (size_t k = 0; k < m->nparameters; k++) constants[k] = m->parameters[k];
  for (size_t k = 0; k < measure->count; k++) {
    snprintf(names[k], sizeof names[k], "_m%zu", k);
    constants[m->nparameters + k] = (MbConstant){names[k], values[k]};
  }
  MbExpression *e = mb_expression_create(measure->text, constants, n, false, message, sizeof message);
  if (e) *result = mb_expression_value(e, 0);
  mb_expression_free(e);
  mb_free(constants);
  return e ? MB_OK : mb_error(report, MB_USAGE, "", "measure %s: %s", name, message);
}

// Before the run: that the expressions can be read at all.
static MbStatus try_all(const MbMeasures *m, const MbMeasureAsk *asks, MbReport *report) {
  double ones[MB_MEASURE_MOST_TERMS + 1], result;
  for (size_t i = 0; i <= MB_MEASURE_MOST_TERMS; i++) ones[i] = 1;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < m->nmeasures && !status; i++)
    status = mb_measure_evaluate(m, i, ones, asks[i].name, &result, report);
  return status;
}

MbStatus mb_measures_create(const MbMeasureAsk *asks, size_t nasks, const MbChannel *channels,
                            size_t nchannels, const MbConstant *parameters, size_t nparameters, double end,
                            MbMeasures **out, MbReport *report) {
  *out = NULL;
  MbMeasures *m = mb_calloc(1, sizeof *m);
  if (!m) return mb_no_memory(report, "measures");
  MbConstant *constants = mb_arena_alloc(&m->arena, nparameters + 1, sizeof *constants);
  m->measures = mb_arena_alloc(&m->arena, nasks + 1, sizeof *m->measures);
  m->terms = mb_arena_alloc(&m->arena, nasks * MB_MEASURE_MOST_TERMS + 1, sizeof *m->terms);
  MbStatus status = constants && m->measures && m->terms ? MB_OK : mb_no_memory(report, "measures");
  for (size_t i = 0; i < nparameters && !status; i++) {
    constants[i] = (MbConstant){mb_arena_strdup(&m->arena, parameters[i].name), parameters[i].value};
    if (!constants[i].name) status = mb_no_memory(report, "measures");
  }
  m->parameters = constants;
  m->nparameters = nparameters;
  if (!status && nasks) status = mb_columns_build(&m->columns, channels, nchannels, &m->arena, report);
  MbStatus worst = status;
  for (size_t i = 0; i < nasks && !status; i++) {
    const MbStatus one = mb_measure_parse(m, &asks[i], end, &m->measures[m->nmeasures++], report);
    if (!worst) worst = one;
  }
  if (!worst) worst = try_all(m, asks, report);
  if (!worst && nasks) worst = mb_measure_turns_find(m, channels, nchannels, report);
  if (worst) {
    mb_measures_free(m);
    return worst;
  }
  *out = m;
  return MB_OK;
}

void mb_measures_free(MbMeasures *m) {
  if (!m) return;
  for (size_t i = 0; i < m->nterms; i++) mb_expression_free(m->terms[i].expression);
  mb_arena_free(&m->arena);
  mb_free(m);
}

// ---- frames -----------------------------------------------------------------------------------------------

double mb_term_number(const MbTerm *term, double time, const double *frame) {
  if (term->column != SIZE_MAX) return frame[term->column];
  for (size_t i = 0; i < term->ncolumns; i++) term->values[i] = frame[term->columns[i]];
  return mb_expression_value(term->expression, time);
}

// Sum and what it has lost to rounding (Neumaier).
static void add(MbTermState *s, double x) {
  const double sum = s->value + x;
  s->other += fabs(s->value) >= fabs(x) ? (s->value - sum) + x : (x - sum) + s->value;
  s->value = sum;
}

// Between the frame before and this one, rotations on the shorter way: exactly a frame's number where the time is a frame's, but for rounding.
static void take_at(const MbMeasures *m, MbTerm *term, double time, const double *frame) {
  MbTermState *s = &term->state;
  if (s->count && s->other >= term->when) return; // it is there
  const double close = 1e-9 * fabs(time - (s->count ? s->other : 0));
  if (!s->count || time <= term->when + close) {
    s->value = mb_term_number(term, time, frame);
    s->other = fabs(time - term->when) <= close ? term->when : time;
    return;
  }
  const double x = mb_term_number(term, time, mb_measure_turns_told(m, frame, NULL, NULL).frame);
  s->value += (x - s->value) * ((term->when - s->other) / (time - s->other));
  s->other = term->when;
}

static void take(const MbMeasures *m, MbTerm *term, double time, const double *frame) {
  MbTermState *s = &term->state;
  const double x = term->kind == MB_AT ? 0 : mb_term_number(term, time, frame);
  switch (term->kind) {
  case MB_FINAL:
    s->value = x;
    break;
  case MB_MIN:
  case MB_TIME_OF_MIN:
  case MB_MAX:
  case MB_TIME_OF_MAX: {
    const bool least = term->kind == MB_MIN || term->kind == MB_TIME_OF_MIN;
    if (isnan(x)) s->spoilt = 1;
    if (!s->count || (least ? x < s->value : x > s->value)) {
      s->value = x;
      s->other = time;
    }
    break;
  }
  case MB_MEAN:
    add(s, x);
    break;
  case MB_RMS:
    add(s, x * x);
    break;
  case MB_AT:
    take_at(m, term, time, frame);
    break;
  case MB_FIRST:
    if (s->value == 0 && !isnan(x) && x != 0) {
      s->value = 1;
      s->other = time;
    }
    break;
  case MB_MEASURE_KINDS:
    break;
  }
  s->count++;
}

double mb_measures_earliest(const MbMeasures *m) {
  double earliest = INFINITY;
  for (size_t i = 0; i < m->nterms; i++)
    if (m->terms[i].kind == MB_AT) earliest = fmin(earliest, m->terms[i].when);
  return earliest;
}

void mb_measures_frame(MbMeasures *m, double time, const double *frame) {
  for (size_t i = 0; i < m->nterms; i++) take(m, &m->terms[i], time, frame);
  mb_measure_turns_keep(m, frame);
}

void mb_measures_reset(MbMeasures *m) {
  for (size_t i = 0; i < m->nterms; i++) m->terms[i].state = (MbTermState){0};
}

static bool is_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool mb_measures_use(const MbMeasureAsk *asks, size_t nasks, const char *name) {
  const size_t n = strlen(name);
  for (size_t i = 0; i < nasks; i++)
    for (const char *at = asks[i].what; n && (at = strstr(at, name)); at++)
      if ((at == asks[i].what || !is_in_name(at[-1])) && !is_in_name(at[n])) return true;
  return false;
}

void mb_measures_reads(const MbMeasures *m, bool *reads) {
  for (size_t i = 0; i < m->nterms; i++) {
    const MbTerm *term = &m->terms[i];
    if (term->column != SIZE_MAX) reads[term->column] = true;
    for (size_t k = 0; k < term->ncolumns; k++) reads[term->columns[k]] = true;
  }
  for (size_t i = 0; i < m->turns.n; i++)
    for (size_t k = 0; k < m->turns.place[i].width; k++) reads[m->turns.place[i].at + k] = true;
}

double mb_term_result(const MbTerm *term) {
  const MbTermState *s = &term->state;
  if (!s->count || s->spoilt) return NAN;
  switch (term->kind) {
  case MB_MEAN:
    return (s->value + s->other) / (double)s->count;
  case MB_RMS:
    return sqrt((s->value + s->other) / (double)s->count);
  case MB_TIME_OF_MAX:
  case MB_TIME_OF_MIN:
    return s->other;
  case MB_AT:
    return s->other >= term->when ? s->value : NAN;
  case MB_FIRST:
    return s->value != 0 ? s->other : NAN;
  default:
    return s->value;
  }
}

MbStatus mb_measures_values(const MbMeasures *m, double *values, MbReport *report) {
  double terms[MB_MEASURE_MOST_TERMS + 1] = {NAN};
  MbStatus status = MB_OK;
  for (size_t i = 0; i < m->nmeasures && !status; i++) {
    for (size_t k = 0; k < m->measures[i].count; k++)
      terms[k] = mb_term_result(&m->terms[m->measures[i].first + k]);
    status = mb_measure_evaluate(m, i, terms, "", &values[i], report);
  }
  return status;
}

// ---- checkpoints ------------------------------------------------------------------------------------------

static size_t kept_size(const MbMeasures *m) { return 4 * m->turns.n * sizeof *m->turns.kept; }

size_t mb_measures_state_size(const MbMeasures *m) { return m->nterms * sizeof(MbTermState) + kept_size(m); }

void mb_measures_save(const MbMeasures *m, void *bytes) {
  char *to = bytes;
  for (size_t i = 0; i < m->nterms; i++, to += sizeof(MbTermState))
    memcpy(to, &m->terms[i].state, sizeof(MbTermState));
  if (m->turns.n) memcpy(to, m->turns.kept, kept_size(m));
}

void mb_measures_restore(MbMeasures *m, const void *bytes) {
  const char *from = bytes;
  for (size_t i = 0; i < m->nterms; i++, from += sizeof(MbTermState))
    memcpy(&m->terms[i].state, from, sizeof(MbTermState));
  if (m->turns.n) memcpy(m->turns.kept, from, kept_size(m));
}
