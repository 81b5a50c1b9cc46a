// From a measure's text to its terms.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/channels.h"
#include "io/json/json_text.h"
#include "io/sweep/measure_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 60 };

const char *const mb_measure_words[] = {"final", "min",         "max",         "mean",  "rms",
                                        "at",    "time_of_max", "time_of_min", "first", NULL};
const char *const mb_measure_help[] = {
    "the last frame's",
    "the least",
    "the largest",
    "the mean of all frames'",
    "the root of the mean square",
    "at(x, t): at a time, straight between frames, rotations on the shorter way",
    "when it was largest first",
    "when it was least first",
    "first(condition): the time of the first frame where it holds; nan if never",
    NULL};

typedef struct Parse {
  MbMeasures *m;
  const MbMeasureAsk *ask;
  double end;
  MbReport *report;
} Parse;

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

// The length of what may be a name here.
static size_t word_length(const char *text) {
  size_t n = 0;
  while (is_name(text[n])) n++;
  return n;
}

static bool is_word(const char *const *words, const char *text, size_t n) {
  for (; *words; words++)
    if (strlen(*words) == n && !memcmp(*words, text, n)) return true;
  return false;
}

static bool is_parameter(const MbMeasures *m, const char *text, size_t n) {
  for (size_t i = 0; i < m->nparameters; i++)
    if (strlen(m->parameters[i].name) == n && !memcmp(m->parameters[i].name, text, n)) return true;
  return false;
}

// ---- expressions of columns -------------------------------------------------------------------------------

static MbStatus unknown_column(const Parse *p, const char *text, size_t n) {
  char word[256];
  snprintf(word, sizeof word, "%.*s", (int)(n < 255 ? n : 255), text);
  const char *near = mb_nearest_word(word, p->m->columns.name);
  if (near)
    return mb_error(p->report, MB_USAGE, "", "measure %s: no column is called \"%s\"; did you mean \"%s\"?",
                    p->ask->name, word, near);
  char like[200];
  mb_channels_like(word, like, sizeof like);
  return mb_error(p->report, MB_USAGE, "",
                  "measure %s: no column is called \"%s\": names are those of `mbsim export`'s CSV, of the "
                  "channels that the scene's output has%s%s",
                  p->ask->name, word, *like ? "; it may be of " : "", like);
}

static MbStatus no_memory(const Parse *p) { return mb_no_memory(p->report, "a measure"); }

// Puts variables _c0, _c1, ... in the places of columns. `columns` has room for all.
static MbStatus replace_columns(const Parse *p, const char *text, MbText *out, size_t *columns, size_t *n) {
  bool inside = false; // of a name or number
  while (*text) {
    size_t column = 0;
    bool twice = false;
    const size_t length = inside ? 0 : mb_columns_match(&p->m->columns, text, &column, &twice);
    if (twice)
      return mb_error(p->report, MB_USAGE, "", "measure %s: \"%.*s\" is the name of two columns",
                      p->ask->name, (int)length, text);
    if (length) {
      size_t k = 0;
      while (k < *n && columns[k] != column) k++;
      if (k == *n) columns[(*n)++] = column;
      mb_text_format(out, "_c%zu", k);
      text += length;
      continue;
    }
    const size_t word = inside || !is_letter(*text) ? 0 : word_length(text);
    if (word && !is_word(mb_expression_words, text, word) && !is_parameter(p->m, text, word))
      return unknown_column(p, text, word);
    inside = is_name(*text);
    const size_t step = word ? word : 1;
    mb_text_add_n(out, text, step);
    text += step;
    if (word) inside = false;
  }
  return out->failed ? no_memory(p) : MB_OK;
}

