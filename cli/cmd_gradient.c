// `mbsim gradient`: the run with its derivatives, differences of whole runs beside, and what is told of them.
#include "cli/console.h"
#include "cli/gradient_scenes.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

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

static MbStatus differentiate(MbGradientRun *run, MbReport *report) {
  const MbPlan plan = mb_plan(&run->scene.scene->spec);
  MbSensitivity *gradient = NULL;
  double *frame = NULL, *slopes = NULL;
  MbSensitivityNumber *numbers = mb_calloc(run->nwrt, sizeof *numbers);
  if (!numbers) return mb_no_memory(report, "derivatives");
  for (size_t k = 0; k < run->nwrt; k++)
    numbers[k] = (MbSensitivityNumber){run->wrt[k].name, run->wrt[k].less.model, run->wrt[k].more.model,
                                       run->wrt[k].move};
  MbStatus status = mb_sensitivity_create(run->scene.model, numbers, run->nwrt, &gradient, report);
  if (!status) {
    const size_t size = mb_sim_frame_size(mb_sensitivity_sim(gradient));
    frame = mb_calloc(size, sizeof *frame), slopes = mb_calloc(size * run->nwrt, sizeof *slopes);
    if (!frame || !slopes) status = mb_no_memory(report, "derivatives");
  }
  for (int64_t step = 0; !status; step++) {
    if (mb_plan_frame_due(&plan, step)) status = take_frame(run, gradient, frame, slopes, report);
    if (status || step >= plan.steps) break;
    status = mb_sensitivity_step(gradient, report);
  }
  if (!status) status = mb_measures_values(run->scene.measures, run->values, report);
  for (size_t k = 0; k < run->nwrt && !status; k++)
    status = mb_measure_slopes_values(run->wrt[k].slopes, run->wrt[k].derivative, report);
  if (gradient && mb_sensitivity_by_steps(gradient))
    snprintf(run->method, sizeof run->method, "by differences of single steps (%s)",
             mb_sensitivity_by_steps(gradient));
  else
    snprintf(run->method, sizeof run->method, "exact");
  mb_sensitivity_free(gradient);
  mb_free(slopes);
  mb_free(frame);
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
  if (status) *report = warned;
  if (!status) status = mb_sim_create(v.model, NULL, &sim, report);
  double *frame = status ? NULL : mb_calloc(mb_sim_frame_size(sim), sizeof *frame);
  if (!status && !frame) status = mb_no_memory(report, "a run");
  if (!status) {
    const MbPlan plan = mb_plan(&v.scene->spec);
    for (int64_t step = 0; !status; step++) {
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

// Of fourth order; that of second order from the same runs tells how far they can be trusted.
static MbStatus compare(MbGradientRun *run, MbReport *report) {
  static const double MOVE = 1e-4, ROUNDING = 1e-11;
  const size_t n = run->nmeasures;
  double *values = mb_calloc(4 * n, sizeof *values);
  MbStatus status = values ? MB_OK : mb_no_memory(report, "differences");
  for (size_t k = 0; k < run->nwrt && !status; k++) {
    MbWrt *wrt = &run->wrt[k];
    const double move = MOVE * (wrt->value != 0 ? fabs(wrt->value) : 1);
    static const double place[4] = {-2, -1, 1, 2};
    for (int i = 0; i < 4 && !status; i++)
      status = whole_run(run, wrt, wrt->value + place[i] * move, values + n * (size_t)i, report);
    for (size_t m = 0; m < n && !status; m++) {
      const double *at[4] = {values + m, values + n + m, values + 2 * n + m, values + 3 * n + m};
      const double second = (*at[2] - *at[1]) / (2 * move);
      wrt->difference[m] = (8 * (*at[2] - *at[1]) - (*at[3] - *at[0])) / (12 * move);
      wrt->unsure[m] = fabs(wrt->difference[m] - second) + ROUNDING * fabs(run->values[m]) / move;
    }
  }
  mb_free(values);
  return status;
}

static bool agrees(const MbWrt *wrt, size_t m) {
  static const double CLOSE = 1e-6;
  const double size = fmax(fabs(wrt->derivative[m]), fabs(wrt->difference[m]));
  return fabs(wrt->derivative[m] - wrt->difference[m]) <= CLOSE * size + wrt->unsure[m] ||
         (isnan(wrt->derivative[m]) && isnan(wrt->difference[m]));
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
  MbGradientRun asked = {.args = args};
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
    {.name = "check",
     .help =
         "print differences of whole runs beside, four runs for each number; exit 1 where they are apart"},
    {.name = "json", .help = "answer as JSON on stdout; after a failure, status and issues"},
    MB_SCENE_OPTIONS,
};

const MbCommand mb_command_gradient = {
    .name = "gradient",
    .operands = "SCENE",
    .least = 1,
    .most = 1,
    .summary = "derivatives of what a run comes to by numbers of its scene",
    .details = "Runs the scene and tells how measures change with numbers of it, as the limit of differences "
               "of whole runs: derivatives "
               "of the steps that were taken, step by step with the run. A number may be anything that the "
               "scene says, lengths, masses, "
               "stiffness, where things are at the start, what signals are made of; what is built of it is "
               "part of the derivative.\n\n"
               "Derivatives are exact for integrators bdf1, bdf2 and sdirk2 of trees and bodies free in "
               "space; else each step "
               "is differentiated by "
               "differences of that one step, from the run's own state, which is told: for integrators "
               "symplectic, implicit, "
               "trapezoidal and bridson_marino, under solver maximal, and with loops, prescribed motions, "
               "limits, ropes and "
               "dry friction. Contact and deformables of elements are refused. What branches, as a limit, "
               "the largest of "
               "frames or a motor at its most, has the derivative of "
               "the branch that was taken. Each number costs about as much as a run. With --check exit 1 "
               "where differences of whole runs, "
               "at numbers 1e-4 of themselves apart, differ by more than 1e-6 and what these are unsure by.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
