// Options that stand for a value of the scene become `--set` overrides, so that the scene is checked,
// reported and stored in the file in one way. An option that excludes another key (--duration: /time/steps)
// replaces the whole object that holds both.
#include "cli/scene_input.h"
#include "cli/choices.h"
#include "cli/file_kind.h"
#include "core/base/alloc.h"
#include "io/models/models.h"
#include "io/sweep/study.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const size_t LARGEST = (size_t)1 << 30;

typedef struct Source {
  char *text;
  size_t length;
  char directory[MB_FOLDER];
  const char *name;
} Source;

// How long a file is, as far as scenes go; a guess of what does not know.
static size_t bytes_of(FILE *stream) {
  struct stat about;
  const bool known = !fstat(fileno(stream), &about) && S_ISREG(about.st_mode) && about.st_size > 0;
  return !known ? 1 << 16 : (size_t)about.st_size < LARGEST ? (size_t)about.st_size : LARGEST;
}

// Everything from a stream, of which `expected` bytes are known; NULL with an error.
static MbStatus slurp(FILE *stream, size_t expected, Source *source, MbReport *report) {
  size_t room = 0;
  for (;;) {
    if (source->length + 1 >= room) {
      room = room ? 2 * room : expected + 2; // as much as it is, and one byte to see that there is no more
      char *grown = mb_realloc(source->text, room, 1);
      if (!grown) return mb_no_memory(report, "the scene's text");
      source->text = grown;
    }
    const size_t n = fread(source->text + source->length, 1, room - 1 - source->length, stream);
    if (!n) break;
    source->length += n;
    if (mb_file_is_trajectory(source->text, source->length))
      return mb_error(report, MB_SCENE, "", "%s is a trajectory, not a scene%s%s%s", source->name,
                      stream == stdin ? "" : "; did you mean mbsim info ",
                      stream == stdin ? "" : source->name, stream == stdin ? "" : "?");
    if (source->length > LARGEST) break; // the scene's reader refuses it
  }
  source->text[source->length] = 0;
  if (ferror(stream))
    return mb_error(report, MB_IO, "", "%s cannot be read: %s", source->name, strerror(errno));
  return MB_OK;
}

MbStatus mb_scene_folder(const char *path, char folder[MB_FOLDER], MbReport *report) {
  const char *slash = strrchr(path, '/');
  const size_t n = !slash ? 1 : slash == path ? 1 : (size_t)(slash - path);
  if (n >= MB_FOLDER) return mb_error(report, MB_IO, "", "the scene's path is too long");
  memcpy(folder, slash ? path : ".", n);
  folder[n] = 0;
  return MB_OK;
}

// A model in another's format becomes the scene that `mbsim import` writes.
static MbStatus import(const char *path, Source *source, MbReport *report) {
  if (!mb_model_is(source->text, source->length)) return MB_OK;
  mb_free(source->text);
  source->text = NULL;
  const MbStatus status = mb_model_as_scene(path, &source->text, report);
  source->length = status ? 0 : strlen(source->text);
  return status;
}

// A study is for sweeps, which read it themselves.
static MbStatus refuse_study(const Source *source, MbReport *report) {
  static const char key[] = "\"mbsim_study\"";
  if (!source->text || !memmem(source->text, source->length, key, sizeof key - 1) ||
      !mb_study_is(source->text, source->length))
    return MB_OK;
  return mb_error(report, MB_SCENE, "", "%s is a study, not a scene: mbsim sweep %s runs it", source->name,
                  !strcmp(source->name, "<stdin>") ? "-" : source->name);
}

static MbStatus read_source(const char *path, Source *source, MbReport *report) {
  *source = (Source){.name = path, .directory = "."};
  if (!strcmp(path, "-")) {
    source->name = "<stdin>";
    const MbStatus status = slurp(stdin, bytes_of(stdin), source, report);
    return status ? status : refuse_study(source, report);
  }
  if (!*path) return mb_error(report, MB_USAGE, "", "the scene's file name is empty");
  const MbStatus found = mb_scene_folder(path, source->directory, report);
  if (found) return found;
  FILE *stream = fopen(path, "re");
  if (!stream) return mb_error(report, MB_IO, "", "%s cannot be opened: %s", path, strerror(errno));
  MbStatus status = slurp(stream, bytes_of(stream), source, report);
  fclose(stream);
  if (!status) status = refuse_study(source, report);
  return status ? status : import(path, source, report);
}

// ---- overrides ----------------------------------------------------------------------------------

enum { MADE = 7 }; // values made here at most

typedef struct Overrides {
  const char **sets, **params; // the user's, then ours; (nsets), as many params as were given
  size_t nsets;
  char **made; // (nmade) those of the above that are ours
  size_t nmade;
} Overrides;

