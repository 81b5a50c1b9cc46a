// Opens a sweep's folder as a table and tells its rows one by one, in the order of the design.
#include "io/sweep/table.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/json/json.h"
#include "io/json/number_text.h"
#include "io/sweep/finished.h"
#include "io/sweep/small_file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct MbTableSource {
  MbArena arena;
  FILE *design;
  char *line; // of the design, as getline has it
  size_t room;
  char *rest;                     // its cells, one after another, each ended by 0
  char (*number)[MB_NUMBER_TEXT]; // (ncolumns)
  char exit_code[16], steps[24];
  char folder[PATH_MAX];
};

// ---- sweep.json -------------------------------------------------------------------------------------------

char *mb_sweep_head_write(const MbSweepHead *h) {
  MbText t = {0};
  mb_text_format(&t, "{\n  \"mbsim_sweep\": 1,\n  \"version\": \"%s\",\n  \"scene\": ", mb_version());
  mb_text_quoted(&t, h->scene);
  mb_text_format(&t, ",\n  \"runs\": %llu,\n  \"varies\": ", (unsigned long long)h->runs);
  mb_text_list(&t, h->axes, h->naxes);
  mb_text_add(&t, ",\n  \"measures\": [");
  for (size_t i = 0; i < h->nmeasures; i++) {
    mb_text_add(&t, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
    mb_text_quoted(&t, h->measures[i].name);
    mb_text_add(&t, ", \"what\": ");
    mb_text_quoted(&t, h->measures[i].what);
    mb_text_add(&t, "}");
  }
  mb_text_format(&t, "%s],\n  \"times\": %s\n}\n", h->nmeasures ? "\n  " : "", h->times ? "true" : "false");
  return mb_text_take(&t);
}

static const char *text_of(MbArena *arena, const cJSON *tree, const char *key) {
  const char *text = cJSON_GetStringValue(key ? cJSON_GetObjectItemCaseSensitive(tree, key) : tree);
  return mb_arena_strdup(arena, text ? text : "");
}

static MbStatus read_head(MbSweepTable *t, const cJSON *tree, MbReport *report) {
  MbArena *arena = &t->source->arena;
  MbSweepHead *h = &t->head;
  const cJSON *axes = cJSON_GetObjectItemCaseSensitive(tree, "varies");
  const cJSON *measures = cJSON_GetObjectItemCaseSensitive(tree, "measures");
  h->scene = text_of(arena, tree, "scene");
  h->runs = (uint64_t)cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(tree, "runs"));
  h->times = !cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(tree, "times"));
  const size_t naxes = (size_t)cJSON_GetArraySize(axes), nmeasures = (size_t)cJSON_GetArraySize(measures);
  h->axes = mb_arena_alloc(arena, naxes, sizeof *h->axes);
  h->measures = mb_arena_alloc(arena, nmeasures, sizeof *h->measures);
  const char **defined = mb_arena_alloc(arena, nmeasures, sizeof *defined);
  t->result.values = mb_arena_alloc(arena, nmeasures, sizeof *t->result.values);
  if (!h->axes || !h->measures || !defined || !t->result.values) return mb_no_memory(report, "a table");
  bool fine = h->scene;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, axes) {
    h->axes[h->naxes] = text_of(arena, item, NULL);
    fine = h->axes[h->naxes++] && fine;
  }
  cJSON_ArrayForEach(item, measures) {
    MbMeasureAsk *m = &h->measures[h->nmeasures];
    m->name = text_of(arena, item, "name");
    defined[h->nmeasures++] = m->what = text_of(arena, item, "what");
    fine = m->name && m->what && fine;
  }
  t->result.defined = defined;
  t->result.nmeasures = nmeasures;
  return fine ? MB_OK : mb_no_memory(report, "a table");
}

// ---- columns ----------------------------------------------------------------------------------------------

static const char *const before[] = {"run", "id"};
static const char *const after[] = {"energy_drift", "steps", "status", "exit_code", "message", "trajectory"};
static const char *const times[] = {"steps_per_second", "wall"};
enum { BEFORE = 2, AFTER = 6, TIMES = 2 };

static bool is_among(const char *name, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(name, names[i])) return true;
  return false;
}

