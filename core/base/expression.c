// Expressions by muParser: a text is looked at before muParser sees it, and messages are our own.
#include "core/base/expression.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/base/slopes.h"

#include <math.h>
#include <muParserDLL.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

// muParser's own messages lie in one buffer for all threads, and its constants have 12 digits: neither is
// used. It is a calculator with assignment, texts and several results; those are kept out before it sees the
// text.

enum { DEEPEST = 100 }; // open parentheses

struct MbExpression {
  muParserHandle_t parser;
  double t;
  MbSlopes *slopes; // with_time, over no variables; and where it `reasons`
  // has && or ||: where both sides are constants muParser takes their whole parts, so that 0.5 && 1 would be 0. Values are ours then.
  bool reasons;
  double *
      settled; // over variables, with && or ||: the constants, as variables that stay, so that nothing of them is taken as a whole number
};

// Making a parser takes longer than most of what it does: the one that was given back last is kept.
static _Atomic(muParserHandle_t) spare;

static double power(double a, double b) { return pow(a, b); }
static double modulo(double a, double b) { return fmod(a, b); }
static double hypotenuse(double a, double b) { return hypot(a, b); }
static double round_down(double a) { return floor(a); }
static double round_up(double a) { return ceil(a); }
static double nearest(double a) { return round(a); }

const char *const mb_expression_words[] = {
    "abs", "acos", "acosh", "asin",  "asinh", "atan", "atan2", "atanh", "avg", "ceil", "cos",  "cosh",
    "deg", "exp",  "floor", "hypot", "ln",    "log",  "log10", "log2",  "max", "min",  "mod",  "pi",
    "pow", "rint", "round", "sign",  "sin",   "sinh", "sqrt",  "sum",   "t",   "tan",  "tanh", NULL};

// ---- messages ---------------------------------------------------------------------------------------------

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool mb_expression_is_name(const char *name) {
  enum { LONGEST = 63 };
  if (!is_letter(*name)) return false;
  int n = 0;
  while (n <= LONGEST && (is_letter(name[n]) || is_digit(name[n]))) n++;
  return n <= LONGEST && !name[n];
}

// Whether the text may be given to muParser; if not, says why.
static bool text_is_sane(const char *text, char *message, size_t size) {
  int depth = 0;
  for (size_t i = 0; text[i]; i++) {
    const char c = text[i];
    const bool comparison = c == '=' && ((i && strchr("=!<>", text[i - 1])) || text[i + 1] == '=');
    if (i >= MB_EXPRESSION_LONGEST)
      return snprintf(message, size, "the expression is longer than %d characters", MB_EXPRESSION_LONGEST),
             false;
    if (c == '=' && !comparison)
      return snprintf(message, size, "\"=\" at character %zu: nothing can be assigned (equality is ==)",
                      i + 1),
             false;
    if (!is_letter(c) && !is_digit(c) && !strchr(" \t.+-*/^(),<>=!&|?:", c)) {
      if (c > ' ' && c < 127)
        snprintf(message, size, "unexpected character \"%c\" at character %zu", c, i + 1);
      else
        snprintf(message, size, "unexpected character at character %zu", i + 1);
      return false;
    }
    depth += (c == '(') - (c == ')');
    if (depth > DEEPEST)
      return snprintf(message, size, "more than %d parentheses are open at character %zu", DEEPEST, i + 1),
             false;
  }
  return true;
}

// Names a word that is not known, with the nearest that is.
static void say_unknown(const char *word, const MbConstant *constants, size_t n, bool with_time,
                        char *message, size_t size) {
  if (!strcmp(word, "t") && !with_time) {
    snprintf(message, size, "the time t is known in signals only");
    return;
  }
  const char *nearest_name = mb_nearest_word(word, mb_expression_words);
  if (nearest_name && !strcmp(nearest_name, "t") && !with_time) nearest_name = NULL;
  for (size_t i = 0; i < n; i++) {
    const char *const pair[] = {constants[i].name, nearest_name, NULL};
    const char *const better = mb_nearest_word(word, pair);
    if (better) nearest_name = better;
  }
  if (nearest_name)
    snprintf(message, size, "unknown name \"%s\"; did you mean \"%s\"?", word, nearest_name);
  else
    snprintf(message, size, "unknown name \"%s\" (there are the scene's parameters, pi, deg%s and functions)",
             word, with_time ? ", t" : "");
}

// Says in our words what the parser did not like.
static void say_wrong(muParserHandle_t parser, const char *text, const MbConstant *constants, size_t n,
                      bool with_time, char *message, size_t size) {
  enum { UNASSIGNABLE = 1, TOO_MANY = 14, TOO_FEW = 15 };
  const int code = mupGetErrorCode(parser), where = mupGetErrorPos(parser);
  const size_t length = strlen(text);
  const size_t at = where < 0 ? 0 : (size_t)where > length ? length : (size_t)where;
  char word[64] = "";
  if (is_letter(text[at])) {
    size_t k = 0;
    while (k + 1 < sizeof word && (is_letter(text[at + k]) || is_digit(text[at + k]))) k++;
    memcpy(word, text + at, k);
  }
  if (code == UNASSIGNABLE && word[0]) {
    for (size_t i = 0; mb_expression_words[i]; i++) {
      if (strcmp(word, mb_expression_words[i]) || !strcmp(word, "t")) continue;
      snprintf(message, size, "\"%s\" is a function: its arguments stand in parentheses", word);
      return;
    }
    say_unknown(word, constants, n, with_time, message, size);
  } else if (code == TOO_MANY || code == TOO_FEW) {
    snprintf(message, size, "too %s arguments of the function that ends at character %zu",
             code == TOO_MANY ? "many" : "few", at + (at == 0));
  } else if (strspn(text, " \t") == length) {
    snprintf(message, size, "the expression is empty");
  } else if (at >= length) {
    snprintf(message, size, "the expression ends too early");
  } else {
    snprintf(message, size, "it makes no sense from character %zu on: \"%.20s\"", at + 1, text + at);
  }
}

