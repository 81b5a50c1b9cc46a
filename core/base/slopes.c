// The rules of differentiation (slopes.h). x, a, b are triples: value, ′, ″.
#include "core/base/slopes.h"

#include <math.h>
#include <string.h>

typedef void OfOne(const double u, double f[3]);                       // f, df/du, d²f/du²
typedef void OfTwo(const double a[3], const double b[3], double x[3]); // x may be a

// s x, where nothing times what is infinite is nothing: u^1.5 where u stands still at 0
static double times(double s, double x) { return x == 0 ? 0 : s * x; }

// x ← f(x), by f and its derivatives there
static void chain(const double f[3], double x[3]) {
  const double x1 = x[1], x2 = x[2];
  x[0] = f[0], x[1] = times(f[1], x1), x[2] = times(f[2], x1 * x1) + times(f[1], x2);
}

static void set(double x[3], double value, double slope, double bend) {
  x[0] = value, x[1] = slope, x[2] = bend;
}

// Whether x is above 0, or will be as soon as it moves.
static bool is_up(const double x[3]) { return x[0] != 0 ? x[0] > 0 : x[1] != 0 ? x[1] > 0 : x[2] >= 0; }

// ---- of one -----------------------------------------------------------------------------------------------

static void sine(double u, double f[3]) { set(f, sin(u), cos(u), -sin(u)); }
static void cosine(double u, double f[3]) { set(f, cos(u), -sin(u), -cos(u)); }
static void tangent(double u, double f[3]) {
  const double y = tan(u);
  set(f, y, 1 + y * y, 2 * y * (1 + y * y));
}
static void arc_sine(double u, double f[3]) {
  const double s = sqrt(1 - u * u);
  set(f, asin(u), 1 / s, u / (s * s * s));
}
static void arc_cosine(double u, double f[3]) {
  const double s = sqrt(1 - u * u);
  set(f, acos(u), -1 / s, -u / (s * s * s));
}
static void arc_tangent(double u, double f[3]) {
  const double s = 1 + u * u;
  set(f, atan(u), 1 / s, -2 * u / (s * s));
}
static void sine_h(double u, double f[3]) { set(f, sinh(u), cosh(u), sinh(u)); }
static void cosine_h(double u, double f[3]) { set(f, cosh(u), sinh(u), cosh(u)); }
static void tangent_h(double u, double f[3]) {
  const double y = tanh(u);
  set(f, y, 1 - y * y, -2 * y * (1 - y * y));
}
static void arc_sine_h(double u, double f[3]) {
  const double s = sqrt(u * u + 1);
  set(f, asinh(u), 1 / s, -u / (s * s * s));
}
static void arc_cosine_h(double u, double f[3]) {
  const double s = sqrt(u * u - 1);
  set(f, acosh(u), 1 / s, -u / (s * s * s));
}
static void arc_tangent_h(double u, double f[3]) {
  const double s = 1 - u * u;
  set(f, atanh(u), 1 / s, 2 * u / (s * s));
}
static void exponential(double u, double f[3]) { set(f, exp(u), exp(u), exp(u)); }
static void logarithm(double u, double f[3]) { set(f, log(u), 1 / u, -1 / (u * u)); }
static void logarithm_2(double u, double f[3]) {
  static const double LN = 0.69314718055994530942;
  set(f, log2(u), 1 / (LN * u), -1 / (LN * u * u));
}
static void logarithm_10(double u, double f[3]) {
  static const double LN = 2.30258509299404568402;
  set(f, log10(u), 1 / (LN * u), -1 / (LN * u * u));
}
static void root(double u, double f[3]) { set(f, sqrt(u), 0.5 / sqrt(u), -0.25 / (u * sqrt(u))); }
static void sign(double u, double f[3]) { set(f, (u > 0) - (u < 0), 0, 0); }
static void down(double u, double f[3]) { set(f, floor(u), 0, 0); }
static void up(double u, double f[3]) { set(f, ceil(u), 0, 0); }
static void nearest(double u, double f[3]) { set(f, round(u), 0, 0); }
static void nearest_up(double u, double f[3]) { set(f, floor(u + 0.5), 0, 0); }

