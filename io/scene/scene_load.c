// A scene from a file or a text: read, parsed, overridden, checked against the schema, and what is wrong put where it stands in the text.
#include "io/scene/scene.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/models/models.h"
#include "io/json/json_text.h"
#include "io/scene/scene_advice.h"
#include "io/scene/scene_override.h"
#include "io/scene/schema_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t LARGEST = (size_t)1 << 30; // bytes of a scene file

// ---- files ------------------------------------------------------------------------------------------------

// Everything that can be read from `file`, up to LARGEST + 1 bytes; *text is NULL when memory ran out.
static bool read_all(int file, size_t expected, char **text, size_t *length) {
  size_t capacity = expected + 2, n = 0;
  char *buffer = mb_calloc(capacity, 1);
  bool fine = true;
  while (buffer && n <= LARGEST) {
    if (n + 1 >= capacity) {
      char *const grown = mb_realloc(buffer, capacity * 2, 1);
      if (!grown) {
        mb_free(buffer);
        buffer = NULL;
        break;
      }
      buffer = grown;
      capacity *= 2;
    }
    const ssize_t got = read(file, buffer + n, capacity - 1 - n);
    if (got < 0 && errno == EINTR) continue;
    fine = got >= 0;
    if (got <= 0) break;
    n += (size_t)got;
  }
  *text = buffer;
  *length = n;
  return fine;
}

static MbStatus read_file(const char *path, char **text, size_t *length, MbReport *report) {
  *text = NULL;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return mb_error(report, MB_IO, "", "cannot open %s: %s", path, strerror(errno));
  struct stat about;
  MbStatus status = MB_OK;
  if (fstat(file, &about)) {
    status = mb_error(report, MB_IO, "", "cannot read %s: %s", path, strerror(errno));
  } else if (about.st_size > (off_t)LARGEST) {
    status = mb_error(report, MB_SCENE, "", "%s is larger than 1 GiB", path);
  } else if (!read_all(file, about.st_size > 0 ? (size_t)about.st_size : 4096, text, length)) {
    status = mb_error(report, MB_IO, "", "cannot read %s: %s", path, strerror(errno));
  } else if (!*text) {
    status = mb_no_memory(report, path);
  } else if (*length > LARGEST) {
    status = mb_error(report, MB_SCENE, "", "%s is larger than 1 GiB", path);
  }
  close(file);
  if (status) {
    mb_free(*text);
    *text = NULL;
  }
  return status;
}

// ---- a scene ----------------------------------------------------------------------------------------------

void mb_scene_free(MbScene *scene) {
  if (!scene) return;
  for (size_t i = 0; i < scene->noverridden; i++) mb_free(scene->overridden[i]);
  mb_free(scene->overridden);
  cJSON_Delete(scene->resolved);
  mb_arena_free(&scene->spec.arena);
  mb_free(scene->text);
  mb_free(scene->name);
  mb_free(scene);
}

void mb_scene_let_go(MbScene *scene) {
  MbSceneSpec *const spec = &scene->spec;
  const MbSceneSpec settings = {.time = spec->time,
                                .solver = spec->solver,
                                .integrator = spec->integrator,
                                .output = spec->output,
                                .nparameters = spec->nparameters,
                                .nmaterials = spec->nmaterials,
                                .nbodies = spec->nbodies,
                                .nforces = spec->nforces,
                                .nconstraints = spec->nconstraints,
                                .ndeformables = spec->ndeformables};
  cJSON_Delete(scene->resolved);
  scene->resolved = NULL;
  mb_arena_free(&spec->arena);
  *spec = settings;
  spec->output.file = NULL;
  spec->output.channels = NULL;
}

void mb_scene_locate(const MbScene *scene, MbReport *report) {
  for (int i = 0; report && i < report->kept; i++) {
    MbIssue *const issue = &report->issues[i];
    if (issue->line || !issue->where[0]) continue;
    if (!mb_scene_overridden(scene->overridden, scene->noverridden, issue->where)) {
      mb_json_locate(scene->text, scene->length, issue->where, false, &issue->line, &issue->column);
    } else if (!strstr(issue->text, MB_SET_ON_COMMAND_LINE)) {
      const size_t n = strlen(issue->text);
      snprintf(issue->text + n, sizeof issue->text - n, "%s", MB_SET_ON_COMMAND_LINE);
    }
  }
}

char *mb_scene_resolved(const MbScene *scene) {
  MbText text = {0};
  mb_text_json(&text, scene->resolved);
  return mb_text_take(&text);
}

// Puts the report's issues from `first` on in the order of the text; those without a place stay last.
static void sort_issues(MbReport *report, int first) {
  for (int i = first + 1; i < report->kept; i++) {
    const MbIssue issue = report->issues[i];
    int k = i;
    for (; k > first; k--) {
      const MbIssue *const before = &report->issues[k - 1];
      const bool later =
          before->line > issue.line || (before->line == issue.line && before->column > issue.column);
      if (!issue.line || (before->line && !later)) break;
      report->issues[k] = *before;
    }
    report->issues[k] = issue;
  }
}

// The parameters of the resolved scene as the numbers that they came to.
static void resolve_parameters(MbScene *scene) {
  const cJSON *const parameters = cJSON_GetObjectItemCaseSensitive(scene->resolved, "parameters");
  size_t i = 0;
  for (cJSON *item = parameters ? parameters->child : NULL; item; item = item->next) {
    if (item->string[0] == '_' || i == scene->spec.nparameters) continue;
    if (cJSON_IsString(item)) {
      cJSON_free(item->valuestring);
      item->valuestring = NULL;
      item->type = cJSON_Number;
    }
    cJSON_SetNumberValue(item, scene->spec.parameters[i++].value);
  }
}

