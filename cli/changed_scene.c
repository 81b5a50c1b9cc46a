#include "cli/changed_scene.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/json/json_pretty.h"
#include "io/sweep/run_form.h"

#include <stdio.h>
#include <string.h>

// ---- overrides ----------------------------------------------------------------------------------

typedef struct Overrides {
  const char **sets, **params;
  char **made; // (nchanges)
  size_t nchanges;
  MbSceneOptions options;
} Overrides;

static MbStatus make(const MbArgs *args, const MbSceneSource *source, const MbChange *changes,
                     size_t nchanges, Overrides *o, MbReport *report) {
  const MbValue *sets = mb_arg(args, "set"), *params = mb_arg(args, "param");
  *o = (Overrides){.nchanges = nchanges};
  o->sets = mb_calloc(sets->nlist + source->nsets + nchanges + 1, sizeof *o->sets);
  o->params = mb_calloc(params->nlist + nchanges + 1, sizeof *o->params);
  o->made = mb_calloc(nchanges + 1, sizeof *o->made);
  if (!o->sets || !o->params || !o->made) return mb_no_memory(report, "the scene");
  MbSceneOptions *to = &o->options;
  for (size_t i = 0; i < sets->nlist; i++) o->sets[to->nsets++] = sets->list[i];
  for (size_t i = 0; i < source->nsets; i++) o->sets[to->nsets++] = source->sets[i];
  for (size_t i = 0; i < params->nlist; i++) o->params[to->nparams++] = params->list[i];
  for (size_t i = 0; i < nchanges; i++) {
    const size_t room = strlen(changes[i].name) + 40;
    if (!(o->made[i] = mb_calloc(room, 1))) return mb_no_memory(report, "the scene");
    snprintf(o->made[i], room, "%s=%.17g", changes[i].name, changes[i].value);
    if (changes[i].name[0] == '/')
      o->sets[to->nsets++] = o->made[i];
    else
      o->params[to->nparams++] = o->made[i];
  }
  to->sets = o->sets, to->params = o->params;
  return MB_OK;
}

static void overrides_free(Overrides *o) {
  for (size_t i = 0; o->made && i < o->nchanges; i++) mb_free(o->made[i]);
  mb_free(o->made);
  mb_free(o->sets);
  mb_free(o->params);
}

// ---- scenes -------------------------------------------------------------------------------------

MbStatus mb_changed_scene(const MbArgs *args, const MbSceneSource *source, const MbChange *changes,
                          size_t nchanges, MbScene **scene, MbModel **model, MbReport *report) {
  Overrides o;
  MbStatus status = make(args, source, changes, nchanges, &o, report);
  if (!status)
    status =
        mb_scene_parse(source->text, source->length, source->name, source->folder, &o.options, scene, report);
  if (!status) status = mb_model_create(*scene, model, report);
  overrides_free(&o);
  return status;
}

MbStatus mb_changed_text(const MbArgs *args, const MbSceneSource *source, const MbChange *changes,
                         size_t nchanges, bool rooted, char **text, MbReport *report) {
  Overrides o;
  char *plain = NULL;
  MbRunScenes scenes = {
      .text = source->text, .length = source->length, .name = source->name, .folder = source->folder};
  *text = NULL;
  MbStatus status = make(args, source, changes, nchanges, &o, report);
  if (!status)
    status = rooted ? mb_run_rooted(&scenes, &o.options, &plain, report)
                    : mb_run_resolved(&scenes, &o.options, &plain, report);
  overrides_free(&o);
  mb_run_scenes_free(&scenes);
  cJSON *tree = NULL;
  if (!status && !plain) status = mb_no_memory(report, "the scene");
  if (!status) status = mb_json_parse(plain, strlen(plain), &tree, report);
  MbText pretty = {0};
  if (!status) {
    mb_text_pretty(&pretty, tree);
    *text = mb_text_take(&pretty);
    if (!*text) status = mb_no_memory(report, "the scene");
  }
  cJSON_Delete(tree);
  mb_free(plain);
  return status;
}

// ---- numbers ------------------------------------------------------------------------------------

static MbStatus unknown(const MbScene *scene, const char *option, const char *name, MbReport *report) {
  const MbSceneSpec *spec = &scene->spec;
  const char **words = mb_calloc(spec->nparameters + 1, sizeof *words);
  for (size_t i = 0; words && i < spec->nparameters; i++) words[i] = spec->parameters[i].name;
  const char *near = words ? mb_nearest_word(name, words) : NULL;
  mb_free(words);
  return mb_error(
      report, MB_USAGE, "",
      "%s %s: the scene has no such parameter%s%s%s; numbers beside the scene's \"parameters\" are named "
      "by JSON pointer, as /bodies/0/density",
      option, name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

MbStatus mb_scene_number(const MbScene *scene, const char *option, const char *name, double *value,
                         MbReport *report) {
  if (name[0] == '/') {
    const cJSON *at = mb_json_at(scene->resolved, name);
    if (!cJSON_IsNumber(at))
      return mb_error(report, MB_USAGE, "", "%s %s: %s", option, name,
                      at ? "the scene has no number there"
                         : "the scene says nothing there, and --set puts a number where it leaves one out");
    *value = at->valuedouble;
    return MB_OK;
  }
  for (size_t i = 0; i < scene->spec.nparameters; i++)
    if (!strcmp(scene->spec.parameters[i].name, name)) {
      *value = scene->spec.parameters[i].value;
      return MB_OK;
    }
  return unknown(scene, option, name, report);
}