// ---- of two -----------------------------------------------------------------------------------------------

static void sum(const double a[3], const double b[3], double x[3]) {
  for (int i = 0; i < 3; i++) x[i] = a[i] + b[i];
}
static void difference(const double a[3], const double b[3], double x[3]) {
  for (int i = 0; i < 3; i++) x[i] = a[i] - b[i];
}
static void product(const double a[3], const double b[3], double x[3]) {
  set(x, a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2]);
}
// x b = a
static void quotient(const double a[3], const double b[3], double x[3]) {
  const double y = a[0] / b[0], y1 = (a[1] - y * b[1]) / b[0];
  set(x, y, y1, (a[2] - 2 * y1 * b[1] - y * b[2]) / b[0]);
}
static void larger(const double a[3], const double b[3], double x[3]) {
  double d[3];
  difference(a, b, d);
  memmove(x, is_up(d) ? a : b, 3 * sizeof *x);
}
static void smaller(const double a[3], const double b[3], double x[3]) {
  double d[3];
  difference(a, b, d);
  memmove(x, is_up(d) ? b : a, 3 * sizeof *x);
}
// A constant power by its own rule, also of what is below 0; else exp(b ln a).
static void power(const double a[3], const double b[3], double x[3]) {
  const double c = b[0], value = pow(a[0], c);
  if (b[1] == 0 && b[2] == 0) {
    const double f[3] = {value, times(pow(a[0], c - 1), c), times(pow(a[0], c - 2), c * (c - 1))};
    memmove(x, a, 3 * sizeof *x);
    chain(f, x);
    return;
  }
  const double ln = log(a[0]), l1 = a[1] / a[0], l2 = a[2] / a[0] - l1 * l1;
  const double e1 = b[1] * ln + c * l1, e2 = b[2] * ln + 2 * b[1] * l1 + c * l2;
  set(x, value, value * e1, value * (e1 * e1 + e2));
}
static void rest(const double a[3], const double b[3], double x[3]) {
  const double value = fmod(a[0], b[0]), n = round((a[0] - value) / b[0]);
  set(x, value, a[1] - n * b[1], a[2] - n * b[2]);
}
static void length(const double a[3], const double b[3], double x[3]) {
  const double r = hypot(a[0], b[0]), r1 = (a[0] * a[1] + b[0] * b[1]) / r;
  set(x, r, r1, (a[1] * a[1] + a[0] * a[2] + b[1] * b[1] + b[0] * b[2] - r1 * r1) / r);
}
// φ of (x, y) = (b, a): r² φ′ = x y′ − y x′
static void angle(const double a[3], const double b[3], double x[3]) {
  const double r2 = a[0] * a[0] + b[0] * b[0], p1 = (b[0] * a[1] - a[0] * b[1]) / r2;
  set(x, atan2(a[0], b[0]), p1, (b[0] * a[2] - a[0] * b[2] - 2 * p1 * (a[0] * a[1] + b[0] * b[1])) / r2);
}

// ---- the table --------------------------------------------------------------------------------------------

static const struct Function {
  const char *name;
  OfOne *one;
  OfTwo *two; // of any number of arguments: of the first two, of that and the third ...
} functions[] = {
    {"sin", sine, NULL},
    {"cos", cosine, NULL},
    {"tan", tangent, NULL},
    {"asin", arc_sine, NULL},
    {"acos", arc_cosine, NULL},
    {"atan", arc_tangent, NULL},
    {"sinh", sine_h, NULL},
    {"cosh", cosine_h, NULL},
    {"tanh", tangent_h, NULL},
    {"asinh", arc_sine_h, NULL},
    {"acosh", arc_cosine_h, NULL},
    {"atanh", arc_tangent_h, NULL},
    {"exp", exponential, NULL},
    {"ln", logarithm, NULL},
    {"log", logarithm, NULL},
    {"log2", logarithm_2, NULL},
    {"log10", logarithm_10, NULL},
    {"sqrt", root, NULL},
    {"sign", sign, NULL},
    {"floor", down, NULL},
    {"ceil", up, NULL},
    {"round", nearest, NULL},
    {"rint", nearest_up, NULL},
    {"abs", NULL, NULL},
    {"pow", NULL, power},
    {"mod", NULL, rest},
    {"hypot", NULL, length},
    {"atan2", NULL, angle},
    {"max", NULL, larger},
    {"min", NULL, smaller},
    {"sum", NULL, sum},
    {"avg", NULL, sum},
};

