#include "cli/fitting.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/alike.h"

void mb_fit_variant_free(MbFitVariant *v) {
  mb_measures_free(v->measures);
  mb_sim_free(v->sim);
  mb_model_free(v->model);
  mb_scene_free(v->scene);
  *v = (MbFitVariant){0};
}

static MbStatus make_measures(const MbFit *fit, MbFitVariant *v, MbReport *report) {
  const MbSceneSpec *spec = &v->scene->spec;
  MbConstant *constants = mb_calloc(spec->nparameters + 1, sizeof *constants);
  if (!constants) return mb_no_memory(report, "measures");
  for (size_t i = 0; i < spec->nparameters; i++)
    constants[i] = (MbConstant){spec->parameters[i].name, spec->parameters[i].value};
  size_t nchannels = 0;
  const MbChannel *channels = mb_sim_channels(v->sim, &nchannels);
  const double end = (double)fit->plan.steps * fit->plan.step;
  const MbStatus status = mb_measures_create(&fit->measure, 1, channels, nchannels, constants,
                                             spec->nparameters, end, &v->measures, report);
  mb_free(constants);
  return status;
}

MbStatus mb_fit_variant(const MbFit *fit, const double *numbers, size_t which, MbFitVariant *v,
                        MbReport *report) {
  MbReport own = {0}; // what the scene itself warns of has been told
  MbChange *changes = mb_calloc(fit->n + 1, sizeof *changes);
  if (!changes) return mb_no_memory(report, "a fit");
  for (size_t k = 0; k < fit->n; k++) changes[k] = (MbChange){fit->unknowns[k].name, numbers[k]};
  MbStatus status = mb_changed_scene(fit->args, &fit->source, changes, fit->n, &v->scene, &v->model, &own);
  mb_free(changes);
  if (!status) status = mb_sim_create(v->model, &(MbSimOptions){.threads = 1}, &v->sim, &own);
  if (v->scene) mb_scene_locate(v->scene, &own);
  const char *unlike = status ? NULL : mb_sim_unlike(fit->sim, v->sim);
  if (unlike)
    return mb_error(report, MB_SCENE, "", "--free %s: it changes %s: it cannot be fitted",
                    fit->unknowns[which].name, unlike);
  if (!status && fit->minimise) status = make_measures(fit, v, &own);
  if (!status) return MB_OK;
  *report = own;
  if (status == MB_USAGE) return status; // about the expression
  return mb_error(report, status, "", "--free %s: the scene is refused at %.9g", fit->unknowns[which].name,
                  numbers[which]);
}
