// Gathers the largest errors over time while a comparison goes on, and makes panels of curves of them.
#include "io/plot/plot_errors.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/column_unit.h"
#include "io/json/json_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BUCKETS = 2048 };
static const double WIDTH = 620, HEIGHT = 130;

static MbStatus no_memory(MbReport *report) { return mb_no_memory(report, "the plot"); }

MbStatus mb_error_plot_begin(MbErrorPlot *p, MbTraj *a, MbReport *report) {
  *p = (MbErrorPlot){0};
  const uint64_t n = mb_traj_frames(a);
  if (!n) return MB_OK; // which cannot be compared
  MbStatus status = mb_traj_read(a, mb_traj_frame_from(a, 0), 1, NULL, &p->from, NULL, report);
  if (!status) status = mb_traj_read(a, n - 1, 1, NULL, &p->to, NULL, report);
  return status;
}

void mb_error_plot_free(MbErrorPlot *p) {
  for (size_t i = 0; i < p->ncurves; i++) mb_series_free(&p->curves[i].series);
  mb_free(p->curves);
  mb_arena_free(&p->arena);
  *p = (MbErrorPlot){0};
}

// ---- while the comparison goes ----------------------------------------------------------------------------

// The error of a rotation is an angle, whichever component it is told of.
static const char *unit_of(MbErrorPlot *p, const MbChannel *of, size_t component) {
  MbText unit = {0};
  if (of->rotation) return "rad";
  mb_column_unit(&unit, of, component);
  const char *copy = unit.failed ? NULL : mb_arena_strdup(&p->arena, unit.text);
  mb_free(mb_text_take(&unit));
  return copy;
}

static MbErrorCurve *add_curve(MbErrorPlot *p, const MbFrameErrors *e, const char *unit, double allowed) {
  if (p->ncurves == p->room) {
    const size_t room = p->room ? 2 * p->room : 16;
    MbErrorCurve *grown = mb_realloc(p->curves, room, sizeof *grown);
    if (!grown) return NULL;
    p->curves = grown, p->room = room;
  }
  bool *member = mb_arena_alloc(&p->arena, e->of->width, sizeof *member);
  if (!member) return NULL;
  MbErrorCurve *c = &p->curves[p->ncurves++];
  *c = (MbErrorCurve){
      .channel = e->channel, .of = e->of, .unit = unit, .allowed = allowed, .member = member, .beyond = NAN};
  mb_series_begin(&c->series, BUCKETS, p->from, p->to);
  return c;
}

// In a channel's first frame: which components have a curve together.
static bool add_curves(MbErrorPlot *p, const MbFrameErrors *e) {
  const size_t first = p->ncurves;
  for (size_t k = 0; k < e->of->width; k++) {
    const char *unit = unit_of(p, e->of, k);
    MbErrorCurve *c = NULL;
    if (!unit) return false;
    for (size_t i = first; i < p->ncurves; i++)
      if (p->curves[i].allowed == e->allowed[k] && !strcmp(p->curves[i].unit, unit)) c = &p->curves[i];
    if (!c) c = add_curve(p, e, unit, e->allowed[k]);
    if (!c) return false;
    c->member[k] = true;
  }
  return true;
}

static void add_errors(MbErrorCurve *c, const MbFrameErrors *e) {
  double largest = 0;
  for (size_t k = 0; k < e->of->width; k++)
    if (c->member[k] && e->error[k] > largest) largest = e->error[k];
  if (largest > c->allowed && isnan(c->beyond)) c->beyond = e->time;
  mb_series_add(&c->series, e->time, e->time, largest);
}

void mb_error_plot_watch(void *made, const MbFrameErrors *e) {
  MbErrorPlot *p = made;
  size_t first = 0;
  if (p->failed) return;
  while (first < p->ncurves && p->curves[first].channel != e->channel) first++;
  if (first == p->ncurves && !add_curves(p, e)) p->failed = true;
  for (size_t i = first; i < p->ncurves && !p->failed && p->curves[i].channel == e->channel; i++)
    add_errors(&p->curves[i], e);
}

// ---- the plot ---------------------------------------------------------------------------------------------

// Errors of several sizes are seen on a logarithmic axis alone.
static bool wants_logarithm(const MbErrorCurve *curves, size_t count) {
  static const double SEVERAL = 100;
  double low = INFINITY, high = 0;
  for (size_t c = 0; c < count; c++) {
    const MbSeries *s = &curves[c].series;
    for (size_t i = 0; i < s->n; i++)
      if (s->y[i] > 0) low = fmin(low, s->y[i]), high = fmax(high, s->y[i]);
    if (curves[c].allowed > 0) low = fmin(low, curves[c].allowed), high = fmax(high, curves[c].allowed);
  }
  return high / low >= SEVERAL;
}

// "wx wy wz, tolerance 1e-06"
static const char *name_members(MbErrorPlot *p, const MbErrorCurve *c) {
  MbText name = {0};
  for (size_t k = 0; k < c->of->width; k++) {
    if (!c->member[k]) continue;
    if (name.length) mb_text_add(&name, " ");
    if (c->of->component_names)
      mb_text_add(&name, c->of->component_names[k]);
    else
      mb_text_format(&name, "%zu", k);
  }
  mb_text_format(&name, ", tolerance %.3g", c->allowed);
  const char *copy = name.failed ? NULL : mb_arena_strdup(&p->arena, name.text);
  mb_free(mb_text_take(&name));
  return copy;
}

