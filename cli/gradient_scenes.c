// The scenes of `mbsim gradient`, and what its command line asks for.
#include "cli/gradient_scenes.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LITTLE = 3e-6; // of a number: the square of it is lost, and rounding over it

void mb_gradient_variant_free(MbVariant *v) {
  mb_measures_free(v->measures);
  mb_model_free(v->model);
  mb_scene_free(v->scene);
  *v = (MbVariant){0};
}

void mb_gradient_run_free(MbGradientRun *run) {
  for (size_t i = 0; run->wrt && i < run->nwrt; i++) {
    mb_measure_slopes_free(run->wrt[i].slopes);
    mb_gradient_variant_free(&run->wrt[i].less);
    mb_gradient_variant_free(&run->wrt[i].more);
  }
  mb_gradient_variant_free(&run->scene);
  mb_scene_source_free(&run->source);
  mb_arena_free(&run->arena);
}

// ---- scenes -------------------------------------------------------------------------------------

// The measures, with the parameters that the variant's scene has.
static MbStatus make_measures(const MbGradientRun *run, MbVariant *v, MbReport *report) {
  const MbSceneSpec *spec = &v->scene->spec;
  const MbPlan plan = mb_plan(spec);
  MbSim *sim = NULL;
  MbStatus status = mb_sim_create(v->model, &(MbSimOptions){.engine = mb_engine_cpu()}, &sim, report);
  if (status) return status;
  MbConstant *constants = mb_calloc(spec->nparameters, sizeof *constants);
  for (size_t i = 0; constants && i < spec->nparameters; i++)
    constants[i] = (MbConstant){spec->parameters[i].name, spec->parameters[i].value};
  size_t nchannels = 0;
  const MbChannel *channels = mb_sim_channels(sim, &nchannels);
  MbReport own = {0}; // it is not about the scene's text
  status = constants
               ? mb_measures_create(run->asks, run->nmeasures, channels, nchannels, constants,
                                    spec->nparameters, (double)plan.steps * plan.step, &v->measures, &own)
               : mb_no_memory(&own, "measures");
  if (own.errors) *report = own;
  mb_free(constants);
  mb_sim_free(sim);
  return status;
}

MbStatus mb_gradient_variant(MbGradientRun *run, const MbWrt *wrt, double value, MbVariant *v,
                             MbReport *report) {
  const MbValue *sets = mb_arg(run->args, "set"), *params = mb_arg(run->args, "param");
  const size_t nsets = sets->nlist + run->source.nsets;
  const char **all_sets = mb_calloc(nsets + 1, sizeof *all_sets),
             **all_params = mb_calloc(params->nlist + 1, sizeof *all_params);
  const size_t room = wrt ? strlen(wrt->name) + 40 : 1;
  char *changed = mb_calloc(room, 1);
  MbSceneOptions options = {.sets = all_sets, .params = all_params};
  MbStatus status = all_sets && all_params && changed ? MB_OK : mb_no_memory(report, "the scene");
  if (!status) {
    for (size_t i = 0; i < sets->nlist; i++) all_sets[options.nsets++] = sets->list[i];
    for (size_t i = 0; i < run->source.nsets; i++) all_sets[options.nsets++] = run->source.sets[i];
    for (size_t i = 0; i < params->nlist; i++) all_params[options.nparams++] = params->list[i];
    if (wrt) {
      snprintf(changed, room, "%s=%.17g", wrt->name, value);
      if (wrt->name[0] == '/')
        all_sets[options.nsets++] = changed;
      else
        all_params[options.nparams++] = changed;
    }
    status = mb_scene_parse(run->source.text, run->source.length, run->source.name, run->source.folder,
                            &options, &v->scene, report);
  }
  if (!status) status = mb_model_create(v->scene, &v->model, report);
  if (!status) status = make_measures(run, v, report);
  if (v->scene) mb_scene_locate(v->scene, report);
  mb_free(changed);
  mb_free(all_params);
  mb_free(all_sets);
  return status;
}

// ---- what is asked ------------------------------------------------------------------------------

static MbStatus ask_measures(MbGradientRun *run, MbReport *report) {
  const MbValue *given = mb_arg(run->args, "of");
  if (!given->nlist)
    return mb_error(report, MB_USAGE, "",
                    "--of: what is to be differentiated, as --of 'final(energy.total)'");
  run->asks = mb_arena_alloc(&run->arena, given->nlist, sizeof *run->asks);
  run->values = mb_arena_alloc(&run->arena, given->nlist, sizeof *run->values);
  if (!run->asks || !run->values) return mb_no_memory(report, "measures");
  for (size_t i = 0; i < given->nlist; i++)
    run->asks[run->nmeasures++] = (MbMeasureAsk){.name = given->list[i], .what = given->list[i]};
  return MB_OK;
}

