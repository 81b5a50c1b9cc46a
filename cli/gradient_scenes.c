// The scenes of `mbsim gradient`, and what its command line asks for.
#include "cli/gradient_scenes.h"
#include "cli/file_kind.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <math.h>
#include <string.h>

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
  mb_traj_free(run->from);
  mb_scene_source_free(&run->source);
  mb_arena_free(&run->arena);
}

// ---- scenes -------------------------------------------------------------------------------------

// The measures, with the parameters that the variant's scene has.
static MbStatus make_measures(const MbGradientRun *run, MbVariant *v, MbReport *report) {
  const MbSceneSpec *spec = &v->scene->spec;
  const MbPlan plan = mb_plan(spec);
  MbSim *sim = NULL;
  MbReport own = {0}; // it is not about the scene's text, and the run itself warns
  MbStatus status = mb_sim_create(v->model, &(MbSimOptions){.engine = mb_engine_cpu()}, &sim, &own);
  if (status) *report = own;
  if (status) return status;
  MbConstant *constants = mb_calloc(spec->nparameters, sizeof *constants);
  for (size_t i = 0; constants && i < spec->nparameters; i++)
    constants[i] = (MbConstant){spec->parameters[i].name, spec->parameters[i].value};
  size_t nchannels = 0;
  const MbChannel *channels = mb_sim_channels(sim, &nchannels);
  own = (MbReport){0};
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
  const MbChange change = {wrt ? wrt->name : "", value};
  MbStatus status =
      mb_changed_scene(run->args, &run->source, &change, wrt ? 1 : 0, &v->scene, &v->model, report);
  if (!status) status = make_measures(run, v, report);
  if (v->scene) mb_scene_locate(v->scene, report);
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

// The scene with a little less or more of it. What it warns of, the scene itself has warned of.
static MbStatus make_side(MbGradientRun *run, const MbWrt *wrt, double value, MbVariant *v,
                          MbReport *report) {
  MbReport own = {0};
  mb_gradient_variant_free(v);
  const MbStatus status = mb_gradient_variant(run, wrt, value, v, &own);
  if (!status) return MB_OK;
  *report = own;
  return mb_error(report, status, "",
                  "--wrt %s: its derivative takes the scene at %.9g as well, which is refused", wrt->name,
                  value);
}

// Both sides, or one and the number itself where the scene is refused on the other, as with a damping below 0: this costs as much exactness as
// the move is long, which is a short one then.
static MbStatus make_sides(MbGradientRun *run, MbWrt *wrt, MbReport *report) {
  static const double SHORT = 3e-3; // of a move to both sides
  static const int SIDES[3] = {0, 1, -1};
  const double move = mb_sensitivity_move(run->scene.model, wrt->value),
               near =
                   SHORT * mb_sensitivity_little(run->scene.model) * (wrt->value != 0 ? fabs(wrt->value) : 1);
  MbStatus status = MB_SCENE;
  MbReport first = {0};
  for (int i = 0; i < 3 && status == MB_SCENE; i++) {
    MbReport own = {0};
    wrt->side = SIDES[i];
    wrt->move = wrt->side ? fmin(near, move) : move;
    const double less = wrt->value + (wrt->side - 1) * wrt->move;
    status = make_side(run, wrt, less, &wrt->less, &own);
    if (!status) status = make_side(run, wrt, less + 2 * wrt->move, &wrt->more, &own);
    if (status && !first.errors) first = own;
  }
  if (status) *report = first;
  return status;
}

static MbStatus add_number(MbGradientRun *run, const char *name, MbReport *report) {
  MbWrt *wrt = &run->wrt[run->nwrt++];
  wrt->name = name;
  MbStatus status = mb_scene_number(run->scene.scene, "--wrt", wrt->name, &wrt->value, report);
  if (status) return status;
  for (size_t i = 0; i + 1 < run->nwrt; i++)
    if (!strcmp(run->wrt[i].name, name))
      return mb_error(report, MB_USAGE, "", "--wrt %s: it is there twice", name);
  double **const lists[] = {&wrt->derivative, &wrt->difference, &wrt->unsure};
  for (size_t i = 0; i < 3; i++)
    if (!(*lists[i] = mb_arena_alloc(&run->arena, run->nmeasures, sizeof **lists[i])))
      return mb_no_memory(report, "derivatives");
  status = make_sides(run, wrt, report);
  if (!status)
    status = mb_measure_slopes_create(run->scene.measures, wrt->less.measures, wrt->more.measures, wrt->move,
                                      &wrt->slopes, report);
  return status;
}

// What is asked at a time must not lie before the first frame from the checkpoint on.
static MbStatus check_times(const MbGradientRun *run, const MbPlan *plan, MbReport *report) {
  static const double ROUNDING = 1e-9;
  const double earliest = mb_measures_earliest(run->scene.measures);
  int64_t step = (int64_t)run->checkpoint.step;
  while (step < plan->steps && !mb_plan_frame_due(plan, step)) step++;
  const double first = (double)step * plan->step;
  if (earliest >= first * (1 - ROUNDING)) return MB_OK;
  return mb_error(report, MB_USAGE, "",
                  "--of: what is asked at %.9g s is before the first frame from the checkpoint on, at %.9g s",
                  earliest, first);
}

// The last checkpoint of the trajectory that --resume names which the run does not end at.
static MbStatus find_checkpoint(MbGradientRun *run, MbReport *report) {
  const MbValue *given = mb_arg(run->args, "resume");
  const MbPlan plan = mb_plan(&run->scene.scene->spec);
  bool found = false;
  if (!given->given) return MB_OK;
  MbStatus status = mb_file_want_trajectory(given->text, report);
  if (!status) status = mb_traj_open(given->text, &run->from, report);
  for (size_t i = status ? 0 : mb_traj_checkpoints(run->from); i-- > 0 && !status && !found;) {
    status = mb_traj_read_checkpoint(run->from, i, &run->checkpoint, report);
    found = !status && run->checkpoint.step < (uint64_t)plan.steps;
  }
  if (status) return status;
  if (!found)
    return mb_error(report, MB_USAGE, "",
                    "--resume %s: it has no checkpoint before the end of the run, at %.9g s", given->text,
                    (double)plan.steps * plan.step);
  return check_times(run, &plan, report);
}

MbStatus mb_gradient_ask(MbGradientRun *run, MbReport *report) {
  const MbValue *wrt = mb_arg(run->args, "wrt"), *sets = mb_arg(run->args, "set");
  MbStatus status = ask_measures(run, report);
  if (!status && !wrt->nlist)
    status = mb_error(report, MB_USAGE, "", "--wrt: by which numbers, as --wrt length");
  if (!status) status = mb_scene_source(run->args, sets, run->args->operands[0], &run->source, report);
  if (!status) status = mb_gradient_variant(run, NULL, 0, &run->scene, report);
  if (!status) status = find_checkpoint(run, report);
  const char *why = status ? NULL : mb_sensitivity_refuses(run->scene.model);
  if (why) status = mb_error(report, MB_USAGE, "", "%s", why);
  if (status) return status;
  run->wrt = mb_arena_alloc(&run->arena, wrt->nlist, sizeof *run->wrt);
  if (!run->wrt) return mb_no_memory(report, "derivatives");
  for (size_t i = 0; i < wrt->nlist && !status; i++) status = add_number(run, wrt->list[i], report);
  return status;
}
