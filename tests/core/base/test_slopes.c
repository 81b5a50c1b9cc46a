// Derivatives of expressions beside differences of their values, and the grammar beside muParser's.
#include "core/base/alloc.h"
#include "core/base/expression.h"
#include "tests/runs.h"

#include <math.h>

static const MbConstant constants[] = {{"a", 0.37}, {"omega", 900}};

static MbExpression *made(const char *text) {
  char message[256];
  MbExpression *e = mb_expression_create(text, constants, 2, true, message, sizeof message);
  cr_assert(e, "%s: %s", text, message);
  return e;
}

static void rates_of(const char *text, double t, double x[3]) {
  MbExpression *e = made(text);
  mb_expression_rates(e, t, x);
  mb_expression_free(e);
}

// Every function and operator, and how they bind: rates are refused (NaN) where the value is another than the parser's.
static const char *const texts[] = {"sin(3*t)",
                                    "cos(t)",
                                    "tan(t)",
                                    "asin(t/3)",
                                    "acos(t/3)",
                                    "atan(2*t)",
                                    "sinh(t)",
                                    "cosh(t)",
                                    "tanh(t)",
                                    "asinh(t)",
                                    "acosh(1+t)",
                                    "atanh(t/3)",
                                    "exp(-t)",
                                    "ln(t)",
                                    "log(1+t)",
                                    "log2(t)",
                                    "log10(3*t)",
                                    "sqrt(t)",
                                    "sign(t)*t",
                                    "floor(3*t)+t^2",
                                    "ceil(t)*t",
                                    "round(t)-t",
                                    "rint(t)/t",
                                    "abs(sin(9*t))",
                                    "pow(t,3)",
                                    "pow(2,t)",
                                    "pow(t,t)",
                                    "mod(5*t,2)",
                                    "mod(-5*t,2)",
                                    "hypot(t,1)",
                                    "atan2(t,2-t)",
                                    "max(t,1,t^2)",
                                    "min(t,t^2,3)",
                                    "sum(t,t^2,1)",
                                    "avg(t,t^2,4)",
                                    "-t^2",
                                    "2^-t^2",
                                    "t^2^1.5",
                                    "2^t^2",
                                    "1-t-t^2",
                                    "8/t/2",
                                    "2*-t",
                                    "-t*-3",
                                    "t--t",
                                    "+t^3",
                                    "-2^t",
                                    "3*-t^2",
                                    "t<1?t:t^2",
                                    "t>1?t:t<0.6?t^3:t^2",
                                    "t>0.5&&t<1?t:-t",
                                    "t>5||t<1?sin(t):cos(t)",
                                    "(t<1)+t",
                                    "t>=1==1?t:2*t",
                                    "t!=1?t^2:t",
                                    "t<=2?t:1",
                                    "1<2<3?t^2:t",
                                    "a*t^2",
                                    "omega*t+pi*t^2-deg",
                                    "(2-t)^3",
                                    "(t-2)^2",
                                    " 2 * ( t + 1 ) ",
                                    "1e1*t+1.e0*t^2+.5",
                                    "0||1&&0?t:t^2",
                                    "sin(t)^2",
                                    "t/(1+t^2)",
                                    "1/t^2",
                                    "exp(sin(t)*a)/(1+abs(t-3))",
                                    "0*t+3"};

Test(slopes, are_those_of_differences) {
  static const double times[] = {0.43, 0.77, 1.31};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    MbExpression *e = made(texts[i]);
    for (int k = 0; k < 3; k++) {
      const double t = times[k], d = 1e-3;
      double x[3], y[5];
      mb_expression_rates(e, t, x);
      for (int j = 0; j < 5; j++) y[j] = mb_expression_value(e, t + (j - 2) * d);
      const double by[3] = {y[2], (y[0] - 8 * y[1] + 8 * y[3] - y[4]) / (12 * d),
                            (-y[0] + 16 * y[1] - 30 * y[2] + 16 * y[3] - y[4]) / (12 * d * d)};
      const double size = 1 + fabs(by[1]) + fabs(by[2]);
      for (int j = 0; j < 3; j++)
        cr_expect(fabs(x[j] - by[j]) < 1e-7 * size, "%s at %g: derivative %d is %.12g, by differences %.12g",
                  texts[i], t, j, x[j], by[j]);
    }
    mb_expression_free(e);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(slopes, are_exact_at_any_pace) {
  double x[3];
  rates_of("0.3*(1-cos(omega*t))", 0.7, x);
  const double w = 900,
               wanted[3] = {0.3 * (1 - cos(w * 0.7)), 0.3 * w * sin(w * 0.7), 0.3 * w * w * cos(w * 0.7)};
  test_near("value", x, wanted, 1, 1e-12);
  test_near("rate", x + 1, wanted + 1, 1, 1e-10);
  test_near("its rate", x + 2, wanted + 2, 1, 1e-7);
}

Test(slopes, at_corners_are_those_of_what_follows) {
  static const struct {
    const char *text;
    double wanted[3];
  } corners[] = {{"abs(t)", {0, 1, 0}},     {"abs(-t)", {0, 1, 0}},           {"max(t,0)", {0, 1, 0}},
                 {"min(t,-t)", {0, -1, 0}}, {"max(0,-t^2)", {0, 0, 0}},       {"t<0?5:t^2", {0, 0, 2}},
                 {"(t^2)^2", {0, 0, 0}},    {"0.3*t^2+sign(t)", {0, 0, 0.6}}, {"t*abs(t)", {0, 0, 2}}};
  for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
    double x[3];
    rates_of(corners[i].text, 0, x);
    test_near(corners[i].text, x, corners[i].wanted, 3, 1e-6);
  }
  double x[3];
  rates_of("sqrt(t^2)", 0, x);
  cr_expect_float_eq(x[1], 1, 1e-6);
  rates_of("sqrt(t-5)", 0, x);
  cr_expect(isnan(x[1]));
}

