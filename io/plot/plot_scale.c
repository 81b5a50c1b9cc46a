// Makes an axis: its ends, its round numbers, what is written at these, and whether it is logarithmic.
#include "io/plot/plot_scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool mb_drawable(double x, bool logarithmic) {
  return fabs(x) <= MB_PLOT_MOST && !(logarithmic && x < 1 / MB_PLOT_MOST);
}

void mb_extent_add(MbExtent *e, double x, bool logarithmic) {
  if (!mb_drawable(x, logarithmic)) return;
  if (e->low > e->high) {
    e->low = e->high = x;
    return;
  }
  if (x < e->low) e->low = x;
  if (x > e->high) e->high = x;
}

// ---- what an axis shows -----------------------------------------------------------------------------------

static double power_of_ten(int n) { return pow(10, n); }

// Numbers that differ by less than rounding are one: it stands in the middle.
static void widen(double *low, double *high) {
  static const double ROUNDING = 1e-13, SMALLEST = 1e-290, AROUND = 0.1;
  const double size = fmax(fabs(*low), fabs(*high));
  if (*high - *low > fmax(ROUNDING * size, SMALLEST)) return;
  const double around = size > SMALLEST ? AROUND * size : 1;
  *low -= around, *high += around;
}

// The step of 1, 2 or 5 times a power of ten that is nearest to the one that gives as many round numbers as wanted.
static void choose_step(MbScale *s, int ticks) {
  const double wanted = (s->to - s->from) / ticks;
  s->power = (int)floor(log10(wanted));
  const double rest = wanted / power_of_ten(s->power);
  s->digit = rest <= 1.4 ? 1 : rest <= 3.2 ? 2 : rest <= 7.1 ? 5 : 10;
  if (s->digit == 10) s->digit = 1, s->power++;
  const double step = (double)s->digit * power_of_ten(s->power), rounding = 4e-16;
  const double first = s->from / step, last = s->to / step,
               near = 1e-9 + rounding * fmax(fabs(first), fabs(last));
  s->first = (int64_t)ceil(first - near);
  s->last = (int64_t)floor(last + near);
}

static int decades(double x) { return x > 0 ? (int)floor(log10(x) + 1e-12) : 0; }

// What the texts of the round numbers share: a number that they lie near to, as seen from their distances, and a power of ten.
static void choose_texts(MbScale *s) {
  enum { DIGITS = 5, LONG = 100000 }; // of a text; 10^DIGITS
  const int64_t a = s->first * s->digit, b = s->last * s->digit,
                size = llabs(a) > llabs(b) ? llabs(a) : llabs(b);
  s->offset = 0;
  if (size >= LONG && b - a < size / 10) {
    int64_t unit = 1;
    while (unit < b - a) unit *= 10;
    s->offset = (a + (b - a) / 2) / unit * unit;
  }
  const int64_t left =
      llabs(a - s->offset) > llabs(b - s->offset) ? llabs(a - s->offset) : llabs(b - s->offset);
  const int large = s->power + decades((double)left); // of the largest text
  s->shared = large >= DIGITS || large < -3 ? (int)floor(large / 3.0) * 3 : 0;
}

static MbScale make_linear(double low, double high, double margin, int ticks) {
  widen(&low, &high);
  MbScale s = {.from = low - margin * (high - low), .to = high + margin * (high - low), .each = 1};
  choose_step(&s, ticks);
  choose_texts(&s);
  return s;
}

// At least a decade, so that a number stands there.
static MbScale make_logarithmic(double low, double high, double margin, int ticks) {
  static const double MOST = 305; // powers of ten that numbers have
  const double a = log10(low), b = log10(high),
               more = fmax(margin * (b - a), b - a < 1 ? (1 - (b - a)) / 2 : 0);
  MbScale s = {.logarithmic = true,
               .from = pow(10, fmax(a - more, -MOST)),
               .to = pow(10, fmin(b + more, MOST)),
               .each = 1};
  if (more <= 0) s.from = low, s.to = high;
  s.first = (int64_t)ceil(log10(s.from) - 1e-9), s.last = (int64_t)floor(log10(s.to) + 1e-9);
  while (2 * (s.last - s.first) / s.each > 3 * ticks) s.each++;
  return s;
}

MbScale mb_scale_make(const MbAxis *axis, MbExtent extent, double margin, int ticks) {
  double low = axis->from, high = axis->to;
  const bool given =
      low < high && mb_drawable(low, axis->logarithmic) && mb_drawable(high, axis->logarithmic);
  if (!given) low = extent.low, high = extent.high;
  if (!given && low > high) low = axis->logarithmic ? 0.1 : 0, high = axis->logarithmic ? 10 : 1;
  if (given) margin = 0;
  return axis->logarithmic ? make_logarithmic(low, high, margin, ticks)
                           : make_linear(low, high, margin, ticks);
}

