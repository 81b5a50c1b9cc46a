// JSON texts: what is read and what is refused, with its place; pointers to values and keys, values that are set, numbers written exactly.
#include "core/base/alloc.h"
#include "io/json/json_text.h"
#include "io/json/json.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Fails unless the text is refused at that place, with `part` in the message.
static void refused(const char *text, size_t length, int line, int column, const char *part) {
  MbReport report = {0};
  cJSON *tree = NULL;
  const MbStatus status = mb_json_parse(text, length, &tree, &report);
  const MbIssue *const issue = &report.issues[0];
  cr_expect_eq(status, MB_SCENE, "%.60s was taken", text);
  cr_expect_null(tree);
  cr_expect(strstr(issue->text, part), "%.60s: \"%s\" has no \"%s\" in it", text, issue->text, part);
  cr_expect(issue->line == line && issue->column == column, "%.60s: at %d:%d, not at %d:%d (%s)", text,
            issue->line, issue->column, line, column, issue->text);
  cJSON_Delete(tree);
}

static cJSON *parsed(const char *text) {
  MbReport report = {0};
  cJSON *tree = NULL;
  cr_assert_eq(mb_json_parse(text, strlen(text), &tree, &report), MB_OK, "%s: %s", text,
               report.issues[0].text);
  return tree;
}