struct MbSceneKept {
  MbReaderDefaults defaults;
};

MbSceneKept *mb_scene_kept_create(void) { return mb_calloc(1, sizeof(MbSceneKept)); }

void mb_scene_kept_free(MbSceneKept *kept) {
  if (!kept) return;
  mb_arena_free(&kept->defaults.arena);
  mb_free(kept);
}

// The tree into the spec, by the schema.
static MbStatus read_spec(MbScene *scene, const char *directory, MbSceneKept *kept, MbReport *report) {
  MbArena *const arena = &scene->spec.arena;
  MbReader reader = {.report = report,
                     .arena = arena,
                     .directory = directory,
                     .text = scene->text,
                     .length = scene->length,
                     .overridden = scene->overridden,
                     .noverridden = scene->noverridden,
                     .defaults = kept ? &kept->defaults : NULL};
  const void *const defaults = mb_read_defaults(&reader, &mb_schema_scene);
  if (defaults) {
    // the arena's head is a member of the struct that the defaults are copied over
    const MbArena own = *arena;
    memcpy(&scene->spec, defaults, sizeof scene->spec);
    *arena = own;
    mb_read_object(&reader, &mb_schema_scene, scene->resolved, &scene->spec);
    mb_read_pending(&reader);
  }
  for (int i = 0; i < MB_NAME_SETS; i++) mb_schema_names_free(&reader.names[i]);
  return reader.status;
}

// Takes `text`, whatever comes of it.
static MbStatus parse(char *text, size_t length, const char *name, const char *directory,
                      const MbSceneOptions *options, MbSceneKept *kept, MbScene **out, MbReport *report) {
  MbScene *const scene = mb_calloc(1, sizeof *scene);
  if (!scene) {
    mb_free(text);
    return mb_no_memory(report, "a scene");
  }
  scene->text = text;
  scene->length = length;
  scene->name = mb_strdup(name);
  if (!report->file[0]) snprintf(report->file, sizeof report->file, "%s", name);
  const int first = report->kept;

  MbStatus status = scene->name ? mb_json_parse_folded(text, length, &scene->resolved, report)
                                : mb_no_memory(report, "a scene");
  if (!status) status = mb_scene_override(scene, options, report);
  if (!status) status = read_spec(scene, directory, kept, report);
  if (!status) mb_scene_fit_step(&scene->spec);
  if (!status) status = mb_scene_advise(scene, report);
  mb_scene_locate(scene, report);
  sort_issues(report, first);
  if (status) {
    mb_scene_free(scene);
    return status;
  }
  resolve_parameters(scene);
  *out = scene;
  return MB_OK;
}

MbStatus mb_scene_take(char *text, size_t length, const char *name, const char *directory,
                       const MbSceneOptions *options, MbScene **scene, MbReport *report) {
  MbReport own;
  mb_report_clear(&own);
  MbReport *const used = report ? report : &own;
  *scene = NULL;
  if (length <= LARGEST) return parse(text, length, name, directory, options, NULL, scene, used);
  mb_free(text);
  return mb_error(used, MB_SCENE, "", "%s is larger than 1 GiB", name);
}

MbStatus mb_scene_parse(const char *text, size_t length, const char *name, const char *directory,
                        const MbSceneOptions *options, MbScene **scene, MbReport *report) {
  return mb_scene_parse_kept(text, length, name, directory, options, NULL, scene, report);
}

MbStatus mb_scene_parse_kept(const char *text, size_t length, const char *name, const char *directory,
                             const MbSceneOptions *options, MbSceneKept *kept, MbScene **scene,
                             MbReport *report) {
  MbReport own;
  mb_report_clear(&own);
  MbReport *const used = report ? report : &own;
  *scene = NULL;
  if (length > LARGEST) return mb_error(used, MB_SCENE, "", "%s is larger than 1 GiB", name);
  char *const copy = mb_calloc(length + 1, 1);
  if (!copy) return mb_no_memory(used, "a scene");
  memcpy(copy, text, length);
  return parse(copy, length, name, directory, options, kept, scene, used);
}

MbStatus mb_scene_load(const char *path, const MbSceneOptions *options, MbScene **scene, MbReport *report) {
  MbReport own;
  mb_report_clear(&own);
  MbReport *const used = report ? report : &own;
  *scene = NULL;
  char *text = NULL;
  size_t length = 0;
  MbStatus status = read_file(path, &text, &length, used);
  if (!status && mb_model_is(text, length)) { // a model in another's format
    mb_free(text);
    status = mb_model_as_scene(path, &text, used);
    length = status ? 0 : strlen(text);
  }
  if (status) return status;

  const char *const slash = strrchr(path, '/');
  char *const directory = mb_calloc(slash ? (size_t)(slash - path) + 2 : 2, 1);
  if (!directory) {
    mb_free(text);
    return mb_no_memory(used, "a scene");
  }
  if (slash) memcpy(directory, path, (size_t)(slash - path) + (slash == path));
  const MbStatus parsed = parse(text, length, path, directory, options, NULL, scene, used);
  mb_free(directory);
  return parsed;
}