MbScale mb_panel_scale(const MbPanel *p, bool along_x, int ticks) {
  static const double MARGIN = 0.05;
  const MbAxis *axis = along_x ? &p->x : &p->y;
  MbExtent extent = MB_NOTHING;
  for (size_t c = 0; c < p->ncurves; c++) {
    const MbCurve *curve = &p->curves[c];
    for (size_t i = 0; i < curve->n; i++)
      if (mb_drawable(curve->x[i], p->x.logarithmic) && mb_drawable(curve->y[i], p->y.logarithmic))
        mb_extent_add(&extent, along_x ? curve->x[i] : curve->y[i], axis->logarithmic);
  }
  for (size_t g = 0; g < p->nguides; g++)
    if (p->guides[g].upright == along_x) mb_extent_add(&extent, p->guides[g].at, axis->logarithmic);
  return mb_scale_make(axis, extent, MARGIN, ticks);
}

double mb_scale_place(const MbScale *s, double x) {
  if (s->logarithmic) return (log(x) - log(s->from)) / (log(s->to) - log(s->from));
  return (x - s->from) / (s->to - s->from);
}

double mb_scale_tick(const MbScale *s, int64_t k) {
  if (s->logarithmic) return pow(10, (double)k);
  return (double)(k * s->digit) * power_of_ten(s->power);
}

// ---- texts ------------------------------------------------------------------------------------------------

// n · 10^power with all of its digits: "0.015", "1200", and "1.5e-20" where that would be long.
static void exact_text(int64_t n, int power, char *text) {
  enum { MOST = 18 };
  char digits[32];
  snprintf(digits, sizeof digits, "%lld", llabs(n));
  const int length = (int)strlen(digits), before = length + power;
  char *t = text;
  if (n < 0) *t++ = '-';
  if (!n) {
    // with as many decimals as its neighbours have
    t += sprintf(t, "0");
    if (power < 0 && power >= -MOST) t += sprintf(t, ".%0*d", -power, 0);
  } else if (power >= 0 && before <= MOST) {
    t += sprintf(t, "%s%.*s", digits, power, "000000000000000000");
  } else if (power < 0 && before > 0) {
    t += sprintf(t, "%.*s.%s", before, digits, digits + before);
  } else if (power < 0 && -before < 6) {
    t += sprintf(t, "0.%.*s%s", -before, "000000", digits);
  } else {
    t += sprintf(t, "%c%s%se%+03d", digits[0], length > 1 ? "." : "", digits + 1, before - 1);
  }
  *t = 0;
}

static const char *superscript(int n, char *text) {
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  char plain[16], *t = text;
  snprintf(plain, sizeof plain, "%d", n);
  *t = 0;
  for (const char *p = plain; *p; p++) t += sprintf(t, "%s", *p == '-' ? "⁻" : digits[*p - '0']);
  return text;
}

// With the minus of typesetters in place of a hyphen.
static void set_minus(char *text) {
  static const char minus[] = "\u2212";
  if (*text != '-') return;
  memmove(text + sizeof minus - 1, text + 1, strlen(text));
  memcpy(text, minus, sizeof minus - 1);
}

const char *mb_scale_text(const MbScale *s, int64_t k, bool plain, char text[MB_SCALE_TEXT]) {
  char power[48];
  if (!s->logarithmic)
    exact_text(k * s->digit - s->offset, s->power - s->shared, text);
  else if (s->first >= -3 && s->last <= 4)
    exact_text(1, (int)k, text);
  else if (plain)
    snprintf(text, MB_SCALE_TEXT, "1e%+03d", (int)k);
  else
    snprintf(text, MB_SCALE_TEXT, "10%s", superscript((int)k, power));
  if (!plain) set_minus(text);
  return text;
}

const char *mb_scale_note(const MbScale *s, bool plain, char text[MB_SCALE_TEXT]) {
  char power[48] = "", number[40] = "";
  *text = 0;
  if (s->logarithmic) return text;
  if (s->offset) {
    // without zeros at the end
    int64_t n = s->offset;
    int p = s->power;
    while (n % 10 == 0) n /= 10, p++;
    exact_text(n, p, number);
  }
  if (s->shared && plain) snprintf(text, MB_SCALE_TEXT, "x1e%+03d", s->shared);
  if (s->shared && !plain) snprintf(text, MB_SCALE_TEXT, "×10%s", superscript(s->shared, power));
  const size_t n = strlen(text);
  if (s->offset)
    snprintf(text + n, MB_SCALE_TEXT - n, "%s%s %s", n ? " " : "", s->offset < 0 ? "-" : "+",
             s->offset < 0 ? number + 1 : number);
  return text;
}