static MbStatus compile(const Parse *p, const char *text, MbTerm *term) {
  MbArena *arena = &p->m->arena;
  size_t *columns = mb_arena_alloc(arena, strlen(text) + 1, sizeof *columns), n = 0;
  if (!columns) return no_memory(p);
  MbText made = {0};
  const MbStatus status = replace_columns(p, text, &made, columns, &n);
  char *expression = mb_text_take(&made);
  if (status || !expression) {
    mb_free(expression);
    return status ? status : no_memory(p);
  }
  const char **names = mb_arena_alloc(arena, n + 1, sizeof *names);
  term->columns = columns;
  term->ncolumns = n;
  term->values = mb_arena_alloc(arena, n + 1, sizeof *term->values);
  for (size_t i = 0; names && i < n; i++) {
    char name[32];
    snprintf(name, sizeof name, "_c%zu", i);
    names[i] = mb_arena_strdup(arena, name);
    if (!names[i]) names = NULL;
  }
  if (names && n == 1 && !strcmp(expression, "_c0")) {
    term->column = columns[0];
    mb_free(expression);
    return term->values ? MB_OK : no_memory(p);
  }
  char message[300] = "out of memory";
  if (names && term->values)
    term->expression = mb_expression_create_over(expression, p->m->parameters, p->m->nparameters, names,
                                                 term->values, n, true, message, sizeof message);
  mb_free(expression);
  if (term->expression) return MB_OK;
  return mb_error(p->report, MB_USAGE, "", "measure %s: in \"%.*s\": %s", p->ask->name, SHOWN, text, message);
}

// ---- functions --------------------------------------------------------------------------------------------

// The bracket that closes the one at `open`, NULL where there is none; and the last comma between them that is in no other bracket.
static const char *closing(const char *open, const char **comma) {
  int depth = 0;
  *comma = NULL;
  for (const char *c = open; *c; c++) {
    depth += *c == '(';
    depth -= *c == ')';
    if (*c == ',' && depth == 1) *comma = c;
    if (!depth) return c;
  }
  return NULL;
}

// Whether a function of measures is called between two places.
static bool calls_one(const char *from, const char *to) {
  while (from < to) {
    const size_t n = is_letter(*from) ? word_length(from) : 0;
    const char *behind = from + n + strspn(from + n, " \t");
    if (n && *behind == '(' && is_word(mb_measure_words, from, n)) return true;
    from += n ? n : is_name(*from) ? word_length(from) : 1;
  }
  return false;
}

static MbStatus read_time(const Parse *p, const char *text, MbTerm *term) {
  char message[300];
  MbExpression *e =
      mb_expression_create(text, p->m->parameters, p->m->nparameters, false, message, sizeof message);
  if (!e)
    return mb_error(p->report, MB_USAGE, "", "measure %s: the time \"%.*s\": %s", p->ask->name, SHOWN, text,
                    message);
  term->when = mb_expression_value(e, 0);
  mb_expression_free(e);
  if (term->when >= 0 && term->when <= p->end * (1 + 1e-12)) return MB_OK;
  return mb_error(p->report, MB_USAGE, "", "measure %s: the run goes from 0 to %g s; %g s is not within it",
                  p->ask->name, p->end, mb_plain(term->when));
}

// What stands between brackets into the next term.
static MbStatus take_term(const Parse *p, MbMeasureKind kind, const char *open, const char *close,
                          const char *comma, MbMeasure *out) {
  if (out->count == MB_MEASURE_MOST_TERMS)
    return mb_error(p->report, MB_USAGE, "", "measure %s: more than %d functions of the run", p->ask->name,
                    MB_MEASURE_MOST_TERMS);
  MbTerm *term = &p->m->terms[out->first + out->count];
  *term = (MbTerm){.kind = kind, .column = SIZE_MAX};
  if (kind == MB_AT && !comma)
    return mb_error(p->report, MB_USAGE, "", "measure %s: at() has two arguments, as at(energy.total, 0.5)",
                    p->ask->name);
  if (kind != MB_AT && comma)
    return mb_error(p->report, MB_USAGE, "", "measure %s: %s() has one argument", p->ask->name,
                    mb_measure_words[kind]);
  const char *end = comma ? comma : close, *begin = open + 1 + strspn(open + 1, " \t");
  while (end > begin && strchr(" \t", end[-1])) end--;
  char *text = mb_arena_strndup(&p->m->arena, begin, end > begin ? (size_t)(end - begin) : 0);
  char *time = comma ? mb_arena_strndup(&p->m->arena, comma + 1, (size_t)(close - comma - 1)) : NULL;
  if (!text || (comma && !time)) return no_memory(p);
  MbStatus status = compile(p, text, term);
  if (!status) out->count++;
  if (!status && time) status = read_time(p, time, term);
  return status;
}

