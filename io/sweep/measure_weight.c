// M(terms; p), a term being  x(frame; p)  of one frame, of two (`at`, between frames), or a sum over all of them:
//
//   ∂M/∂frame = Σ ∂M/∂term · share · ∂x/∂frame,     share: 1; what `at` gives each of the two; 1/n of a mean; x/(n r) of a root mean square r
#include "io/sweep/measure_weight.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/sweep/measure_parts.h"
#include "io/sweep/measure_turn.h"

#include <math.h>
#include <string.h>

// Which frames a term is made of, where these are not all.
typedef struct Frames {
  double when[2], share[2];
  bool *
      other; // of each of the measures' turns whether the second frame is told in the other way; NULL: there are none
} Frames;

struct MbMeasureWeights {
  const MbMeasures *m;
  Frames *frames;                      // (nterms)
  size_t of;                           // the measure turned to
  double slope[MB_MEASURE_MOST_TERMS]; // by each of its terms
  MbArena arena;
};

MbStatus mb_measure_weights_create(const MbMeasures *m, MbMeasureWeights **out, MbReport *report) {
  *out = NULL;
  const MbStatus status = mb_measures_smooth(m, report);
  if (status != MB_OK) return status;
  MbMeasureWeights *w = mb_calloc(1, sizeof *w);
  if (!w) return mb_no_memory(report, "measures");
  w->m = m;
  w->frames = mb_arena_alloc(&w->arena, m->nterms, sizeof *w->frames);
  bool fine = w->frames;
  for (size_t i = 0; i < m->nterms && m->turns.n && fine; i++)
    fine = (w->frames[i].other = mb_arena_alloc(&w->arena, m->turns.n, sizeof(bool)));
  if (fine) *out = w;
  if (!fine) mb_measure_weights_free(w);
  return *out ? MB_OK : mb_no_memory(report, "measures");
}

void mb_measure_weights_free(MbMeasureWeights *w) {
  if (!w) return;
  mb_arena_free(&w->arena);
  mb_free(w);
}

// ---- the run --------------------------------------------------------------------------------------------------------

static void take_alone(Frames *frames, double time) {
  frames->when[0] = time, frames->when[1] = NAN;
  frames->share[0] = 1, frames->share[1] = 0;
}

// As `at` itself goes from frame to frame (measure.c).
static void take_at(const MbMeasures *m, const MbTerm *term, double time, const double *frame,
                    Frames *frames) {
  const MbTermState *s = &term->state;
  if (s->count && s->other >= term->when) return;
  const double close = 1e-9 * fabs(time - (s->count ? s->other : 0));
  if (!s->count || time <= term->when + close) {
    take_alone(frames, time);
    return;
  }
  const double share = (term->when - s->other) / (time - s->other);
  frames->when[1] = time;
  frames->share[0] = 1 - share, frames->share[1] = share;
  mb_measure_turns_told(m, frame, NULL, frames->other);
}

void mb_measure_weights_frame(MbMeasureWeights *w, double time, const double *frame) {
  for (size_t i = 0; i < w->m->nterms; i++) {
    const MbTerm *term = &w->m->terms[i];
    const MbTermState *had = &term->state;
    if (term->kind == MB_FINAL) take_alone(&w->frames[i], time);
    if (term->kind == MB_AT) take_at(w->m, term, time, frame, &w->frames[i]);
    if (term->kind != MB_MIN && term->kind != MB_MAX) continue;
    const double x = mb_term_number(term, time, frame);
    if (!had->count || (term->kind == MB_MIN ? x < had->value : x > had->value))
      take_alone(&w->frames[i], time);
  }
}

// ---- a measure ------------------------------------------------------------------------------------------------------

static void results(const MbMeasures *m, size_t i, double term[MB_MEASURE_MOST_TERMS + 1]) {
  term[0] = NAN;
  for (size_t k = 0; k < m->measures[i].count; k++)
    term[k] = mb_term_result(&m->terms[m->measures[i].first + k]);
}

static bool is_bare(const MbMeasure *measure) { return measure->count == 1 && !strcmp(measure->text, "_m0"); }

MbStatus mb_measure_weights_of(MbMeasureWeights *w, size_t i, bool *none, MbReport *report) {
  double term[MB_MEASURE_MOST_TERMS + 1];
  MbStatus status = MB_OK;
  w->of = i, *none = false;
  results(w->m, i, term);
  for (size_t k = 0; k < w->m->measures[i].count && status == MB_OK; k++) {
    w->slope[k] = 1;
    if (!is_bare(&w->m->measures[i])) status = mb_measure_by_term(w->m, i, term, k, &w->slope[k], report);
    *none |= isnan(term[k]) || isnan(w->slope[k]);
  }
  return status;
}

