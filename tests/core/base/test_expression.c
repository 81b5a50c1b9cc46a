#include "core/base/alloc.h"
#include "core/base/expression.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const MbConstant constants[] = {{"length", 2}, {"mu", 0.25}, {"a_1", -3}};
enum { NCONSTANTS = sizeof constants / sizeof *constants };

static double value(const char *text, double t) {
  char message[200];
  MbExpression *e = mb_expression_create(text, constants, NCONSTANTS, true, message, sizeof message);
  cr_assert_not_null(e, "\"%s\": %s", text, message);
  const double v = mb_expression_value(e, t);
  mb_expression_free(e);
  return v;
}

// Fails unless `text` is refused with a message that has `part` in it.
static void refused(const char *text, bool with_time, const char *part) {
  char message[200] = "";
  MbExpression *e = mb_expression_create(text, constants, NCONSTANTS, with_time, message, sizeof message);
  cr_expect_null(e, "\"%.60s\" was taken", text);
  cr_expect(strstr(message, part), "\"%.60s\": \"%s\" has no \"%s\" in it", text, message, part);
  mb_expression_free(e);
}

Test(expression, computes_with_constants_time_and_functions) {
  const struct {
    const char *text;
    double value;
  } cases[] = {{"2*length", 4},
               {"30*deg", 30 * (3.14159265358979323846 / 180)},
               {"pi", 3.14159265358979323846},
               {"-2^2", -4},
               {"2^3^2", 512},
               {"2^-1", 0.5},
               {" 1 + 2 ", 3},
               {"t > 1 ? 10 : 20", 10},
               {"a_1 == -3 && mu < 1", 1},
               {"t != 2 || t >= 3", 0},
               {"sin(0.5*t)", sin(1.0)},
               {"atan2(1, 2)", atan2(1, 2)},
               {"hypot(3, 4) + floor(-0.5) + ceil(0.5) + round(2.5)", 5 - 1 + 1 + 3},
               {"mod(7, 4) + pow(2, 10)", 3 + 1024},
               {"min(3, 1, 2) + max(1, 5) + sum(1, 2, 3) + avg(1, 3)", 1 + 5 + 6 + 2},
               {"ln(exp(2)) + log10(100) + log2(8) + log(1)", 2 + 2 + 3},
               {"abs(-2) + sign(-3) + sqrt(16) + rint(1.2)", 2 - 1 + 4 + 1},
               {"0.1", 0.1},
               {"1e-3", 1e-3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_expect_eq(value(cases[i].text, 2), cases[i].value, "%s is %.17g, not %.17g", cases[i].text,
                 value(cases[i].text, 2), cases[i].value);
}

Test(expression, knows_every_word_that_it_says_it_knows) {
  for (size_t i = 0; mb_expression_words[i]; i++) {
    const char *const w = mb_expression_words[i];
    const bool plain = !strcmp(w, "pi") || !strcmp(w, "deg") || !strcmp(w, "t");
    bool known = plain;
    char text[64], message[200];
    for (int arguments = 1; arguments <= 2 && !known; arguments++) {
      snprintf(text, sizeof text, arguments == 1 ? "%s(1)" : "%s(1, 1)", w);
      MbExpression *e = mb_expression_create(text, NULL, 0, true, message, sizeof message);
      known = e;
      mb_expression_free(e);
    }
    cr_expect(known, "%s: %s", w, message);
  }
}

Test(expression, refuses_what_is_no_expression_of_one_number) {
  refused("a_1=3", true, "nothing can be assigned");
  refused("t=3", true, "nothing can be assigned");
  refused("t += 1", true, "nothing can be assigned");
  refused("1===1", true, "");
  refused("1,2", true, "several results");
  refused("t, 2", true, "several results");
  refused("1;2", true, "\";\" at character 2");
  refused("\"text\"", true, "unexpected character");
  refused("strlen(\"a\")", true, "unexpected character");
  refused("", true, "empty");
  refused("  ", true, "empty");
  refused("1+", true, "ends too early");
  refused("(1", true, "");
  refused("1)", true, "");
  refused("2t", true, "character 2");
  refused("sin 1", true, "arguments stand in parentheses");
  refused("sin(1,2)", true, "too many arguments");
  refused("atan2(1)", true, "too few arguments");
  refused("t(1)", true, "character");
  refused("1e400", true, "");
  refused("_pi", true, "unknown name \"_pi\"; did you mean \"pi\"?");
  refused("_e", true, "unknown name");
  refused("lenght", true, "did you mean \"length\"?");
  refused("\xc3\xa9", true, "unexpected character at character 1");
  refused("1 \n+ 2", true, "unexpected character at character 3");
  refused("t", false, "the time t is known in signals only");
  refused("rnd()", true, "unknown name");
}

Test(expression, refuses_very_long_and_very_deep_text) {
  enum { N = 1000000 };
  char *const text = malloc(2 * N + 2);
  memset(text, '(', N);
  text[N] = '1';
  memset(text + N + 1, ')', N);
  text[2 * N + 1] = 0;
  refused(text, true, "parentheses are open");
  memset(text, '1', 2 * N);
  text[2 * N] = 0;
  refused(text, true, "longer than");
  for (size_t i = 0; i < 2 * N; i++) text[i] = i % 2 ? '+' : '1';
  refused(text, true, "longer than");
  free(text);
}

Test(expression, survives_nesting_of_every_kind_up_to_the_longest_text) {
  static const char *const units[] = {"1?", "-", "-(", "1^", "sin(", "1?2:", "min(1,", "1+", "!", "(1,"};
  for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
    char text[MB_EXPRESSION_LONGEST + 1] = "", message[200];
    const size_t n = strlen(units[u]);
    for (size_t i = 0; i + n < MB_EXPRESSION_LONGEST; i += n) memcpy(text + i, units[u], n);
    mb_expression_free(mb_expression_create(text, constants, NCONSTANTS, true, message, sizeof message));
    text[MB_EXPRESSION_LONGEST / n / 2 * n] = 0;
    strcat(text, "1");
    mb_expression_free(mb_expression_create(text, constants, NCONSTANTS, true, message, sizeof message));
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(expression, errors_belong_to_their_own_expression) {
  char first[200], second[200];
  MbExpression *good = mb_expression_create("1/t", constants, NCONSTANTS, true, first, sizeof first);
  mb_expression_create("nowhere", constants, NCONSTANTS, true, first, sizeof first);
  mb_expression_create("1,2", constants, NCONSTANTS, true, second, sizeof second);
  cr_assert_eq(mb_expression_value(good, 4), 0.25);
  cr_assert(strstr(first, "nowhere"));
  cr_assert(isinf(mb_expression_value(good, 0)));
  cr_assert_eq(mb_expression_value(good, 2), 0.5);
  mb_expression_free(good);
}

// muParser is C++: its memory comes from these, which are counted here.
static size_t news;
void *_Znwm(size_t size);
void *_Znam(size_t size);
void _ZdlPv(void *block);
void _ZdaPv(void *block);
void _ZdlPvm(void *block, size_t size);
void _ZdaPvm(void *block, size_t size);

void *_Znwm(size_t size) {
  news++;
  return malloc(size ? size : 1);
}
void *_Znam(size_t size) { return _Znwm(size); }
void _ZdlPv(void *block) { free(block); }
void _ZdaPv(void *block) { free(block); }
void _ZdlPvm(void *block, size_t size) { (void)size, free(block); }
void _ZdaPvm(void *block, size_t size) { (void)size, free(block); }

Test(expression, evaluates_without_allocating) {
  char message[200];
  news = 0;
  MbExpression *e = mb_expression_create("length*sin(2*pi*t) + (t > 1 ? mu : 0)", constants, NCONSTANTS, true,
                                         message, sizeof message);
  cr_assert_gt(news, 0, "the parser's memory is not counted");
  const int64_t calls = mb_alloc_calls();
  news = 0;
  double sum = 0;
  for (int i = 0; i < 100000; i++) sum += mb_expression_value(e, 1e-3 * i);
  cr_assert_eq(news, 0, "%zu allocations in 100000 evaluations", news);
  cr_assert_eq(mb_alloc_calls(), calls);
  cr_assert(isfinite(sum));
  mb_expression_free(e);
}

Test(expression, fails_cleanly_when_memory_runs_out) {
  char message[200];
  mb_alloc_fail_after(0);
  cr_assert_null(mb_expression_create("1", NULL, 0, true, message, sizeof message));
  mb_alloc_fail_after(-1);
  cr_assert_str_eq(message, "out of memory");
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(expression, tells_names_from_other_words) {
  cr_assert(mb_expression_is_name("a_1"));
  cr_assert(mb_expression_is_name("_x"));
  cr_assert_not(mb_expression_is_name("1a"));
  cr_assert_not(mb_expression_is_name(""));
  cr_assert_not(mb_expression_is_name("a-b"));
}
