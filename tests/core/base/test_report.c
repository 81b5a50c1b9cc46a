#include "core/base/report.h"
#include <criterion/criterion.h>

Test(report, keeps_the_first_status_and_counts_all) {
  MbReport report = {0};
  cr_assert_eq(mb_error(&report, MB_SCENE, "/a", "first"), MB_SCENE);
  for (int i = 0; i < 50; i++) mb_error(&report, MB_IO, "/b", "error %d", i);
  mb_warning(&report, "/c", "warning");
  cr_assert_eq(report.status, MB_SCENE);
  cr_assert_eq(report.errors, 51);
  cr_assert_eq(report.warnings, 1);
  cr_assert_eq(report.kept, MB_REPORT_MAX + 1);
  cr_assert_str_eq(report.issues[0].where, "/a");
  cr_assert(report.issues[MB_REPORT_MAX].warning);
}

// Several passes over one run tell the same of it.
Test(report, a_warning_is_kept_once_word_for_word) {
  MbReport report = {0};
  for (int i = 0; i < 2; i++) {
    mb_warning(&report, "", "the same");
    mb_warning(&report, "/bodies/0", "the same");
    mb_warning(&report, "", "number %d", i);
  }
  cr_expect_eq(report.warnings, 4);
  cr_expect_eq(report.kept, 4);
  cr_expect_str_eq(report.issues[3].text, "number 1");
}

Test(report, suggests_the_nearest_word_and_nothing_far) {
  static const char *const words[] = {"symplectic",     "implicit", "trapezoidal",
                                      "bridson_marino", "rk45",     NULL};
  cr_assert_str_eq(mb_nearest_word("implict", words), "implicit");
  cr_assert_str_eq(mb_nearest_word("rk54", words), "rk45");
  cr_assert_str_eq(mb_nearest_word("bridson", words), "bridson_marino");
  cr_assert_null(mb_nearest_word("banana", words));
  cr_assert_null(mb_nearest_word("", words));
  static const char *const letters[] = {"m", "qq", NULL};
  cr_assert_null(mb_nearest_word("x", letters));
  cr_assert_str_eq(mb_nearest_word("M", letters), "m");
  cr_assert_str_eq(mb_nearest_word("q", letters), "qq");
}
