// Which numbers of a run stand beside which of the data, and when. Times of the data need not be steps: between these a cubic through the
// four steps around (Lagrange) stands for the run, which is off by the fourth power of the step where the motion is smooth.
#include "io/fit/fit_data.h"
#include "io/fit/fit_turn.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/channels.h"
#include "io/export/column_name.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ON_STEP = 1e-6; // of a step: how far from one a time may be to count as that

typedef struct Finder {
  const MbFitData *data;
  const MbFitModel *model;
  const char **shorter, **longer; // (columns) names of the run's, as CSV has them and in the channel's order
  size_t ncolumns, room;
  MbFitMatch *match;
  MbArena *arena;
  MbReport *report;
} Finder;

// ---- names --------------------------------------------------------------------------------------------------

static MbStatus no_memory(MbReport *report) { return mb_no_memory(report, "what is matched"); }

static const char *take(MbText *name, MbArena *arena) {
  const char *kept = name->failed ? NULL : mb_arena_strdup(arena, name->length ? name->text : "");
  name->length = 0;
  return kept;
}

static MbStatus name_columns(Finder *f) {
  const MbFitModel *model = f->model;
  for (size_t i = 0; i < model->nchannels; i++)
    f->ncolumns += model->channels[i].items * model->channels[i].width;
  f->shorter = mb_arena_alloc(f->arena, f->ncolumns + 1, sizeof *f->shorter);
  f->longer = mb_arena_alloc(f->arena, f->ncolumns + 1, sizeof *f->longer);
  bool fine = f->shorter && f->longer;
  MbText name = {0};
  for (size_t i = 0; i < model->nchannels && fine; i++) {
    const MbChannel *c = &model->channels[i];
    for (size_t k = 0; k < c->items * c->width && fine; k++) {
      mb_column_name(&name, c, k);
      f->shorter[c->offset + k] = take(&name, f->arena);
      mb_column_full_name(&name, c, k);
      f->longer[c->offset + k] = take(&name, f->arena);
      fine = f->shorter[c->offset + k] && f->longer[c->offset + k];
    }
  }
  mb_free(mb_text_take(&name));
  return fine ? MB_OK : no_memory(f->report);
}

// What follows `name` in a column's name: "" where it is all of it; NULL where the column does not begin with it.
static const char *behind(const char *column, const char *name) {
  const size_t n = strlen(name);
  return !strncmp(column, name, n) && (!column[n] || column[n] == '.') ? column + n : NULL;
}

static const MbFitColumn *find_data(const MbFitData *d, const char *name, const char *rest) {
  const size_t n = strlen(name);
  for (size_t i = 0; i < d->ncolumns; i++)
    if (!strncmp(d->columns[i].name, name, n) && !strcmp(d->columns[i].name + n, rest)) return &d->columns[i];
  return NULL;
}

// The data's column that stands beside a column of the run.
static const MbFitColumn *beside(const Finder *f, const MbFitMatchAsk *ask, size_t column) {
  const char *names[2] = {f->shorter[column], f->longer[column]};
  for (int i = 0; i < 2; i++) {
    const char *rest = behind(names[i], ask->model);
    const MbFitColumn *found = !ask->data     ? find_data(f->data, names[i], "")
                               : rest != NULL ? find_data(f->data, ask->data, rest)
                                              : NULL;
    if (found) return found;
  }
  return NULL;
}

