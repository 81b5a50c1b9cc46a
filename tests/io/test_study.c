#include "core/base/alloc.h"
#include "io/sweep/study.h"
#include <criterion/criterion.h>

#include <string.h>

static MbStatus read(MbStudy *study, const char *text, MbReport *report) {
  return mb_study_read(study, mb_strdup(text), strlen(text), "s.json", report);
}

Test(study, values_become_what_the_command_line_would_say) {
  MbStudy s;
  MbReport report = {0};
  cr_assert_eq(read(&s,
                    "{\"mbsim_study\":1,\"scene\":\"a.json\",\"vary\":{\"a\":\"0:1:3\",\"b\":[0.1,1e3,\"=2*"
                    "pi\"],\"c\":7,\"/d/e\":"
                    "[\"x\",[1,2],{\"k\":true},null],\"_f\":1},\"measures\":{\"m\":\"max(x)\"}}",
                    &report),
               MB_OK, "%s", report.issues[0].text);
  cr_assert_eq(s.spec.nvary, 4);
  cr_expect_str_eq(s.spec.vary[0].text, "0:1:3");
  cr_expect_str_eq(s.spec.vary[1].text, "0.1,1000,=2*pi");
  cr_expect_str_eq(s.spec.vary[2].text, "7");
  cr_expect_str_eq(s.spec.vary[3].name, "/d/e");
  cr_expect_str_eq(s.spec.vary[3].text, "\"x\",[1,2],{\"k\":true},null");
  cr_expect_str_eq(s.spec.measures[0].text, "max(x)");
  cr_expect(s.spec.seed == 1 && s.spec.times && s.spec.design == MB_DESIGN_GRID);
  cr_expect_null(mb_study_given(&s, "seed"));
  mb_study_free(&s);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(study, only_an_outermost_key_makes_a_study) {
  static const char *const texts[] = {"{\"a\":1,\"mbsim_study\":1}",
                                      "{\"a\":{\"mbsim_study\":1}}",
                                      "[\"mbsim_study\"]",
                                      "{\"mbsim\":1}",
                                      "{",
                                      "{\"mbsim_study\":"};
  static const bool is[] = {true, false, false, false, false, true};
  for (size_t i = 0; i < sizeof is; i++)
    cr_expect_eq(mb_study_is(texts[i], strlen(texts[i])), is[i], "%s", texts[i]);
}

Test(study, memory_that_runs_out_is_an_error_and_nothing_stays_behind) {
  static const char text[] =
      "{\"mbsim_study\":1,\"scene\":\"a\",\"vary\":{\"a\":[1,2],\"b\":\"x\"},\"measures\":{\"m\":\"n\"}}";
  bool done = false;
  for (int64_t calls = 0; !done && calls < 1000; calls++) {
    MbStudy s = {0};
    MbReport report = {0};
    char *own = mb_strdup(text);
    mb_alloc_fail_after(calls);
    done = !mb_study_read(&s, own, sizeof text - 1, "s", &report);
    mb_alloc_fail_after(-1);
    mb_study_free(&s);
    cr_assert_eq(mb_alloc_live(), 0, "after %d calls", (int)calls);
  }
  cr_assert(done);
}
