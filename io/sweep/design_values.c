// What the values of an axis may be, as text: lists, ranges, distributions, the cells of a table.
#include "core/base/alloc.h"
#include "core/base/expression.h"
#include "core/base/report.h"
#include "io/json/json.h"
#include "io/sweep/design.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 60 }; // characters of a text in messages

typedef struct Source {
  MbDesign *design;
  const char *what; // begins messages
  bool pointer;     // JSON and words; else numbers
  MbReport *report;
} Source;

static const char *space(const char *text) { return text + strspn(text, " \t"); }

// A copy without the spaces around it.
static char *trimmed(MbDesign *d, const char *text, size_t length) {
  while (length && strchr(" \t", text[length - 1])) length--;
  const size_t skip = (size_t)(space(text) - text);
  return skip < length ? mb_arena_strndup(&d->arena, text + skip, length - skip)
                       : mb_arena_strdup(&d->arena, "");
}

// ---- single values ----------------------------------------------------------------------------------------

// Numbers as people type them (.5, +2, 1.).
static bool as_number(const char *text, double *number) {
  char *end = NULL;
  if (!*text || strspn(text, "+-.0123456789eE") != strlen(text)) return false;
  *number = strtod(text, &end);
  return end != text && !*end && isfinite(*number);
}

static bool is_json(const char *text) {
  cJSON *tree = NULL;
  MbReport ignored = {0};
  const bool good = !mb_json_parse(text, strlen(text), &tree, &ignored);
  cJSON_Delete(tree);
  return good;
}

// The JSON text of one value; NULL with an error.
static const char *take_value(const Source *s, const char *text) {
  double number = 0;
  MbText made = {0};
  if (as_number(text, &number))
    mb_text_number(&made, number);
  else if (*text == '=' || (s->pointer && *text && !is_json(text)))
    mb_text_quoted(&made, text);
  else if (s->pointer && *text)
    mb_text_add(&made, text);
  else {
    mb_error(s->report, MB_USAGE, "",
             "%s: found \"%.*s\", wanted numbers (0.1,0.3), a range (from:to:count, log:from:to:count), a "
             "distribution (from:to, log:from:to, normal:mean:deviation) or expressions (=2*pi)",
             s->what, SHOWN, text);
    return NULL;
  }
  char *own = mb_text_take(&made);
  const char *kept = own ? mb_arena_strdup(&s->design->arena, own) : NULL;
  mb_free(own);
  if (!kept) mb_no_memory(s->report, "a design");
  return kept;
}

// ---- lists ------------------------------------------------------------------------------------------------

// The end of the value that begins at `text`: a comma outside of brackets and quotes, or the text's end.
static const char *value_end(const char *text) {
  int depth = 0;
  bool quoted = false;
  for (; *text; text++) {
    if (quoted) {
      if (*text == '\\' && text[1])
        text++;
      else if (*text == '"')
        quoted = false;
      continue;
    }
    quoted = *text == '"';
    if (strchr("[{(", *text)) depth++;
    if (strchr("]})", *text) && depth) depth--;
    if (*text == ',' && !depth) break;
  }
  return text;
}

static MbStatus take_list(const Source *s, const char *text, MbAxis *axis) {
  size_t count = 1;
  for (const char *end = value_end(text); *end; end = value_end(end + 1)) count++;
  *axis = (MbAxis){.kind = MB_AXIS_VALUES, .count = count};
  axis->text = mb_arena_alloc(&s->design->arena, count, sizeof *axis->text);
  if (!axis->text) return mb_no_memory(s->report, "a design");
  for (size_t i = 0; i < count; i++) {
    const char *end = value_end(text);
    const char *one = trimmed(s->design, text, (size_t)(end - text));
    axis->text[i] = one ? take_value(s, one) : NULL;
    if (!axis->text[i]) return one ? MB_USAGE : mb_no_memory(s->report, "a design");
    text = end + 1;
  }
  return MB_OK;
}

// ---- ranges and distributions -----------------------------------------------------------------------------

enum { PARTS = 4 };

// Splits at colons; 0 where it has more parts than any range.
static size_t split(MbDesign *d, const char *text, const char *part[PARTS]) {
  size_t n = 0;
  for (;;) {
    const size_t length = strcspn(text, ":");
    if (n == PARTS || !(part[n++] = trimmed(d, text, length))) return 0;
    if (!text[length]) return n;
    text += length + 1;
  }
}