int mb_slope_function(const char *name, size_t length) {
  for (int i = 0; i < (int)(sizeof functions / sizeof *functions); i++)
    if (strlen(functions[i].name) == length && !memcmp(functions[i].name, name, length)) return i;
  return -1;
}

// x ← the function of the `count` triples from x on
static void call(const struct Function *function, int count, double (*x)[3]) {
  double f[3];
  if (function->one) {
    function->one(x[0][0], f);
    chain(f, x[0]);
    return;
  }
  if (!function->two) {
    const double s = is_up(x[0]) ? 1 : -1;
    set(x[0], fabs(x[0][0]), s * x[0][1], s * x[0][2]);
    return;
  }
  for (int k = 1; k < count; k++) function->two(x[0], x[k], x[0]);
  if (!strcmp(function->name, "avg")) set(x[0], x[0][0] / count, x[0][1] / count, x[0][2] / count);
}

static bool holds(MbSlopeKind kind, double a, double b) {
  switch (kind) {
  case MB_SLOPE_OR:
    return a != 0 || b != 0;
  case MB_SLOPE_AND:
    return a != 0 && b != 0;
  case MB_SLOPE_LESS:
    return a < b;
  case MB_SLOPE_MORE:
    return a > b;
  case MB_SLOPE_AT_MOST:
    return a <= b;
  case MB_SLOPE_AT_LEAST:
    return a >= b;
  case MB_SLOPE_SAME:
    return a == b;
  default:
    return a != b;
  }
}

static OfTwo *operation(MbSlopeKind kind) {
  return kind == MB_SLOPE_PLUS    ? sum
         : kind == MB_SLOPE_MINUS ? difference
         : kind == MB_SLOPE_TIMES ? product
         : kind == MB_SLOPE_OVER  ? quotient
                                  : power;
}

// One step on the stack's top, which is before `x`; its new top.
static double (*take(const MbSlopeStep *step, double t, double (*x)[3]))[3] {
  if (step->kind <= MB_SLOPE_VARIABLE) {
    const bool time = step->kind == MB_SLOPE_TIME;
    set(*x, time ? t : step->kind == MB_SLOPE_VARIABLE ? *step->variable : step->number, time, 0);
    return x + 1;
  }
  if (step->kind == MB_SLOPE_NEGATIVE) {
    set(x[-1], -x[-1][0], -x[-1][1], -x[-1][2]);
    return x;
  }
  if (step->kind == MB_SLOPE_CHOICE) {
    memmove(x[-3], x[-3][0] != 0 ? x[-2] : x[-1], sizeof *x);
    return x - 2;
  }
  if (step->kind == MB_SLOPE_FUNCTION) {
    call(&functions[step->function], step->count, x - step->count);
    return x - step->count + 1;
  }
  if (step->kind < MB_SLOPE_PLUS)
    set(x[-2], holds(step->kind, x[-2][0], x[-1][0]), 0, 0);
  else
    operation(step->kind)(x[-2], x[-1], x[-2]);
  return x - 1;
}

void mb_slopes_at(MbSlopes *slopes, double t, double x[3]) {
  double(*top)[3] = slopes->stack;
  for (size_t i = 0; i < slopes->n; i++) top = take(&slopes->step[i], t, top);
  memcpy(x, slopes->stack[0], 3 * sizeof *x);
}
