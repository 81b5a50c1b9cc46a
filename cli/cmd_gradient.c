// `mbsim gradient`: the run with its derivatives, differences of whole runs beside, and what is told of them.
#include "cli/backward.h"
#include "cli/console.h"
#include "cli/gradient_scenes.h"
#include "cli/run.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/restore_of.h"

#include <math.h>
#include <string.h>

// ---- the run with its derivatives ---------------------------------------------------------------

static MbStatus take_frame(MbGradientRun *run, MbSensitivity *gradient, double *frame, double *slopes,
                           MbReport *report) {
  const MbSim *sim = mb_sensitivity_sim(gradient);
  const size_t size = mb_sim_frame_size(sim);
  const double t = mb_sim_time(sim);
  MbStatus status = mb_sensitivity_frame(gradient, frame, slopes, report);
  if (!status) status = mb_sim_check_frame(sim, frame, report);
  for (size_t k = 0; k < run->nwrt && !status; k++)
    mb_measure_slopes_frame(run->wrt[k].slopes, t, frame, slopes + size * k);
  if (!status) mb_measures_frame(run->scene.measures, t, frame);
  return status;
}

// Along with the run, all measures at once.
static MbStatus go_along(MbGradientRun *run, MbSensitivity *gradient, MbReport *report) {
  const MbPlan plan = mb_plan(&run->scene.scene->spec);
  const size_t size = mb_sensitivity_frame_size(gradient);
  double *frame = mb_calloc(size, sizeof *frame), *slopes = mb_calloc(size * run->nwrt, sizeof *slopes);
  MbStatus status = frame && slopes ? MB_OK : mb_no_memory(report, "derivatives");
  if (!status && run->from)
    status = mb_sensitivity_restore(gradient, run->checkpoint.bytes, run->checkpoint.size, report);
  for (int64_t step = mb_sim_steps(mb_sensitivity_sim(gradient)); !status; step++) {
    if (mb_plan_frame_due(&plan, step)) status = take_frame(run, gradient, frame, slopes, report);
    if (status || step >= plan.steps) break;
    status = mb_run_stopped() ? MB_INTERRUPTED : mb_sensitivity_step(gradient, report);
  }
  if (!status) status = mb_measures_values(run->scene.measures, run->values, report);
  for (size_t k = 0; k < run->nwrt && !status; k++)
    status = mb_measure_slopes_values(run->wrt[k].slopes, run->wrt[k].derivative, report);
  mb_free(slopes);
  mb_free(frame);
  return status;
}

static MbStatus check_memory(const MbGradientRun *run, const MbSensitivity *gradient, MbReport *report) {
  const double mebi = 1 << 20, least = (double)mb_sensitivity_least_memory(gradient);
  if ((double)run->memory >= least) return MB_OK;
  return mb_error(report, MB_USAGE, "", "--memory %g: the way back needs at least %.2g MiB",
                  mb_arg(run->args, "memory")->number, ceil(least / mebi * 100) / 100);
}

// Makes derivatives without a word about how the scene begins: that was told as they were first made, or by the run whose checkpoint they begin at.
static MbStatus make_silently(MbGradientRun *run, const MbSensitivityNumber *numbers,
                              MbSensitivity **gradient, MbReport *report) {
  MbReport told = {0};
  mb_sensitivity_free(*gradient);
  const MbStatus status = mb_sensitivity_create(run->scene.model, numbers, run->nwrt, gradient, &told);
  if (status) *report = told;
  return status;
}

// Back through the run, once for each measure.
static MbStatus go_back(MbGradientRun *run, const MbSensitivityNumber *numbers, MbSensitivity **gradient,
                        MbReport *report) {
  MbMeasureWeights *weights = NULL;
  const MbMeasures **sides = mb_calloc(2 * run->nwrt, sizeof *sides);
  double *derivatives = mb_calloc(run->nwrt, sizeof *derivatives);
  MbBackward asked = {.plan = mb_plan(&run->scene.scene->spec),
                      .memory = run->memory,
                      .measures = run->scene.measures,
                      .count = run->nwrt,
                      .numbers = numbers,
                      .less = sides,
                      .more = sides + run->nwrt};
  MbStatus status = sides && derivatives ? MB_OK : mb_no_memory(report, "derivatives");
  for (size_t k = 0; k < run->nwrt && !status; k++)
    sides[k] = run->wrt[k].less.measures, sides[run->nwrt + k] = run->wrt[k].more.measures;
  if (!status) status = check_memory(run, *gradient, report);
  if (!status) status = mb_measure_weights_create(run->scene.measures, &weights, report);
  asked.weights = weights;
  for (size_t m = 0; m < run->nmeasures && !status; m++) {
    asked.which = m, asked.again = m > 0;
    if (m) status = make_silently(run, numbers, gradient, report);
    if (!status) status = mb_backward(*gradient, &asked, derivatives, report);
    for (size_t k = 0; k < run->nwrt && !status; k++) run->wrt[k].derivative[m] = derivatives[k];
  }
  if (!status) status = mb_measures_values(run->scene.measures, run->values, report);
  mb_measure_weights_free(weights);
  mb_free(derivatives);
  mb_free(sides);
  return status;
}

