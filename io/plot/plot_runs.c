// Chooses numbers of trajectories by their names, reads them, and makes panels of curves by their units.
#include "io/plot/plot_runs.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/compare/walk.h"
#include "io/plot/plot_pick.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BUCKETS = 4096, POINTS = 72000 }; // of a curve over time; of all curves over another number
static const double WIDTH = 620;

// What is made on the way.
typedef struct Work {
  const MbRunsAsk *ask;
  MbRunsPlot *made;
  MbReport *report;
  MbPick picks[MB_PLOT_TRACES]; // (npicks) one a name of a column, of the first run that knows it
  size_t npicks;
  size_t *across;  // (nruns) that column's place in a run's frame, SIZE_MAX = the run does not have it
  double from, to; // times
} Work;

static MbStatus no_memory(Work *w) { return mb_no_memory(w->report, "the plot"); }

// ---- which numbers ----------------------------------------------------------------------------------------

static MbStatus unknown(Work *w, const char *option, const char *name) {
  const char *near = NULL;
  for (size_t r = 0; r < w->ask->nruns && !near; r++)
    near = mb_pick_near(w->ask->runs[r], name, &w->made->arena);
  return mb_error(w->report, MB_USAGE, "", "%s: %s has no channel or column \"%s\"%s%s%s", option,
                  w->ask->nruns == 1 ? mb_traj_path(w->ask->runs[0]) : "no run", name,
                  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static MbStatus too_many(Work *w, const char *name, size_t count, const char *first) {
  return mb_error(w->report, MB_USAGE, "",
                  "--channel: \"%s\" makes %zu curves, and a plot shows at most %d: name some of them, as %s",
                  name, count, MB_PLOT_TRACES, first);
}

// A trace of the column in that run, unless there is one already.
static MbStatus add_trace(Work *w, size_t run, const MbPick *pick, const char *name) {
  MbRunsPlot *made = w->made;
  size_t p = 0;
  while (p < w->npicks && strcmp(w->picks[p].name, pick->name) != 0) p++;
  for (size_t i = 0; i < made->ntraces; i++)
    if (made->traces[i].run == run && made->traces[i].pick == p) return MB_OK;
  if (made->ntraces == MB_PLOT_TRACES) return too_many(w, name, MB_PLOT_TRACES + 1, pick->name);
  if (p == w->npicks) w->picks[w->npicks++] = *pick;
  made->traces[made->ntraces++] = (MbTrace){.run = run, .at = pick->at, .pick = p};
  return MB_OK;
}

static MbStatus choose_name(Work *w, const char *name) {
  MbPick picks[MB_PLOT_TRACES];
  size_t knowing = 0;
  MbStatus status = MB_OK;
  for (size_t r = 0; r < w->ask->nruns && !status; r++) {
    const size_t n = mb_pick(w->ask->runs[r], name, &w->made->arena, picks, MB_PLOT_TRACES);
    if (n == SIZE_MAX) return no_memory(w);
    if (n * w->ask->nruns > MB_PLOT_TRACES) return too_many(w, name, n * w->ask->nruns, picks[0].name);
    knowing += n > 0;
    for (size_t k = 0; k < n && !status; k++) status = add_trace(w, r, &picks[k], name);
  }
  if (!status && !knowing) return unknown(w, "--channel", name);
  for (size_t r = 0; r < w->ask->nruns && !status && knowing < w->ask->nruns; r++)
    if (!mb_pick(w->ask->runs[r], name, &w->made->arena, picks, MB_PLOT_TRACES))
      mb_warning(w->report, "", "%s has no \"%s\"", mb_traj_path(w->ask->runs[r]), name);
  return status;
}

static MbStatus choose_across(Work *w, MbPick *pick) {
  const char *name = w->ask->across;
  size_t knowing = 0;
  for (size_t r = 0; r < w->ask->nruns; r++) {
    MbPick picks[2];
    const size_t n = mb_pick(w->ask->runs[r], name, &w->made->arena, picks, 2);
    if (n == SIZE_MAX) return no_memory(w);
    if (n > 1)
      return mb_error(w->report, MB_USAGE, "", "--x: \"%s\" is %zu columns of %s: name one of them, as %s",
                      name, n, mb_traj_path(w->ask->runs[r]), picks[0].name);
    w->across[r] = n ? picks[0].at : SIZE_MAX;
    if (n && !knowing++) *pick = picks[0];
  }
  for (size_t r = 0; r < w->ask->nruns && knowing; r++)
    if (w->across[r] == SIZE_MAX)
      mb_warning(w->report, "", "%s has no \"%s\"", mb_traj_path(w->ask->runs[r]), name);
  return knowing ? MB_OK : unknown(w, "--x", name);
}

// ---- their numbers ----------------------------------------------------------------------------------------

static MbStatus add_time(Work *w, MbTraj *run, uint64_t frame) {
  double time = 0;
  const MbStatus status = mb_traj_read(run, frame, 1, NULL, &time, NULL, w->report);
  if (!status) w->from = fmin(w->from, time), w->to = fmax(w->to, time);
  return status;
}

// From the first frame that is there to the last.
static MbStatus find_times(Work *w) {
  MbStatus status = MB_OK;
  w->from = INFINITY, w->to = -INFINITY;
  for (size_t r = 0; r < w->ask->nruns && !status; r++) {
    MbTrajFrames frames;
    MbTraj *run = w->ask->runs[r];
    status = mb_traj_slice(run, w->ask->slice, &frames, w->report);
    if (status || !frames.count) continue;
    uint64_t last = frames.span - 1;
    while (mb_frames_next(&frames, last) != last) last--;
    status = add_time(w, run, mb_frames_at(&frames, mb_frames_next(&frames, 0)));
    if (!status) status = add_time(w, run, mb_frames_at(&frames, last));
  }
  if (status || w->from <= w->to) return status;
  return mb_error(w->report, MB_USAGE, "", "there are no frames to plot");
}

static MbStatus read_run(Work *w, size_t run) {
  MbTraj *traj = w->ask->runs[run];
  MbTrajFrames frames;
  MbWalk walk = {0};
  size_t nchannels = 0;
  const MbChannel *channels = mb_traj_channels(traj, &nchannels);
  bool *wanted = mb_calloc(nchannels, sizeof *wanted);
  if (!wanted) return no_memory(w);
  for (size_t i = 0; i < nchannels; i++) {
    const size_t first = channels[i].offset, end = first + channels[i].items * channels[i].width;
    wanted[i] = w->ask->across && w->across[run] >= first && w->across[run] < end;
    for (size_t k = 0; k < w->made->ntraces; k++) {
      const MbTrace *t = &w->made->traces[k];
      wanted[i] |= t->run == run && t->at >= first && t->at < end;
    }
  }
  MbStatus status = mb_traj_slice(traj, w->ask->slice, &frames, w->report);
  if (!status) status = mb_walk_begin(&walk, traj, wanted, w->report);
  for (uint64_t i = 0, next = 0; !status && (next = mb_frames_next(&frames, i)) < frames.span; i = next + 1) {
    double time = 0;
    const double *numbers = NULL;
    status = mb_walk_frame(&walk, mb_frames_at(&frames, next), &time, &numbers, w->report);
    for (size_t k = 0; k < w->made->ntraces && !status; k++) {
      MbTrace *t = &w->made->traces[k];
      if (t->run != run) continue;
      if (next > i) mb_series_break(&t->series); // frames are missing
      mb_series_add(&t->series, time, w->ask->across ? numbers[w->across[run]] : time, numbers[t->at]);
    }
  }
  mb_walk_end(&walk);
  mb_free(wanted);
  return status;
}

static MbStatus read_all(Work *w) {
  MbRunsPlot *made = w->made;
  const size_t share = POINTS / MB_SERIES_ROLES / made->ntraces;
  for (size_t k = 0; k < made->ntraces; k++)
    mb_series_begin(&made->traces[k].series, w->ask->across ? share : BUCKETS, w->from, w->to);
  for (size_t r = 0; r < w->ask->nruns; r++) {
    if (w->ask->across && w->across[r] == SIZE_MAX) continue;
    const MbStatus status = read_run(w, r);
    if (status) return status;
  }
  for (size_t k = 0; k < made->ntraces; k++) {
    MbSeries *series = &made->traces[k].series;
    if (!mb_series_end(series)) return no_memory(w);
    if (series->unfit)
      mb_warning(w->report, "", "%s of %s: %llu %s not finite and left out",
                 w->picks[made->traces[k].pick].name, mb_traj_path(w->ask->runs[made->traces[k].run]),
                 (unsigned long long)series->unfit, series->unfit == 1 ? "number is" : "numbers are");
  }
  return MB_OK;
}

// ---- panels -----------------------------------------------------------------------------------------------

static const char *join(MbArena *arena, const char *a, const char *between, const char *b,
                        const char *after) {
  const size_t size = strlen(a) + strlen(between) + strlen(b) + strlen(after) + 1;
  char *text = mb_arena_alloc(arena, size, 1);
  if (text) snprintf(text, size, "%s%s%s%s", a, between, b, after);
  return text;
}

static const char *with_unit(MbArena *arena, const char *name, const char *unit) {
  return *unit ? join(arena, name, " (", unit, ")") : name;
}

// Numbers of one unit stand in one panel; those without a unit by their channel.
static bool together(const MbPick *a, const MbPick *b) {
  return !strcmp(a->unit, b->unit) && (*a->unit || !strcmp(a->channel, b->channel));
}

// "energy (J)", or the unit alone where several channels have it.
static const char *label_panel(Work *w, size_t first) {
  const MbPick *a = &w->picks[first];
  for (size_t p = first; p < w->npicks; p++)
    if (together(a, &w->picks[p]) && strcmp(a->channel, w->picks[p].channel) != 0) return a->unit;
  return with_unit(&w->made->arena, a->channel, a->unit);
}

// One run: a look for each column of the panel. Several: a hue for each column, a dash for each run.
static MbCurve make_curve(Work *w, const MbTrace *t) {
  const bool several = w->ask->nruns > 1;
  const char *column = w->picks[t->pick].name;
  size_t place = 0, columns = 0;
  for (size_t p = 0; p < w->npicks; p++)
    if (together(&w->picks[p], &w->picks[t->pick])) columns++, place += p < t->pick;
  return (MbCurve){.name = several ? join(&w->made->arena, column, ", ", w->ask->labels[t->run], "") : column,
                   .n = t->series.n,
                   .x = t->series.x,
                   .y = t->series.y,
                   .hue = several && columns == 1 ? t->run : place,
                   .dash = several ? t->run : place};
}

static MbStatus make_panel(Work *w, size_t first, MbPanel *panel) {
  MbCurve *curves = mb_arena_alloc(&w->made->arena, w->made->ntraces, sizeof *curves);
  if (!curves) return no_memory(w);
  panel->curves = curves;
  for (size_t k = 0; k < w->made->ntraces; k++) {
    const MbTrace *t = &w->made->traces[k];
    if (!together(&w->picks[first], &w->picks[t->pick])) continue;
    curves[panel->ncurves] = make_curve(w, t);
    if (!curves[panel->ncurves++].name) return no_memory(w);
  }
  panel->y.label = label_panel(w, first);
  return panel->y.label ? MB_OK : no_memory(w);
}

static MbStatus make_title(Work *w) {
  const char *title = w->ask->labels[0];
  for (size_t r = 1; r < w->ask->nruns && title; r++)
    title = join(&w->made->arena, title, ", ", w->ask->labels[r], "");
  w->made->plot.title = title;
  return title ? MB_OK : no_memory(w);
}

static MbStatus make_panels(Work *w, const MbPick *across) {
  MbArena *arena = &w->made->arena;
  MbPlot *plot = &w->made->plot;
  MbPanel *panels = mb_arena_alloc(arena, w->npicks, sizeof *panels);
  const char *label = across ? with_unit(arena, across->name, across->unit) : "time (s)";
  if (!panels || !label) return no_memory(w);
  *plot = (MbPlot){.columns = 1, .panels = panels, .width = WIDTH, .one_x = true};
  for (size_t p = 0; p < w->npicks; p++) {
    size_t first = 0;
    while (!together(&w->picks[first], &w->picks[p])) first++;
    if (first < p) continue;
    MbPanel *panel = &panels[plot->npanels++];
    panel->x.label = label;
    if (!across) panel->x.from = w->from, panel->x.to = w->to;
    const MbStatus status = make_panel(w, p, panel);
    if (status) return status;
  }
  plot->height = plot->npanels == 1 ? 320 : plot->npanels == 2 ? 220 : 160;
  return make_title(w);
}

MbStatus mb_runs_plot(const MbRunsAsk *ask, MbRunsPlot *made, MbReport *report) {
  Work w = {.ask = ask, .made = made, .report = report};
  MbPick across = {0};
  *made = (MbRunsPlot){0};
  w.across = mb_arena_alloc(&made->arena, ask->nruns, sizeof *w.across);
  made->traces = mb_calloc(MB_PLOT_TRACES, sizeof *made->traces);
  MbStatus status = w.across && made->traces ? MB_OK : no_memory(&w);
  for (size_t i = 0; i < ask->nnames && !status; i++) status = choose_name(&w, ask->names[i]);
  if (!status && ask->across) status = choose_across(&w, &across);
  if (!status) status = find_times(&w);
  if (!status) status = read_all(&w);
  return status ? status : make_panels(&w, ask->across ? &across : NULL);
}

void mb_runs_plot_free(MbRunsPlot *made) {
  for (size_t k = 0; k < made->ntraces; k++) mb_series_free(&made->traces[k].series);
  mb_free(made->traces);
  mb_arena_free(&made->arena);
  *made = (MbRunsPlot){0};
}
