// What `mbsim fit` tells: while it searches, and what it has found.
#include "cli/fitting.h"
#include "cli/console.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 6 }; // unknowns in a line of history, correlations in a table

const char *mb_fit_shown(const MbUnknown *u, char text[64]) { return mb_console_safe(u->name, text, 64); }

// The root of the mean square in standard deviations, or in the data's own units; of what is minimised its value.
double mb_fit_misfit(const MbFit *fit, double cost) {
  return fit->minimise ? cost : sqrt(2 * cost / (double)fit->problem.numbers);
}

static const char *misfit_name(const MbFit *fit) {
  return fit->minimise ? "value" : fit->known ? "misfit/sigma" : "misfit";
}

// ---- while it searches ----------------------------------------------------------------------------

void mb_fit_tell_begin(const MbFit *fit) {
  char text[200];
  if (fit->minimise)
    printf("least of %s, %zu unknown%s\n", mb_console_safe(fit->minimise, text, sizeof text), fit->n,
           fit->n == 1 ? "" : "s");
  else
    printf("%zu unknown%s, %zu numbers of %zu column%s of %s\n", fit->n, fit->n == 1 ? "" : "s",
           fit->match.npoints, fit->match.nseries, fit->match.nseries == 1 ? "" : "s",
           mb_console_safe(fit->data.file, text, sizeof text));
}

// The end of a long one, which tells more.
static const char *short_name(const MbUnknown *u, char text[64], size_t wide) {
  mb_fit_shown(u, text);
  const size_t n = strlen(text);
  size_t from = n > wide ? n - wide : 0;
  while (from && ((unsigned char)text[from] & 0xC0) == 0x80) from++; // no half characters
  return text + from;
}

static void head(const MbFit *fit) {
  char text[64];
  if (mb_arg(fit->args, "starts")->count > 1) printf("start %zu\n", fit->at + 1);
  printf("%5s %14s %9s", "step", misfit_name(fit), "move");
  for (size_t k = 0; k < fit->n && k < SHOWN; k++) printf(" %14s", short_name(&fit->unknowns[k], text, 14));
  printf("%s\n", fit->n > SHOWN ? " ..." : "");
}

void mb_fit_tell_news(const MbFit *fit, const MbFitNews *news) {
  if (!news->iteration) head(fit);
  printf("%5d %14.8g %9.2g", news->iteration, mb_fit_misfit(fit, news->cost), news->step);
  for (size_t k = 0; k < fit->n && k < SHOWN; k++)
    printf(" %14.8g", mb_fit_number(&fit->unknowns[k], news->x[k]));
  printf("\n");
  fflush(stdout);
}

// ---- what it has found ----------------------------------------------------------------------------

static double value_of(const MbFit *fit, size_t k) {
  return mb_fit_number(&fit->unknowns[k], fit->starts[fit->best].found.x[k]);
}

// Of the number: of its logarithm, times itself.
static double error_of(const MbFit *fit, size_t k) {
  return fit->worth.error[k] * (fit->unknowns[k].logarithmic ? value_of(fit, k) : 1);
}

const char *mb_fit_remark(const MbFit *fit, size_t k) {
  if (!fit->worth.bound) { // an expression has no standard errors
    const double x = fit->starts[fit->best].found.x[k];
    return x <= fit->x_low[k] || x >= fit->x_high[k] ? "at its bound" : "";
  }
  return fit->worth.bound[k] ? "at its bound" : fit->worth.untold[k] ? "the data does not tell it" : "";
}

static void tell_table(const MbFit *fit) {
  char text[64];
  size_t widest = 7;
  for (size_t k = 0; k < fit->n; k++) {
    const size_t n = strlen(mb_fit_shown(&fit->unknowns[k], text));
    if (n > widest) widest = n;
  }
  const int width = (int)widest;
  printf("%-*s %16s %16s %16s\n", width, "unknown", "value", fit->worth.error ? "standard error" : "",
         "in the scene");
  for (size_t k = 0; k < fit->n; k++) {
    char error[32] = "";
    if (fit->worth.error && isfinite(fit->worth.error[k]))
      snprintf(error, sizeof error, "%.3g", error_of(fit, k));
    const char *said = mb_fit_remark(fit, k);
    printf("%-*s %16.9g %16s %16.9g%s%s\n", width, mb_fit_shown(&fit->unknowns[k], text), value_of(fit, k),
           error, fit->unknowns[k].start, *said ? "  " : "", said);
  }
}