// A number or an expression of numbers ("pi/2").
static bool evaluate(const char *text, double *number) {
  if (as_number(text, number)) return true;
  char message[200];
  MbExpression *e = mb_expression_create(text, NULL, 0, false, message, sizeof message);
  if (!e) return false;
  *number = mb_expression_value(e, 0);
  mb_expression_free(e);
  return isfinite(*number);
}

static MbStatus take_range(const Source *s, const char *text, const char *const *part, size_t n,
                           bool logarithmic, MbAxis *axis) {
  axis->kind = logarithmic ? (n == 3 ? MB_AXIS_LOG_RANGE : MB_AXIS_LOG_UNIFORM)
                           : (n == 3 ? MB_AXIS_RANGE : MB_AXIS_UNIFORM);
  double count = 0;
  const bool counted = n == 3 && as_number(part[2], &count) && count >= 1 && count == floor(count) &&
                       count <= (double)MB_DESIGN_MOST_RUNS;
  if (n == 3 && !counted)
    return mb_error(s->report, MB_USAGE, "", "%s: \"%.*s\" ends with how many values there are, from 1 on",
                    s->what, SHOWN, text);
  if (logarithmic && !(axis->a > 0 && axis->b > 0))
    return mb_error(s->report, MB_USAGE, "", "%s: \"%.*s\": a logarithmic range lies above 0", s->what, SHOWN,
                    text);
  axis->count = (uint64_t)count;
  return MB_OK;
}

// Where the text is none of these: *is stays false, and it may be a list.
static MbStatus take_spread(const Source *s, const char *text, MbAxis *axis, bool *is) {
  static const char *const words[] = {"log", "log_uniform", "normal", "uniform", NULL};
  const char *part[PARTS];
  const size_t n = strchr(text, ':') && *value_end(text) != ',' ? split(s->design, text, part) : 0;
  int word = -1;
  for (int i = 0; n && words[i]; i++)
    if (!strcmp(part[0], words[i])) word = i;
  const size_t skip = word >= 0;
  *axis = (MbAxis){.kind = MB_AXIS_NORMAL};
  if (n < 2 + skip || n > 3 + skip || !evaluate(part[skip], &axis->a) ||
      !evaluate(part[skip + 1], &axis->b)) {
    if (word < 0) return MB_OK;
    return mb_error(s->report, MB_USAGE, "", "%s: found \"%.*s\", wanted %s", s->what, SHOWN, text,
                    word == 0   ? "log:from:to:count, or log:from:to to draw from"
                    : word == 1 ? "log_uniform:from:to"
                    : word == 2 ? "normal:mean:deviation"
                                : "uniform:from:to");
  }
  *is = true;
  if (word > 0 && n != 3)
    return mb_error(s->report, MB_USAGE, "", "%s: \"%.*s\": %s has two numbers", s->what, SHOWN, text,
                    words[word]);
  if (word != 2) return take_range(s, text, part + skip, n - skip, word == 0 || word == 1, axis);
  if (axis->b >= 0) return MB_OK;
  return mb_error(s->report, MB_USAGE, "", "%s: \"%.*s\": a deviation is no less than 0", s->what, SHOWN,
                  text);
}

// ---- axes -------------------------------------------------------------------------------------------------

// The place of an axis: that of the same name, or a new one.
static MbAxis *place(MbDesign *d, const char *name, MbReport *report) {
  for (size_t i = 0; i < d->naxes; i++)
    if (!strcmp(d->axes[i].name, name)) return &d->axes[i];
  if (!d->axes) d->axes = mb_arena_alloc(&d->arena, MB_DESIGN_MOST_AXES, sizeof *d->axes);
  if (d->axes && d->naxes < MB_DESIGN_MOST_AXES) return &d->axes[d->naxes++];
  if (d->axes)
    mb_error(report, MB_USAGE, "", "more than %d things vary", MB_DESIGN_MOST_AXES);
  else
    mb_no_memory(report, "a design");
  return NULL;
}

MbStatus mb_design_add(MbDesign *d, const char *name, const char *values, const char *what,
                       MbReport *report) {
  const Source s = {.design = d, .what = what, .pointer = name[0] == '/', .report = report};
  MbAxis axis;
  bool spread = false;
  const char *text = space(values);
  MbStatus status = strchr("[{\"=", *text) ? MB_OK : take_spread(&s, text, &axis, &spread);
  if (!status && !spread) status = take_list(&s, text, &axis);
  MbAxis *at = status ? NULL : place(d, name, report);
  if (!at) return status ? status : MB_USAGE;
  axis.name = mb_arena_strdup(&d->arena, name);
  if (!axis.name) return mb_no_memory(report, "a design");
  *at = axis;
  return MB_OK;
}

