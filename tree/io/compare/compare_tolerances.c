// Tolerances in a file: reading, writing, learning them from runs that should count as the same.
#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "core/base/report.h"
#include "io/compare/compare.h"
#include "io/json/json.h"
#include "io/json/json_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 16 << 20, POINTER = 256, TWO_DIGITS = 32 };

static MbStatus begin(MbTolerances *t, MbReport *report) {
  *t = (MbTolerances){0};
  t->arena = mb_calloc(1, sizeof(MbArena));
  return t->arena ? MB_OK : mb_no_memory(report, "tolerances");
}

void mb_tolerances_free(MbTolerances *t) {
  if (t->arena) mb_arena_free(t->arena);
  mb_free(t->arena);
  *t = (MbTolerances){0};
}

// ---- reading ----------------------------------------------------------------------------------------------

// The whole file as text; NULL and an error where that cannot be.
static char *read_text(const char *path, size_t *length, MbReport *report) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    mb_error(report, MB_IO, "", "cannot open %s: %s", path, strerror(errno));
    return NULL;
  }
  char *text = NULL;
  size_t room = 0, used = 0;
  for (;;) {
    if (used == room) {
      room = room ? 2 * room : 4096;
      char *grown = room <= FILE_MOST ? mb_realloc(text, room + 1, 1) : NULL;
      if (!grown) {
        mb_error(report, MB_IO, "", "%s is too large for tolerances", path);
        break;
      }
      text = grown;
    }
    const size_t got = fread(text + used, 1, room - used, file);
    used += got;
    if (got) continue;
    if (ferror(file)) {
      mb_error(report, MB_IO, "", "cannot read %s: %s", path, strerror(errno));
      break;
    }
    fclose(file);
    text[used] = 0;
    *length = used;
    return text;
  }
  fclose(file);
  mb_free(text);
  return NULL;
}

// An error at a JSON pointer of the file.
typedef struct Source {
  const char *text;
  size_t length;
  MbReport *report;
} Source;

static MbStatus wrong(const Source *s, const char *pointer, const char *what, const char *near) {
  int line = 0, column = 0;
  mb_json_locate(s->text, s->length, pointer, false, &line, &column);
  return mb_error_at(s->report, MB_USAGE, line, column, pointer, "%s%s%s%s", what,
                     near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static MbStatus check_keys(const Source *s, const cJSON *object, const char *where,
                           const char *const *words) {
  if (!cJSON_IsObject(object)) return wrong(s, where, "must be an object", NULL);
  MbStatus status = MB_OK;
  for (const cJSON *member = object->child; member; member = member->next) {
    bool known = member->string[0] == '_';
    for (const char *const *w = words; *w && !known; w++) known = !strcmp(*w, member->string);
    if (known) continue;
    char pointer[POINTER], what[POINTER];
    snprintf(pointer, sizeof pointer, "%s/%s", where, member->string);
    snprintf(what, sizeof what, "unknown key \"%s\"", member->string);
    status = wrong(s, pointer, what, mb_nearest_word(member->string, words));
  }
  return status;
}

static MbStatus read_number(const Source *s, const cJSON *object, const char *where, const char *key,
                            double *value) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  if (!item) return MB_OK;
  *value = item->valuedouble;
  if (cJSON_IsNumber(item) && isfinite(*value) && *value >= 0) return MB_OK;
  char pointer[POINTER];
  snprintf(pointer, sizeof pointer, "%s/%s", where, key);
  return wrong(s, pointer, "must be a number that is not negative", NULL);
}

static const char *const with_components[] = {"atol", "rtol", "components", NULL};
static const char *const without[] = {"atol", "rtol", NULL};

static MbStatus read_tolerance(const Source *s, const cJSON *object, const char *where,
                               const char *const *words, MbTolerance *t) {
  MbStatus status = check_keys(s, object, where, words);
  if (status == MB_OK) status = read_number(s, object, where, "atol", &t->atol);
  if (status == MB_OK) status = read_number(s, object, where, "rtol", &t->rtol);
  return status;
}

// One entry of a channel, or of one of its components; there is room.
static MbStatus add_entry(const Source *s, const char *channel, const char *component, MbTolerances *t,
                          MbTolerance **item) {
  *item = &t->items[t->count];
  (*item)->channel = mb_arena_strdup(t->arena, channel);
  (*item)->component = component ? mb_arena_strdup(t->arena, component) : NULL;
  if (!(*item)->channel || (component && !(*item)->component)) return mb_no_memory(s->report, "tolerances");
  t->count++;
  return MB_OK;
}

static MbStatus read_components(const Source *s, const cJSON *channel, const char *where, MbTolerances *t) {
  char inner[POINTER + 16], pointer[2 * POINTER];
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(channel, "components");
  if (!list) return MB_OK;
  snprintf(inner, sizeof inner, "%s/components", where);
  if (!cJSON_IsObject(list)) return wrong(s, inner, "must be an object", NULL);
  MbStatus status = MB_OK;
  for (const cJSON *member = list->child; member && status == MB_OK; member = member->next) {
    if (member->string[0] == '_') continue;
    MbTolerance *item = NULL;
    snprintf(pointer, sizeof pointer, "%s/%s", inner, member->string);
    status = add_entry(s, channel->string, member->string, t, &item);
    if (status == MB_OK) status = read_tolerance(s, member, pointer, without, item);
  }
  return status;
}

static MbStatus read_channels(const Source *s, const cJSON *channels, MbTolerances *t) {
  if (!channels) return MB_OK;
  if (!cJSON_IsObject(channels)) return wrong(s, "/channels", "must be an object", NULL);
  size_t n = 0;
  for (const cJSON *member = channels->child; member; member = member->next)
    n += 1 + (size_t)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(member, "components"));
  t->items = mb_arena_alloc(t->arena, n, sizeof *t->items);
  if (!t->items) return mb_no_memory(s->report, "tolerances");

  MbStatus status = MB_OK;
  for (const cJSON *member = channels->child; member && status == MB_OK; member = member->next) {
    if (member->string[0] == '_') continue;
    char pointer[POINTER];
    snprintf(pointer, sizeof pointer, "/channels/%s", member->string);
    MbTolerance *item = NULL;
    status = read_components(s, member, pointer, t);
    if (status == MB_OK) status = add_entry(s, member->string, NULL, t, &item);
    if (status == MB_OK) status = read_tolerance(s, member, pointer, with_components, item);
  }
  return status;
}