static void tell_correlations(const MbFit *fit) {
  char text[64];
  if (!fit->worth.correlation || fit->n < 2) return;
  if (fit->n > SHOWN) {
    printf("correlations of %zu unknowns: with --json, or on the page of --report\n", fit->n);
    return;
  }
  printf("correlations\n");
  for (size_t k = 1; k < fit->n; k++) {
    printf("%16s", short_name(&fit->unknowns[k], text, 16));
    for (size_t l = 0; l < k; l++) {
      const double c = fit->worth.correlation[k * fit->n + l];
      if (isfinite(c))
        printf(" %8.4f", c);
      else
        printf(" %8s", "-");
    }
    printf("\n");
  }
  printf("%16s", "");
  for (size_t l = 0; l + 1 < fit->n; l++) printf(" %8s", short_name(&fit->unknowns[l], text, 8));
  printf("\n");
}

static void tell_columns(const MbFit *fit) {
  char text[200];
  for (size_t s = 0; s < fit->match.nseries; s++) {
    double rms = 0, most = 0;
    mb_fit_column_left(fit, s, &rms, &most);
    printf("%-30s %6zu numbers, off by %.3g (rms), %.3g at most\n",
           mb_console_safe(fit->match.series[s].name, text, sizeof text), fit->match.series[s].points, rms,
           most);
  }
  if (fit->match.outside)
    printf("%zu of %zu rows lie before the run's start or behind its end and count for nothing\n",
           fit->match.outside, fit->data.rows);
}

static const char *derivatives(const MbFit *fit, char text[500]) {
  if (fit->exact) return mb_fit_exactness(fit, text);
  snprintf(text, 500, "central differences of whole runs, numbers moved by %g of themselves%s%s%s",
           fit->starts[fit->best].move, *fit->why ? " (" : "", fit->why, *fit->why ? ")" : "");
  return text;
}

static void tell_starts(const MbFit *fit) {
  size_t same = 0, failed = 0, tried = 0;
  const double best = fit->starts[fit->best].found.cost;
  for (size_t s = 0; s < fit->nstarts; s++) {
    const MbFitStart *start = &fit->starts[s];
    if (!start->found.y) continue;
    tried++;
    failed += start->status != MB_OK;
    same += !start->status && start->found.cost <= best + 1e-3 * fabs(best);
  }
  printf("best of %zu starts: number %zu; %zu came to the same, %zu to nothing\n", tried, fit->best + 1, same,
         failed);
}

// A search that has stuck where contacts, whose blows come at whole steps, make what comes out rough.
static void tell_advice(const MbFit *fit) {
  MbContactCounts contacts;
  if (fit->starts[fit->best].found.end != MB_FIT_STUCK || fit->exact || !mb_sim_contacts(fit->sim, &contacts))
    return;
  printf("where contacts come and go small moves tell little of large ones: "
         "a longer --move (--move 0.02), bounds and --starts may find more\n");
}

void mb_fit_tell_end(const MbFit *fit) {
  const MbFitFound *found = &fit->starts[fit->best].found;
  char text[500];
  printf("%s after %d iteration%s, %lld runs\nderivatives: %s\n", mb_fit_end_text(found->end),
         found->iterations, found->iterations == 1 ? "" : "s", (long long)fit->runs, derivatives(fit, text));
  tell_advice(fit);
  if (fit->nstarts > 1) tell_starts(fit);
  printf("%s %.9g\n", misfit_name(fit), mb_fit_misfit(fit, found->cost));
  if (*mb_fit_doubt(fit, text)) printf("%s\n", text);
  tell_table(fit);
  if (fit->worth.error && isnan(fit->worth.variance))
    printf("as many unknowns as numbers: nothing is left to tell standard errors by\n");
  tell_correlations(fit);
  if (!fit->minimise) tell_columns(fit);
}

// ---- as JSON --------------------------------------------------------------------------------------

static void add_number(cJSON *object, const char *name, double x) {
  if (isfinite(x))
    cJSON_AddNumberToObject(object, name, x);
  else
    cJSON_AddNullToObject(object, name);
}