// muParser takes the whole parts of constants on both sides of these.
Test(slopes, fractions_are_true) {
  static const struct {
    const char *text;
    double wanted;
  } cases[] = {{"0.5 && 1", 1}, {"a && a ? 3 : 4", 3}, {"0 || a", 1},   {"a || 0 && 0", 1},
               {"0 && a", 0},   {"1 && -0.2", 1},      {"t && 0.1", 1}, {"0 || 0", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int with_time = i != 6 ? 0 : 1; with_time < 2; with_time++) {
      char message[256];
      MbExpression *e = mb_expression_create(cases[i].text, constants, 2, with_time, message, sizeof message);
      cr_assert(e, "%s: %s", cases[i].text, message);
      cr_expect_eq(mb_expression_value(e, 0.4), cases[i].wanted, "%s", cases[i].text);
      mb_expression_free(e);
    }
  cr_assert_eq(mb_alloc_live(), 0);
}

// Measures of sweeps are over variables.
Test(slopes, fractions_are_true_beside_variables_too) {
  static const char *const names[] = {"x", "y"};
  double values[2] = {0.3, 0};
  char message[256];
  MbExpression *e = mb_expression_create_over("(0.4 && 0.7) + 2*(x && 0.5) + 4*(y || t > 1) + 8*(0 || a*0)",
                                              constants, 2, names, values, 2, true, message, sizeof message);
  cr_assert(e, "%s", message);
  cr_expect_eq(mb_expression_value(e, 0), 3);
  values[0] = 0, values[1] = 0.1;
  cr_expect_eq(mb_expression_value(e, 0), 5);
  values[1] = 0;
  cr_expect_eq(mb_expression_value(e, 2), 5);
  mb_expression_free(e);
  cr_assert_eq(mb_alloc_live(), 0);
}

// So do measures, whose columns are variables beside the constants; a = 0.37, say.
Test(slopes, fractions_are_true_beside_variables) {
  static const char *const measures[] = {"(a && a) * x", "a || 0 ? x : 0", "x > 1 && (a && a) ? x : 0",
                                         "min(x, x) * (0 || a && a)"};
  static const char *const names[] = {"x"};
  for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
    char message[256];
    double x = 7;
    MbExpression *e =
        mb_expression_create_over(measures[i], constants, 2, names, &x, 1, true, message, sizeof message);
    cr_assert(e, "%s: %s", measures[i], message);
    cr_expect_eq(mb_expression_value(e, 0), 7, "%s", measures[i]);
    x = 9;
    cr_expect_eq(mb_expression_value(e, 0), 9, "%s", measures[i]);
    mb_expression_free(e);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

// Differences over a hundredth of a second had accelerations of 300 rad/s off by 0.41, and rk45 lost the path.
Test(slopes, a_fast_prescribed_motion_is_followed) {
  static const char *const scene =
      "{\"mbsim\": 1, \"time\": {\"step\": 1e-3, \"steps\": 50}, \"integrator\": {\"type\": \"rk45\", "
      "\"relative\": 1e-9}, "
      "\"output\": {\"channels\": [\"joint.position\", \"joint.acceleration\"]}, \"bodies\": [{\"name\": "
      "\"a\", \"density\": 1000, "
      "\"shape\": {\"type\": \"box\", \"size\": [1, 1, 1]}, \"joint\": {\"type\": \"prismatic\", \"motion\": "
      "{\"position\": "
      "\"=0.3*(1-cos(300*t))\"}}}]}";
  TestRun run = test_run(scene, NULL);
  test_steps(run.sim, 50);
  size_t n = 0;
  const double place = 0.3 * (1 - cos(15)), acceleration = 0.3 * 9e4 * cos(15);
  test_near("place", test_channel(run.sim, "joint.position", &n), &place, 1, 1e-7);
  test_near("acceleration", test_channel(run.sim, "joint.acceleration", &n), &acceleration, 1, 1e-7 * 2.7e4);
  test_run_free(&run);
}