static const char *const ways[] = {"auto", "along", "back", NULL};
enum { AUTO, ALONG, BACK };

static size_t memory_of(const MbArgs *args) {
  static const double MOST = 1 << 30; // MiB
  const MbValue *memory = mb_arg(args, "memory");
  return (size_t)(fmin(memory->given ? memory->number : 256, MOST) * (1 << 20));
}

// Which way is asked for; without a word, the one that costs less.
static MbStatus choose_way(const MbGradientRun *run, const MbSensitivity *gradient, bool *back,
                           MbReport *report) {
  const MbValue *way = mb_arg(run->args, "way");
  const MbPlan plan = mb_plan(&run->scene.scene->spec);
  *back = !run->from && mb_backward_pays(gradient, run->scene.measures, run->nmeasures, run->nwrt, &plan);
  if (!way->given || way->word == AUTO) return MB_OK;
  *back = way->word == BACK;
  const char *why = !*back      ? NULL
                    : run->from ? "it goes to the scene's start, and not to a checkpoint"
                                : mb_backward_refuses(gradient, run->scene.measures);
  return why ? mb_error(report, MB_USAGE, "", "--way back: there is none here: %s", why) : MB_OK;
}

// Begins anew, where the way back has met a step that is differentiated along with the run alone.
static MbStatus again(MbGradientRun *run, const MbSensitivityNumber *numbers, MbSensitivity **gradient,
                      MbReport *report) {
  mb_measures_reset(run->scene.measures);
  return make_silently(run, numbers, gradient, report);
}

// How derivatives were taken, as it is told.
static void name_method(MbGradientRun *run, const MbSensitivity *gradient, bool back) {
  const char *why = mb_sensitivity_by_steps(gradient);
  const long long wholes = (long long)mb_sensitivity_wholes(gradient);
  char *text = run->method;
  const size_t size = sizeof run->method;
  if (why && !back)
    snprintf(text, size, "by differences of single steps (%s)", why);
  else if (back)
    snprintf(text, size, "exact, back through the run");
  else if (wholes)
    snprintf(text, size, "exact but for %lld step%s by differences, along with the run", wholes,
             wholes == 1 ? "" : "s");
  else
    snprintf(text, size, "exact, along with the run");
}

static void last_error(const MbReport *report, char *text, size_t size) {
  *text = 0;
  for (int i = 0; i < report->kept; i++)
    if (!report->issues[i].warning) snprintf(text, size, "%s", report->issues[i].text);
}

static MbStatus differentiate(MbGradientRun *run, MbReport *report) {
  MbSensitivity *gradient = NULL;
  bool back = false;
  MbSensitivityNumber *numbers = mb_calloc(run->nwrt, sizeof *numbers);
  if (!numbers) return mb_no_memory(report, "derivatives");
  for (size_t k = 0; k < run->nwrt; k++)
    numbers[k] = (MbSensitivityNumber){run->wrt[k].name, run->wrt[k].less.model, run->wrt[k].more.model,
                                       run->wrt[k].move};
  MbStatus status = run->from
                        ? make_silently(run, numbers, &gradient, report)
                        : mb_sensitivity_create(run->scene.model, numbers, run->nwrt, &gradient, report);
  if (!status) status = choose_way(run, gradient, &back, report);
  const MbReport told = *report;
  if (!status && back) status = go_back(run, numbers, &gradient, report);
  if (gradient && mb_sensitivity_astray(gradient)) {
    char why[sizeof report->issues->text];
    last_error(report, why, sizeof why);
    *report = told, back = false;
    const MbValue *way = mb_arg(run->args, "way");
    if (way->given && way->word == BACK) mb_warning(report, "", "%s: derivatives go along with the run", why);
    status = again(run, numbers, &gradient, report);
  }
  if (!status && !back) status = go_along(run, gradient, report);
  if (gradient) name_method(run, gradient, back);
  mb_sensitivity_free(gradient);
  mb_free(numbers);
  return status;
}

