#include "io/scene/scene_override.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mb_scene_overridden(char *const *overridden, size_t count, const char *pointer) {
  for (size_t i = 0; i < count; i++) {
    const size_t n = strlen(overridden[i]);
    if (!strncmp(pointer, overridden[i], n) && (!pointer[n] || pointer[n] == '/')) return true;
  }
  return false;
}

// The pointer that a value will have: "/bodies/-" stands for the element that the list does not have yet.
static char *final_pointer(MbScene *scene, const char *pointer) {
  const size_t n = strlen(pointer), room = n + 24;
  char *const copy = mb_calloc(room, 1);
  if (!copy) return NULL;
  memcpy(copy, pointer, n);
  if (n < 2 || strcmp(pointer + n - 2, "/-") != 0) return copy;
  copy[n - 2] = 0;
  const cJSON *const list = mb_json_at(scene->resolved, copy);
  if (cJSON_IsArray(list))
    snprintf(copy + n - 2, room - n + 2, "/%d", cJSON_GetArraySize(list));
  else
    copy[n - 2] = '/';
  return copy;
}

// What may stand as a word alone becomes an object of that type where something in it is to be set.
static MbStatus unfold(MbScene *scene, const char *pointer, MbReport *report) {
  static const char *const words[] = {"/solver", "/solver/stabilization", "/integrator"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const size_t n = strlen(words[i]);
    const cJSON *const word = mb_json_at(scene->resolved, words[i]);
    if (strncmp(pointer, words[i], n) != 0 || pointer[n] != '/' || !cJSON_IsString(word)) continue;
    cJSON *const object = cJSON_CreateObject();
    if (!cJSON_AddStringToObject(object, "type", word->valuestring)) {
      cJSON_Delete(object);
      return mb_no_memory(report, "a scene");
    }
    const MbStatus status = mb_json_set(&scene->resolved, words[i], object, report);
    if (status != MB_OK) return status;
  }
  return MB_OK;
}

// Sets one value (which it takes) and notes where; scene->overridden has room.
static MbStatus set(MbScene *scene, const char *pointer, cJSON *value, MbReport *report) {
  char *const copy = final_pointer(scene, pointer);
  if (!copy || !value) {
    mb_free(copy);
    cJSON_Delete(value);
    return mb_no_memory(report, "a scene");
  }
  scene->overridden[scene->noverridden++] = copy;
  const MbStatus status = unfold(scene, pointer, report);
  if (status != MB_OK) {
    cJSON_Delete(value);
    return status;
  }
  return mb_json_set(&scene->resolved, pointer, value, report);
}

// "/json/pointer=json"
static MbStatus apply_set(MbScene *scene, const char *text, MbReport *report) {
  const char *const equals = strchr(text, '=');
  if (text[0] != '/' || !equals)
    return mb_error(report, MB_USAGE, "", "--set %.100s: wanted /json/pointer=value, as /time/step=0.01",
                    text);
  cJSON *value = NULL;
  MbReport own;
  mb_report_clear(&own);
  const MbStatus status = mb_json_parse(equals + 1, strlen(equals + 1), &value, &own);
  if (status == MB_IO) return mb_no_memory(report, "a scene");
  if (status)
    return mb_error(report, MB_USAGE, "",
                    "--set %.100s: the value is %s; texts stand in double quotes, as '%.*s=\"%.60s\"'", text,
                    own.issues[0].text, (int)(equals - text), text, equals + 1);
  char *const pointer = mb_calloc((size_t)(equals - text) + 1, 1);
  if (!pointer) {
    cJSON_Delete(value);
    return mb_no_memory(report, "a scene");
  }
  memcpy(pointer, text, (size_t)(equals - text));
  const MbStatus done = set(scene, pointer, value, report);
  mb_free(pointer);
  return done;
}

static MbStatus unknown_parameter(const cJSON *parameters, const char *name, MbReport *report) {
  const char *near = NULL;
  char all[200] = "";
  size_t used = 0;
  for (const cJSON *p = parameters ? parameters->child : NULL; p; p = p->next) {
    const char *const pair[] = {p->string, near, NULL};
    const char *const better = p->string[0] == '_' ? NULL : mb_nearest_word(name, pair);
    if (better) near = better;
    if (p->string[0] != '_' && used < sizeof all)
      used += (size_t)snprintf(all + used, sizeof all - used, "%s%.60s", used ? ", " : "", p->string);
  }
  if (!used) return mb_error(report, MB_USAGE, "", "--param %.60s: the scene has no \"parameters\"", name);
  return mb_error(report, MB_USAGE, "/parameters",
                  "--param %.60s: the scene has no such parameter%s%.60s%s; it has %s", name,
                  near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "", all);
}

// Numbers as people type them (.5, +2, 1.), which JSON does not have; false: it is something else.
static bool typed_number(const char *text, double *number) {
  char *end = NULL;
  if (!*text || strspn(text, "+-.0123456789eE") != strlen(text)) return false;
  *number = strtod(text, &end);
  return !*end && isfinite(*number);
}

// "name=value", where the value is a number or an expression "=..."
static MbStatus apply_param(MbScene *scene, const char *text, MbReport *report) {
  const char *const equals = strchr(text, '=');
  char name[64] = "", pointer[80];
  if (equals && equals > text && equals - text < (ptrdiff_t)sizeof name)
    memcpy(name, text, (size_t)(equals - text));
  if (!name[0]) return mb_error(report, MB_USAGE, "", "--param %.100s: wanted name=value, as length=2", text);
  cJSON *const parameters = mb_json_at(scene->resolved, "/parameters");
  if (!cJSON_IsObject(parameters) || name[0] == '_' || !cJSON_GetObjectItemCaseSensitive(parameters, name))
    return unknown_parameter(cJSON_IsObject(parameters) ? parameters : NULL, name, report);

  snprintf(pointer, sizeof pointer, "/parameters/%s", name);
  if (equals[1] == '=') return set(scene, pointer, cJSON_CreateString(equals + 1), report);
  double number = 0;
  if (typed_number(equals + 1, &number)) return set(scene, pointer, cJSON_CreateNumber(number), report);
  cJSON *value = NULL;
  MbReport own;
  mb_report_clear(&own);
  const MbStatus status = mb_json_parse(equals + 1, strlen(equals + 1), &value, &own);
  if (!status && cJSON_IsNumber(value)) return set(scene, pointer, value, report);
  cJSON_Delete(value);
  if (status == MB_IO) return mb_no_memory(report, "a scene");
  if (status && strstr(own.issues[0].text, "too large"))
    return mb_error(report, MB_USAGE, pointer, "--param %.100s: too large for a number", text);
  return mb_error(report, MB_USAGE, pointer,
                  "--param %.100s: wanted a number, or an expression that begins with \"=\", as '%s==2*pi'",
                  text, name);
}

MbStatus mb_scene_override(MbScene *scene, const MbSceneOptions *options, MbReport *report) {
  if (!options || !(options->nsets + options->nparams)) return MB_OK;
  scene->overridden = mb_calloc(options->nsets + options->nparams, sizeof *scene->overridden);
  if (!scene->overridden) return mb_no_memory(report, "a scene");
  MbStatus status = MB_OK;
  for (size_t i = 0; i < options->nsets; i++) {
    const MbStatus one = apply_set(scene, options->sets[i], report);
    if (!status) status = one;
  }
  for (size_t i = 0; i < options->nparams; i++) {
    const MbStatus one = apply_param(scene, options->params[i], report);
    if (!status) status = one;
  }
  return status;
}
