// What `mbsim fit` is asked, checked before any run.
#include "cli/fitting.h"
#include "cli/file_kind.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/base/threads.h"
#include "core/sim/sensitivity.h"
#include "io/sweep/small_file.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 100, MOST_UNKNOWNS = 1000 };
static const double MOVE = 1e-4;
static const double LEAST_SIGMA = 1e-40; // squares of what is divided by it stay finite
const char *const mb_slopes_words[] = {"auto", "exact", "differences", NULL};

double mb_fit_number(const MbUnknown *u, double x) { return u->logarithmic ? exp(x) : x; }
double mb_fit_x(const MbUnknown *u, double number) { return u->logarithmic ? log(number) : number; }

static MbStatus no_memory(MbReport *report) { return mb_no_memory(report, "a fit"); }

// ---- texts ----------------------------------------------------------------------------------------

static bool is_number(const char *text, double *x) {
  char *end = NULL;
  *x = strtod(text, &end);
  return end != text && !*end && isfinite(*x);
}

// "NAME=REST" of an option's list: the last "=", as pointers may have others. NULL where there is none.
static const char *split(MbFit *fit, const char *text, char **name) {
  const char *equals = strrchr(text, '=');
  *name = mb_arena_strndup(&fit->arena, text, equals ? (size_t)(equals - text) : strlen(text));
  return equals ? equals + 1 : NULL;
}

// "from:to", either of them may be left out, "log:" before it.
static MbStatus read_bounds(MbUnknown *u, const char *text, MbReport *report) {
  const char *whole = text, *colon;
  u->logarithmic = !strncmp(text, "log:", 4);
  if (u->logarithmic) text += 4;
  char from[64];
  colon = strchr(text, ':');
  const size_t n = colon ? (size_t)(colon - text) : sizeof from;
  bool fine = colon && n < sizeof from;
  if (fine) {
    memcpy(from, text, n);
    from[n] = 0;
    fine = (!n || is_number(from, &u->low)) && (!colon[1] || is_number(colon + 1, &u->high));
  }
  if (!fine)
    return mb_error(report, MB_USAGE, "",
                    "--free %s=%s: bounds are from:to, either of which may be left out, or log:from:to",
                    u->name, whole);
  if (!(u->low < u->high))
    return mb_error(report, MB_USAGE, "", "--free %s=%s: the first bound must be below the second", u->name,
                    whole);
  if (u->logarithmic && !(u->low > 0))
    return mb_error(report, MB_USAGE, "", "--free %s=%s: with log: bounds are above 0", u->name, whole);
  return MB_OK;
}

// ---- unknowns -------------------------------------------------------------------------------------

// A parameter's name, also where it is given by its pointer.
static const char *plain(const char *name) {
  static const char folder[] = "/parameters/";
  return strncmp(name, folder, sizeof folder - 1) ? name : name + sizeof folder - 1;
}

static MbStatus add_unknown(MbFit *fit, const char *name, const MbUnknown *as, MbReport *report) {
  if (fit->n == MOST_UNKNOWNS)
    return mb_error(report, MB_USAGE, "", "--free: more than %d unknowns", MOST_UNKNOWNS);
  for (size_t i = 0; i < fit->n; i++)
    if (!strcmp(plain(fit->unknowns[i].name), plain(name)))
      return mb_error(report, MB_USAGE, "", "--free %s: it is there twice", name);
  MbUnknown *u = &fit->unknowns[fit->n];
  *u = *as;
  u->name = name;
  const MbStatus status = mb_scene_number(fit->scene, "--free", name, &u->start, report);
  if (status) return status;
  if (!(u->start >= u->low && u->start <= u->high))
    return mb_error(report, MB_USAGE, "", "--free %s: the scene has %.9g, which is not within %.9g and %.9g",
                    name, u->start, u->low, u->high);
  fit->n++;
  return MB_OK;
}

