// A study instead of a scene: what it says takes the places of options that the command line leaves out.
#include "cli/sweep.h"
#include "core/base/alloc.h"
#include "io/sweep/small_file.h"

#include <string.h>

typedef struct Overlay {
  MbSweep *sweep;
  MbArgs *args;
  const MbStudy *study;
  MbReport *report;
} Overlay;

// The option's value where the study says something and the command line does not; else NULL.
static MbValue *open_value(Overlay *o, const char *option, const char *key) {
  MbValue *value = (MbValue *)(uintptr_t)mb_arg(o->args, option);
  if (value->given || !mb_study_given(o->study, key)) return NULL;
  value->given = true;
  return value;
}

static void take_text(Overlay *o, const char *option, const char *key, const char *text) {
  MbValue *value = open_value(o, option, key);
  if (value) value->text = text;
}

static void take_number(Overlay *o, const char *key, double number) {
  MbValue *value = open_value(o, key, key);
  if (value) value->number = number;
}

static void take_count(Overlay *o, const char *key, int count) {
  MbValue *value = open_value(o, key, key);
  if (value) value->count = count;
}

static void take_word(Overlay *o, const char *key, int word) {
  MbValue *value = open_value(o, key, key);
  if (!value) return;
  value->word = (size_t)word;
  const MbOption *option = &o->args->command->options[value - o->args->values];
  value->text = option->words[word];
}

// A path of the study is from its folder.
static MbStatus from_folder(Overlay *o, const char *folder, const char *path, const char **out) {
  const size_t size = strlen(folder) + strlen(path) + 2;
  char *made = mb_arena_alloc(&o->sweep->arena, size, 1);
  if (!made) return mb_no_memory(o->report, "a study");
  if (path[0] == '/' || !strcmp(folder, "."))
    snprintf(made, size, "%s", path);
  else
    snprintf(made, size, "%s%s%s", folder, !strcmp(folder, "/") ? "" : "/", path);
  *out = made;
  return MB_OK;
}

// The study's "name=text"s of one sort before the command line's, which come later and so win.
static MbStatus take_list(Overlay *o, const char *option, const MbNamedText *texts, size_t n, int pointers,
                          size_t *taken) {
  MbValue *value = (MbValue *)(uintptr_t)mb_arg(o->args, option);
  MbArena *arena = &o->sweep->arena;
  const char **list = mb_arena_alloc(arena, value->nlist + n, sizeof *list);
  if (!list) return mb_no_memory(o->report, "a study");
  *taken = 0;
  for (size_t i = 0; i < n; i++) {
    if (pointers >= 0 && (texts[i].name[0] == '/') != pointers) continue;
    const size_t size = strlen(texts[i].name) + strlen(texts[i].text) + 2;
    char *made = mb_arena_alloc(arena, size, 1);
    if (!made) return mb_no_memory(o->report, "a study");
    snprintf(made, size, "%s=%s", texts[i].name, texts[i].text);
    list[(*taken)++] = made;
  }
  for (size_t i = 0; i < value->nlist; i++) list[*taken + i] = value->list[i];
  value->list = list;
  value->nlist += *taken;
  value->given |= *taken > 0;
  return MB_OK;
}

static MbStatus take_lists(Overlay *o) {
  MbSweep *s = o->sweep;
  const MbStudySpec *spec = &o->study->spec;
  MbStatus status = take_list(o, "param", spec->vary, spec->nvary, 0, &s->study_params);
  if (!status) status = take_list(o, "set", spec->vary, spec->nvary, 1, &s->study_sets);
  if (!status) status = take_list(o, "measure", spec->measures, spec->nmeasures, -1, &s->study_measures);
  return status;
}

