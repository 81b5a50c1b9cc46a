// Whether a scene is the one that a trajectory holds, but for what may differ where a run goes on: how long it runs, names
// and comments, colours, where and how often it saves itself, on how many threads. None of these changes a number of a frame.
#include "cli/resume.h"
#include "core/base/report.h"
#include "io/json/json.h"

#include <string.h>

enum { POINTER = 256 };

// Of a shape, a body, a deformable or a material; a material or a parameter of that name is none.
static bool is_color(const char *parent, const char *key) {
  static const char *const places[] = {"/bodies/", "/deformables/", "/materials/", NULL};
  for (const char *const *p = places; *p && !strcmp(key, "color"); p++)
    if (!strncmp(*p, parent, strlen(*p))) return true;
  return false;
}

static bool skipped(const char *parent, const char *key) {
  static const char *const free_to_change[] = {"/time/duration",     "/time/steps",     "/output/file",
                                               "/output/checkpoint", "/solver/threads", "/name",
                                               "/description",       "/$schema",        NULL};
  if (key[0] == '_' || is_color(parent, key)) return true;
  char pointer[POINTER];
  snprintf(pointer, sizeof pointer, "%s/%s", parent, key);
  for (const char *const *p = free_to_change; *p; p++)
    if (!strcmp(*p, pointer)) return true;
  return false;
}

static bool same_value(const cJSON *a, const cJSON *b, const char *where, char *differs);

static bool differs_at(const char *parent, const char *key, char *differs) {
  snprintf(differs, POINTER, "%s/%s", parent, key);
  return false;
}

static bool same_members(const cJSON *a, const cJSON *b, const char *where, char *differs) {
  for (const cJSON *x = a->child; x; x = x->next) {
    if (skipped(where, x->string)) continue;
    const cJSON *y = cJSON_GetObjectItemCaseSensitive(b, x->string);
    char below[POINTER];
    snprintf(below, sizeof below, "%s/%s", where, x->string);
    if (!y && !(x->type == cJSON_Object && !x->child)) return differs_at(where, x->string, differs);
    if (y && !same_value(x, y, below, differs)) return false;
  }
  for (const cJSON *y = b->child; y; y = y->next)
    if (!skipped(where, y->string) && !cJSON_GetObjectItemCaseSensitive(a, y->string))
      return differs_at(where, y->string, differs);
  return true;
}

// An object that lost all its members to the exceptions above is the same as none: /output {"file": ...}.
static bool same_value(const cJSON *a, const cJSON *b, const char *where, char *differs) {
  if (cJSON_IsObject(a) && cJSON_IsObject(b)) return same_members(a, b, where, differs);
  if (cJSON_IsArray(a) && cJSON_IsArray(b) && cJSON_GetArraySize(a) == cJSON_GetArraySize(b)) {
    const cJSON *x = a->child, *y = b->child;
    for (int i = 0; x && y; i++, x = x->next, y = y->next) {
      char below[POINTER];
      snprintf(below, sizeof below, "%s/%d", where, i);
      if (!same_value(x, y, below, differs)) return false;
    }
    return true;
  }
  if (cJSON_IsNumber(a) && cJSON_IsNumber(b) && a->valuedouble == b->valuedouble) return true;
  if (!cJSON_IsNumber(a) && cJSON_Compare(a, b, true)) return true;
  snprintf(differs, POINTER, "%s", where);
  return false;
}

// What may be written in two ways in one: an "output" object, be it empty, for its absence and {"file": ...} are the same
// here; a solver that is a word as an object, for that may have threads.
static void normalise(cJSON *scene) {
  if (!cJSON_IsObject(scene)) return;
  if (!cJSON_GetObjectItemCaseSensitive(scene, "output"))
    cJSON_AddItemToObject(scene, "output", cJSON_CreateObject());
  const cJSON *solver = cJSON_GetObjectItemCaseSensitive(scene, "solver");
  if (!cJSON_IsString(solver)) return;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "type", solver->valuestring);
  cJSON_ReplaceItemInObjectCaseSensitive(scene, "solver", object);
}

MbStatus mb_resume_same_scene(const char *path, const char *old_text, const char *new_text,
                              MbReport *report) {
  cJSON *old = NULL, *new = NULL;
  char differs[POINTER] = "";
  MbStatus status = mb_json_parse(old_text, strlen(old_text), &old, report);
  if (!status) status = mb_json_parse(new_text, strlen(new_text), &new, report);
  if (!status) {
    normalise(old);
    normalise(new);
    if (!same_value(old, new, "", differs))
      status = mb_error(
          report, MB_USAGE, differs,
          "the scene differs from that of %s: to be resumed, all that decides its frames must be the same",
          path);
  }
  cJSON_Delete(old);
  cJSON_Delete(new);
  return status;
}