// ---- tables -----------------------------------------------------------------------------------------------

typedef struct Table {
  const char *at, *end;
  int line;
  char *cell; // room for the longest
} Table;

// The next cell, without its quotes (RFC 4180); *last is set at the end of a line.
static char *next_cell(Table *t, bool *last) {
  char *out = t->cell;
  bool quoted = t->at < t->end && *t->at == '"';
  if (quoted) t->at++;
  for (; t->at < t->end; t->at++) {
    if (quoted && *t->at == '"') {
      if (t->at + 1 < t->end && t->at[1] == '"')
        t->at++;
      else {
        quoted = false;
        continue;
      }
    } else if (!quoted && strchr(",\r\n", *t->at)) {
      break;
    }
    if (*t->at == '\n') t->line++;
    *out++ = *t->at;
  }
  *out = 0;
  *last = t->at >= t->end || *t->at != ',';
  if (t->at < t->end && *t->at == '\r') t->at++;
  if (t->at < t->end) t->at++;
  return t->cell;
}

static MbStatus read_names(MbDesign *d, Table *t, MbAxis **axes, size_t *n, const char *file,
                           MbReport *report) {
  bool last = false;
  *n = 0;
  while (!last) {
    const char *cell = next_cell(t, &last), *name = trimmed(d, cell, strlen(cell));
    if (!name) return mb_no_memory(report, "a design");
    if (!*name) return mb_error(report, MB_USAGE, "", "%s:1: a column has no name", file);
    const size_t before = d->naxes;
    MbAxis *axis = place(d, name, report);
    if (!axis) return MB_USAGE;
    if (d->naxes == before)
      return mb_error(report, MB_USAGE, "", "%s:1: %.*s is there already", file, SHOWN, name);
    *axis = (MbAxis){.name = name, .kind = MB_AXIS_VALUES};
    if (!*n) *axes = axis;
    ++*n;
  }
  t->line++;
  return MB_OK;
}

static MbStatus read_row(MbDesign *d, Table *t, MbAxis *axes, size_t n, uint64_t row, const char *file,
                         MbReport *report) {
  bool last = false;
  char what[512];
  for (size_t i = 0; i < n; i++) {
    if (i && last) return mb_error(report, MB_USAGE, "", "%s:%d: %zu cells, wanted %zu", file, t->line, i, n);
    const char *cell = next_cell(t, &last), *text = trimmed(d, cell, strlen(cell));
    snprintf(what, sizeof what, "%s:%d: %s", file, t->line, axes[i].name);
    const Source s = {.design = d, .what = what, .pointer = axes[i].name[0] == '/', .report = report};
    axes[i].text[row] = text ? take_value(&s, text) : NULL;
    if (!axes[i].text[row]) return text ? MB_USAGE : mb_no_memory(report, "a design");
    axes[i].count = row + 1;
  }
  if (!last) return mb_error(report, MB_USAGE, "", "%s:%d: more cells than the %zu names", file, t->line, n);
  t->line++;
  return MB_OK;
}

MbStatus mb_design_add_table(MbDesign *d, const char *text, size_t length, const char *file,
                             MbReport *report) {
  Table t = {.at = text, .end = text + length, .line = 1, .cell = mb_arena_alloc(&d->arena, length + 1, 1)};
  if (!t.cell) return mb_no_memory(report, "a design");
  if (length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) t.at += 3;
  size_t lines = 1, n = 0;
  for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
  MbAxis *axes = NULL;
  MbStatus status = read_names(d, &t, &axes, &n, file, report);
  for (size_t i = 0; i < n && !status; i++)
    if (!(axes[i].text = mb_arena_alloc(&d->arena, lines, sizeof *axes[i].text)))
      status = mb_no_memory(report, "a design");
  uint64_t row = 0;
  while (!status && t.at < t.end) {
    if (*t.at == '\n' || *t.at == '\r') { // an empty line
      t.line += *t.at++ == '\n';
      continue;
    }
    status = read_row(d, &t, axes, n, row++, file, report);
  }
  if (!status && !row) return mb_error(report, MB_USAGE, "", "%s has names and no rows", file);
  return status;
}
