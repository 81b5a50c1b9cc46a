// Numbers that open rows which nothing can close: derivatives by them were nothing, with not a word, where runs with other values come to no end.
#include "tests/io/gradient_cases.h"

#include <string.h>

// What is warned of along a run, or back through it, by a number of the scene.
static MbReport warned_of(const GradientWay *way, const char *name, double value, bool back) {
  const GradientCase c = {"opened", NULL, way, name, value, 0};
  TestRun run = gradient_moved(&c, 0);
  const double little = mb_sensitivity_little(run.model);
  const int64_t steps = mb_model_steps(run.model);
  test_run_free(&run);
  return gradient_warned(&c, little, steps, back);
}

static void check(const GradientWay *way, bool back) {
  static const char *const opening[] = {"beside", "tilt"}, *const closed[] = {"crank", "ground", "mass"};
  static const double values[] = {0.3, 0.9, 1};
  for (size_t i = 0; i < 2; i++) {
    const MbReport warned = warned_of(way, opening[i], 1, back);
    cr_assert_eq(warned.warnings, 1, "%s %s by %s", way->solver, way->integrator, opening[i]);
    cr_expect_not_null(strstr(warned.issues[0].text, opening[i]), "%s", warned.issues[0].text);
    cr_expect_not_null(strstr(warned.issues[0].text, "opens \"pin.1\""), "%s", warned.issues[0].text);
  }
  for (size_t i = 0; i < 3; i++)
    cr_expect_eq(warned_of(way, closed[i], values[i], back).warnings, 0, "%s %s by %s", way->solver,
                 way->integrator, closed[i]);
}

Test(gradient_opened, a_number_that_opens_what_nothing_can_close_is_told_of) {
  static const char *const integrators[] = {"symplectic", "implicit", "bdf1",
                                            "bdf2",       "sdirk2",   "trapezoidal"};
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
    for (int back = 0; back < 2; back++) check(&(GradientWay){"\"redmax\"", integrators[i], true}, back);
}

Test(gradient_opened, so_it_is_where_joints_are_rows_too) {
  static const char *const integrators[] = {"symplectic", "implicit", "bdf1", "bdf2", "sdirk2"};
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
    check(&(GradientWay){"\"maximal\"", integrators[i], false}, true);
}

// By single steps, too, which a hinge that tilts has none of.
Test(gradient_opened, so_it_is_along_a_run_where_joints_are_rows) {
  static const GradientWay way = {"\"maximal\"", "symplectic", false};
  const MbReport warned = warned_of(&way, "beside", 1, false);
  cr_assert_eq(warned.warnings, 1);
  cr_expect_not_null(strstr(warned.issues[0].text, "opens \"pin.1\""), "%s", warned.issues[0].text);
  cr_expect_eq(warned_of(&way, "crank", 0.3, false).warnings, 0);
}
