#include "core/base/alloc.h"
#include "tests/io/compare_fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[300];

static void begin(void) {
  fixture_begin();
  fixture_file("tolerances.json", path);
}

TestSuite(compare_tolerances, .init = begin, .fini = fixture_end, .timeout = 30);

static MbStatus read_text(const char *text, MbTolerances *t, MbReport *report) {
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  fputs(text, file);
  fclose(file);
  *report = (MbReport){0};
  return mb_tolerances_read(path, t, report);
}

Test(compare_tolerances, a_file_comes_back_as_it_was_written) {
  MbTolerance items[] = {{"body.position", "x", 1e-5, 0},
                         {"body.position", "odd \"y\"", 0, 3},
                         {"body.position", NULL, 1.0 / 3, 2e-300},
                         {"odd \"name\"\\\n", NULL, 0, 1e-9}};
  const char *const files[] = {"a.mbt", "runs/b \"2\".mbt"};
  const MbTolerances written = {
      .fallback = {NULL, NULL, 1e-12, 0.1}, .items = items, .count = 4, .files = files, .nfiles = 2};
  MbReport report = {0};
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  cr_assert_eq(mb_tolerances_write(file, &written, &report), MB_OK, "%s", report.issues[0].text);
  fclose(file);
  MbTolerances read;
  cr_assert_eq(mb_tolerances_read(path, &read, &report), MB_OK, "%s", report.issues[0].text);
  cr_expect_eq(read.fallback.atol, 1e-12);
  cr_expect_eq(read.fallback.rtol, 0.1);
  cr_assert_eq(read.nfiles, 2u);
  for (int i = 0; i < 2; i++) cr_expect_str_eq(read.files[i], files[i]);
  cr_assert_eq(read.count, 4u);
  for (int i = 0; i < 4; i++) {
    cr_expect_str_eq(read.items[i].channel, items[i].channel);
    if (i < 2) cr_expect_str_eq(read.items[i].component, items[i].component);
    if (i >= 2) cr_expect_null(read.items[i].component);
    cr_expect_eq(read.items[i].atol, items[i].atol);
    cr_expect_eq(read.items[i].rtol, items[i].rtol);
  }
  mb_tolerances_free(&read);
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(compare_tolerances, what_is_absent_is_zero_and_comments_are_skipped) {
  MbTolerances t;
  MbReport report;
  cr_assert_eq(
      read_text(
          "{\"mbsim_tolerances\": 1, \"_why\": 3, \"channels\": {\"_x\": 1, \"energy\": {\"rtol\": 2}}}", &t,
          &report),
      MB_OK, "%s", report.issues[0].text);
  cr_expect_eq(t.fallback.atol, 0.0);
  cr_assert_eq(t.count, 1u);
  cr_expect_eq(t.items[0].atol, 0.0);
  cr_expect_eq(t.items[0].rtol, 2.0);
  mb_tolerances_free(&t);
}

Test(compare_tolerances, what_is_no_such_file_is_refused_with_its_place) {
  static const char *const bad[][2] = {
      {"{}", ""},
      {"[1]", ""},
      {"{\"mbsim_tolerances\": 2}", "/mbsim_tolerances"},
      {"{\"mbsim_tolerances\": 1, \"defualt\": {}}", "/defualt"},
      {"{\"mbsim_tolerances\": 1, \"default\": 3}", "/default"},
      {"{\"mbsim_tolerances\": 1, \"default\": {\"atol\": -1}}", "/default/atol"},
      {"{\"mbsim_tolerances\": 1, \"default\": {\"atol\": \"1\"}}", "/default/atol"},
      {"{\"mbsim_tolerances\": 1, \"channels\": {\"energy\": {\"tol\": 1}}}", "/channels/energy/tol"},
      {"{\"mbsim_tolerances\": 1, \"channels\": []}", "/channels"},
      {"{\"mbsim_tolerances\": 1", NULL},
      {"", NULL},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    MbTolerances t;
    MbReport report;
    cr_expect_eq(read_text(bad[i][0], &t, &report), MB_USAGE, "case %zu", i);
    cr_expect_geq(report.errors, 1, "case %zu", i);
    if (bad[i][1]) cr_expect_str_eq(report.issues[0].where, bad[i][1], "case %zu", i);
    mb_tolerances_free(&t);
  }
  MbTolerances t;
  MbReport report = {0};
  cr_expect_eq(mb_tolerances_read("/nonexistent/tolerances.json", &t, &report), MB_IO);
  mb_tolerances_free(&t);
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(compare_tolerances, a_file_that_takes_nothing_is_an_error) {
  const MbTolerances t = {0};
  MbReport report = {0};
  FILE *file = fopen("/dev/null", "r");
  cr_assert_not_null(file);
  cr_expect_eq(mb_tolerances_write(file, &t, &report), MB_IO);
  fclose(file);
}

static double nudge;

static void nudged(double *x, uint64_t k, double t) {
  (void)t;
  if (k == 20) x[POSITION + 2] += nudge;
}

Test(compare_tolerances, are_learned_as_twice_the_worst_error_of_several_runs) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = nudged;
  const double nudges[3] = {0x1p-10, 0x1p-9, 0x1p-12};
  Compared c[3];
  MbCompareResult results[3];
  for (int i = 0; i < 3; i++) {
    nudge = nudges[i];
    c[i] = compare_plans(&a, &b, &exact);
    results[i] = c[i].result;
  }
  MbTolerances t;
  MbReport report = {0};
  cr_assert_eq(mb_tolerances_learn(results, 3, false, &t, &report), MB_OK, "%s", report.issues[0].text);
  cr_expect_eq(t.count, 6u);
  cr_expect_str_eq(t.items[0].channel, "body.position");
  cr_expect_eq(t.items[0].atol, 0.004, "2 * 0x1p-9 = 0.00390625, rounded up: %.17g", t.items[0].atol);
  cr_expect_eq(t.items[1].atol, 0.0);

  // and with them the worst of the runs is the same
  nudge = nudges[1];
  const MbCompareOptions learned = {
      .fallback = t.fallback, .tolerances = t.items, .ntolerances = t.count, .until = INFINITY};
  Compared again = compare_plans(&a, &b, &learned);
  cr_expect_eq(again.status, MB_OK, "%s", again.result.verdict);
  mb_compare_free(&again.result);
  mb_tolerances_free(&t);

  // for each component too, before its channel
  cr_assert_eq(mb_tolerances_learn(results, 3, true, &t, &report), MB_OK, "%s", report.issues[0].text);
  double y = NAN, whole = NAN;
  for (size_t i = 0; i < t.count; i++) {
    if (strcmp(t.items[i].channel, "body.position") != 0) continue;
    if (!t.items[i].component) whole = t.items[i].atol;
    const bool of_y = t.items[i].component && !strcmp(t.items[i].component, "y");
    if (of_y) cr_expect(isnan(whole));
    if (of_y) y = t.items[i].atol;
  }
  cr_expect_eq(whole, 0.004);
  cr_expect_eq(y, 0.0);
  mb_tolerances_free(&t);
  for (int i = 0; i < 3; i++) mb_compare_free(&c[i].result);
}

Test(compare_tolerances, round_up_to_two_digits_and_never_down) {
  for (int i = 0; i < 4; i++) {
    const double worst[4] = {5.05e-7, 4.999e-3, 0.05, 1.2e-17}, learned[4] = {1.1e-6, 1e-2, 0.1, 2.4e-17};
    MbChannelResult channel = {.channel = "energy", .compared = true, .worst.error = worst[i]};
    const MbCompareResult result = {.nchannels = 1, .channels = &channel};
    MbTolerances t;
    cr_assert_eq(mb_tolerances_learn(&result, 1, false, &t, NULL), MB_OK);
    cr_expect(t.items[0].atol >= 2 * worst[i]);
    cr_expect_eq(t.items[0].atol, learned[i], "%.17g for twice %.17g", t.items[0].atol, worst[i]);
    mb_tolerances_free(&t);
  }
}

static void broken(double *x, uint64_t k, double t) {
  (void)t;
  if (k == 3) x[POSITION] = NAN;
}

Test(compare_tolerances, cannot_be_learned_from_runs_that_do_not_hold_the_same) {
  const Plan a = smooth_plan();
  Plan fewer = a, nan = a;
  fewer.nchannels = 2;
  nan.edit = broken;
  const Plan *const others[] = {&fewer, &nan};
  for (int i = 0; i < 2; i++) {
    Compared c = compare_plans(&a, others[i], &exact);
    MbTolerances t;
    MbReport report = {0};
    cr_expect_eq(mb_tolerances_learn(&c.result, 1, false, &t, &report), MB_USAGE, "case %d", i);
    mb_tolerances_free(&t);
    mb_compare_free(&c.result);
  }
}
