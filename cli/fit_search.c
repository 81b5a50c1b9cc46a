// Searches from the scene's own numbers, and from others that fill the bounds evenly (a Latin hypercube).
#include "cli/fitting.h"
#include "cli/run.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/sweep/design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool stop(void *to) {
  (void)to;
  return mb_run_stopped();
}

// ---- history --------------------------------------------------------------------------------------

static void keep_news(void *to, const MbFitNews *news) {
  MbFit *fit = to;
  if (!fit->quiet) mb_fit_tell_news(fit, news);
  if (!mb_grow(&fit->history, &fit->history_room, fit->nhistory + 1, sizeof *fit->history)) return;
  double *row = mb_calloc(fit->n + 4, sizeof *row);
  if (!row) return;
  row[0] = (double)fit->at, row[1] = news->iteration, row[2] = news->cost, row[3] = news->step;
  for (size_t k = 0; k < fit->n; k++) row[4 + k] = mb_fit_number(&fit->unknowns[k], news->x[k]);
  fit->history[fit->nhistory++] = row;
}

// ---- starts ---------------------------------------------------------------------------------------

static MbStatus add_axes(const MbFit *fit, MbDesign *design, MbReport *report) {
  char values[80];
  MbStatus status = MB_OK;
  for (size_t k = 0; k < fit->n && !status; k++) {
    const MbUnknown *u = &fit->unknowns[k];
    if (!isfinite(u->low) || !isfinite(u->high))
      return mb_error(report, MB_USAGE, "", "--starts: the others lie between bounds, and %s has not both",
                      u->name);
    snprintf(values, sizeof values, "%s%.17g:%.17g", u->logarithmic ? "log:" : "", u->low, u->high);
    status = mb_design_add(design, u->name, values, "--free", report);
  }
  return status ? status : mb_design_finish(design, report);
}

MbStatus mb_fit_choose_starts(MbFit *fit, MbReport *report) {
  const MbValue *starts = mb_arg(fit->args, "starts"), *seed = mb_arg(fit->args, "seed");
  const size_t n = fit->n;
  fit->nstarts = starts->given ? (size_t)starts->count : 1;
  if (fit->nstarts > 100000) return mb_error(report, MB_USAGE, "", "--starts: at most 100000");
  fit->starts = mb_arena_alloc(&fit->arena, fit->nstarts, sizeof *fit->starts);
  if (!fit->starts) return mb_no_memory(report, "a fit");
  MbDesign design = {.kind = MB_DESIGN_LATIN_HYPERCUBE, .samples = fit->nstarts - 1, .seed = 1};
  if (seed->given) design.seed = (uint64_t)seed->count;
  MbStatus status = fit->nstarts > 1 ? add_axes(fit, &design, report) : MB_OK;
  MbText text = {0};
  for (size_t s = 0; s < fit->nstarts && !status; s++) {
    MbFitStart *start = &fit->starts[s];
    start->from = mb_arena_alloc(&fit->arena, n, sizeof(double));
    start->found.x = mb_arena_alloc(&fit->arena, n, sizeof(double));
    if (!start->from || !start->found.x) status = mb_no_memory(report, "a fit");
    for (size_t k = 0; k < n && !status; k++) {
      text.length = 0;
      if (s) mb_design_value(&design, s - 1, k, &text);
      start->from[k] = s && !text.failed ? strtod(text.text, NULL) : fit->unknowns[k].start;
      start->found.x[k] = mb_fit_x(&fit->unknowns[k], start->from[k]);
    }
  }
  mb_free(mb_text_take(&text));
  mb_design_free(&design);
  return status;
}

// Misfits and slopes of a start.
typedef struct Room {
  double *y, *slopes;
} Room;

static MbStatus make_room(MbFit *fit, Room *room, MbReport *report) {
  room->y = mb_arena_alloc(&fit->arena, fit->problem.numbers + 1, sizeof(double));
  room->slopes = mb_arena_alloc(&fit->arena, fit->problem.numbers * fit->n + 1, sizeof(double));
  return room->y && room->slopes ? MB_OK : mb_no_memory(report, "a fit");
}

// Clearly lower: of two that end in the same place the first stays.
static bool better(const MbFitStart *a, const MbFitStart *b) {
  static const double CLEARLY = 1e-9;
  return a->found.cost < b->found.cost - CLEARLY * fabs(b->found.cost);
}

// Whatever a start has come to stays in its place; what the search itself cannot do ends it.
static MbStatus search_from(MbFit *fit, MbFitStart *start, const Room *work, MbReport *report) {
  MbReport own = {0};
  fit->move = fit->move_first, fit->moves = 0;
  start->found.y = work->y, start->found.slopes = work->slopes, start->found.cost = INFINITY;
  start->status = fit->minimise ? mb_fit_least(&fit->problem, &start->found, &own)
                                : mb_fit_squares(&fit->problem, &start->found, &own);
  start->move = fit->moved;
  if (start->status == MB_INTERRUPTED || mb_run_stopped()) {
    start->found.end = MB_FIT_STOPPED;
    return MB_INTERRUPTED;
  }
  if (!start->status && start->found.end == MB_FIT_EDGE && own.kept)
    mb_warning(report, "", "%s", own.issues[own.kept - 1].text);
  if (!start->status || (start->status == MB_NUMBERS && fit->nstarts > 1)) return MB_OK;
  *report = own;
  return start->status;
}

MbStatus mb_fit_search(MbFit *fit, MbReport *report) {
  Room work, best;
  MbStatus status = make_room(fit, &work, report);
  if (!status) status = make_room(fit, &best, report);
  fit->problem.told = keep_news, fit->problem.stop = stop;
  for (fit->at = 0; fit->at < fit->nstarts && !status; fit->at++) {
    MbFitStart *start = &fit->starts[fit->at];
    status = search_from(fit, start, &work, report);
    const bool usable = isfinite(start->found.cost) && start->status != MB_NUMBERS;
    if (!usable || (fit->best != SIZE_MAX && !better(start, &fit->starts[fit->best]))) continue;
    const Room was = best;
    best = work, work = was, fit->best = fit->at;
  }
  if (fit->best == SIZE_MAX && !status)
    return mb_error(report, MB_NUMBERS, "", "none of the %zu starts has a run that comes to its end",
                    fit->nstarts);
  return status;
}