static void overrides_free(Overrides *overrides) {
  for (size_t i = 0; i < overrides->nmade; i++) mb_free(overrides->made[i]);
  mb_free(overrides->made);
  mb_free(overrides->sets);
  mb_free(overrides->params);
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

// A member that an option stands for. It excludes another, which a --set alone would leave in place.
typedef struct Edit {
  const char *key, *instead_of; // NULL = excludes none
  cJSON *value;                 // NULL = not given
} Edit;

enum { EDITS = 3 }; // of one object at most

static MbStatus add_json(Overrides *overrides, const char *pointer, const cJSON *value, MbReport *report) {
  char *json = cJSON_PrintUnformatted(value);
  if (!json) return mb_no_memory(report, "the command line");
  const MbStatus status = add_set(overrides, pointer, json, report);
  cJSON_free(json);
  return status;
}

// One --set a member or, where there is no such object or one has to go, one for the whole object.
static MbStatus add_edits(Overrides *overrides, const cJSON *scene, const char *name, Edit edits[EDITS],
                          MbReport *report) {
  const cJSON *object = cJSON_GetObjectItemCaseSensitive(scene, name);
  bool given = false, whole = !cJSON_IsObject(object);
  for (int i = 0; i < EDITS; i++) {
    given = given || edits[i].value;
    whole = whole || (edits[i].value && edits[i].instead_of &&
                      cJSON_GetObjectItemCaseSensitive(object, edits[i].instead_of));
  }
  if (!given) return MB_OK;
  cJSON *copy = cJSON_IsObject(object) ? cJSON_Duplicate(object, true) : cJSON_CreateObject();
  MbStatus status = copy ? MB_OK : mb_no_memory(report, "the command line");
  char pointer[64];
  for (int i = 0; i < EDITS && !status; i++) {
    if (!edits[i].value) continue;
    snprintf(pointer, sizeof pointer, "/%s/%s", name, edits[i].key);
    if (!whole) status = add_json(overrides, pointer, edits[i].value, report);
    cJSON_DeleteItemFromObjectCaseSensitive(copy, edits[i].key);
    if (edits[i].instead_of) cJSON_DeleteItemFromObjectCaseSensitive(copy, edits[i].instead_of);
    cJSON_AddItemReferenceToObject(copy, edits[i].key, edits[i].value);
  }
  snprintf(pointer, sizeof pointer, "/%s", name);
  if (whole && !status) status = add_json(overrides, pointer, copy, report);
  cJSON_Delete(copy);
  return status;
}

// A word instead of the scene's solver or integrator. What has no meaning for another kind goes; threads and device
// stay, and everything where the scene has that kind already.
static MbStatus add_kind(Overrides *overrides, const cJSON *scene, const char *name, const MbValue *word,
                         MbReport *report) {
  static const char *const common[] = {"threads", "device", NULL};
  if (!word->given) return MB_OK;
  const cJSON *object = cJSON_GetObjectItemCaseSensitive(scene, name);
  const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "type"));
  if (kind && !strcmp(kind, word->text)) return MB_OK;
  cJSON *value = cJSON_CreateObject();
  if (!value || !cJSON_AddStringToObject(value, "type", word->text)) {
    cJSON_Delete(value);
    return mb_no_memory(report, "the command line");
  }
  for (const char *const *key = common; *key; key++) {
    cJSON *kept = cJSON_GetObjectItemCaseSensitive(object, *key);
    if (kept) cJSON_AddItemReferenceToObject(value, *key, kept);
  }
  cJSON *bare = value->child->next ? NULL : cJSON_CreateString(word->text);
  char pointer[32];
  snprintf(pointer, sizeof pointer, "/%s", name);
  const MbStatus status = add_json(overrides, pointer, bare ? bare : value, report);
  cJSON_Delete(bare);
  cJSON_Delete(value);
  return status;
}

