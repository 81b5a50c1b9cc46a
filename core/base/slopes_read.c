// Reads an expression into steps (slopes.h).
#include "core/base/alloc.h"
#include "core/base/slopes.h"

#include <stdlib.h>
#include <string.h>

typedef struct Reader {
  const char *at;
  const MbConstant *constants;
  size_t nconstants;
  const char *const *variables;
  const double *values;
  size_t nvariables;
  MbSlopes *to;
} Reader;

typedef struct Operator {
  const char *text;
  MbSlopeKind kind;
  int level;
} Operator;

enum { LOWEST = 1, HIGHEST = 6 };

// those of two characters before their beginnings
static const Operator operators[] = {
    {"||", MB_SLOPE_OR, 1},         {"&&", MB_SLOPE_AND, 2},  {"<=", MB_SLOPE_AT_MOST, 3},
    {">=", MB_SLOPE_AT_LEAST, 3},   {"==", MB_SLOPE_SAME, 3}, {"!=", MB_SLOPE_OTHER, 3},
    {"<", MB_SLOPE_LESS, 3},        {">", MB_SLOPE_MORE, 3},  {"+", MB_SLOPE_PLUS, 4},
    {"-", MB_SLOPE_MINUS, 4},       {"*", MB_SLOPE_TIMES, 5}, {"/", MB_SLOPE_OVER, 5},
    {"^", MB_SLOPE_POWER, HIGHEST},
};

static bool put(Reader *r, MbSlopeStep step) {
  if (!mb_grow(&r->to->step, &r->to->room, r->to->n + 1, sizeof step)) return false;
  r->to->step[r->to->n++] = step;
  return true;
}

// Goes past blanks, and past `text` if that comes next.
static bool next_is(Reader *r, const char *text) {
  while (*r->at == ' ' || *r->at == '\t') r->at++;
  const size_t length = strlen(text);
  if (strncmp(r->at, text, length) != 0) return false;
  r->at += length;
  return true;
}

static const Operator *next_operator(Reader *r, int least) {
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    const char *const before = r->at;
    if (!next_is(r, operators[i].text)) continue;
    if (operators[i].level >= least) return &operators[i];
    r->at = before;
    return NULL;
  }
  return NULL;
}

static bool read_whole(Reader *r);

static bool read_function(Reader *r, int function) {
  int count = 0;
  do {
    if (!read_whole(r)) return false;
    count++;
  } while (next_is(r, ","));
  return next_is(r, ")") &&
         put(r, (MbSlopeStep){.kind = MB_SLOPE_FUNCTION, .function = function, .count = count});
}

static bool read_name(Reader *r) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  static const double PI = 3.14159265358979323846;
  const char *const name = r->at;
  const size_t n = strspn(name, letters);
  r->at += n;
  if (next_is(r, "(")) {
    const int function = mb_slope_function(name, n);
    return function >= 0 && read_function(r, function);
  }
  if (n == 1 && *name == 't') return put(r, (MbSlopeStep){.kind = MB_SLOPE_TIME});
  if (n == 2 && !memcmp(name, "pi", 2)) return put(r, (MbSlopeStep){.number = PI});
  if (n == 3 && !memcmp(name, "deg", 3)) return put(r, (MbSlopeStep){.number = PI / 180});
  for (size_t i = 0; i < r->nvariables; i++)
    if (strlen(r->variables[i]) == n && !memcmp(r->variables[i], name, n))
      return put(r, (MbSlopeStep){.kind = MB_SLOPE_VARIABLE, .variable = &r->values[i]});
  for (size_t i = 0; i < r->nconstants; i++)
    if (strlen(r->constants[i].name) == n && !memcmp(r->constants[i].name, name, n))
      return put(r, (MbSlopeStep){.number = r->constants[i].value});
  return false;
}

static bool read_operand(Reader *r) {
  if (next_is(r, "(")) return read_whole(r) && next_is(r, ")");
  if (!strchr(".0123456789", *r->at) || !*r->at) return read_name(r);
  char *end = NULL;
  const double number = strtod(r->at, &end);
  r->at = end;
  return put(r, (MbSlopeStep){.number = number});
}

// Operators that bind at least so strongly, and what is between them; a sign binds as × does.
static bool read_level(Reader *r, int least) {
  const bool negative = next_is(r, "-");
  if (negative || next_is(r, "+")) {
    if (!read_level(r, HIGHEST)) return false;
    if (negative && !put(r, (MbSlopeStep){.kind = MB_SLOPE_NEGATIVE})) return false;
  } else if (!read_operand(r)) {
    return false;
  }
  for (const Operator *op; (op = next_operator(r, least));)
    if (!read_level(r, op->level == HIGHEST ? HIGHEST : op->level + 1) ||
        !put(r, (MbSlopeStep){.kind = op->kind}))
      return false;
  return true;
}

static bool read_whole(Reader *r) {
  if (!read_level(r, LOWEST)) return false;
  if (!next_is(r, "?")) return true;
  return read_whole(r) && next_is(r, ":") && read_whole(r) && put(r, (MbSlopeStep){.kind = MB_SLOPE_CHOICE});
}

MbSlopes *mb_slopes_create(const char *text, const MbConstant *constants, size_t nconstants,
                           const char *const *variables, const double *values, size_t nvariables) {
  Reader r = {.at = text,
              .constants = constants,
              .nconstants = nconstants,
              .variables = variables,
              .values = values,
              .nvariables = nvariables,
              .to = mb_calloc(1, sizeof *r.to)};
  if (!r.to) return NULL;
  const bool read = read_whole(&r) && (next_is(&r, ""), !*r.at);
  if (read) r.to->stack = mb_calloc(r.to->n, sizeof *r.to->stack);
  if (r.to->stack) return r.to;
  mb_slopes_free(r.to);
  return NULL;
}

void mb_slopes_free(MbSlopes *slopes) {
  if (!slopes) return;
  mb_free(slopes->step);
  mb_free(slopes->stack);
  mb_free(slopes);
}
