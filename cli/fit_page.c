// The page of `mbsim fit`: one file that needs no network, with data and motion over one another, what was found, and the way there.
#include "cli/fitting.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/plot/plot.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { PANELS = 24, COLUMNS = 2, HISTORY_COLUMNS = 12 };

static void put(FILE *out, const char *text) {
  for (; *text; text++) switch (*text) {
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '&':
      fputs("&amp;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    default:
      fputc(*text, out);
    }
}

static void put_number(FILE *out, const char *format, double x) {
  fputs("<td>", out);
  if (isfinite(x)) fprintf(out, format, x);
  fputs("</td>", out);
}

// ---- tables ---------------------------------------------------------------------------------------

static double value_of(const MbFit *fit, size_t k) {
  return mb_fit_number(&fit->unknowns[k], fit->starts[fit->best].found.x[k]);
}

static void put_unknowns(const MbFit *fit, FILE *out) {
  const MbFitWorth *w = &fit->worth;
  fputs("<table><tr><th>unknown</th><th>value</th><th>standard error</th><th>in the "
        "scene</th><th>from</th><th>to</th>"
        "<th></th></tr>\n",
        out);
  for (size_t k = 0; k < fit->n; k++) {
    const MbUnknown *u = &fit->unknowns[k];
    fputs("<tr><td class=\"text\">", out);
    put(out, u->name);
    fputs("</td>", out);
    put_number(out, "%.9g", value_of(fit, k));
    put_number(out, "%.3g", w->error ? w->error[k] * (u->logarithmic ? value_of(fit, k) : 1) : (double)NAN);
    put_number(out, "%.9g", u->start);
    put_number(out, "%.9g", u->low);
    put_number(out, "%.9g", u->high);
    fprintf(out, "<td class=\"text\">%s</td></tr>\n", mb_fit_remark(fit, k));
  }
  fputs("</table>\n", out);
}

static void put_correlations(const MbFit *fit, FILE *out) {
  if (!fit->worth.correlation || fit->n < 2) return;
  fputs("<h2>Correlations</h2>\n<div class=\"wide\"><table><tr><th></th>", out);
  for (size_t k = 0; k < fit->n; k++) {
    fputs("<th>", out);
    put(out, fit->unknowns[k].name);
    fputs("</th>", out);
  }
  fputs("</tr>\n", out);
  for (size_t k = 0; k < fit->n; k++) {
    fputs("<tr><td class=\"text\">", out);
    put(out, fit->unknowns[k].name);
    fputs("</td>", out);
    for (size_t l = 0; l < fit->n; l++) put_number(out, "%.4f", fit->worth.correlation[k * fit->n + l]);
    fputs("</tr>\n", out);
  }
  fputs("</table></div>\n", out);
}

static void put_history(const MbFit *fit, FILE *out) {
  fprintf(out,
          "<h2>The search</h2>\n<div "
          "class=\"wide\"><table><tr><th>start</th><th>step</th><th>%s</th><th>move</th>",
          fit->minimise ? "value" : "misfit");
  for (size_t k = 0; k < fit->n && k < HISTORY_COLUMNS; k++) {
    fputs("<th>", out);
    put(out, fit->unknowns[k].name);
    fputs("</th>", out);
  }
  fputs("</tr>\n", out);
  for (size_t i = 0; i < fit->nhistory; i++) {
    const double *row = fit->history[i];
    fprintf(out, "<tr><td>%.0f</td><td>%.0f</td>", row[0] + 1, row[1]);
    put_number(out, "%.8g", mb_fit_misfit(fit, row[2]));
    put_number(out, "%.2g", row[3]);
    for (size_t k = 0; k < fit->n && k < HISTORY_COLUMNS; k++) put_number(out, "%.8g", row[4 + k]);
    fputs("</tr>\n", out);
  }
  fputs("</table></div>\n", out);
}

// ---- pictures -------------------------------------------------------------------------------------

// The points of one column: time, data, the run found, the run of the scene, and what is left between the first two of these.
enum { DATA, FITTED, OWN, LEFT, CURVES };
typedef struct Points {
  double *t, *of[CURVES];
  size_t n;
  MbCurve curves[CURVES];
} Points;

static bool make_points(const MbFit *fit, const double *first, size_t series, Points *p, MbArena *arena) {
  static const char *const names[CURVES] = {"data", "fitted", "the scene's", "fitted less data"};
  const MbFitMatch *m = &fit->match;
  const double *best = fit->starts[fit->best].found.y;
  const size_t room = m->series[series].points;
  p->t = mb_arena_alloc(arena, room, sizeof(double));
  for (size_t c = 0; c < CURVES; c++)
    if (!(p->of[c] = mb_arena_alloc(arena, room, sizeof(double)))) return false;
  if (!p->t) return false;
  for (size_t i = 0; i < m->npoints; i++) {
    const MbFitPoint *point = &m->points[i];
    if (point->series != series) continue;
    p->t[p->n] = fit->data.time[point->row];
    p->of[DATA][p->n] = point->value;
    p->of[FITTED][p->n] = point->value + best[i] * point->sigma;
    p->of[LEFT][p->n] = best[i] * point->sigma;
    p->of[OWN][p->n] = first ? point->value + first[i] * point->sigma : (double)NAN;
    p->n++;
  }
  for (size_t c = 0; c < CURVES; c++)
    p->curves[c] = (MbCurve){.name = names[c], .n = p->n, .x = p->t, .y = p->of[c], .hue = c, .dash = c};
  return true;
}

// A panel of each column, with so many of its curves from one on.
static MbStatus put_panels(const MbFit *fit, Points *points, size_t n, size_t from, size_t curves, FILE *out,
                           MbReport *report) {
  const size_t before = from == LEFT ? PANELS : 0;
  MbPanel panels[PANELS];
  for (size_t s = 0; s < n; s++)
    panels[s] = (MbPanel){.title = fit->match.series[s].name,
                          .x = {.label = "time (s)"},
                          .ncurves = curves,
                          .curves = points[s].curves + from};
  const MbPlot plot = {.columns = n > 1 ? COLUMNS : 1,
                       .npanels = n,
                       .panels = panels,
                       .width = 480,
                       .height = 220,
                       .number = before,
                       .one_legend = true};
  return mb_plot_svg(out, &plot, report);
}

static void put_left(const MbFit *fit, FILE *out) {
  fputs("<h2>What is left</h2>\n<table><tr><th>column</th><th>numbers</th><th>off by (rms)</th><th>at "
        "most</th></tr>\n",
        out);
  for (size_t s = 0; s < fit->match.nseries; s++) {
    double rms = 0, most = 0;
    mb_fit_column_left(fit, s, &rms, &most);
    fputs("<tr><td class=\"text\">", out);
    put(out, fit->match.series[s].name);
    fprintf(out, "</td><td>%zu</td>", fit->match.series[s].points);
    put_number(out, "%.4g", rms), put_number(out, "%.4g", most);
    fputs("</tr>\n", out);
  }
  fputs("</table>\n", out);
}

static MbStatus put_columns(const MbFit *fit, const double *first, FILE *out, MbReport *report) {
  const size_t n = fit->match.nseries < PANELS ? fit->match.nseries : PANELS;
  MbArena arena = {0};
  Points *points = mb_arena_alloc(&arena, n, sizeof *points);
  bool fine = points;
  for (size_t s = 0; s < n && fine; s++) fine = make_points(fit, first, s, &points[s], &arena);
  MbStatus status = fine ? put_panels(fit, points, n, DATA, first ? LEFT : OWN, out, report)
                         : mb_no_memory(report, "the report");
  if (n < fit->match.nseries) fprintf(out, "<p>The first %zu of %zu columns.</p>\n", n, fit->match.nseries);
  put_left(fit, out);
  if (!status) status = put_panels(fit, points, n, LEFT, 1, out, report);
  mb_arena_free(&arena);
  return status;
}

static MbStatus put_way(const MbFit *fit, FILE *out, MbReport *report) {
  MbArena arena = {0};
  double *x = mb_arena_alloc(&arena, fit->nhistory + 1, sizeof *x),
         *y = mb_arena_alloc(&arena, fit->nhistory + 1, sizeof *y);
  size_t n = 0;
  bool above = true;
  for (size_t i = 0; x && y && i < fit->nhistory; i++) {
    if ((size_t)fit->history[i][0] != fit->best) continue;
    x[n] = fit->history[i][1], y[n] = mb_fit_misfit(fit, fit->history[i][2]);
    above = above && y[n] > 0;
    n++;
  }
  const MbCurve curve = {.name = fit->minimise ? "value" : "misfit", .n = n, .x = x, .y = y};
  const MbPanel panel = {.x = {.label = "step"},
                         .y = {.label = curve.name, .logarithmic = above},
                         .ncurves = 1,
                         .curves = &curve};
  const MbPlot plot = {
      .columns = 1, .npanels = 1, .panels = &panel, .width = 640, .height = 220, .number = 2 * PANELS};
  const MbStatus status = x && y ? mb_plot_svg(out, &plot, report) : mb_no_memory(report, "the report");
  mb_arena_free(&arena);
  return status;
}

// ---- the page -------------------------------------------------------------------------------------

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Fit</title>\n<style>\n"
    "body { font: 14px/1.45 system-ui, sans-serif; color: #1d2330; background: #fff; margin: 1.2rem auto; "
    "max-width: "
    "1400px; padding: 0 1rem; }\n"
    "h1 { font-size: 1.4rem; margin: 0 0 .2rem; } h2 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; } p { "
    "margin: .2rem 0; }\n"
    ".bad { color: #c0392b; } .wide { overflow: auto; max-height: 34rem; }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
    "th, td { padding: .15rem .55rem; border-bottom: 1px solid #c9ced8; text-align: right; white-space: "
    "nowrap; }\n"
    "th { background: #f2f4f8; } td.text { text-align: left; } svg { max-width: 100%; height: auto; }\n"
    "</style>\n</head>\n<body>\n";

static void put_summary(const MbFit *fit, FILE *out) {
  const MbFitFound *found = &fit->starts[fit->best].found;
  char text[100], doubt[400];
  fputs("<h1>", out);
  put(out, fit->source.name);
  fputs("</h1>\n<p>", out);
  if (fit->minimise)
    fputs("least of ", out), put(out, fit->minimise);
  else
    fprintf(out, "%zu numbers of ", fit->match.npoints), put(out, fit->data.file);
  fprintf(out, "; mbsim %s</p>\n<p%s>%s after %d iterations, %lld runs; derivatives %s</p>\n<p>%s %.9g</p>\n",
          mb_version(), found->end == MB_FIT_CONVERGED ? "" : " class=\"bad\"", mb_fit_end_text(found->end),
          found->iterations, (long long)fit->runs,
          fit->exact ? mb_fit_exactness(fit, text) : "by differences of whole runs",
          fit->minimise ? "value"
          : fit->known  ? "misfit, in standard deviations,"
                        : "misfit",
          mb_fit_misfit(fit, found->cost));
  if (!*mb_fit_doubt(fit, doubt)) return;
  fputs("<p class=\"bad\">", out);
  put(out, doubt);
  fputs("</p>\n", out);
}

MbStatus mb_fit_page(MbFit *fit, FILE *out, MbReport *report) {
  MbStatus status = MB_OK;
  double *first = mb_calloc(fit->problem.numbers + 1, sizeof *first), *x = mb_calloc(fit->n + 1, sizeof *x);
  if (!first || !x) status = mb_no_memory(report, "the report");
  MbReport own = {0};
  for (size_t k = 0; k < fit->n && !status; k++) x[k] = mb_fit_x(&fit->unknowns[k], fit->unknowns[k].start);
  const int64_t runs = fit->runs;
  const bool shown = !status && !fit->minimise && !mb_fit_value(fit, x, first, &own);
  fit->runs = runs; // one for the picture does not count
  errno = 0;
  fputs(head, out);
  put_summary(fit, out);
  fputs("<h2>What was found</h2>\n", out);
  put_unknowns(fit, out);
  if (!fit->minimise) fputs("<h2>Data and motion</h2>\n", out);
  if (!fit->minimise && !status) status = put_columns(fit, shown ? first : NULL, out, report);
  put_correlations(fit, out);
  put_history(fit, out);
  if (!status) status = put_way(fit, out, report);
  fputs("</body>\n</html>\n", out);
  mb_free(x);
  mb_free(first);
  if (!status && (fflush(out) || ferror(out)))
    return mb_error(report, MB_IO, "", "cannot write the report: %s", strerror(errno ? errno : EIO));
  return status;
}