// The source with the user's --set applied; NULL where either is broken, which the scene reader will report.
static cJSON *preview(const Source *source, const MbValue *sets) {
  cJSON *tree = NULL;
  MbReport ignored = {0};
  if (mb_json_parse(source->text, source->length, &tree, &ignored)) return NULL;
  for (size_t i = 0; sets && i < sets->nlist; i++) {
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

static cJSON *number_of(const MbValue *value) {
  return value->given ? cJSON_CreateNumber(value->number) : NULL;
}

// `sets` are the user's; NULL = none.
static MbStatus make_edits(const MbArgs *args, const Source *source, const MbValue *sets,
                           Overrides *overrides, MbReport *report) {
  const MbValue *every = mb_arg(args, "every"), *error = mb_arg(args, "error");
  Edit time[EDITS] = {{"duration", "steps", number_of(mb_arg(args, "duration"))},
                      {"step", NULL, number_of(mb_arg(args, "step"))}};
  Edit output[EDITS] = {{"every", "interval", every->given ? cJSON_CreateNumber((double)every->count) : NULL},
                        {"error", NULL, error->given ? mb_choose_error(error->text, report) : NULL},
                        {"checkpoint", NULL, number_of(mb_arg(args, "checkpoint"))}};
  cJSON *scene = preview(source, sets);
  MbStatus status = scene ? add_edits(overrides, scene, "time", time, report) : MB_OK;
  if (scene && !status) status = add_edits(overrides, scene, "output", output, report);
  if (scene && !status) status = add_kind(overrides, scene, "solver", mb_arg(args, "solver"), report);
  if (scene && !status) status = add_kind(overrides, scene, "integrator", mb_arg(args, "integrator"), report);
  cJSON_Delete(scene);
  for (int i = 0; i < EDITS; i++) {
    cJSON_Delete(time[i].value);
    cJSON_Delete(output[i].value);
  }
  return status;
}

// Whether any option asks for an edit, so that the scene must be looked at beforehand.
static bool wants_edits(const MbArgs *args) {
  static const char *const names[] = {"duration",   "step",   "every",     "error",
                                      "checkpoint", "solver", "integrator"};
  bool any = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) any = any || mb_arg_given(args, names[i]);
  return any;
}

static MbStatus make_overrides(const MbArgs *args, const Source *source, Overrides *overrides,
                               MbReport *report) {
  const MbValue *sets = mb_arg(args, "set"), *params = mb_arg(args, "param");
  overrides->sets = mb_calloc(sets->nlist + MADE, sizeof *overrides->sets);
  overrides->params = mb_calloc(params->nlist, sizeof *overrides->params);
  overrides->made = mb_calloc(MADE, sizeof *overrides->made);
  if (!overrides->sets || !overrides->params || !overrides->made)
    return mb_no_memory(report, "the command line");
  for (; overrides->nsets < sets->nlist; overrides->nsets++)
    overrides->sets[overrides->nsets] = sets->list[overrides->nsets];
  for (size_t i = 0; i < params->nlist; i++) overrides->params[i] = params->list[i];
  return wants_edits(args) ? make_edits(args, source, sets, overrides, report) : MB_OK;
}

// Reads the source with what the command line overrides, and frees its text.
static MbStatus parse(const MbArgs *args, Source *source, MbScene **scene, MbReport *report) {
  Overrides overrides = {0};
  MbStatus status = make_overrides(args, source, &overrides, report);
  if (!status) {
    const MbSceneOptions options = {.params = overrides.params,
                                    .nparams = mb_arg(args, "param")->nlist,
                                    .sets = overrides.sets,
                                    .nsets = overrides.nsets};
    status =
        mb_scene_take(source->text, source->length, source->name, source->directory, &options, scene, report);
    source->text = NULL;
    if (!status && !(*scene)->spec.nbodies && !(*scene)->spec.ndeformables)
      mb_warning(report, "", "the scene has no bodies");
  }
  overrides_free(&overrides);
  mb_free(source->text);
  return status;
}

static MbStatus check_error(const MbArgs *args, MbReport *report) {
  const MbValue *error = mb_arg(args, "error");
  cJSON *value = error->given ? mb_choose_error(error->text, report) : NULL;
  cJSON_Delete(value);
  return error->given && !value ? MB_USAGE : MB_OK;
}

MbStatus mb_scene_input(const MbArgs *args, const char *path, MbScene **scene, MbReport *report) {
  *scene = NULL;
  Source source = {0};
  MbStatus status = check_error(args, report);
  if (!status) status = read_source(path, &source, report);
  if (!status) return parse(args, &source, scene, report);
  mb_free(source.text);
  return status;
}

MbStatus mb_scene_source(const MbArgs *args, const MbValue *sets, const char *path, MbSceneSource *out,
                         MbReport *report) {
  *out = (MbSceneSource){0};
  Source source = {0};
  Overrides overrides = {0};
  MbStatus status = check_error(args, report);
  if (!status) status = read_source(path, &source, report);
  overrides.sets = mb_calloc(MADE, sizeof *overrides.sets);
  overrides.made = mb_calloc(MADE, sizeof *overrides.made);
  if (!status && !(overrides.sets && overrides.made)) status = mb_no_memory(report, "the command line");
  if (!status && wants_edits(args)) status = make_edits(args, &source, sets, &overrides, report);
  mb_free(overrides.sets); // all of them are ours
  out->text = source.text;
  out->length = source.length;
  out->name = source.name;
  out->sets = overrides.made;
  out->nsets = overrides.nmade;
  snprintf(out->folder, sizeof out->folder, "%s", source.directory);
  return status;
}

void mb_scene_source_free(MbSceneSource *source) {
  for (size_t i = 0; i < source->nsets; i++) mb_free(source->sets[i]);
  mb_free(source->sets);
  mb_free(source->text);
  *source = (MbSceneSource){0};
}

MbStatus mb_scene_embedded(const MbArgs *args, const MbTraj *traj, const char *folder, MbScene **scene,
                           MbReport *report) {
  *scene = NULL;
  char name[MB_FOLDER + 32];
  const char *text = mb_traj_scene_json(traj);
  const MbStatus status = check_error(args, report);
  if (status) return status;
  snprintf(name, sizeof name, "the scene in %s", mb_traj_path(traj));
  if (!text || text[0] != '{') return mb_error(report, MB_IO, "", "%s holds no scene", mb_traj_path(traj));
  Source source = {.text = mb_strdup(text), .length = strlen(text), .name = name};
  if (!source.text) return mb_no_memory(report, "the scene's text");
  snprintf(source.directory, sizeof source.directory, "%s", folder);
  return parse(args, &source, scene, report);
}