// Which function of the run is called here; -1 = none.
static int function_at(const char *text, size_t n, const char **open, const char **close,
                       const char **comma) {
  *open = text + n + strspn(text + n, " \t");
  if (**open != '(') return -1;
  int kind = 0;
  while (mb_measure_words[kind] &&
         !(strlen(mb_measure_words[kind]) == n && !memcmp(mb_measure_words[kind], text, n)))
    kind++;
  if (!mb_measure_words[kind] || !(*close = closing(*open, comma))) return -1;
  // max and min of numbers
  if ((kind == MB_MIN || kind == MB_MAX) && (*comma || calls_one(*open, *close))) return -1;
  return kind;
}

static MbStatus scan(const Parse *p, MbText *text, MbMeasure *out) {
  const char *at = p->ask->what;
  while (*at) {
    size_t column = 0;
    bool twice = false;
    const size_t n = is_name(*at) ? word_length(at) : 0;
    const char *open = NULL, *close = NULL, *comma = NULL;
    const int kind = is_letter(*at) ? function_at(at, n, &open, &close, &comma) : -1;
    if (kind >= 0) {
      const MbStatus status = take_term(p, (MbMeasureKind)kind, open, close, comma, out);
      if (status) return status;
      mb_text_format(text, "_m%zu", out->count - 1);
      at = close + 1;
      continue;
    }
    if (open && *open == '(' && is_word(mb_measure_words, at, n) && !close)
      return mb_error(p->report, MB_USAGE, "", "measure %s: the bracket after \"%.*s\" is not closed",
                      p->ask->name, (int)n, at);
    const size_t length = n ? mb_columns_match(&p->m->columns, at, &column, &twice) : 0;
    if (length)
      return mb_error(
          p->report, MB_USAGE, "",
          "measure %s: \"%.*s\" is a number of every frame: which of them? final(%.*s), max(%.*s), ...",
          p->ask->name, (int)length, at, (int)length, at, (int)length, at);
    if (is_letter(*at) && !is_word(mb_expression_words, at, n) && !is_parameter(p->m, at, n)) {
      const char *behind = at + n + strspn(at + n, " \t");
      char word[64];
      snprintf(word, sizeof word, "%.*s", (int)(n < 63 ? n : 63), at);
      const char *near = *behind == '(' ? mb_nearest_word(word, mb_measure_words) : NULL;
      if (*behind != '(') return unknown_column(p, at, n);
      return mb_error(p->report, MB_USAGE, "", "measure %s: no function is called \"%s\"%s%s%s", p->ask->name,
                      word, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    mb_text_add_n(text, at, n ? n : 1);
    at += n ? n : 1;
  }
  return text->failed ? no_memory(p) : MB_OK;
}

MbStatus mb_measure_parse(MbMeasures *m, const MbMeasureAsk *ask, double end, MbMeasure *out,
                          MbReport *report) {
  const Parse p = {.m = m, .ask = ask, .end = end, .report = report};
  MbText text = {0};
  *out = (MbMeasure){.first = m->nterms};
  const MbStatus status = scan(&p, &text, out);
  m->nterms += out->count;
  char *made = mb_text_take(&text);
  out->text = made ? mb_arena_strdup(&m->arena, made) : NULL;
  mb_free(made);
  if (status) return status;
  return out->text ? MB_OK : no_memory(&p);
}