// The names of the files; other members are for people.
static MbStatus read_source(const Source *s, const cJSON *from, MbTolerances *t) {
  if (!from) return MB_OK;
  if (!cJSON_IsObject(from)) return wrong(s, "/learned_from", "must be an object", NULL);
  const cJSON *files = cJSON_GetObjectItemCaseSensitive(from, "files"), *file = NULL;
  if (!files) return MB_OK;
  if (!cJSON_IsArray(files)) return wrong(s, "/learned_from/files", "must be a list of names", NULL);
  const char **names = mb_arena_alloc(t->arena, (size_t)cJSON_GetArraySize(files), sizeof *names);
  if (!names) return mb_no_memory(s->report, "tolerances");
  t->files = names;
  cJSON_ArrayForEach(file, files) {
    if (!cJSON_IsString(file)) return wrong(s, "/learned_from/files", "must be a list of names", NULL);
    if (!(names[t->nfiles++] = mb_arena_strdup(t->arena, file->valuestring)))
      return mb_no_memory(s->report, "tolerances");
  }
  return MB_OK;
}

static MbStatus read_tree(const Source *s, const cJSON *tree, MbTolerances *t) {
  static const char *const words[] = {"mbsim_tolerances", "learned_from", "default", "channels", NULL};
  MbStatus status = check_keys(s, tree, "", words);
  if (status != MB_OK) return status;
  const cJSON *version = cJSON_GetObjectItemCaseSensitive(tree, "mbsim_tolerances");
  if (!version) return wrong(s, "", "no key \"mbsim_tolerances\": this is no file of tolerances", NULL);
  if (!cJSON_IsNumber(version) || version->valuedouble != 1)
    return wrong(s, "/mbsim_tolerances", "must be 1, the only version there is", NULL);
  const cJSON *fallback = cJSON_GetObjectItemCaseSensitive(tree, "default");
  if (fallback) status = read_tolerance(s, fallback, "/default", without, &t->fallback);
  if (status == MB_OK) status = read_source(s, cJSON_GetObjectItemCaseSensitive(tree, "learned_from"), t);
  if (status != MB_OK) return status;
  return read_channels(s, cJSON_GetObjectItemCaseSensitive(tree, "channels"), t);
}

MbStatus mb_tolerances_read(const char *path, MbTolerances *tolerances, MbReport *report) {
  MbStatus status = begin(tolerances, report);
  if (status != MB_OK) return status;
  size_t length = 0;
  char *text = read_text(path, &length, report);
  if (!text) return MB_IO;
  if (report) snprintf(report->file, sizeof report->file, "%s", path);
  cJSON *tree = NULL;
  const Source source = {text, length, report};
  status =
      mb_json_parse(text, length, &tree, report) == MB_OK ? read_tree(&source, tree, tolerances) : MB_USAGE;
  cJSON_Delete(tree);
  mb_free(text);
  return status;
}

// ---- writing ----------------------------------------------------------------------------------------------

static void add_numbers(MbText *text, const MbTolerance *t) {
  mb_text_add(text, "{\"atol\": ");
  mb_text_number(text, t->atol);
  mb_text_add(text, ", \"rtol\": ");
  mb_text_number(text, t->rtol);
}

// One channel: its components' entries, of which there are `components`, stand before its own.
static void add_channel(MbText *text, const MbTolerance *items, size_t components) {
  mb_text_quoted(text, items[components].channel);
  mb_text_add(text, ": ");
  add_numbers(text, &items[components]);
  for (size_t k = 0; k < components; k++) {
    mb_text_add(text, k ? ",\n      " : ", \"components\": {\n      ");
    mb_text_quoted(text, items[k].component);
    mb_text_add(text, ": ");
    add_numbers(text, &items[k]);
    mb_text_add(text, "}");
  }
  mb_text_add(text, components ? "}}" : "}");
}