static MbStatus unknown_parameter(const MbGradientRun *run, const char *name, MbReport *report) {
  const MbSceneSpec *spec = &run->scene.scene->spec;
  const char **words = mb_calloc(spec->nparameters + 1, sizeof *words);
  for (size_t i = 0; words && i < spec->nparameters; i++) words[i] = spec->parameters[i].name;
  const char *near = words ? mb_nearest_word(name, words) : NULL;
  mb_free(words);
  return mb_error(
      report, MB_USAGE, "",
      "--wrt %s: the scene has no such parameter%s%s%s; numbers beside the scene's \"parameters\" are named "
      "by JSON pointer, as /bodies/0/density",
      name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static MbStatus find_value(const MbGradientRun *run, MbWrt *wrt, MbReport *report) {
  const MbScene *scene = run->scene.scene;
  if (wrt->name[0] == '/') {
    const cJSON *at = mb_json_at(scene->resolved, wrt->name);
    if (!cJSON_IsNumber(at))
      return mb_error(report, MB_USAGE, "", "--wrt %s: %s", wrt->name,
                      at ? "the scene has no number there"
                         : "the scene says nothing there, and --set puts a number where it leaves one out");
    wrt->value = at->valuedouble;
    return MB_OK;
  }
  for (size_t i = 0; i < scene->spec.nparameters; i++)
    if (!strcmp(scene->spec.parameters[i].name, wrt->name)) {
      wrt->value = scene->spec.parameters[i].value;
      return MB_OK;
    }
  return unknown_parameter(run, wrt->name, report);
}

// The scene with a little less or more of it. What it warns of, the scene itself has warned of.
static MbStatus make_side(MbGradientRun *run, const MbWrt *wrt, double value, MbVariant *v,
                          MbReport *report) {
  MbReport own = {0};
  const MbStatus status = mb_gradient_variant(run, wrt, value, v, &own);
  if (!status) return MB_OK;
  *report = own;
  return mb_error(report, status, "",
                  "--wrt %s: its derivative takes the scene at %.9g as well, which is refused", wrt->name,
                  value);
}

static MbStatus add_number(MbGradientRun *run, const char *name, MbReport *report) {
  MbWrt *wrt = &run->wrt[run->nwrt++];
  wrt->name = name;
  MbStatus status = find_value(run, wrt, report);
  if (status) return status;
  for (size_t i = 0; i + 1 < run->nwrt; i++)
    if (!strcmp(run->wrt[i].name, name))
      return mb_error(report, MB_USAGE, "", "--wrt %s: it is there twice", name);
  wrt->move = LITTLE * (wrt->value != 0 ? fabs(wrt->value) : 1);
  double **const lists[] = {&wrt->derivative, &wrt->difference, &wrt->unsure};
  for (size_t i = 0; i < 3; i++)
    if (!(*lists[i] = mb_arena_alloc(&run->arena, run->nmeasures, sizeof **lists[i])))
      return mb_no_memory(report, "derivatives");
  status = make_side(run, wrt, wrt->value - wrt->move, &wrt->less, report);
  if (!status) status = make_side(run, wrt, wrt->value + wrt->move, &wrt->more, report);
  if (!status)
    status = mb_measure_slopes_create(run->scene.measures, wrt->less.measures, wrt->more.measures, wrt->move,
                                      &wrt->slopes, report);
  return status;
}

MbStatus mb_gradient_ask(MbGradientRun *run, MbReport *report) {
  const MbValue *wrt = mb_arg(run->args, "wrt");
  MbStatus status = ask_measures(run, report);
  if (!status && !wrt->nlist)
    status = mb_error(report, MB_USAGE, "", "--wrt: by which numbers, as --wrt length");
  if (!status) status = mb_scene_source(run->args, run->args->operands[0], &run->source, report);
  if (!status) status = mb_gradient_variant(run, NULL, 0, &run->scene, report);
  const char *why = status ? NULL : mb_sensitivity_refuses(run->scene.model);
  if (why) status = mb_error(report, MB_USAGE, "", "%s", why);
  if (status) return status;
  run->wrt = mb_arena_alloc(&run->arena, wrt->nlist, sizeof *run->wrt);
  if (!run->wrt) return mb_no_memory(report, "derivatives");
  for (size_t i = 0; i < wrt->nlist && !status; i++) status = add_number(run, wrt->list[i], report);
  return status;
}