// "/signals/values/*": each number of that list.
static MbStatus add_list(MbFit *fit, const char *name, const MbUnknown *as, MbReport *report) {
  const size_t length = strlen(name) - 2; // without "/*"
  char *folder = mb_arena_strndup(&fit->arena, name, length);
  if (!folder) return no_memory(report);
  const cJSON *list = mb_json_at(fit->scene->resolved, folder);
  const int count = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
  if (!count) return mb_error(report, MB_USAGE, "", "--free %s: the scene has no list there", name);
  for (int i = 0; i < count; i++) {
    char one[16];
    snprintf(one, sizeof one, "/%d", i);
    char *whole = mb_arena_alloc(&fit->arena, length + sizeof one, 1);
    if (!whole) return no_memory(report);
    memcpy(whole, folder, length);
    memcpy(whole + length, one, strlen(one) + 1);
    const MbStatus status = add_unknown(fit, whole, as, report);
    if (status) return status;
  }
  return MB_OK;
}

static MbStatus ask_unknowns(MbFit *fit, MbReport *report) {
  const MbValue *frees = mb_arg(fit->args, "free");
  if (!frees->nlist)
    return mb_error(report, MB_USAGE, "",
                    "--free: what is to be found, as --free damping or --free mass=0.5:2");
  fit->unknowns = mb_arena_alloc(&fit->arena, MOST_UNKNOWNS, sizeof *fit->unknowns);
  if (!fit->unknowns) return no_memory(report);
  MbStatus status = MB_OK;
  for (size_t i = 0; i < frees->nlist && !status; i++) {
    char *name = NULL;
    MbUnknown as = {.low = -INFINITY, .high = INFINITY};
    const char *bounds = split(fit, frees->list[i], &name);
    if (!name) return no_memory(report);
    as.name = name;
    if (bounds) status = read_bounds(&as, bounds, report);
    const size_t n = strlen(name);
    if (!status)
      status = n > 2 && !strcmp(name + n - 2, "/*") ? add_list(fit, name, &as, report)
                                                    : add_unknown(fit, name, &as, report);
  }
  return status;
}

static MbStatus ask_priors(MbFit *fit, MbReport *report) {
  const MbValue *priors = mb_arg(fit->args, "prior");
  for (size_t i = 0; i < priors->nlist; i++) {
    char *name = NULL;
    const char *rest = split(fit, priors->list[i], &name), *colon = rest ? strchr(rest, ':') : NULL;
    char mean[64] = "";
    MbUnknown *u = NULL;
    if (!name) return no_memory(report);
    for (size_t k = 0; k < fit->n; k++)
      if (!strcmp(fit->unknowns[k].name, name)) u = &fit->unknowns[k];
    if (!u) return mb_error(report, MB_USAGE, "", "--prior %s: it is none of what --free names", name);
    if (u->expected) return mb_error(report, MB_USAGE, "", "--prior %s: it is there twice", name);
    if (colon && (size_t)(colon - rest) < sizeof mean) memcpy(mean, rest, (size_t)(colon - rest));
    if (!colon || !is_number(mean, &u->mean) || !is_number(colon + 1, &u->deviation) || !(u->deviation > 0))
      return mb_error(report, MB_USAGE, "",
                      "--prior %s: a mean and a standard deviation above 0 are wanted, as mass=1.2:0.1",
                      priors->list[i]);
    u->expected = true;
    fit->npriors++;
  }
  return MB_OK;
}

// ---- data -----------------------------------------------------------------------------------------

static MbStatus read_data(MbFit *fit, const char *path, MbReport *report) {
  size_t length = 0;
  char *text = mb_small_read(path, &length);
  if (!text) return mb_error(report, MB_IO, "", "%s cannot be read: %s", path, strerror(errno));
  MbStatus status = MB_OK;
  if (!length) {
    status = mb_error(report, MB_IO, "", "%s is empty", path);
  } else if (!mb_file_is_trajectory(text, length)) {
    status = mb_fit_data_table(&fit->data, path, text, length, report);
  } else {
    MbTraj *traj = NULL;
    status = mb_traj_open(path, &traj, report);
    if (!status) status = mb_file_want_whole(traj, false, report);
    if (!status) status = mb_fit_data_trajectory(&fit->data, path, traj, report);
    mb_traj_free(traj);
  }
  mb_free(text);
  return status;
}