static void add_source(MbText *text, const MbTolerances *t) {
  if (!t->nfiles) return;
  mb_text_format(text, "  \"learned_from\": {\"runs\": %zu, \"files\": ", t->nfiles);
  mb_text_list(text, t->files, t->nfiles);
  mb_text_add(text, "},\n");
}

static char *tolerances_text(const MbTolerances *t) {
  MbText text = {0};
  mb_text_add(&text, "{\n  \"mbsim_tolerances\": 1,\n");
  add_source(&text, t);
  mb_text_add(&text, "  \"default\": ");
  add_numbers(&text, &t->fallback);
  mb_text_add(&text, "},\n  \"channels\": {");
  for (size_t i = 0; i < t->count; i++) {
    const size_t begin = i;
    while (t->items[i].component && i + 1 < t->count) i++;
    mb_text_add(&text, begin ? ",\n    " : "\n    ");
    add_channel(&text, t->items + begin, i - begin);
  }
  mb_text_add(&text, t->count ? "\n  }\n}\n" : "}\n}\n");
  return mb_text_take(&text);
}

MbStatus mb_tolerances_write(FILE *out, const MbTolerances *t, MbReport *report) {
  char *text = tolerances_text(t);
  if (!text) return mb_no_memory(report, "tolerances");
  const bool failed = fputs(text, out) < 0;
  mb_free(text);
  return failed ? mb_error(report, MB_IO, "", "cannot write tolerances: %s", strerror(errno)) : MB_OK;
}

// ---- learning ---------------------------------------------------------------------------------------------

static const double SAFETY = 2; // the next run is not among those that were compared

// The least number of two digits that is not below x.
static double round_up(double x) {
  if (!(x > 0)) return 0;
  char text[TWO_DIGITS];
  snprintf(text, sizeof text, "%.1e", x);
  const double near = strtod(text, NULL);
  if (near >= x) return near;
  const int exponent = (int)floor(log10(near)) - 1;
  snprintf(text, sizeof text, "%.0fe%d", floor(near / pow(10, exponent) + 0.5) + 1, exponent);
  return strtod(text, NULL);
}

static MbTolerance *find(MbTolerances *t, const char *channel, const char *component) {
  for (size_t i = 0; i < t->count; i++) {
    MbTolerance *item = &t->items[i];
    const bool same = component ? item->component && !strcmp(item->component, component) : !item->component;
    if (same && !strcmp(item->channel, channel)) return item;
  }
  return NULL;
}

// The tolerance of a channel, or of one of its components, is at least what this error asks for.
static MbStatus widen(const char *channel, const char *component, double worst, MbTolerances *t,
                      MbReport *report) {
  const Source source = {.report = report};
  MbTolerance *item = find(t, channel, component);
  const MbStatus status = item ? MB_OK : add_entry(&source, channel, component, t, &item);
  if (status == MB_OK && SAFETY * worst > item->atol) item->atol = round_up(SAFETY * worst);
  return status;
}

static MbStatus learn_channel(const MbChannelResult *x, bool components, MbTolerances *t, MbReport *report) {
  if (!x->compared)
    return mb_error(report, MB_USAGE, "", "not all runs have the same channel %s", x->channel);
  const double worst = x->worst.frame == UINT64_MAX ? 0 : x->worst.error;
  if (!isfinite(SAFETY * worst))
    return mb_error(report, MB_USAGE, "", "%s is no number in some of the runs", x->channel);
  MbStatus status = MB_OK;
  for (size_t k = 0; components && k < x->ncomponents && status == MB_OK; k++)
    status = widen(x->channel, x->component_names[k], x->worst_of[k], t, report);
  return status == MB_OK ? widen(x->channel, NULL, worst, t, report) : status;
}

MbStatus mb_tolerances_learn(const MbCompareResult *results, size_t nresults, bool components,
                             MbTolerances *tolerances, MbReport *report) {
  MbStatus status = begin(tolerances, report);
  size_t most = 0;
  for (size_t i = 0; i < nresults; i++)
    for (size_t k = 0; k < results[i].nchannels; k++) most += 1 + results[i].channels[k].ncomponents;
  if (status == MB_OK && !(tolerances->items = mb_arena_alloc(tolerances->arena, most, sizeof(MbTolerance))))
    status = mb_no_memory(report, "tolerances");
  for (size_t i = 0; i < nresults && status == MB_OK; i++) {
    if (results[i].nmissing)
      status = mb_error(report, MB_USAGE, "", "the runs do not hold the same: %s", results[i].missing[0]);
    for (size_t k = 0; k < results[i].nchannels && status == MB_OK; k++)
      status = learn_channel(&results[i].channels[k], components, tolerances, report);
  }
  return status;
}