static bool any_error(const MbErrorCurve *curves, size_t count) {
  for (size_t c = 0; c < count; c++) {
    if (curves[c].series.unfit) return true;
    for (size_t i = 0; i < curves[c].series.n; i++)
      if (curves[c].series.y[i] > 0) return true;
  }
  return false;
}

// What came of the panel's numbers.
static const char *title_panel(MbErrorPlot *p, const MbErrorCurve *curves, size_t count,
                               const char *channel) {
  char text[400];
  uint64_t unfit = 0;
  double beyond = NAN;
  for (size_t c = 0; c < count; c++) {
    beyond = fmin(beyond, curves[c].beyond); // which leaves NaN out
    unfit += curves[c].series.unfit;
  }
  int n = snprintf(text, sizeof text, "%.200s: ", channel);
  if (!isnan(beyond))
    n += snprintf(text + n, sizeof text - (size_t)n, "first beyond the tolerance at t = %.6g s", beyond);
  else
    n += snprintf(text + n, sizeof text - (size_t)n, "%s",
                  any_error(curves, count) ? "within the tolerance" : "no difference");
  if (unfit)
    snprintf(text + n, sizeof text - (size_t)n, "; not finite in %llu %s", (unsigned long long)unfit,
             unfit == 1 ? "frame" : "frames");
  return mb_arena_strdup(&p->arena, text);
}

static const char *name_guide(MbErrorPlot *p, const MbErrorCurve *c) {
  char text[100];
  snprintf(text, sizeof text, "tolerance %.3g%s%.40s", c->allowed, *c->unit ? " " : "", c->unit);
  return mb_arena_strdup(&p->arena, text);
}

// Of `count` curves that belong to one channel and have one unit.
static bool make_panel(MbErrorPlot *p, const MbErrorCurve *c, size_t count, const char *channel,
                       MbPanel *panel) {
  MbCurve *curves = mb_arena_alloc(&p->arena, count, sizeof *curves);
  MbGuide *guides = mb_arena_alloc(&p->arena, 2 * count, sizeof *guides);
  const size_t size = strlen(c->unit) + 16;
  char *label = mb_arena_alloc(&p->arena, size, 1);
  if (!curves || !guides || !label) return false;
  snprintf(label, size, *c->unit ? "error (%s)" : "error", c->unit);
  *panel = (MbPanel){.title = title_panel(p, c, count, channel),
                     .x = {.label = "time (s)", .from = p->from, .to = p->to},
                     .y = {.label = label, .logarithmic = wants_logarithm(c, count)},
                     .curves = curves,
                     .ncurves = count,
                     .guides = guides};
  if (!any_error(c, count)) panel->y.to = c->allowed > 0 ? 1.2 * c->allowed : 1; // from 0
  bool fine = panel->title != NULL;
  for (size_t i = 0; i < count; i++) {
    const char *members = count > 1 ? name_members(p, &c[i]) : NULL;
    curves[i] = (MbCurve){
        .name = members, .n = c[i].series.n, .x = c[i].series.x, .y = c[i].series.y, .hue = i, .dash = i};
    fine = fine && (members || count == 1);
    if (c[i].allowed > 0)
      guides[panel->nguides++] = (MbGuide){.name = members ? NULL : name_guide(p, &c[i]), .at = c[i].allowed};
    if (!isnan(c[i].beyond)) guides[panel->nguides++] = (MbGuide){.at = c[i].beyond, .upright = true};
  }
  return fine;
}

MbStatus mb_error_plot_make(MbErrorPlot *p, const MbCompareResult *result, const char *const labels[2],
                            MbReport *report) {
  MbPanel *panels = mb_arena_alloc(&p->arena, p->ncurves, sizeof *panels);
  const size_t size = strlen(labels[0]) + strlen(labels[1]) + 64;
  char *title = mb_arena_alloc(&p->arena, size, 1);
  bool fine = panels && title && !p->failed;
  for (size_t i = 0; i < p->ncurves && fine; i++) fine = mb_series_end(&p->curves[i].series);
  if (!fine) return no_memory(report);
  snprintf(title, size, "%s against %s: largest errors", labels[1], labels[0]);
  p->plot = (MbPlot){
      .title = title, .columns = 1, .panels = panels, .width = WIDTH, .height = HEIGHT, .one_x = true};
  // a channel's curves of one unit stand together; those of others behind them
  for (size_t i = 0, n = 0; i < p->ncurves && fine; i += n) {
    const MbErrorCurve *c = &p->curves[i];
    for (n = 1; i + n < p->ncurves && c[n].channel == c->channel && !strcmp(c[n].unit, c->unit);) n++;
    fine = make_panel(p, c, n, result->channels[c->channel].channel, &panels[p->plot.npanels++]);
  }
  return fine ? MB_OK : no_memory(report);
}
