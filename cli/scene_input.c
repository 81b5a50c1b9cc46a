// Options that stand for a value of the scene become `--set` overrides, so that the scene is checked,
// reported and stored in the file in one way. An option that excludes another key (--duration: /time/steps)
// replaces the whole object that holds both.
#include "cli/scene_input.h"
#include "core/base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Source {
  char *text;
  size_t length;
  char directory[4096];
  const char *name;
} Source;

// Everything from a stream; NULL with an error.
static MbStatus slurp(FILE *stream, Source *source, MbReport *report) {
  size_t room = 0;
  for (;;) {
    if (source->length + 1 >= room) {
      room = room ? 2 * room : 1 << 16;
      char *grown = mb_realloc(source->text, room, 1);
      if (!grown) return mb_no_memory(report, "the scene's text");
      source->text = grown;
    }
    const size_t n = fread(source->text + source->length, 1, room - 1 - source->length, stream);
    if (!n) break;
    source->length += n;
  }
  source->text[source->length] = 0;
  if (ferror(stream))
    return mb_error(report, MB_IO, "", "%s cannot be read: %s", source->name, strerror(errno));
  return MB_OK;
}

static MbStatus read_source(const char *path, Source *source, MbReport *report) {
  *source = (Source){.name = path, .directory = "."};
  if (!strcmp(path, "-")) {
    source->name = "<stdin>";
    return slurp(stdin, source, report);
  }
  const char *slash = strrchr(path, '/');
  if (slash) {
    const size_t n = slash == path ? 1 : (size_t)(slash - path);
    if (n >= sizeof source->directory) return mb_error(report, MB_IO, "", "the scene's path is too long");
    memcpy(source->directory, path, n);
    source->directory[n] = 0;
  }
  FILE *stream = fopen(path, "re");
  if (!stream) return mb_error(report, MB_IO, "", "%s cannot be opened: %s", path, strerror(errno));
  const MbStatus status = slurp(stream, source, report);
  fclose(stream);
  return status;
}

// ---- overrides ----------------------------------------------------------------------------------

enum { MADE = 4 }; // overrides made here at most: /time, /output, /solver, /integrator

typedef struct Overrides {
  const char **sets; // the user's, then ours
  size_t nsets;
  char *made[MADE];
  size_t nmade;
} Overrides;

static void overrides_free(Overrides *overrides) {
  for (size_t i = 0; i < overrides->nmade; i++) mb_free(overrides->made[i]);
  mb_free(overrides->sets);
}

static MbStatus add_set(Overrides *overrides, const char *pointer, const char *json, MbReport *report) {
  const size_t size = strlen(pointer) + strlen(json) + 2;
  char *text = mb_calloc(size, 1);
  if (!text) return mb_no_memory(report, "the command line");
  snprintf(text, size, "%s=%s", pointer, json);
  overrides->made[overrides->nmade++] = text;
  overrides->sets[overrides->nsets++] = text;
  return MB_OK;
}

static MbStatus add_word(Overrides *overrides, const char *pointer, const MbValue *value, MbReport *report) {
  if (!value->given) return MB_OK;
  char json[64];
  snprintf(json, sizeof json, "\"%s\"", value->text);
  return add_set(overrides, pointer, json, report);
}

// The scene's object `key` as the user's --set leave it, or an empty one.
static cJSON *object_of(const cJSON *scene, const char *key) {
  const cJSON *member = cJSON_GetObjectItemCaseSensitive(scene, key);
  return cJSON_IsObject(member) ? cJSON_Duplicate(member, true) : cJSON_CreateObject();
}

static void put(cJSON *object, const char *key, cJSON *value, const char *instead_of) {
  cJSON_DeleteItemFromObjectCaseSensitive(object, key);
  if (instead_of) cJSON_DeleteItemFromObjectCaseSensitive(object, instead_of);
  cJSON_AddItemToObject(object, key, value);
}

static cJSON *error_value(const char *text, MbReport *report) {
  char *end = NULL;
  const double number = strtod(text, &end);
  if (end != text && !*end && number >= 0) return cJSON_CreateNumber(number);
  if (!strcmp(text, "fine") || !strcmp(text, "view")) return cJSON_CreateString(text);
  cJSON *object = text[0] == '{' ? cJSON_Parse(text) : NULL;
  if (object) return object;
  mb_error(report, MB_USAGE, "", "--error: \"%s\" is none of 0, fine, view, a number, an object of numbers",
           text);
  return NULL;
}