// A deviation for one of the matches, or for all.
static MbStatus take_sigma(MbFit *fit, const char *text, MbReport *report) {
  char *name = NULL;
  double sigma = 0;
  const char *number = split(fit, text, &name);
  if (!name) return no_memory(report);
  if (!number) number = text, name = NULL;
  if (!is_number(number, &sigma) || !(sigma >= LEAST_SIGMA && sigma <= 1 / LEAST_SIGMA))
    return mb_error(report, MB_USAGE, "",
                    "--sigma %s: a standard deviation above 0, from 1e-40 to 1e40, is wanted, for all data "
                    "or as hand.position=0.01",
                    text);
  bool found = !name;
  for (size_t i = 0; i < fit->nasks; i++) {
    if (name && strcmp(fit->asks[i].model, name) != 0) continue;
    if (fit->asks[i].sigma > 0)
      return mb_error(report, MB_USAGE, "", "--sigma %s: %s has a deviation already", text,
                      fit->asks[i].model);
    fit->asks[i].sigma = sigma, found = true;
  }
  return found ? MB_OK : mb_error(report, MB_USAGE, "", "--sigma %s: no --match is called %s", text, name);
}

static MbStatus ask_sigmas(MbFit *fit, MbReport *report) {
  const MbValue *sigmas = mb_arg(fit->args, "sigma");
  MbStatus status = MB_OK;
  for (size_t i = 0; i < sigmas->nlist && !status; i++) status = take_sigma(fit, sigmas->list[i], report);
  for (size_t i = 0; i < fit->nasks && sigmas->nlist && !status; i++)
    if (!(fit->asks[i].sigma > 0))
      return mb_error(report, MB_USAGE, "", "--sigma: %s has none, and others have", fit->asks[i].model);
  for (size_t i = 0; i < fit->nasks && !sigmas->nlist; i++) fit->asks[i].sigma = 1;
  fit->known = sigmas->nlist > 0;
  return status;
}

static MbStatus match_data(MbFit *fit, MbReport *report) {
  MbFitModel model = {.step = fit->plan.step, .steps = fit->plan.steps};
  model.channels = mb_sim_channels(fit->sim, &model.nchannels);
  model.nturns = mb_channel_turns(model.channels, model.nchannels, NULL);
  MbRotationPlace *turns = mb_arena_alloc(&fit->arena, model.nturns + 1, sizeof *turns);
  if (!turns) return no_memory(report);
  mb_channel_turns(model.channels, model.nchannels, turns);
  model.turns = turns;
  return mb_fit_match(&fit->data, fit->asks, fit->nasks, &model, &fit->match, &fit->arena, report);
}

static MbStatus ask_data(MbFit *fit, MbReport *report) {
  const MbValue *matches = mb_arg(fit->args, "match");
  if (!matches->nlist)
    return mb_error(report, MB_USAGE, "",
                    "--match: what of the run stands in the data, as --match hand.position");
  fit->asks = mb_arena_alloc(&fit->arena, matches->nlist, sizeof *fit->asks);
  if (!fit->asks) return no_memory(report);
  for (size_t i = 0; i < matches->nlist; i++) {
    char *model = NULL;
    const char *data = split(fit, matches->list[i], &model);
    if (!model) return no_memory(report);
    fit->asks[fit->nasks++] = (MbFitMatchAsk){.model = model, .data = data};
  }
  MbStatus status = ask_sigmas(fit, report);
  if (status) return status;
  if (!fit->known && (fit->npriors || fit->problem.loss != MB_LOSS_SQUARES))
    return mb_error(
        report, MB_USAGE, "",
        "%s weighs data by how far it scatters, which --sigma says: --sigma 0.01 for all of it, or "
        "--sigma hand.position=0.01",
        fit->npriors ? "--prior" : "--loss");
  status = read_data(fit, mb_arg(fit->args, "data")->text, report);
  if (!status) status = match_data(fit, report);
  if (!status && fit->match.npoints + fit->npriors < fit->n)
    return mb_error(report, MB_USAGE, "", "%zu numbers of the data cannot tell %zu unknowns",
                    fit->match.npoints, fit->n);
  return status;
}