static void add_unknowns(const MbFit *fit, cJSON *tree) {
  cJSON *list = cJSON_AddArrayToObject(tree, "unknowns");
  for (size_t k = 0; k < fit->n; k++) {
    cJSON *one = cJSON_CreateObject();
    cJSON_AddItemToArray(list, one);
    cJSON_AddStringToObject(one, "name", fit->unknowns[k].name);
    cJSON_AddNumberToObject(one, "value", value_of(fit, k));
    if (fit->worth.error) add_number(one, "error", error_of(fit, k));
    cJSON_AddNumberToObject(one, "start", fit->unknowns[k].start);
    add_number(one, "low", fit->unknowns[k].low);
    add_number(one, "high", fit->unknowns[k].high);
    cJSON_AddBoolToObject(one, "at_bound", !strcmp(mb_fit_remark(fit, k), "at its bound"));
    if (fit->worth.untold) cJSON_AddBoolToObject(one, "determined", !fit->worth.untold[k]);
  }
  if (!fit->worth.correlation) return;
  cJSON *rows = cJSON_AddArrayToObject(tree, "correlations");
  for (size_t k = 0; k < fit->n; k++) {
    cJSON *row = cJSON_CreateArray();
    cJSON_AddItemToArray(rows, row);
    for (size_t l = 0; l < fit->n; l++) {
      const double c = fit->worth.correlation[k * fit->n + l];
      cJSON_AddItemToArray(row, isfinite(c) ? cJSON_CreateNumber(c) : cJSON_CreateNull());
    }
  }
}

static void add_history(const MbFit *fit, cJSON *tree) {
  cJSON *list = cJSON_AddArrayToObject(tree, "history");
  for (size_t i = 0; i < fit->nhistory; i++) {
    const double *row = fit->history[i];
    cJSON *one = cJSON_CreateObject();
    cJSON_AddItemToArray(list, one);
    if (fit->nstarts > 1) cJSON_AddNumberToObject(one, "start", row[0] + 1);
    cJSON_AddNumberToObject(one, "iteration", row[1]);
    add_number(one, "misfit", mb_fit_misfit(fit, row[2]));
    add_number(one, "move", row[3]);
    cJSON *values = cJSON_AddArrayToObject(one, "values");
    for (size_t k = 0; k < fit->n; k++) cJSON_AddItemToArray(values, cJSON_CreateNumber(row[4 + k]));
  }
}

static void add_columns(const MbFit *fit, cJSON *tree) {
  cJSON *list = cJSON_AddArrayToObject(tree, "columns");
  for (size_t s = 0; s < fit->match.nseries; s++) {
    cJSON *one = cJSON_CreateObject();
    cJSON_AddItemToArray(list, one);
    cJSON_AddStringToObject(one, "name", fit->match.series[s].name);
    cJSON_AddStringToObject(one, "data", fit->match.series[s].data->name);
    cJSON_AddNumberToObject(one, "numbers", (double)fit->match.series[s].points);
  }
  cJSON_AddNumberToObject(tree, "rows_outside", (double)fit->match.outside);
}

cJSON *mb_fit_answer(const MbFit *fit) {
  const MbFitFound *found = &fit->starts[fit->best].found;
  char text[500];
  cJSON *tree = cJSON_CreateObject();
  cJSON_AddBoolToObject(tree, "converged", found->end == MB_FIT_CONVERGED);
  cJSON_AddStringToObject(tree, "end", mb_fit_end_text(found->end));
  cJSON_AddNumberToObject(tree, "iterations", found->iterations);
  cJSON_AddNumberToObject(tree, "runs", (double)fit->runs);
  cJSON_AddStringToObject(tree, "derivatives", derivatives(fit, text));
  add_number(tree, fit->minimise ? "value" : "misfit", mb_fit_misfit(fit, found->cost));
  if (*mb_fit_doubt(fit, text)) cJSON_AddStringToObject(tree, "doubt", text);
  if (fit->nstarts > 1) cJSON_AddNumberToObject(tree, "start", (double)fit->best + 1);
  add_unknowns(fit, tree);
  if (!fit->minimise) add_columns(fit, tree);
  add_history(fit, tree);
  return tree;
}