static MbStatus edit_time(const MbArgs *args, cJSON *time) {
  const MbValue *duration = mb_arg(args, "duration"), *step = mb_arg(args, "step");
  if (duration->given) put(time, "duration", cJSON_CreateNumber(duration->number), "steps");
  if (step->given) put(time, "step", cJSON_CreateNumber(step->number), NULL);
  return MB_OK;
}

static MbStatus edit_output(const MbArgs *args, cJSON *output, MbReport *report) {
  const MbValue *every = mb_arg(args, "every"), *error = mb_arg(args, "error");
  const MbValue *checkpoint = mb_arg(args, "checkpoint");
  if (every->given) put(output, "every", cJSON_CreateNumber((double)every->count), "interval");
  if (checkpoint->given) put(output, "checkpoint", cJSON_CreateNumber(checkpoint->number), NULL);
  if (!error->given) return MB_OK;
  cJSON *value = error_value(error->text, report);
  if (!value) return MB_USAGE;
  put(output, "error", value, NULL);
  return MB_OK;
}

static MbStatus add_object(Overrides *overrides, const char *pointer, const cJSON *object, MbReport *report) {
  char *json = cJSON_PrintUnformatted(object);
  if (!json) return mb_no_memory(report, "the command line");
  const MbStatus status = add_set(overrides, pointer, json, report);
  cJSON_free(json);
  return status;
}

// The source with the user's --set applied; NULL where either is broken, which the scene reader will report.
static cJSON *preview(const MbArgs *args, const Source *source) {
  cJSON *tree = NULL;
  MbReport ignored = {0};
  if (mb_json_parse(source->text, source->length, &tree, &ignored)) return NULL;
  const MbValue *sets = mb_arg(args, "set");
  for (size_t i = 0; i < sets->nlist; i++) {
    char *text = mb_strdup(sets->list[i]), *equals = text ? strchr(text, '=') : NULL;
    cJSON *value = NULL;
    if (equals) {
      *equals = 0;
      if (!mb_json_parse(equals + 1, strlen(equals + 1), &value, &ignored))
        mb_json_set(&tree, text, value, &ignored);
    }
    mb_free(text);
  }
  return tree;
}

static MbStatus make_objects(const MbArgs *args, const Source *source, Overrides *overrides,
                             MbReport *report) {
  const bool timing = mb_arg_given(args, "duration") || mb_arg_given(args, "step");
  const bool output =
      mb_arg_given(args, "every") || mb_arg_given(args, "error") || mb_arg_given(args, "checkpoint");
  cJSON *scene = timing || output ? preview(args, source) : NULL;
  if (!scene) return MB_OK;
  MbStatus status = MB_OK;
  if (timing) {
    cJSON *object = object_of(scene, "time");
    status = edit_time(args, object);
    if (!status) status = add_object(overrides, "/time", object, report);
    cJSON_Delete(object);
  }
  if (output && !status) {
    cJSON *object = object_of(scene, "output");
    status = edit_output(args, object, report);
    if (!status) status = add_object(overrides, "/output", object, report);
    cJSON_Delete(object);
  }
  cJSON_Delete(scene);
  return status;
}

static MbStatus make_overrides(const MbArgs *args, const Source *source, Overrides *overrides,
                               MbReport *report) {
  const MbValue *sets = mb_arg(args, "set");
  overrides->sets = mb_calloc(sets->nlist + MADE, sizeof *overrides->sets);
  if (!overrides->sets) return mb_no_memory(report, "the command line");
  for (; overrides->nsets < sets->nlist; overrides->nsets++)
    overrides->sets[overrides->nsets] = sets->list[overrides->nsets];
  MbStatus status = make_objects(args, source, overrides, report);
  if (!status) status = add_word(overrides, "/solver", mb_arg(args, "solver"), report);
  if (!status) status = add_word(overrides, "/integrator", mb_arg(args, "integrator"), report);
  return status;
}

MbStatus mb_scene_input(const MbArgs *args, const char *path, MbScene **scene, MbReport *report) {
  *scene = NULL;
  Source source = {0};
  Overrides overrides = {0};
  const MbValue *error = mb_arg(args, "error");
  cJSON *value = error->given ? error_value(error->text, report) : NULL;
  cJSON_Delete(value);
  MbStatus status = error->given && !value ? MB_USAGE : read_source(path, &source, report);
  if (!status) status = make_overrides(args, &source, &overrides, report);
  if (!status) {
    const MbValue *params = mb_arg(args, "param");
    const MbSceneOptions options = {
        .params = params->list, .nparams = params->nlist, .sets = overrides.sets, .nsets = overrides.nsets};
    status =
        mb_scene_parse(source.text, source.length, source.name, source.directory, &options, scene, report);
  }
  overrides_free(&overrides);
  mb_free(source.text);
  return status;
}