// ---- what goes with what --------------------------------------------------------------------------

static MbStatus ask_expression(MbFit *fit, MbReport *report) {
  static const char *const data_only[] = {"match", "sigma", "prior", "loss"};
  for (size_t i = 0; i < sizeof data_only / sizeof *data_only; i++)
    if (mb_arg_given(fit->args, data_only[i]))
      return mb_error(report, MB_USAGE, "", "--%s is for data, and --minimise has none", data_only[i]);
  fit->measure = (MbMeasureAsk){.name = fit->minimise, .what = fit->minimise};
  return MB_OK;
}

static int processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

static MbStatus make_problem(MbFit *fit, MbReport *report) {
  MbFitProblem *p = &fit->problem;
  double **const lists[] = {&fit->x_low, &fit->x_high, &fit->x_size};
  for (size_t i = 0; i < 3; i++)
    if (!(*lists[i] = mb_arena_alloc(&fit->arena, fit->n, sizeof(double)))) return no_memory(report);
  for (size_t k = 0; k < fit->n; k++) {
    const MbUnknown *u = &fit->unknowns[k];
    fit->x_low[k] = u->logarithmic && !(u->low > 0) ? -INFINITY : mb_fit_x(u, u->low);
    fit->x_high[k] = mb_fit_x(u, u->high);
    const double range = u->high - u->low;
    fit->x_size[k] = u->logarithmic    ? 1
                     : u->start != 0   ? fabs(u->start)
                     : isfinite(range) ? fmin(range / 10, 1)
                                       : 1;
  }
  p->unknowns = fit->n;
  p->data = fit->match.npoints;
  p->numbers = fit->minimise ? 1 : fit->match.npoints + fit->npriors;
  p->low = fit->x_low, p->high = fit->x_high, p->size = fit->x_size;
  const MbValue *most = mb_arg(fit->args, "iterations"), *jobs = mb_arg(fit->args, "jobs");
  p->most = most->given ? (int)fmin((double)most->count, 1e9) : MOST_ITERATIONS;
  fit->jobs = jobs->given ? (int)fmin((double)jobs->count, MB_MOST_THREADS) : processors();
  fit->move = mb_arg_given(fit->args, "move") ? mb_arg(fit->args, "move")->number : MOVE;
  fit->move_first = fit->move;
  if (!(fit->move < 0.5)) return mb_error(report, MB_USAGE, "", "--move: a share of each number, below 0.5");
  p->to = fit, p->value = mb_fit_value, p->slopes = mb_fit_slopes;
  if (!mb_arg_given(fit->args, "move")) p->otherwise = mb_fit_move_otherwise;
  return MB_OK;
}

static MbStatus ask_slopes(MbFit *fit, MbReport *report) {
  const MbValue *by = mb_arg(fit->args, "derivatives");
  const MbSlopesBy wanted = by->given ? (MbSlopesBy)by->word : MB_SLOPES_AUTO;
  const char *inexact = mb_sensitivity_inexact(fit->model), *refused = mb_sensitivity_refuses(fit->model);
  // of an expression there may be a way back through contact or deformables' own steps, which the first slopes tell
  MbContactCounts contacts;
  const bool perhaps = mb_sim_contacts(fit->sim, &contacts) || mb_sensitivity_moves_nodes(fit->sim);
  // of what rebounds they are not those of the motion, which differences over a move may be
  if (!refused && mb_sensitivity_rebounds(fit->model))
    refused = "what rebounds has derivatives of its steps alone, which miss the time of a blow";
  const bool back = inexact && fit->minimise && perhaps && !refused;
  const char *why = back ? NULL : fit->minimise && refused ? refused : inexact;
  if (wanted == MB_SLOPES_EXACT && why) return mb_error(report, MB_USAGE, "", "--derivatives exact: %s", why);
  fit->only_exact = wanted == MB_SLOPES_EXACT;
  fit->exact = !why && wanted != MB_SLOPES_DIFFERENCES;
  snprintf(fit->why, sizeof fit->why, "%s",
           wanted == MB_SLOPES_DIFFERENCES ? "as asked for"
           : why                           ? why
                                           : "");
  return MB_OK;
}