Test(json, refuses_what_is_not_json_and_says_where) {
  const struct {
    const char *text;
    int line, column;
    const char *part;
  } cases[] = {
      {"", 1, 1, "a value is missing"},
      {"  \n ", 2, 2, "a value is missing"},
      {"{", 1, 2, "inside an object"},
      {"[1", 1, 3, "a \"]\" is missing"},
      {"[1,]", 1, 4, "a value is missing before"},
      {"{\"a\": 1,}", 1, 9, "a comma too many"},
      {"{\"a\": 1,, \"b\": 2}", 1, 9, "a key in double quotes"},
      {"{\"a\" 1}", 1, 6, "a \":\" is missing"},
      {"{\"a\"\n\n  1}", 3, 3, "a \":\" is missing"},
      {"{\"a\": }", 1, 7, "a value is missing"},
      {"{a: 1}", 1, 2, "a key in double quotes"},
      {"{'a': 1}", 1, 2, "a key in double quotes"},
      {"['a']", 1, 2, "double quotes"},
      {"[1 2]", 1, 4, "a \",\" or \"]\" is missing"},
      {"[1}", 1, 3, "a \",\" or \"]\" is missing"},
      {"1 2", 1, 3, "more text after the end"},
      {"{} x", 1, 4, "more text after the end"},
      {"// note\n1", 1, 1, "JSON has no comments"},
      {"{\"a\": 1 /* note */}", 1, 9, "JSON has no comments"},
      {"{\n  # note\n}", 2, 3, "JSON has no comments"},
      {"[1, // x\n2]", 1, 5, "JSON has no comments"},
      {"NaN", 1, 1, "\"NaN\" is not a JSON number"},
      {"[Infinity]", 1, 2, "is not a JSON number"},
      {"[-Infinity]", 1, 2, "infinity is not a JSON number"},
      {"[-inf]", 1, 2, "infinity"},
      {"[1e999]", 1, 2, "too large"},
      {"[-1e400]", 1, 2, "too large"},
      {"[01]", 1, 2, "leading zeros"},
      {"[-00.5]", 1, 2, "leading zeros"},
      {"[+1]", 1, 2, "begins with a digit"},
      {"[.5]", 1, 2, "begins with a digit"},
      {"[5.]", 1, 2, "after its decimal point"},
      {"[1e]", 1, 2, "in its exponent"},
      {"[-]", 1, 2, "after its minus sign"},
      {"[2*pi]", 1, 3, "is missing here"},
      {"[2pi]", 1, 2, "an expression stands in quotes"},
      {"[1.2.3]", 1, 2, "letters in it"},
      {"[0x10]", 1, 2, "letters in it"},
      {"[1234567890123456789012345678901234567890123456789012345678901234]", 1, 2, "more than 63 characters"},
      {"[True]", 1, 2, "\"True\" is no JSON value"},
      {"[truee]", 1, 2, "\"truee\""},
      {"[nul]", 1, 2, "\"nul\""},
      {"[\"a", 1, 2, "never closed"},
      {"[\"a\nb\"]", 1, 2, "not closed on its line"},
      {"[\"a\tb\"]", 1, 4, "control character (byte 9)"},
      {"[\"\\x\"]", 1, 3, "a backslash"},
      {"[\"\\u12\"]", 1, 3, "four hexadecimal digits"},
      {"[\"\\u0000\"]", 1, 3, "\\u0000"},
      {"[\"\\ud800\"]", 1, 3, "first half"},
      {"[\"\\ud800\\u0041\"]", 1, 3, "first half"},
      {"[\"\\udc00\"]", 1, 3, "second half"},
      {"[\"\xff\"]", 1, 3, "not UTF-8"},
      {"[\"\xc0\xaf\"]", 1, 3, "not UTF-8"},
      {"[\"\xed\xa0\x80\"]", 1, 3, "not UTF-8"},
      {"[\"\xf4\x90\x80\x80\"]", 1, 3, "not UTF-8"},
      {"[\"\xe2\x82\"]", 1, 3, "not UTF-8"},
      {"[\xc3\xa9]", 1, 2, "a byte (0xc3)"},
      // columns count characters, not bytes
      {"[\"\xc3\xa9\xe2\x82\xac\", x]", 1, 8, "\"x\""},
      {"\xEF\xBB\xBF[x]", 1, 2, "\"x\""},
      {"{\"a\": 1,\n \"a\": 2}", 2, 2, "the key \"a\" stands in this object twice"},
      {"{\"\xc3\xa9\": {\"b\": 1, \"\\u0062\": 2}}", 1, 16, "the key \"b\" stands"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    refused(cases[i].text, strlen(cases[i].text), cases[i].line, cases[i].column, cases[i].part);
  refused("[1\0]", 4, 1, 3, "is missing here");
  refused("[\"a\0\"]", 6, 1, 4, "control character (byte 0)");
}

Test(json, reads_what_is_json) {
  cJSON *tree =
      parsed("\xEF\xBB\xBF { \"a\" : [ 1 , -0.5e-3, true, null, \"\\ud83d\\ude00\\n\" ], \"A\": {} }\r\n");
  cr_assert_eq(cJSON_GetArraySize(tree), 2);
  cr_assert_eq(mb_json_at(tree, "/a/1")->valuedouble, -0.5e-3);
  cr_assert_str_eq(mb_json_at(tree, "/a/4")->valuestring, "\xF0\x9F\x98\x80\n");
  cJSON_Delete(tree);
  cJSON_Delete(parsed("5"));
  cJSON_Delete(parsed("1e-999")); // underflow is zero
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(json, names_every_duplicate_key) {
  const char text[] = "{\"a\":1,\"b\":{\"x\":1,\"x\":2},\"a\":3,\"a\":4}";
  MbReport report = {0};
  cJSON *tree = NULL;
  cr_assert_eq(mb_json_parse(text, strlen(text), &tree, &report), MB_SCENE);
  cr_assert_eq(report.errors, 3);
  cr_assert_str_eq(report.issues[0].where, "/b");
}

Test(json, takes_time_in_proportion_to_the_text) {
  enum { N = 100000000, KEYS = 500000 };
  char *text = malloc(N);
  memset(text, '[', N);
  const double start = seconds();
  refused(text, N, 1, MB_JSON_DEPTH + 1, "nesting deeper than 64 levels");
  cr_expect_lt(seconds() - start, 0.1, "a hundred million brackets took %g s", seconds() - start);

  size_t n = 0;
  text[n++] = '{';
  for (int i = 0; i < KEYS; i++) n += (size_t)sprintf(text + n, "%s\"k%d\":%d", i ? "," : "", i, i);
  text[n++] = '}';
  const double before = seconds();
  cJSON *tree = NULL;
  cr_assert_eq(mb_json_parse(text, n, &tree, NULL), MB_OK);
  // seconds where it would be minutes, were keys compared in pairs
  cr_expect_lt(seconds() - before, 5, "half a million keys took %g s", seconds() - before);
  cJSON_Delete(tree);
  free(text);
}

Test(json, takes_the_deepest_nesting_that_it_says) {
  char text[2 * MB_JSON_DEPTH + 3] = "";
  memset(text, '[', MB_JSON_DEPTH);
  memset(text + MB_JSON_DEPTH, ']', MB_JSON_DEPTH);
  cJSON_Delete(parsed(text));
}

static void located(const char *text, const char *pointer, bool key, bool found, int line, int column) {
  int l = 0, c = 0;
  const bool there = mb_json_locate(text, strlen(text), pointer, key, &l, &c);
  cr_expect(there == found && l == line && c == column, "%s%s: %d at %d:%d, not %d at %d:%d", pointer,
            key ? " (key)" : "", there, l, c, found, line, column);
}

Test(json, finds_the_place_of_every_value_and_key) {
  const char text[] = "{\n"
                      "  \"a\": [10, {\"b/c\": 1, \"d~\": [ [], 7]}, 30],\n"
                      "  \"\xc3\xa9\": 5, \"\\u0078\" :\n    6\n"
                      "}";
  located(text, "", false, true, 1, 1);
  located(text, "/a", false, true, 2, 8);
  located(text, "/a", true, true, 2, 3);
  located(text, "/a/0", false, true, 2, 9);
  located(text, "/a/2", false, true, 2, 41);
  located(text, "/a/1/b~1c", false, true, 2, 21);
  located(text, "/a/1/b~1c", true, true, 2, 14);
  located(text, "/a/1/d~0/1", false, true, 2, 36);
  located(text, "/\xc3\xa9", false, true, 3, 8);
  located(text, "/x", false, true, 4, 5);
  located(text, "/x", true, true, 3, 11);
  // what is not there: its nearest ancestor
  located(text, "/a/1/none", false, false, 2, 13);
  located(text, "/a/7", false, false, 2, 8);
  located(text, "/a/0/deeper", false, false, 2, 9);
  located(text, "/none/at/all", false, false, 1, 1);
  located(text, "/a/01", false, false, 2, 8);
  located(text, "nonsense", false, false, 1, 1);
}

Test(json, sets_values_anywhere) {
  cJSON *tree = parsed("{\"a\": [1, 2], \"b\": {\"c\": 1, \"C\": 2}}");
  const struct {
    const char *pointer, *value;
  } sets[] = {{"/a/1", "[5]"},  {"/a/-", "3"},           {"/b/c", "\"x\""},
              {"/b/new", "{}"}, {"/b/new/x~1y", "true"}, {"/a/1/0", "6"}};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    cr_assert_eq(mb_json_set(&tree, sets[i].pointer, parsed(sets[i].value), NULL), MB_OK, "%s",
                 sets[i].pointer);
  MbText text = {0};
  mb_text_json(&text, tree);
  char *const json = mb_text_take(&text);
  cr_assert_str_eq(json, "{\"a\":[1,[6],3],\"b\":{\"c\":\"x\",\"C\":2,\"new\":{\"x/y\":true}}}");
  mb_free(json);

  static const char *const wrong[] = {"/a/5", "/a/x", "/none/x", "/a/0/x", "nonsense", "/a/00"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    MbReport report = {0};
    cr_assert_eq(mb_json_set(&tree, wrong[i], parsed("1"), &report), MB_USAGE, "%s", wrong[i]);
    cr_assert_eq(report.errors, 1);
  }
  cr_assert_eq(mb_json_set(&tree, "", parsed("1"), NULL), MB_OK);
  cr_assert(cJSON_IsNumber(tree));
  cJSON_Delete(tree);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(json, writes_every_number_exactly) {
  uint64_t x = 88172645463325252u;
  for (int i = 0; i < 200000; i++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    double v;
    memcpy(&v, &x, sizeof v);
    if (i % 2) v = ((double)(x % 2000001) - 1000000) / 1000; // numbers as people write them
    if (!isfinite(v)) continue;
    MbText text = {0};
    mb_text_number(&text, v);
    cr_assert_eq(strtod(text.text, NULL), v, "%.17g was written as %s", v, text.text);
    cr_assert(i % 2 == 0 || text.length <= 8, "%.17g was written as %s", v, text.text);
    mb_free(text.text);
  }
  MbText text = {0};
  mb_text_number(&text, 0.1 + 0.2);
  cr_assert_str_eq(text.text, "0.30000000000000004"); // cJSON itself writes 0.3
  mb_free(text.text);
}

Test(json, cuts_texts_between_characters) {
  cr_assert_eq(mb_text_cut("abc", 10), 3);
  cr_assert_eq(mb_text_cut("abc", 2), 2);
  cr_assert_eq(mb_text_cut("a\xe2\x82\xac"
                           "b",
                           3),
               1);
  cr_assert_eq(mb_text_cut("a\xe2\x82\xac"
                           "b",
                           4),
               4);
  cr_assert_eq(mb_text_cut("\xc3\xa9", 1), 0);
}

Test(json, fails_cleanly_when_memory_runs_out) {
  const char text[] = "{\"a\": [1, {\"b\": \"text\"}], \"c\": {\"d\": 2}}";
  for (int k = 0;; k++) {
    MbReport report = {0};
    cJSON *tree = NULL;
    mb_alloc_fail_after(k);
    MbStatus status = mb_json_parse(text, strlen(text), &tree, &report);
    if (!status) status = mb_json_set(&tree, "/a/1/b", cJSON_CreateNumber(1), &report);
    MbText out = {0};
    if (!status) mb_text_json(&out, tree);
    char *const json = mb_text_take(&out);
    mb_alloc_fail_after(-1);
    const bool done = !status && json && strstr(json, "\"b\":1");
    mb_free(json);
    cJSON_Delete(tree);
    cr_assert_eq(mb_alloc_live(), 0, "call %d failed and something leaked", k);
    cr_assert(status == MB_OK || status == MB_IO, "call %d failed with status %d", k, status);
    if (done) break;
    cr_assert_lt(k, 1000);
  }
}