// What the frame at a time counts in a term, x being its number there.
static double share_of(const MbMeasureWeights *w, size_t i, double time, double x) {
  const MbTerm *term = &w->m->terms[i];
  const Frames *frames = &w->frames[i];
  const double n = (double)term->state.count;
  if (term->kind == MB_MEAN) return 1 / n;
  if (term->kind == MB_RMS) return x == 0 ? 0 : x / (n * mb_term_result(term));
  return (frames->when[0] == time ? frames->share[0] : 0) + (frames->when[1] == time ? frames->share[1] : 0);
}

bool mb_measure_weights_wanted(const MbMeasureWeights *w, double time) {
  const MbMeasure *measure = &w->m->measures[w->of];
  for (size_t k = 0; k < measure->count; k++)
    if (w->slope[k] != 0 && share_of(w, measure->first + k, time, 1) != 0) return true;
  return false;
}

// Which rotations a term takes in the other way of the frame at a time; NULL: none.
static const bool *others(const MbMeasureWeights *w, size_t i, double time) {
  const Frames *frames = &w->frames[i];
  bool any = false;
  for (size_t k = 0; frames->other && k < w->m->turns.n; k++) any |= frames->other[k];
  return any && frames->when[1] == time ? frames->other : NULL;
}

static void add_term(const MbTerm *term, double by, double time, const double *frame, double *out) {
  if (term->column != SIZE_MAX) out[term->column] += by;
  for (size_t c = 0; c < term->ncolumns && term->column == SIZE_MAX; c++)
    out[term->columns[c]] += by * mb_term_by_column(term, time, frame, c);
}

// Of a frame that the term takes with some rotations told in the other way.
static void add_told(const MbMeasureWeights *w, size_t i, double by, double time, const double *frame,
                     const bool *other, double *out) {
  const MbMeasureTurns *turns = &w->m->turns;
  double *own = turns->slope;
  memset(own, 0, turns->size * sizeof *own);
  add_term(&w->m->terms[i], by, time, mb_measure_turns_as(w->m, frame, other), own);
  mb_measure_turns_weights(w->m, frame, other, own);
  for (size_t k = 0; k < turns->size; k++) out[k] += own[k];
}

void mb_measure_weights_add(const MbMeasureWeights *w, double time, const double *frame, double *out) {
  const MbMeasure *measure = &w->m->measures[w->of];
  for (size_t k = 0; k < measure->count; k++) {
    const size_t i = measure->first + k;
    const MbTerm *term = &w->m->terms[i];
    const double by = w->slope[k] * share_of(w, i, time, mb_term_number(term, time, frame));
    const bool *other = others(w, i, time);
    if (by == 0) continue;
    if (other)
      add_told(w, i, by, time, frame, other, out);
    else
      add_term(term, by, time, frame, out);
  }
}

double mb_measure_weights_told(const MbMeasureWeights *w, double time, const double *frame,
                               const MbMeasures *less, const MbMeasures *more) {
  const MbMeasure *measure = &w->m->measures[w->of];
  double sum = 0;
  for (size_t k = 0; k < measure->count; k++) {
    const size_t i = measure->first + k;
    if (w->m->terms[i].column != SIZE_MAX) continue;
    const double by = w->slope[k] * share_of(w, i, time, mb_term_number(&w->m->terms[i], time, frame));
    const bool *other = others(w, i, time);
    const double *told = other ? mb_measure_turns_as(w->m, frame, other) : frame;
    if (by != 0)
      sum += by * (mb_term_number(&more->terms[i], time, told) - mb_term_number(&less->terms[i], time, told));
  }
  return sum;
}

MbStatus mb_measure_weights_around(const MbMeasureWeights *w, const MbMeasures *less, const MbMeasures *more,
                                   double *change, MbReport *report) {
  double term[MB_MEASURE_MOST_TERMS + 1], side[2];
  *change = 0;
  if (is_bare(&w->m->measures[w->of])) return MB_OK;
  results(w->m, w->of, term);
  MbStatus status = mb_measure_evaluate(less, w->of, term, "", &side[0], report);
  if (status == MB_OK) status = mb_measure_evaluate(more, w->of, term, "", &side[1], report);
  if (status == MB_OK) *change = side[1] - side[0];
  return status;
}

void mb_measure_weights_often(const MbMeasures *m, size_t i, bool *reads) {
  for (size_t k = 0; k < m->measures[i].count; k++) {
    const MbTerm *term = &m->terms[m->measures[i].first + k];
    if (term->kind != MB_MEAN && term->kind != MB_RMS) continue;
    if (term->column != SIZE_MAX) reads[term->column] = true;
    for (size_t c = 0; c < term->ncolumns; c++) reads[term->columns[c]] = true;
  }
}