// ---- differences of whole runs ------------------------------------------------------------------

static MbStatus whole_run(MbGradientRun *run, const MbWrt *wrt, double value, double *values,
                          MbReport *report) {
  MbVariant v = {0};
  MbSim *sim = NULL;
  MbReport warned = {0}; // as the scene itself
  MbStatus status = mb_gradient_variant(run, wrt, value, &v, &warned);
  if (!status) status = mb_sim_create(v.model, NULL, &sim, &warned);
  if (status) *report = warned;
  if (!status && run->from)
    status = mb_sim_restore_of(sim, run->scene.model, run->checkpoint.bytes, run->checkpoint.size, report);
  double *frame = status ? NULL : mb_calloc(mb_sim_frame_size(sim), sizeof *frame);
  if (!status && !frame) status = mb_no_memory(report, "a run");
  if (!status) {
    const MbPlan plan = mb_plan(&v.scene->spec);
    for (int64_t step = mb_sim_steps(sim); !status; step++) {
      if (mb_plan_frame_due(&plan, step)) {
        status = mb_sim_sample(sim, frame, report);
        if (!status) mb_measures_frame(v.measures, mb_sim_time(sim), frame);
      }
      if (status || step >= plan.steps) break;
      status = mb_sim_step(sim, report);
    }
  }
  if (!status) status = mb_measures_values(v.measures, values, report);
  mb_free(frame);
  mb_sim_free(sim);
  mb_gradient_variant_free(&v);
  return status;
}

// Differences of fourth order over four runs beside this one, and what weighs each run in them and in those of second order, over 12 moves.
typedef struct Differences {
  int place[4];
  double weight[5], second[5]; // the last: of this run
} Differences;

static const Differences BOTH_SIDES = {{-2, -1, 1, 2}, {1, -8, 8, -1, 0}, {0, -6, 6, 0, 0}},
                         ONE_SIDE = {{1, 2, 3, 4}, {48, -36, 16, -3, -25}, {24, -6, 0, 0, -18}};

// How far slopes to both sides are from being apart by twice as much over twice the way, as they are where nothing has a corner within it: a corner is in differences by as much.
static double bends(const MbGradientRun *run, const double *values, size_t m, double move) {
  const size_t n = run->nmeasures;
  const double once = values[2 * n + m] - 2 * run->values[m] + values[n + m],
               twice = values[3 * n + m] - 2 * run->values[m] + values[m];
  return fabs(twice / 4 - once) / fabs(move);
}

// That of second order from the same runs tells how far they can be trusted. `values` has room for four runs' measures.
static MbStatus compare_at(MbGradientRun *run, MbWrt *wrt, double share, double *values, double *difference,
                           double *unsure, MbReport *report) {
  static const double ROUNDING = 1e-11, NOTHING = 1e-16, // of a measure; of what is nothing
      CORNERS = 1e-4; // of a difference: what bends by more has another branch, which is to be seen
  const size_t n = run->nmeasures;
  const Differences *d = wrt->side ? &ONE_SIDE : &BOTH_SIDES;
  const double move = (wrt->side < 0 ? -1 : 1) * share * (wrt->value != 0 ? fabs(wrt->value) : 1);
  for (int i = 0; i < 4; i++) {
    const MbStatus status =
        whole_run(run, wrt, wrt->value + d->place[i] * move, values + n * (size_t)i, report);
    if (status) return status;
  }
  for (size_t m = 0; m < n; m++) {
    double fourth = d->weight[4] * run->values[m], second = d->second[4] * run->values[m];
    for (size_t i = 0; i < 4; i++)
      fourth += d->weight[i] * values[n * i + m], second += d->second[i] * values[n * i + m];
    difference[m] = fourth / (12 * move);
    unsure[m] =
        fabs(fourth - second) / (12 * fabs(move)) + (ROUNDING * fabs(run->values[m]) + NOTHING) / fabs(move);
    if (!wrt->side) unsure[m] += fmin(bends(run, values, m, move), CORNERS * fabs(difference[m]));
  }
  return MB_OK;
}

static bool agrees(const MbWrt *wrt, size_t m) {
  static const double CLOSE = 1e-6;
  const double size = fmax(fabs(wrt->derivative[m]), fabs(wrt->difference[m]));
  return fabs(wrt->derivative[m] - wrt->difference[m]) <= CLOSE * size + wrt->unsure[m] ||
         (isnan(wrt->derivative[m]) && isnan(wrt->difference[m]));
}