// ---- compiling --------------------------------------------------------------------------------------------

static muParserHandle_t take_parser(void) {
  muParserHandle_t parser = atomic_exchange(&spare, NULL);
  if (parser) return parser;
  parser = mupCreate(muBASETYPE_FLOAT);
  if (!parser) return NULL;
  mupDefineFun1(parser, "floor", round_down, 1);
  mupDefineFun1(parser, "ceil", round_up, 1);
  mupDefineFun1(parser, "round", nearest, 1);
  mupDefineFun2(parser, "pow", power, 1);
  mupDefineFun2(parser, "mod", modulo, 1);
  mupDefineFun2(parser, "hypot", hypotenuse, 1);
  return parser;
}

static void give_parser(muParserHandle_t parser) {
  mupErrorReset(parser);
  mupClearVar(parser);
  muParserHandle_t before = atomic_exchange(&spare, parser);
  if (before) mupRelease(before);
}

static void define(MbExpression *e, const MbConstant *constants, size_t n, bool with_time) {
  mupClearConst(e->parser);
  mupDefineConst(e->parser, "pi", 3.14159265358979323846);
  mupDefineConst(e->parser, "deg", 3.14159265358979323846 / 180);
  if (with_time) mupDefineVar(e->parser, "t", &e->t);
  for (size_t i = 0; i < n && e->settled; i++) {
    e->settled[i] = constants[i].value;
    mupDefineVar(e->parser, constants[i].name, &e->settled[i]);
  }
  for (size_t i = 0; i < n && !e->settled; i++)
    mupDefineConst(e->parser, constants[i].name, constants[i].value);
}

// Whether the compiled expression has exactly one result.
static bool one_result(MbExpression *e) {
  int results = 0;
  mupEvalMulti(e->parser, &results);
  return results == 1 && !mupError(e->parser);
}

MbExpression *mb_expression_create_over(const char *text, const MbConstant *constants, size_t nconstants,
                                        const char *const *variables, double *values, size_t nvariables,
                                        bool with_time, char *message, size_t message_size) {
  if (message_size) message[0] = 0;
  if (!text_is_sane(text, message, message_size)) return NULL;
  MbExpression *const e = mb_calloc(1, sizeof *e);
  const bool reasons = strstr(text, "&&") || strstr(text, "||"),
             settles = reasons && nvariables && nconstants;
  if (e) e->parser = take_parser();
  if (e && settles) e->settled = mb_calloc(nconstants, sizeof *e->settled);
  if (!e || !e->parser || (settles && !e->settled)) {
    snprintf(message, message_size, "out of memory");
    if (e && e->parser) give_parser(e->parser);
    if (e) mb_free(e->settled);
    mb_free(e);
    return NULL;
  }
  define(e, constants, nconstants, with_time);
  for (size_t i = 0; i < nvariables; i++) mupDefineVar(e->parser, variables[i], &values[i]);
  if (mupError(e->parser)) {
    snprintf(message, message_size, "a parameter has a name that expressions cannot use");
    mb_expression_free(e);
    return NULL;
  }

  mupSetExpr(e->parser, text);
  mupEval(e->parser); // compiles; mb_expression_value allocates nothing
  const bool valid = !mupError(e->parser), fine = valid && one_result(e);
  e->reasons = !nvariables && reasons;
  const bool sloping = (with_time && !nvariables) || e->reasons;
  if (fine && sloping) e->slopes = mb_slopes_create(text, constants, nconstants);
  if (fine && (e->slopes || !sloping)) return e;
  if (fine)
    snprintf(message, message_size, "out of memory");
  else if (!valid)
    say_wrong(e->parser, text, constants, nconstants, with_time, message, message_size);
  else
    snprintf(message, message_size, "it has several results: a comma stands outside of a function");
  mb_expression_free(e);
  return NULL;
}

MbExpression *mb_expression_create(const char *text, const MbConstant *constants, size_t nconstants,
                                   bool with_time, char *message, size_t message_size) {
  return mb_expression_create_over(text, constants, nconstants, NULL, NULL, 0, with_time, message,
                                   message_size);
}

void mb_expression_free(MbExpression *expression) {
  if (!expression) return;
  give_parser(expression->parser);
  mb_slopes_free(expression->slopes);
  mb_free(expression->settled);
  mb_free(expression);
}

double mb_expression_value(MbExpression *expression, double t) {
  if (expression->reasons) {
    double x[3];
    mb_slopes_at(expression->slopes, t, x);
    return x[0];
  }
  expression->t = t;
  const double value = mupEval(expression->parser);
  if (!mupError(expression->parser)) return value;
  mupErrorReset(expression->parser);
  return NAN;
}

// Values are the parser's, and rates of anything else would be another expression's. False where there are none.
static bool find_rates(MbExpression *expression, double t, double rates[3]) {
  static const double SAME = 1e-9;
  const double value = mb_expression_value(expression, t);
  mb_slopes_at(expression->slopes, t, rates);
  if (!(fabs(rates[0] - value) <= SAME * (1 + fabs(value)))) rates[1] = rates[2] = NAN;
  rates[0] = value;
  return isfinite(rates[1]) && isfinite(rates[2]);
}

void mb_expression_rates(MbExpression *expression, double t, double rates[3]) {
  static const double AFTER = 1e-7;
  double after[3];
  if (find_rates(expression, t, rates)) return;
  find_rates(expression, t + AFTER * (1 + fabs(t)), after);
  rates[1] = after[1], rates[2] = after[2];
}