bool mb_table_always_has(const char *name) {
  return is_among(name, before, BEFORE) || is_among(name, after, AFTER) || is_among(name, times, TIMES);
}

static MbStatus name_columns(MbSweepTable *t, MbReport *report) {
  const MbSweepHead *h = &t->head;
  const size_t most = BEFORE + h->naxes + h->nmeasures + AFTER + TIMES;
  MbArena *arena = &t->source->arena;
  t->names = mb_arena_alloc(arena, most, sizeof *t->names);
  t->cells = mb_arena_alloc(arena, most, sizeof *t->cells);
  t->source->number = mb_arena_alloc(arena, most, sizeof *t->source->number);
  if (!t->names || !t->cells || !t->source->number) return mb_no_memory(report, "a table");
  size_t n = 0;
  for (size_t i = 0; i < BEFORE; i++) t->names[n++] = before[i];
  for (size_t i = 0; i < h->naxes; i++) t->names[n++] = h->axes[i];
  for (size_t i = 0; i < h->nmeasures; i++) t->names[n++] = h->measures[i].name;
  for (size_t i = 0; i < AFTER; i++) t->names[n++] = after[i];
  for (size_t i = 0; i < TIMES && h->times; i++) t->names[n++] = times[i];
  t->ncolumns = n;
  return MB_OK;
}

MbStatus mb_table_open(const char *folder, MbSweepTable **out, MbReport *report) {
  char path[PATH_MAX + 16];
  size_t length = 0;
  *out = NULL;
  MbSweepTable *t = mb_calloc(1, sizeof *t);
  if (t) t->source = mb_calloc(1, sizeof *t->source);
  if (!t || !t->source) {
    mb_free(t);
    return mb_no_memory(report, "a table");
  }
  snprintf(t->source->folder, sizeof t->source->folder, "%s", folder);
  snprintf(path, sizeof path, "%s/sweep.json", t->source->folder);
  char *text = mb_small_read(path, &length);
  MbStatus status = MB_OK;
  cJSON *tree = text ? cJSON_ParseWithLength(text, length) : NULL;
  if (!text)
    status = mb_error(report, MB_IO, "", "%s holds no sweep: %s: %s", folder, path, strerror(errno));
  else if (!cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(tree, "mbsim_sweep")))
    status = mb_error(report, MB_IO, "", "%s says nothing of a sweep", path);
  if (!status) status = read_head(t, tree, report);
  if (!status) status = name_columns(t, report);
  snprintf(path, sizeof path, "%s/design.csv", t->source->folder);
  if (!status && !(t->source->design = fopen(path, "re")))
    status = mb_error(report, MB_IO, "", "cannot open %s: %s", path, strerror(errno));
  cJSON_Delete(tree);
  mb_free(text);
  if (!status) status = mb_table_rewind(t, report);
  if (status) {
    mb_table_free(t);
    return status;
  }
  *out = t;
  return MB_OK;
}

void mb_table_free(MbSweepTable *t) {
  if (!t) return;
  if (t->source->design) fclose(t->source->design);
  free(t->source->line);
  mb_finished_free(t->finished);
  mb_arena_free(&t->source->arena);
  mb_free(t->source);
  mb_free(t);
}

MbStatus mb_table_rewind(MbSweepTable *t, MbReport *report) {
  struct MbTableSource *s = t->source;
  mb_finished_free(t->finished); // others may have written since
  t->finished = NULL;
  const MbStatus status = mb_finished_open(s->folder, &t->finished, report);
  if (status) return status;
  rewind(s->design);
  if (getline(&s->line, &s->room, s->design) > 0) return MB_OK;
  return mb_error(report, MB_IO, "", "%s/design.csv is empty", s->folder);
}

// ---- rows -------------------------------------------------------------------------------------------------

// Splits a line of CSV in place; how many cells there are.
static size_t split(char *line, const char **cell, size_t most) {
  size_t n = 0;
  for (char *at = line;;) {
    char *out = at;
    bool quoted = *at == '"', ends = false;
    if (n < most) cell[n] = at;
    n++;
    at += quoted;
    for (; *at; at++) {
      if (quoted && *at == '"') {
        if (at[1] == '"')
          at++;
        else {
          quoted = false;
          continue;
        }
      } else if (!quoted && (*at == ',' || *at == '\n' || *at == '\r')) {
        break;
      }
      *out++ = *at;
    }
    ends = *at != ',';
    *out = 0;
    if (ends) return n;
    at++;
  }
}