// An unknown a little further up, or down: that it changes numbers alone, and that there is a scene.
static MbStatus check_unknown(MbFit *fit, double *numbers, size_t k, MbReport *report) {
  const MbUnknown *u = &fit->unknowns[k];
  const double move = fmin(fit->move * (u->start != 0 ? fabs(u->start) : 1), (u->high - u->low) / 5);
  MbStatus status = MB_SCENE;
  MbReport first = {0};
  for (int side = 1; side >= -1 && status == MB_SCENE; side -= 2) {
    MbFitVariant v = {0};
    MbReport own = {0};
    numbers[k] = u->start + side * move;
    if (numbers[k] < u->low || numbers[k] > u->high) continue;
    status = mb_fit_variant(fit, numbers, k, &v, &own);
    if (status && !first.errors) first = own;
    mb_fit_variant_free(&v);
  }
  numbers[k] = u->start;
  if (status) *report = first;
  return status;
}

static MbStatus check_unknowns(MbFit *fit, MbReport *report) {
  double *numbers = mb_arena_alloc(&fit->arena, fit->n, sizeof *numbers);
  if (!numbers) return no_memory(report);
  MbStatus status = MB_OK;
  for (size_t k = 0; k < fit->n; k++) numbers[k] = fit->unknowns[k].start;
  for (size_t k = 0; k < fit->n && !status; k++) status = check_unknown(fit, numbers, k, report);
  return status;
}

static MbStatus read_scene(MbFit *fit, MbReport *report) {
  const MbValue *sets = mb_arg(fit->args, "set");
  MbStatus status = mb_scene_source(fit->args, sets, fit->args->operands[0], &fit->source, report);
  if (!status) status = mb_changed_scene(fit->args, &fit->source, NULL, 0, &fit->scene, &fit->model, report);
  if (!status) status = mb_sim_create(fit->model, &(MbSimOptions){.threads = 1}, &fit->sim, report);
  if (fit->scene) mb_scene_locate(fit->scene, report);
  if (!status) fit->plan = mb_plan(&fit->scene->spec);
  return status;
}

MbStatus mb_fit_ask(MbFit *fit, MbReport *report) {
  const MbValue *minimise = mb_arg(fit->args, "minimise"), *loss = mb_arg(fit->args, "loss");
  const bool data = mb_arg_given(fit->args, "data");
  fit->minimise = minimise->given ? minimise->text : NULL;
  fit->problem.loss = loss->given ? (MbLoss)loss->word : MB_LOSS_SQUARES;
  fit->best = SIZE_MAX;
  if (data == minimise->given)
    return mb_error(
        report, MB_USAGE, "",
        "either --data, what the run is to look like, or --minimise, an expression that is to become least");
  const MbStatus read = read_scene(fit, report);
  if (read) return read;
  MbReport own = {0}; // places from here on are not in the scene's text
  MbStatus status = ask_unknowns(fit, &own);
  if (!status) status = ask_priors(fit, &own);
  if (!status) status = fit->minimise ? ask_expression(fit, &own) : ask_data(fit, &own);
  if (!status) status = make_problem(fit, &own);
  if (!status) status = ask_slopes(fit, &own);
  if (!status) status = check_unknowns(fit, &own);
  if (!status) status = mb_fit_choose_starts(fit, &own);
  if (status) *report = own;
  return status;
}

void mb_fit_free(MbFit *fit) {
  for (size_t i = 0; i < fit->nhistory; i++) mb_free(fit->history[i]);
  mb_free(fit->history);
  mb_fit_data_free(&fit->data);
  mb_sim_free(fit->sim);
  mb_model_free(fit->model);
  mb_scene_free(fit->scene);
  mb_scene_source_free(&fit->source);
  mb_arena_free(&fit->arena);
}
