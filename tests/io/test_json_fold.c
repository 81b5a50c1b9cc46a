#include "io/json/json_fold.h"
#include "core/base/alloc.h"
#include "io/json/json_text.h"
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

static cJSON *parse(const char *text, bool folded) {
  MbReport report = {0};
  cJSON *tree = NULL;
  const size_t n = strlen(text);
  const MbStatus status =
      folded ? mb_json_parse_folded(text, n, &tree, &report) : mb_json_parse(text, n, &tree, &report);
  cr_assert_eq(status, MB_OK, "%.60s: %s", text, report.issues[0].text);
  return tree;
}

static char *print(const cJSON *tree) {
  MbText text = {0};
  mb_text_json(&text, tree);
  return mb_text_take(&text);
}

static const char *const texts[] = {
    "{}",
    "[]",
    "7",
    "\"text\"",
    "[{\"a\": 1}, [2], 3]",
    "\xEF\xBB\xBF {\"a\": [{\"b\": 1}], \"c\": {\"d\": [{\"e\": 2}]}}",
    "{\"a\": [], \"b\": [{}], \"c\": [ { } , 1, \"x\", null, true, [ { \"y\": [ { } ] } ], {\"z\": [1, 2]} "
    "], \"d\": -1.5e-3}",
    "{\"\\u00e4\\n\\\"\": [{\"\\ud83d\\ude00\": \"\\ud83d\\ude00\"}], \"caf\xC3\xA9\": {\"k\": [[{}]]}, "
    "\"t\": \"]}\"}",
};

Test(json_fold, a_folded_tree_says_the_same_as_one_of_nodes) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    cJSON *const whole = parse(texts[i], false), *const folded = parse(texts[i], true);
    char *const a = print(whole), *const b = print(folded);
    cr_expect_str_eq(a, b);
    mb_free(a);
    mb_free(b);
    cJSON_Delete(whole);
    cJSON_Delete(folded);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(json_fold, pointers_reach_into_what_is_folded) {
  cJSON *tree = parse(
      "{\"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\", \"pose\": {\"position\": [1, 2, 3]}}]}", true);
  MbReport report = {0};
  cr_assert(mb_json_is_folded(tree->child), "the list is one text");
  cr_assert(mb_json_is_list(tree->child) && mb_json_list_size(tree->child) == 2);
  const cJSON *const bodies = mb_json_at(tree, "/bodies");
  cr_assert(mb_json_is_folded(bodies->child) && mb_json_is_folded(bodies->child->next));
  const cJSON *const y = mb_json_at(tree, "/bodies/1/pose/position/1");
  cr_assert(y && y->valuedouble == 2);
  cr_assert(mb_json_is_folded(bodies->child), "only what is asked for is unfolded");
  cr_assert_eq(mb_json_set(&tree, "/bodies/0/name", cJSON_CreateString("c"), &report), MB_OK);
  cr_assert_eq(mb_json_set(&tree, "/bodies/0/mass", cJSON_CreateNumber(1), &report), MB_OK);
  cr_assert_eq(mb_json_set(&tree, "/bodies/-", cJSON_CreateObject(), &report), MB_OK);
  char *const text = print(tree);
  cr_expect_str_eq(
      text, "{\"bodies\":[{\"name\":\"c\",\"mass\":1},{\"name\":\"b\",\"pose\":{\"position\":[1,2,3]}},{}]}");
  mb_free(text);
  cJSON_Delete(tree);
  cr_expect_eq(mb_alloc_live(), 0);
}

// Lists of objects, of which one is folded, one has been unfolded, and one never was; braces and quotes in texts.
Test(json_fold, elements_come_one_after_the_other_however_the_list_is_kept) {
  const char *const list = "[{\"k\": \"}]\\\"{\"}, {}, {\"k\": [{\"k\": 1}]} , {\"k\":{}}]";
  char text[200];
  snprintf(text, sizeof text, "{\"a\": %s, \"b\": []}", list);
  cJSON *tree = parse(text, true), *whole = parse(list, false);
  for (int way = 0; way < 3; way++) {
    if (way == 1) cr_assert(mb_json_unfold(tree->child) && !mb_json_is_folded(tree->child));
    const cJSON *const kept = way < 2 ? tree->child : whole;
    MbJsonElements elements = mb_json_elements(kept);
    const cJSON *element = NULL, *wanted = whole->child;
    cr_assert_eq(mb_json_list_size(kept), 4);
    for (; (element = mb_json_next_element(&elements)); wanted = wanted->next)
      cr_expect(cJSON_Compare(element, wanted, true), "way %d", way);
    cr_expect(!wanted && !elements.failed, "way %d", way);
  }
  MbJsonElements none = mb_json_elements(tree->child->next), left = mb_json_elements(tree->child);
  cr_expect_null(mb_json_next_element(&none));
  cr_expect(mb_json_next_element(&left));
  mb_json_leave_elements(&left);
  cJSON_Delete(tree);
  cJSON_Delete(whole);
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(json_fold, memory_that_runs_out_anywhere_is_an_error_and_no_leak) {
  const char *const text = texts[6];
  for (int64_t k = 0;; k++) {
    MbReport report = {0};
    cJSON *tree = NULL;
    mb_alloc_fail_after(k);
    const MbStatus status = mb_json_parse_folded(text, strlen(text), &tree, &report);
    const cJSON *const found = status ? NULL : mb_json_at(tree, "/c/6/z/1");
    MbText out = {0};
    if (found) mb_text_json(&out, tree);
    char *const printed = mb_text_take(&out);
    mb_alloc_fail_after(-1);
    cr_assert(status == MB_OK || status == MB_IO);
    cr_assert_eq(status != MB_OK, tree == NULL);
    const bool done = printed && found;
    mb_free(printed);
    cJSON_Delete(tree);
    cr_assert_eq(mb_alloc_live(), 0, "after %lld allocations", (long long)k);
    if (done) break;
  }
}

// ---- keys that stand twice ---------------------------------------------------------------------------------------

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Seconds for an object of n equal keys on one line; the least of three.
static double time_of(size_t n) {
  MbText t = {0};
  mb_text_add(&t, "{\"first\": 0");
  for (size_t i = 0; i < n; i++) mb_text_format(&t, ", \"a\": %zu", i);
  mb_text_add(&t, "}");
  double least = 1e9;
  for (int k = 0; k < 3; k++) {
    static MbReport report;
    memset(&report, 0, sizeof report);
    cJSON *tree = NULL;
    const double start = processor_time();
    cr_assert_eq(mb_json_parse(t.text, t.length, &tree, &report), MB_SCENE);
    const double took = processor_time() - start;
    if (took < least) least = took;
    cr_assert_eq(report.errors, (int)n - 1);
    cr_assert(report.issues[0].line == 1 && report.issues[0].column == 22, "%d", report.issues[0].column);
  }
  mb_free(mb_text_take(&t));
  return least;
}

Test(json_fold, keys_that_stand_twice_are_found_in_time_that_grows_as_their_number) {
  const double few = time_of(4000),
               many = time_of(64000); // 16 times as many, which would take 256 times as long
  cr_assert_lt(many, 64 * few, "4000: %g s, 64000: %g s", few, many);
}