// Where a corner is within the move differences are of both its sides, and look surer than they are: those that are apart from the derivative are looked at over a hundredth of
// the move too, and replaced where these differ by more than both are unsure by.
static MbStatus look_nearer(MbGradientRun *run, MbWrt *wrt, double share, double *values, MbReport *report) {
  const size_t n = run->nmeasures;
  double *difference = values + 4 * n, *unsure = values + 5 * n;
  bool apart = false;
  for (size_t m = 0; m < n; m++) apart |= !agrees(wrt, m);
  if (!apart) return MB_OK;
  const MbStatus status = compare_at(run, wrt, share, values, difference, unsure, report);
  for (size_t m = 0; m < n && !status; m++) {
    const double away = fabs(difference[m] - wrt->difference[m]);
    if (agrees(wrt, m) || !(away > unsure[m] + wrt->unsure[m])) continue;
    wrt->difference[m] = difference[m], wrt->unsure[m] = unsure[m];
  }
  return status;
}

static MbStatus compare(MbGradientRun *run, MbReport *report) {
  static const double MOVE = 1e-4, NEARER = 1e-6;
  double *values = mb_calloc(6 * run->nmeasures, sizeof *values);
  MbStatus status = values ? MB_OK : mb_no_memory(report, "differences");
  for (size_t k = 0; k < run->nwrt && !status; k++) {
    MbWrt *wrt = &run->wrt[k];
    status = compare_at(run, wrt, MOVE, values, wrt->difference, wrt->unsure, report);
    if (!status) status = look_nearer(run, wrt, NEARER, values, report);
  }
  mb_free(values);
  return status;
}

// ---- telling ------------------------------------------------------------------------------------

static cJSON *answer(const MbGradientRun *run, bool checked) {
  cJSON *tree = cJSON_CreateObject();
  cJSON_AddStringToObject(tree, "derivatives", run->method);
  cJSON *list = cJSON_AddArrayToObject(tree, "measures");
  for (size_t m = 0; m < run->nmeasures; m++) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(list, item);
    cJSON_AddStringToObject(item, "of", run->asks[m].what);
    cJSON_AddNumberToObject(item, "value", run->values[m]);
    cJSON *by = cJSON_AddArrayToObject(item, "by");
    for (size_t k = 0; k < run->nwrt; k++) {
      const MbWrt *wrt = &run->wrt[k];
      cJSON *one = cJSON_CreateObject();
      cJSON_AddItemToArray(by, one);
      cJSON_AddStringToObject(one, "name", wrt->name);
      cJSON_AddNumberToObject(one, "at", wrt->value);
      cJSON_AddNumberToObject(one, "derivative", wrt->derivative[m]);
      if (!checked) continue;
      cJSON_AddNumberToObject(one, "difference", wrt->difference[m]);
      cJSON_AddNumberToObject(one, "unsure", wrt->unsure[m]);
      cJSON_AddBoolToObject(one, "agrees", agrees(wrt, m));
    }
  }
  return tree;
}

static void print(const MbGradientRun *run, bool checked) {
  char text[200];
  printf("derivatives: %s\n", run->method);
  for (size_t m = 0; m < run->nmeasures; m++) {
    printf("%s = %.12g\n", mb_console_safe(run->asks[m].what, text, sizeof text), run->values[m]);
    for (size_t k = 0; k < run->nwrt; k++) {
      const MbWrt *wrt = &run->wrt[k];
      printf("  by %-30s %20.12g", mb_console_safe(wrt->name, text, sizeof text), wrt->derivative[m]);
      if (checked)
        printf("   differences %20.12g +- %.1e%s", wrt->difference[m], wrt->unsure[m],
               agrees(wrt, m) ? "" : "   APART");
      printf("\n");
    }
  }
}

static MbStatus run_it(const MbArgs *args, MbGradientRun *run, MbReport *report) {
  const bool check = mb_arg_given(args, "check"), json = mb_arg_given(args, "json");
  MbStatus status = mb_gradient_ask(run, report);
  if (!status) status = differentiate(run, report);
  if (!status && check) status = compare(run, report);
  if (status) return status;
  if (!json) print(run, check);
  const MbStatus told = json ? mb_console_json(answer(run, check)) : MB_OK;
  for (size_t k = 0; k < run->nwrt && check; k++)
    for (size_t m = 0; m < run->nmeasures; m++)
      if (!agrees(&run->wrt[k], m)) status = MB_DIFFERS;
  return told ? told : status;
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  MbGradientRun asked = {.args = args, .memory = memory_of(args)};
  MbStatus status = run_it(args, &asked, &report);
  if (mb_arg_given(args, "json") && report.errors)
    mb_console_json_failure(status, &report);
  else
    mb_console_report(stderr, &report);
  mb_gradient_run_free(&asked);
  return mb_console_finish(status);
}

