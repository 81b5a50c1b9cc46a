#include "cli/sweep_entry.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/compile/compile.h"

static MbReport *emptied(MbReport *report) {
  mb_report_clear(report);
  return report;
}

const char *mb_sweep_entry_build(MbSweep *s, MbSceneKept *kept, uint64_t run, MbSweepEntry *e,
                                 MbReport *ignored) {
  MbRunOverrides overrides;
  *e = (MbSweepEntry){.run = run};
  if (mb_run_overrides(&s->scenes, run, &overrides, emptied(ignored))) return "is not valid";
  MbStatus status = mb_scene_parse_kept(s->source.text, s->source.length, s->source.name, s->source.folder,
                                        &overrides.options, kept, &e->scene, emptied(ignored));
  mb_run_overrides_free(&overrides);
  mb_result_warn(&e->said, ignored);
  if (!status) status = mb_model_create(e->scene, &e->model, emptied(ignored));
  mb_result_warn(&e->said, ignored);
  if (status) return "is not valid";
  e->device = mb_sweep_device_of(s, e->scene);
  const char *refused = mb_sweep_lane_refused(e->scene, e->model);
  if (refused) return refused;
  if (mb_lane_create(e->model, &e->lane, &refused, emptied(ignored))) return "cannot begin";
  mb_result_warn(&e->said, ignored);
  return refused;
}

void mb_sweep_entry_free(MbSweepEntry *e) {
  mb_lane_free(&e->lane);
  mb_model_free(e->model);
  mb_scene_free(e->scene);
  *e = (MbSweepEntry){0};
}

MbStatus mb_sweep_entry_measures(const MbSweep *s, const MbSweepEntry *e, const MbChannel *channels, size_t n,
                                 double end, MbMeasures **out, MbReport *report) {
  const MbSceneSpec *spec = &e->scene->spec;
  MbConstant *constants = mb_calloc(spec->nparameters, sizeof *constants);
  if (!constants) return mb_no_memory(report, "measures");
  for (size_t i = 0; i < spec->nparameters; i++)
    constants[i] = (MbConstant){spec->parameters[i].name, spec->parameters[i].value};
  const MbStatus status = mb_measures_create(s->measures, s->nmeasures, channels, n, constants,
                                             spec->nparameters, end, out, report);
  mb_free(constants);
  return status;
}

bool mb_sweep_same_plan(const MbPlan *a, const MbPlan *b) {
  const bool intervals = a->every || b->every || (a->interval == b->interval && a->step == b->step);
  return a->steps == b->steps && a->every == b->every && intervals;
}