static MbCell number_cell(const char *text, double value) {
  return (MbCell){.text = text, .number = true, .value = value};
}

static MbCell make_number(MbSweepTable *t, size_t column, double value) {
  if (isnan(value)) return number_cell(t->result.outcome == MB_OUT_MISSING ? "" : "nan", value);
  return number_cell(mb_number_text(value, t->source->number[column]), value);
}

// What varies is a number where it looks like one.
static MbCell axis_cell(const char *text) {
  char *end = NULL;
  const double value = strtod(text, &end);
  const bool number = *text && !*end && strspn(text, "+-.0123456789eE") == strlen(text);
  return (MbCell){.text = text, .number = number, .value = value};
}

// From the run's folder.
static bool read_folder(MbSweepTable *t) {
  char path[PATH_MAX + 64];
  size_t length = 0;
  if (!mb_finished_folders(t->finished)) return false;
  snprintf(path, sizeof path, "%s/runs/%s/result.json", t->source->folder, t->id);
  char *text = mb_small_read(path, &length);
  const bool read = text && mb_result_read(text, length, &t->result, &t->lacks);
  mb_free(text);
  return read;
}

// What a run has come to in its folder counts, unless it came further without one.
static void read_result(MbSweepTable *t) {
  if (read_folder(t) && t->result.outcome == MB_OUT_OK && !t->lacks) return;
  if (mb_finished_find(t->finished, t->id, &t->result, &t->lacks) || read_folder(t)) return;
  t->lacks = true;
  mb_result_clear(&t->result, MB_OUT_MISSING);
}

static void fill(MbSweepTable *t) {
  const MbResult *r = &t->result;
  struct MbTableSource *s = t->source;
  const bool there = r->outcome != MB_OUT_MISSING;
  size_t n = BEFORE + t->head.naxes;
  for (size_t i = 0; i < t->head.nmeasures; i++, n++) t->cells[n] = make_number(t, n, r->values[i]);
  t->cells[n] = make_number(t, n, r->energy_drift);
  snprintf(s->steps, sizeof s->steps, "%lld", (long long)r->steps);
  snprintf(s->exit_code, sizeof s->exit_code, "%d", r->exit_code);
  t->cells[n + 1] = number_cell(there ? s->steps : "", there ? (double)r->steps : (double)NAN);
  t->cells[n + 2] = (MbCell){.text = mb_outcome_words[r->outcome]};
  t->cells[n + 3] = number_cell(there ? s->exit_code : "", there ? (double)r->exit_code : (double)NAN);
  t->cells[n + 4] = (MbCell){.text = r->message};
  t->cells[n + 5] = (MbCell){.text = r->trajectory};
  n += AFTER;
  if (!t->head.times) return;
  t->cells[n] = make_number(t, n, r->steps_per_second);
  t->cells[n + 1] = make_number(t, n + 1, r->wall);
}

bool mb_table_next(MbSweepTable *t, MbStatus *status, MbReport *report) {
  struct MbTableSource *s = t->source;
  enum { MOST = MB_DESIGN_MOST_AXES + BEFORE };
  const char *cell[MOST];
  *status = MB_OK;
  if (getline(&s->line, &s->room, s->design) <= 0) return false;
  const size_t n = split(s->line, cell, MOST);
  if (n != BEFORE + t->head.naxes || strlen(cell[1]) != sizeof t->id - 1) {
    *status = mb_error(report, MB_IO, "", "%s/design.csv is damaged: sweep again", s->folder);
    return false;
  }
  memcpy(t->id, cell[1], sizeof t->id);
  t->cells[0] = axis_cell(cell[0]);
  t->cells[1] = (MbCell){.text = t->id};
  for (size_t i = BEFORE; i < n; i++) t->cells[i] = axis_cell(cell[i]);
  read_result(t);
  fill(t);
  return true;
}