static MbStatus unknown(const Finder *f, const MbFitMatchAsk *ask, bool model) {
  const size_t n = model ? 2 * f->ncolumns : f->data->ncolumns;
  const char **words = mb_calloc(n + 1, sizeof *words), *name = model || !ask->data ? ask->model : ask->data;
  for (size_t i = 0; words && i < n; i++)
    words[i] = !model            ? f->data->columns[i].name
               : i < f->ncolumns ? f->shorter[i]
                                 : f->longer[i - f->ncolumns];
  const char *near = words ? mb_nearest_word(name, words) : NULL;
  char like[200] = "";
  if (model && !near) mb_channels_like(name, like, sizeof like);
  const MbStatus status =
      model ? mb_error(
                  f->report, MB_USAGE, "",
                  "--match %s: the run has no such column%s%s%s; names are those of `mbsim export`, of the "
                  "channels that the scene's output has%s%s",
                  name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "",
                  *like ? "; it may be of " : "", like)
            : mb_error(f->report, MB_USAGE, "", "--match %s: %s has no such column%s%s%s", name,
                       f->data->file, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  mb_free(words);
  return status;
}

static MbStatus not_finite(const Finder *f, const MbFitColumn *column) {
  if (f->report && !f->report->file[0] && column->bad_line)
    snprintf(f->report->file, sizeof f->report->file, "%s", f->data->file);
  return mb_error_at(
      f->report, MB_USAGE, column->bad_line, column->bad_column, "",
      "column %s of %s has %s, wanted finite numbers within 1e100 (an empty cell is one that is not known)",
      column->name, f->data->file, column->bad);
}

static MbStatus add(Finder *f, const MbFitMatchAsk *ask, size_t column, const MbFitColumn *data) {
  MbFitMatch *m = f->match;
  for (size_t i = 0; i < m->nseries; i++)
    if (m->series[i].at == column)
      return mb_error(f->report, MB_USAGE, "", "--match %s: %s is matched twice", ask->model,
                      f->shorter[column]);
  if (data->bad) return not_finite(f, data);
  m->series[m->nseries++] = (MbFitSeries){
      .name = f->shorter[column], .at = column, .data = data, .sigma = ask->sigma, .turn = MB_FIT_NO_TURN};
  return MB_OK;
}

static MbStatus find(Finder *f, MbFitMatchAsk *ask) {
  bool known = false, exact = false;
  for (size_t c = 0; c < f->ncolumns; c++) {
    exact = exact || !strcmp(f->shorter[c], ask->model) || !strcmp(f->longer[c], ask->model);
    known = known || behind(f->shorter[c], ask->model) || behind(f->longer[c], ask->model);
  }
  if (!known) return unknown(f, ask, true);
  for (size_t c = 0; c < f->ncolumns; c++) {
    const bool is = exact ? !strcmp(f->shorter[c], ask->model) || !strcmp(f->longer[c], ask->model)
                          : behind(f->shorter[c], ask->model) || behind(f->longer[c], ask->model);
    const MbFitColumn *data = is ? beside(f, ask, c) : NULL;
    if (!data) continue;
    const MbStatus status = add(f, ask, c, data);
    if (status) return status;
    ask->found++;
  }
  return ask->found ? MB_OK : unknown(f, ask, false);
}

// ---- rotations ----------------------------------------------------------------------------------------------

// Which of the series are numbers of a rotation.
static void join_turn(MbFitMatch *m, const MbRotationPlace *in_frame) {
  MbFitTurn *turn = &m->turns[m->nturns];
  bool some = false;
  *turn = (MbFitTurn){.in_frame = *in_frame, .at = m->width};
  for (size_t s = 0; s < m->nseries; s++) {
    MbFitSeries *series = &m->series[s];
    if (series->at < in_frame->at || series->at >= in_frame->at + in_frame->width) continue;
    series->turn = m->nturns, series->part = series->at - in_frame->at;
    turn->data[series->part] = series->data, some = true;
  }
  if (some) m->nturns++, m->width += in_frame->width;
}

static MbStatus join_turns(Finder *f) {
  MbFitMatch *m = f->match;
  m->width = m->nseries;
  m->turns = mb_arena_alloc(f->arena, f->model->nturns + 1, sizeof *m->turns);
  if (!m->turns) return no_memory(f->report);
  for (size_t i = 0; i < f->model->nturns; i++) join_turn(m, &f->model->turns[i]);
  return MB_OK;
}

// ---- times --------------------------------------------------------------------------------------------------

// Weights of the steps around a time, or of the one that it is; false outside of the run.
static bool place(double t, double h, int64_t steps, int64_t *first, MbFitPoint *point) {
  const double at = h > 0 ? t / h : 0, nearest = floor(at + 0.5);
  if (!(at >= -ON_STEP) || !(at <= (double)steps + ON_STEP)) return false;
  point->count = 1, point->weight[0] = 1;
  *first = (int64_t)nearest;
  if (fabs(at - nearest) <= ON_STEP) return true;
  const int64_t span = steps + 1 < MB_FIT_STENCIL ? steps + 1 : MB_FIT_STENCIL;
  *first = (int64_t)floor(at) - (span - 1) / 2;
  if (*first < 0) *first = 0;
  if (*first > steps + 1 - span) *first = steps + 1 - span;
  point->count = (size_t)span;
  for (int64_t i = 0; i < span; i++) {
    double w = 1;
    for (int64_t k = 0; k < span; k++)
      if (k != i) w *= (at - (double)(*first + k)) / (double)(i - k);
    point->weight[i] = w;
  }
  return true;
}

// Puts a step among those that are wanted. Times increase, so that it is among the last of them.
static void want(MbFitMatch *m, int64_t step) {
  size_t at = m->nsamples;
  while (at > 0 && m->steps[at - 1] > step) at--;
  if (at > 0 && m->steps[at - 1] == step) return;
  memmove(m->steps + at + 1, m->steps + at, (m->nsamples - at) * sizeof *m->steps);
  m->steps[at] = step;
  m->nsamples++;
}

static size_t sample_of(const MbFitMatch *m, int64_t step) {
  size_t low = 0, high = m->nsamples;
  while (low + 1 < high) {
    const size_t middle = low + (high - low) / 2;
    if (m->steps[middle] <= step)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// The steps that are wanted, and at which of them each row's begin; -1 for rows outside of the run.
static MbStatus plan_steps(Finder *f, double h, int64_t steps, int64_t *begin, MbFitPoint *proto) {
  const MbFitData *d = f->data;
  MbFitMatch *m = f->match;
  m->steps = mb_arena_alloc(f->arena, d->rows * MB_FIT_STENCIL + 1, sizeof *m->steps);
  if (!m->steps) return no_memory(f->report);
  for (size_t r = 0; r < d->rows; r++) {
    const bool within = place(d->time[r], h, steps, &begin[r], &proto[r]);
    for (size_t k = 0; within && k < proto[r].count; k++) want(m, begin[r] + (int64_t)k);
    if (within) continue;
    begin[r] = -1;
    m->outside++;
  }
  if (m->nsamples) return MB_OK;
  return mb_error(f->report, MB_USAGE, "",
                  "%s goes from %g to %g s and the run from 0 to %g s: they have no time in common", d->file,
                  d->time[0], d->time[d->rows - 1], (double)steps * h);
}

static MbStatus add_points(Finder *f, const int64_t *begin, const MbFitPoint *proto) {
  const MbFitData *d = f->data;
  MbFitMatch *m = f->match;
  m->points = mb_arena_alloc(f->arena, d->rows * m->nseries + 1, sizeof *m->points);
  if (!m->points) return no_memory(f->report);
  for (size_t s = 0; s < m->nseries; s++) {
    for (size_t r = 0; r < d->rows; r++) {
      const double value = m->series[s].data->value[r];
      if (begin[r] < 0 || isnan(value)) continue;
      MbFitPoint *p = &m->points[m->npoints++];
      *p = proto[r];
      p->series = s, p->row = r, p->first = sample_of(m, begin[r]), p->value = value,
      p->sigma = m->series[s].sigma;
      m->series[s].points++;
    }
    if (!m->series[s].points)
      return mb_error(f->report, MB_USAGE, "", "%s has nothing for %s within the run", d->file,
                      m->series[s].name);
  }
  return MB_OK;
}

MbStatus mb_fit_match(const MbFitData *data, MbFitMatchAsk *asks, size_t nasks, const MbFitModel *model,
                      MbFitMatch *match, MbArena *arena, MbReport *report) {
  Finder f = {.data = data, .model = model, .match = match, .arena = arena, .report = report};
  *match = (MbFitMatch){0};
  MbStatus status = name_columns(&f);
  match->series = mb_arena_alloc(arena, f.ncolumns + 1, sizeof *match->series);
  if (!status && !match->series) status = no_memory(report);
  for (size_t i = 0; i < nasks && !status; i++) status = find(&f, &asks[i]);
  if (!status) status = join_turns(&f);
  if (status) return status;
  int64_t *begin = mb_calloc(data->rows + 1, sizeof *begin);
  MbFitPoint *proto = mb_calloc(data->rows + 1, sizeof *proto);
  status = begin && proto ? plan_steps(&f, model->step, model->steps, begin, proto) : no_memory(report);
  if (!status) status = add_points(&f, begin, proto);
  mb_free(proto);
  mb_free(begin);
  return status;
}

// ---- a run ----------------------------------------------------------------------------------------------------

void mb_fit_match_take(const MbFitMatch *m, size_t sample, const double *frame, double *samples) {
  double *to = samples + sample * m->width;
  for (size_t s = 0; s < m->nseries; s++) to[s] = frame[m->series[s].at];
  for (size_t i = 0; i < m->nturns; i++)
    memcpy(to + m->turns[i].at, frame + m->turns[i].in_frame.at, m->turns[i].in_frame.width * sizeof *to);
}

static double summed(const MbFitMatch *m, const MbFitPoint *p, const double *samples) {
  double sum = 0;
  for (size_t k = 0; k < p->count; k++) sum += p->weight[k] * samples[(p->first + k) * m->width + p->series];
  return sum;
}

void mb_fit_match_at_points(const MbFitMatch *m, const double *samples, double *y) {
  for (size_t i = 0; i < m->npoints; i++) {
    const MbFitSeries *series = &m->series[m->points[i].series];
    double value[4];
    if (series->turn != MB_FIT_NO_TURN)
      mb_fit_turn_at(m, &m->points[i], &m->turns[series->turn], samples, NULL, value, NULL);
    y[i] = series->turn != MB_FIT_NO_TURN ? value[series->part] : summed(m, &m->points[i], samples);
  }
}

void mb_fit_match_slopes(const MbFitMatch *m, const double *samples, const double *changes, double *slopes) {
  for (size_t i = 0; i < m->npoints; i++) {
    const MbFitSeries *series = &m->series[m->points[i].series];
    double value[4], slope[4];
    if (series->turn != MB_FIT_NO_TURN)
      mb_fit_turn_at(m, &m->points[i], &m->turns[series->turn], samples, changes, value, slope);
    slopes[i] = series->turn != MB_FIT_NO_TURN ? slope[series->part] : summed(m, &m->points[i], changes);
  }
}