static MbStatus take_rest(Overlay *o, const char *folder) {
  MbSweep *s = o->sweep;
  const MbStudySpec *spec = &o->study->spec;
  MbStatus status = from_folder(o, folder, spec->scene, &s->scene_name);
  const char *list = spec->list;
  if (!status && list) status = from_folder(o, folder, spec->list, &list);
  if (status) return status;
  char *error = NULL, seed[32];
  const cJSON *bounds = mb_study_given(o->study, "error");
  if (cJSON_IsString(bounds))
    error = mb_arena_strdup(&s->arena, bounds->valuestring);
  else if (bounds && (error = cJSON_PrintUnformatted(bounds))) {
    char *printed = error;
    error = mb_arena_strdup(&s->arena, printed);
    cJSON_free(printed);
  }
  snprintf(seed, sizeof seed, "%lld", (long long)spec->seed);
  char *kept_seed = mb_arena_strdup(&s->arena, seed);
  if ((bounds && !error) || !kept_seed) return mb_no_memory(o->report, "a study");

  take_word(o, "design", spec->design);
  take_count(o, "samples", spec->samples);
  take_text(o, "seed", "seed", kept_seed);
  take_text(o, "list", "list", list);
  take_text(o, "output", "output", spec->output);
  take_count(o, "jobs", spec->jobs);
  take_word(o, "lanes", spec->lanes);
  take_word(o, "device", spec->device);
  take_word(o, "keep", spec->keep);
  take_word(o, "format", spec->format);
  if (!spec->times) open_value(o, "no-times", "times");
  take_number(o, "timeout", spec->timeout);
  take_text(o, "memory", "memory", spec->memory);
  take_count(o, "retry", spec->retry);
  if (spec->fail_fast) open_value(o, "fail-fast", "fail_fast");
  take_number(o, "duration", spec->duration);
  take_number(o, "step", spec->step);
  take_word(o, "solver", spec->solver);
  take_word(o, "integrator", spec->integrator);
  take_count(o, "every", spec->every);
  take_text(o, "error", "error", error);
  take_number(o, "checkpoint", spec->checkpoint);
  return MB_OK;
}

// A copy of the command line that the study is laid under.
static MbStatus lay_under(MbSweep *s, const char *folder, MbReport *report) {
  s->merged = *s->args;
  const size_t n = s->args->command->noptions;
  s->merged.values = mb_arena_alloc(&s->arena, n, sizeof *s->merged.values);
  if (!s->merged.values) return mb_no_memory(report, "a study");
  memcpy(s->merged.values, s->args->values, n * sizeof *s->merged.values);
  s->args = &s->merged;
  Overlay o = {.sweep = s, .args = &s->merged, .study = &s->study, .report = report};
  const MbStatus status = take_lists(&o);
  return status ? status : take_rest(&o, folder);
}

MbStatus mb_sweep_take_study(MbSweep *s, MbReport *report) {
  const char *name = s->args->operands[0];
  size_t length = 0;
  s->scene_name = s->title = name;
  char *text = strcmp(name, "-") ? mb_small_read(name, &length) : NULL;
  if (!text || !mb_study_is(text, length)) {
    mb_free(text);
    return MB_OK;
  }
  char folder[MB_FOLDER];
  s->studied = true;
  MbStatus status = mb_study_read(&s->study, text, length, name, report);
  if (!status) status = mb_scene_folder(name, folder, report);
  if (!status) status = lay_under(s, folder, report);
  if (!status && !report->kept) report->file[0] = 0;
  return status;
}

void mb_sweep_locate_axes(const MbSweep *s, int first, MbReport *report) {
  for (size_t i = 0; s->studied && i < s->study.spec.nvary; i++) {
    const char *name = s->study.spec.vary[i].name;
    const size_t n = strlen(name);
    for (int k = first; k < report->kept; k++) {
      MbIssue *issue = &report->issues[k];
      if (issue->where[0] || strncmp(issue->text, name, n) != 0 || issue->text[n] != ':') continue;
      MbReport one = {.kept = 1, .issues = {*issue}};
      mb_study_locate(&s->study, s->title, "/vary", name, 0, &one);
      *issue = one.issues[0];
      snprintf(report->file, sizeof report->file, "%s", s->title);
    }
  }
}

void mb_sweep_locate(const MbSweep *s, size_t i, size_t from_study, const char *group, const char *text,
                     int first, MbReport *report) {
  char key[256];
  if (!s->studied || i >= from_study) return;
  const char *equals = strchr(text, '=');
  snprintf(key, sizeof key, "%.*s", (int)(equals ? equals - text : 0), text);
  mb_study_locate(&s->study, s->title, group, key, first, report);
}