static const MbOption options[] = {
    {.name = "of",
     .type = MB_OPTION_LIST,
     .argument = "MEASURE",
     .help = "what to differentiate: final, min, max, mean, rms of a column as `mbsim export` names it, "
             "at(x, t), "
             "and expressions of these, as measures of `mbsim sweep`; may be repeated"},
    {.name = "wrt",
     .type = MB_OPTION_LIST,
     .argument = "NAME",
     .help = "by which number: a name of the scene's \"parameters\", or a JSON pointer (/bodies/0/density); "
             "may be "
             "repeated"},
    {.name = "way",
     .type = MB_OPTION_WORD,
     .argument = "WAY",
     .words = ways,
     .help =
         "how exact derivatives are found: along with the run, for all measures at once, each number half a "
         "run; back through it, for one measure after the other, three runs whatever the numbers are; "
         "auto: by what costs less",
     .fallback = "auto"},
    {.name = "memory",
     .type = MB_OPTION_POSITIVE,
     .argument = "MIB",
     .help = "what the way back may keep of the run; where that is not all of it, steps are done anew",
     .fallback = "256"},
    {.name = "resume",
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help = "begin at the last checkpoint of a trajectory of the same scene that lies before the run's end: "
             "numbers act from there on, and measures are of the frames from there on"},
    {.name = "check",
     .help = "print differences of whole runs beside, four runs for each number, eight where they are apart, "
             "with exit 1 then"},
    {.name = "json", .help = "answer as JSON on stdout; after a failure, status and issues"},
    MB_SCENE_OPTIONS,
};

const MbCommand mb_command_gradient = {
    .name = "gradient",
    .operands = "SCENE",
    .least = 1,
    .most = 1,
    .summary = "derivatives of what a run comes to by numbers of its scene",
    .details =
        "Runs the scene and tells how measures change with numbers of it, as the limit of differences "
        "of whole runs: derivatives "
        "of the steps that were taken, step by step with the run. A number may be anything that the "
        "scene says, lengths, masses, "
        "stiffness, where things are at the start, what signals are made of; what is built of it is "
        "part of the derivative.\n\n"
        "Steps are differentiated exactly, or by differences of that one step from the run's own "
        "state, which is told.\n\n"
        "Exact along with the run and back through it, under solver redmax: bdf1, bdf2 and sdirk2 of "
        "trees, bodies free in space, "
        "deformables whose nodes are bodies, loops, other constraints, hard or soft, limits, ropes, "
        "prescribed motions and accelerations of up to 96 velocities; "
        "symplectic and implicit of the same; trapezoidal of trees, on bodies free in space too.\n\n"
        "Exact back through the run, by differences along with it: under symplectic and implicit dry "
        "friction along coordinates and inside joints, and contact "
        "that is solved to 1e-12 (with solver maximal where it has \"project\", which is there where "
        "bodies on joints touch; not where loads are not unique, as those of a flat box that slides and "
        "turns, which \"compliance\" makes them); solver maximal under symplectic and "
        "implicit with constraints, limits, ropes, prescribed motions and accelerations, dry friction "
        "and joints' own inertia, under bdf1, bdf2, sdirk2 and, of trees, trapezoidal "
        "with these but friction, but not with explicit velocity terms or nodes that bodies hold by "
        "reduction; solver projective where each step is solved to its end, by method newton or by another "
        "one to a tolerance of 1e-10, with bodies that move beside deformables, touch them and hold them by "
        "constraints and forces.\n\n"
        "By differences along with the run: bridson_marino; trapezoidal of bodies that are all free in "
        "space; limits with \"outward\" or a gamma other than 1/h under bdf1, bdf2, sdirk2, and trapezoidal "
        "with maximal; a stabilization that moves positions; coordinates "
        "that follow others by reduction; and single steps, with a warning, near a "
        "position where constraints lose their hold, that were solved in parts, or of which something "
        "is left out that would make them singular.\n\n"
        "Refused: other contact, and deformables whose steps are not solved to their end.\n\n"
        "What branches, as a limit, a fibre that goes slack, a contact that opens or slides, the "
        "largest of frames or a motor at its most, has the "
        "derivative of the branch that was taken. With --check exit 1 where differences of whole "
        "runs, at numbers 1e-4 of themselves apart, differ by "
        "more than 1e-6 and what these are unsure by.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
