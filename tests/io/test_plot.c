// The plotter: round numbers, what axes show, curves that lose no peak, pictures that are the same bytes each time.
#include "core/base/alloc.h"
#include "io/plot/plot_scale.h"
#include "io/plot/series.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WIDTH = 600, HEIGHT = 300;

// ---- axes -------------------------------------------------------------------------------------------------

static MbScale linear(double low, double high, int ticks) {
  const MbAxis axis = {0};
  return mb_scale_make(&axis, (MbExtent){low, high}, 0, ticks);
}

// All texts of an axis, with spaces between, and what has to be applied to them.
static const char *texts(const MbScale *s, char all[400]) {
  char text[MB_SCALE_TEXT];
  *all = 0;
  for (int64_t k = s->first; k <= s->last; k += s->each) {
    if (*all) strcat(all, " ");
    strcat(all, mb_scale_text(s, k, true, text));
  }
  if (*mb_scale_note(s, true, text)) strcat(strcat(all, " | "), text);
  return all;
}

Test(plot, round_numbers_stand_on_axes_of_every_size) {
  static const struct {
    double low, high;
    int ticks;
    const char *texts;
  } cases[] = {
      {0, 1, 5, "0.0 0.2 0.4 0.6 0.8 1.0"},
      {0, 10, 5, "0 2 4 6 8 10"},
      {-3, 7, 4, "-2 0 2 4 6"},
      {-1.5e-3, 1.5e-3, 3, "-0.001 0.000 0.001"},
      {0, 5e-9, 5, "0 1 2 3 4 5 | x1e-09"},
      {0, 20000, 4, "0 5000 10000 15000 20000"},
      {0, 2.5e7, 5, "0 5 10 15 20 25 | x1e+06"},
      {0, 6e300, 3, "0 2 4 6 | x1e+300"},
      {9.81, 9.8100004, 4, "0 100 200 300 400 | x1e-09 + 9.81"},
      {-9.8100004, -9.81, 4, "-400 -300 -200 -100 0 | x1e-09 - 9.81"},
      {1e6, 1e6 + 4, 4, "0 1 2 3 4 | + 1000000"},
      {123.25, 123.75, 5, "123.3 123.4 123.5 123.6 123.7"},
  };
  char all[400];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const MbScale s = linear(cases[i].low, cases[i].high, cases[i].ticks);
    cr_expect_str_eq(texts(&s, all), cases[i].texts, "%g to %g: %s", cases[i].low, cases[i].high, all);
  }
}

// The text of a round number, with all that is to be applied, is the number.
Test(plot, texts_of_round_numbers_are_the_numbers) {
  uint64_t state = 1;
  for (int i = 0; i < 5000; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double size = pow(10, (double)(state >> 40 & 63) - 30), middle = (state >> 20 & 1 ? 1 : -1) * size;
    const double wide = size * pow(10, -(double)(state >> 50 & 7)) * (1 + (double)(state >> 33 & 127) / 50);
    const MbScale s = linear(middle - wide, middle + wide, 3 + (int)(state >> 60));
    cr_assert_geq(s.last - s.first, 1, "%g around %g", wide, middle);
    for (int64_t k = s.first; k <= s.last; k++) {
      char text[MB_SCALE_TEXT];
      const double shown = strtod(mb_scale_text(&s, k, true, text), NULL) * pow(10, s.shared) +
                           (double)s.offset * pow(10, s.power);
      cr_assert_leq(fabs(shown - mb_scale_tick(&s, k)), 1e-9 * wide + 1e-15 * size,
                    "%s for %.17g (%g around %g)", text, mb_scale_tick(&s, k), wide, middle);
    }
  }
}

Test(plot, one_value_stands_in_the_middle_of_its_axis) {
  static const double values[] = {0, 1, -9.81, 1e300, -1e300, 5e-324, 1e-200, 82.656};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    const MbScale s = linear(values[i], values[i], 5);
    cr_expect(s.from < values[i] && values[i] < s.to, "%g in %g to %g", values[i], s.from, s.to);
    cr_expect_float_eq(mb_scale_place(&s, values[i]), 0.5, 1e-6, "%g at %g", values[i],
                       mb_scale_place(&s, values[i]));
    cr_expect(s.last > s.first && s.last - s.first < 20);
  }
  // what is a rounding apart is one value
  const MbScale near = linear(1, 1 + 1e-15, 5);
  cr_expect_lt(near.from, 0.95);
}

Test(plot, nothing_to_show_gives_an_axis_all_the_same) {
  MbExtent none = MB_NOTHING;
  mb_extent_add(&none, NAN, false);
  mb_extent_add(&none, INFINITY, false);
  mb_extent_add(&none, -3, true);
  mb_extent_add(&none, 0, true);
  for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
    const MbAxis axis = {.logarithmic = logarithmic};
    const MbScale s = mb_scale_make(&axis, none, 0.05, 5);
    cr_expect(s.from < s.to && s.last >= s.first);
  }
}

Test(plot, logarithmic_axes_have_powers_of_ten) {
  char all[400];
  const MbAxis axis = {.logarithmic = true};
  MbScale s = mb_scale_make(&axis, (MbExtent){1e-2, 100}, 0, 5);
  cr_expect_str_eq(texts(&s, all), "0.01 0.1 1 10 100", "%s", all);
  s = mb_scale_make(&axis, (MbExtent){1e-12, 1e-3}, 0, 6);
  cr_expect_str_eq(texts(&s, all), "1e-12 1e-11 1e-10 1e-09 1e-08 1e-07 1e-06 1e-05 1e-04 1e-03", "%s", all);
  s = mb_scale_make(&axis, (MbExtent){1e-300, 1e300}, 0, 5);
  cr_expect_leq((s.last - s.first) / s.each, 8);
  // less than a decade is widened to one, so that a number stands there
  s = mb_scale_make(&axis, (MbExtent){3, 4}, 0, 5);
  cr_expect(s.last >= s.first && mb_scale_place(&s, 1) < 0.01 && s.from > 0.3, "%g to %g", s.from, s.to);
  cr_expect_float_eq(mb_scale_place(&s, sqrt(s.from * s.to)), 0.5, 1e-12);
}

Test(plot, numbers_of_every_size_have_a_place_on_their_axis) {
  static const double sizes[] = {1e300, 1e-300, 1, 1e-12, 1e160};
  for (size_t i = 0; i < 5; i++)
    for (size_t k = 0; k < 5; k++)
      for (int kind = 0; kind < 3; kind++) {
        const bool logarithmic = kind == 2;
        const double low = kind == 1 ? -sizes[i] : fmin(sizes[i], sizes[k]), high = fmax(sizes[i], sizes[k]);
        // what is given and cannot be an axis is left out
        const MbAxis axis = {.logarithmic = logarithmic, .from = -INFINITY, .to = kind ? INFINITY : DBL_MAX};
        const MbScale s = mb_scale_make(&axis, (MbExtent){low, high}, 0.05, 5);
        cr_assert(isfinite(s.from) && isfinite(s.to) && s.from < s.to, "%g to %g: %g to %g", low, high,
                  s.from, s.to);
        const double a = mb_scale_place(&s, low), b = mb_scale_place(&s, high);
        cr_expect(a > -1e-9 && a <= b && b < 1 + 1e-9, "%g to %g: %g and %g", low, high, a, b);
        cr_expect(s.last >= s.first && s.last - s.first < 700 && (s.last - s.first) / s.each < 12);
      }
}

// ---- thinning ---------------------------------------------------------------------------------------------

enum { LONG = 100000 };

static bool kept(const MbSeries *s, double x, double y) {
  for (size_t i = 0; i < s->n; i++)
    if (s->x[i] == x && s->y[i] == y) return true;
  return false;
}

Test(plot, a_long_series_keeps_every_peak_of_one_point) {
  MbSeries s;
  mb_series_begin(&s, 1000, 0, LONG - 1);
  for (int i = 0; i < LONG; i++) mb_series_add(&s, i, i, i == 31415 ? 7 : i == 92653 ? -9 : sin(1e-3 * i));
  cr_assert(mb_series_end(&s));
  cr_expect_leq(s.n, 4 * 1000u);
  cr_expect(kept(&s, 31415, 7) && kept(&s, 92653, -9));
  cr_expect(kept(&s, 0, 0) && kept(&s, LONG - 1, sin(1e-3 * (LONG - 1))));
  for (size_t i = 1; i < s.n; i++) cr_assert_gt(s.x[i], s.x[i - 1], "point %zu", i);
  mb_series_free(&s);
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(plot, a_short_series_keeps_every_point) {
  MbSeries s;
  mb_series_begin(&s, 1000, 0, 99);
  for (int i = 0; i < 100; i++) mb_series_add(&s, i, cos(i), sin(i));
  cr_assert(mb_series_end(&s));
  cr_assert_eq(s.n, 100);
  for (int i = 0; i < 100; i++) cr_expect(s.x[i] == cos(i) && s.y[i] == sin(i), "point %d", i);
  mb_series_free(&s);
}

Test(plot, numbers_that_are_not_finite_break_a_series_and_are_counted) {
  MbSeries s;
  mb_series_begin(&s, 10, 0, 9);
  for (int i = 0; i < 10; i++)
    mb_series_add(&s, i, i, i == 4 ? NAN : i == 5 ? INFINITY : i == 9 ? -INFINITY : (double)i);
  cr_assert(mb_series_end(&s));
  cr_expect_eq(s.unfit, 3);
  cr_expect_eq(s.n, 7 + 2, "%zu", s.n); // with a break in the middle, and one at the end
  cr_expect(isnan(s.y[4]) && s.y[3] == 3 && s.y[5] == 6);
  mb_series_free(&s);
  // every other number: no more breaks than buckets
  mb_series_begin(&s, 100, 0, LONG);
  for (int i = 0; i < LONG; i++) mb_series_add(&s, i, i, i % 2 ? NAN : sin(i));
  cr_assert(mb_series_end(&s));
  cr_expect_leq(s.n, 100 * (2 * MB_SERIES_ROLES + 1u));
  cr_expect_eq(s.unfit, LONG / 2);
  mb_series_free(&s);
}

Test(plot, a_series_of_nothing_and_one_at_a_single_time_are_fine) {
  MbSeries s;
  mb_series_begin(&s, 100, 3, 3);
  cr_assert(mb_series_end(&s));
  cr_expect_eq(s.n, 0);
  mb_series_free(&s);
  mb_series_begin(&s, 100, 3, 3);
  mb_series_add(&s, 3, 3, 8);
  cr_assert(mb_series_end(&s));
  cr_expect(s.n == 1 && s.y[0] == 8);
  mb_series_free(&s);
}

// ---- pictures ---------------------------------------------------------------------------------------------

// As text, to be freed with free().
static char *svg_of(const MbPlot *plot) {
  char *text = NULL;
  size_t size = 0;
  MbReport report = {0};
  FILE *out = open_memstream(&text, &size);
  cr_assert_eq(mb_plot_svg(out, plot, &report), MB_OK, "%s", report.issues[0].text);
  fclose(out);
  cr_assert_eq(mb_alloc_live(), 0);
  cr_assert(!strstr(text, "nan") && !strstr(text, "inf"), "%.300s", strstr(text, "nan"));
  return text;
}

static char *svg_of_panel(const MbPanel *panel) {
  const MbPlot plot = {.columns = 1, .npanels = 1, .panels = panel, .width = WIDTH, .height = HEIGHT};
  return svg_of(&plot);
}

// What the nth curve's line in the picture covers, in pixels.
typedef struct Drawn {
  double left, right, top, bottom;
  int pieces, vertices;
} Drawn;

static Drawn line_of(const char *svg, int nth) {
  const char *p = strstr(svg, "<g clip-path");
  for (int i = 0; i <= nth; i++) p = strstr(p + 1, "<path class=\"c\"");
  p = strstr(p, " d=\"") + 4;
  Drawn d = {.left = 1e9, .right = -1e9, .top = 1e9, .bottom = -1e9};
  double x = 0, y = 0;
  while (*p && *p != '"') {
    const char kind = *p++;
    char *end = NULL;
    if (kind == 'h') {
      strtod(p, &end);
      p = end;
      continue;
    }
    cr_assert(kind == 'M' || kind == 'l', "%.40s", p - 1);
    const double a = strtod(p, &end), b = strtod(end, &end);
    p = end;
    x = kind == 'M' ? a : x + a, y = kind == 'M' ? b : y + b;
    d.pieces += kind == 'M';
    d.vertices++;
    d.left = fmin(d.left, x), d.right = fmax(d.right, x), d.top = fmin(d.top, y),
    d.bottom = fmax(d.bottom, y);
  }
  return d;
}

Test(plot, the_picture_of_a_long_curve_is_small_and_shows_its_peaks) {
  static double x[LONG], y[LONG];
  for (int i = 0; i < LONG; i++) x[i] = i, y[i] = sin(0.1 * i);
  y[31415] = 9, y[92653] = -9;
  const MbCurve curve = {.name = "noise", .n = LONG, .x = x, .y = y};
  char *svg = svg_of_panel(&(MbPanel){
      .ncurves = 1, .curves = &curve, .y = {.from = -9, .to = 9}, .x = {.from = 0, .to = LONG - 1}});
  const Drawn d = line_of(svg, 0);
  cr_expect_float_eq(d.bottom - d.top, HEIGHT, 0.11, "the peaks are %g apart", d.bottom - d.top);
  cr_expect_float_eq(d.right - d.left, WIDTH, 0.11);
  cr_expect_leq(d.vertices, 4 * (int)WIDTH + 8);
  cr_expect_lt(strlen(svg), 60000u, "%zu bytes", strlen(svg));
  cr_expect_eq(d.pieces, 1);
  free(svg);
}

// In every column of pixels the line is as high and as low as all of the points there.
Test(plot, a_thinned_line_covers_what_the_whole_one_covers) {
  enum { N = 20000 };
  static double x[N], y[N], low[900], high[900];
  uint64_t state = 7;
  for (int i = 0; i < N; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x[i] = i / (N - 1.0), y[i] = (double)(state >> 11) * 0x1p-53;
  }
  y[0] = 0, y[1] = 1;
  const MbCurve curve = {.n = N, .x = x, .y = y};
  char *svg = svg_of_panel(
      &(MbPanel){.ncurves = 1, .curves = &curve, .y = {.from = 0, .to = 1}, .x = {.from = 0, .to = 1}});
  const char *p = strstr(strstr(strstr(svg, "<g clip-path"), "<path class=\"c\""), " d=\"M") + 5;
  char *end = NULL;
  double at[2] = {0};
  at[0] = strtod(p, &end), at[1] = strtod(end, &end);
  const double left = at[0], bottom = at[1];
  for (int i = 0; i < 900; i++) low[i] = 1e9, high[i] = -1e9;
  for (bool more = true; more;) {
    const int column = (int)(lround(10 * at[0]) / 10);
    low[column] = fmin(low[column], bottom - at[1]), high[column] = fmax(high[column], bottom - at[1]);
    more = *end == 'l';
    if (more) at[0] += strtod(end + 1, &end), at[1] += strtod(end, &end);
  }
  int checked = 0;
  for (int i = 0; i < N; i++) {
    const double u = left + WIDTH * x[i], v = HEIGHT * y[i], fraction = u - floor(u);
    if (fraction < 0.2 || fraction > 0.8) continue; // the column is not sure
    checked++;
    cr_assert(v <= high[(int)u] + 0.11 && v >= low[(int)u] - 0.11, "point %d at %g %g: %g to %g", i, u, v,
              low[(int)u], high[(int)u]);
  }
  cr_expect_gt(checked, N / 2);
  free(svg);
}

Test(plot, what_is_not_finite_breaks_the_line_and_a_point_alone_is_a_dot) {
  static const double x[] = {0, 1, 2, 3, 4, 5, 6, 7}, y[] = {1, 2, NAN, 3, INFINITY, 1e301, 2, 4};
  const MbCurve curve = {.n = 8, .x = x, .y = y};
  char *svg = svg_of_panel(&(MbPanel){.ncurves = 1, .curves = &curve});
  const Drawn d = line_of(svg, 0);
  cr_expect_eq(d.pieces, 3);
  cr_expect_eq(d.vertices, 5);
  cr_expect(strstr(svg, "h0"), "the point at 3 is a dot");
  free(svg);
}

Test(plot, zeros_have_no_place_on_a_logarithmic_axis) {
  static const double x[] = {0, 1, 2, 3, 4}, y[] = {0, 1e-9, 1e-3, 0, 1e-6};
  const MbCurve curve = {.n = 5, .x = x, .y = y};
  char *svg = svg_of_panel(&(MbPanel){.ncurves = 1, .curves = &curve, .y = {.logarithmic = true}});
  cr_expect_eq(line_of(svg, 0).pieces, 2);
  free(svg);
}

Test(plot, constant_empty_and_absent_curves_make_sound_pictures) {
  static const double x[] = {0, 1, 2}, y[] = {5, 5, 5}, none[] = {NAN, NAN, NAN};
  const MbCurve curves[] = {{.name = "constant", .n = 3, .x = x, .y = y, .hue = 0},
                            {.name = "empty", .hue = 1},
                            {.name = "nothing finite", .n = 3, .x = x, .y = none, .hue = 2}};
  for (size_t n = 0; n <= 3; n++) {
    char *svg = svg_of_panel(&(MbPanel){.ncurves = n, .curves = curves});
    if (n) cr_expect_float_eq(line_of(svg, 0).bottom, line_of(svg, 0).top, 1e-9);
    cr_expect(!!strstr(svg, ">nothing finite</text>") == (n == 3));
    free(svg);
  }
  const MbPlot nothing = {0};
  free(svg_of(&nothing));
}

// A run that ended early: its curve ends there, the axis goes on.
Test(plot, a_shorter_curve_ends_where_its_numbers_end) {
  static const double x[] = {0, 1, 2, 3, 4}, y[] = {0, 1, 2, 3, 4};
  const MbCurve curves[] = {{.n = 5, .x = x, .y = y}, {.n = 3, .x = x, .y = y, .dash = 1}};
  char *svg = svg_of_panel(&(MbPanel){.ncurves = 2, .curves = curves, .x = {.from = 0, .to = 4}});
  const Drawn whole = line_of(svg, 0), ended = line_of(svg, 1);
  cr_expect_float_eq(whole.right - whole.left, WIDTH, 0.11);
  cr_expect_float_eq(ended.right - ended.left, WIDTH / 2, 0.11);
  free(svg);
}

Test(plot, curves_are_told_apart_without_colours) {
  static const double x[] = {0, 1}, y[] = {0, 1};
  MbCurve curves[8];
  for (size_t i = 0; i < 8; i++)
    curves[i] = (MbCurve){.name = "c", .n = 2, .x = x, .y = y, .hue = i, .dash = i};
  char *svg = svg_of_panel(&(MbPanel){.ncurves = 8, .curves = curves});
  char look[8][200];
  const char *p = svg;
  for (int i = 0; i < 8; i++) {
    p = strstr(p, "<path class=\"c\"") + 15;
    const char *dash = strstr(p, "stroke-dasharray"), *line = strstr(p, " d=\""),
               *marker = strstr(p, "<path class=\"d\"");
    marker = strchr(strstr(marker, " d=\""), 'm'); // behind the place
    snprintf(look[i], sizeof look[i], "%.*s%.12s", dash && dash < line ? (int)(line - dash) : 0,
             dash ? dash : "", marker);
    for (int k = 0; k < i; k++) cr_expect_str_neq(look[k], look[i], "%d and %d: %s", k, i, look[i]);
  }
  free(svg);
}

Test(plot, names_are_texts_and_cannot_end_the_picture) {
  static const double x[] = {0, 1}, y[] = {0, 1};
  const MbCurve curve = {.name = "</text><script>&\"\x1b", .n = 2, .x = x, .y = y};
  const MbPanel panel = {
      .title = "a < b", .x = {.label = "x & y"}, .y = {.label = "<g>"}, .ncurves = 1, .curves = &curve};
  const MbPlot plot = {
      .title = "<t>", .columns = 1, .npanels = 1, .panels = &panel, .width = WIDTH, .height = HEIGHT};
  char *svg = svg_of(&plot);
  cr_expect(strstr(svg, "&lt;/text&gt;&lt;script&gt;&amp;&quot; </text>"), "%s", svg);
  cr_expect(!strstr(svg, "<script") && !strstr(svg, "<g>") && !strchr(svg, '\x1b'));
  cr_expect(strstr(svg, "a &lt; b") && strstr(svg, "x &amp; y"));
  free(svg);
}

Test(plot, names_that_are_no_utf8_do_not_make_the_picture_unreadable) {
  static const double x[] = {0, 1}, y[] = {0, 1};
  const MbCurve curve = {.name = "a\xff\xc3(\xe2\x82 m\xc2\xb2 \xe2\x82", .n = 2, .x = x, .y = y};
  char *svg = svg_of_panel(&(MbPanel){.ncurves = 1, .curves = &curve});
  cr_expect(strstr(svg, ">a?"
                        "?(?"
                        "? m\xc2\xb2 ?"
                        "?<"),
            "%s", strstr(svg, ">a"));
  free(svg);
}

static MbStatus draw_text(FILE *out, const MbPlot *plot, MbReport *report) {
  return mb_plot_text(out, plot, 80, 12, report);
}

Test(plot, the_same_plot_gives_the_same_bytes_and_failures_are_told) {
  static const double x[] = {0, 1, 2}, y[] = {3, 1, 2};
  const MbCurve curve = {.name = "c", .n = 3, .x = x, .y = y};
  const MbGuide guide = {.name = "tolerance", .at = 2};
  const MbPanel panel = {.ncurves = 1, .curves = &curve, .nguides = 1, .guides = &guide};
  const MbPlot plot = {.columns = 1, .npanels = 1, .panels = &panel, .width = WIDTH, .height = HEIGHT};
  char *a = svg_of(&plot), *b = svg_of(&plot);
  cr_expect_str_eq(a, b);
  free(a);
  free(b);
  MbStatus (*const draws[])(FILE *, const MbPlot *, MbReport *) = {mb_plot_svg, draw_text};
  for (size_t d = 0; d < 2; d++) {
    char small[100];
    MbReport report = {0};
    FILE *full = fmemopen(small, sizeof small, "w");
    setvbuf(full, NULL, _IONBF, 0);
    cr_expect_eq(draws[d](full, &plot, &report), MB_IO);
    fclose(full);
    // memory that runs out anywhere
    MbStatus status = MB_IO;
    for (int64_t calls = 0; status; calls++) {
      char *text = NULL;
      size_t size = 0;
      FILE *out = open_memstream(&text, &size);
      mb_alloc_fail_after(calls);
      status = draws[d](out, &plot, &report);
      mb_alloc_fail_after(-1);
      fclose(out);
      cr_assert(!status || size == 0);
      cr_assert_eq(mb_alloc_live(), 0);
      free(text);
      cr_assert_lt(calls, 200);
    }
  }
}

// ---- plain text -------------------------------------------------------------------------------------------

static char *text_of(const MbPlot *plot, size_t width, size_t height) {
  char *text = NULL;
  size_t size = 0;
  MbReport report = {0};
  FILE *out = open_memstream(&text, &size);
  cr_assert_eq(mb_plot_text(out, plot, width, height, &report), MB_OK);
  fclose(out);
  return text;
}

Test(plot, plain_text_is_as_wide_as_asked_and_shows_a_peak_of_one_point) {
  static double x[LONG], y[LONG];
  for (int i = 0; i < LONG; i++) x[i] = i, y[i] = 0;
  y[50000] = 1;
  const MbCurve curve = {.name = "peak", .n = LONG, .x = x, .y = y};
  const MbPanel panel = {.ncurves = 1, .curves = &curve};
  const MbPlot plot = {.npanels = 1, .panels = &panel};
  for (size_t width = 40; width <= 200; width += 40) {
    char *text = text_of(&plot, width, 10);
    size_t widest = 0;
    for (const char *p = text; *p;) {
      const size_t n = strcspn(p, "\n");
      widest = n > widest ? n : widest;
      p += n + 1;
    }
    cr_expect(widest <= width && widest > width - 6, "%zu of %zu:\n%s", widest, width, text);
    const char *first = strchr(text, '*'), *line = first;
    while (line > text && line[-1] != '\n') line--;
    cr_expect_lt(abs((int)(first - line) - (int)width / 2), 6, "the peak stands in the middle:\n%s", text);
    free(text);
  }
}

Test(plot, plain_text_of_nothing_and_of_one_value_is_sound) {
  static const double x[] = {1}, y[] = {2};
  const MbCurve curves[] = {{.name = "one\x1b[31m", .n = 1, .x = x, .y = y}, {.name = "none"}};
  for (size_t n = 0; n <= 2; n++) {
    const MbPanel panel = {.ncurves = n, .curves = curves};
    const MbPlot plot = {.npanels = 1, .panels = &panel};
    char *text = text_of(&plot, 60, 9);
    cr_expect(!strchr(text, '\x1b'));
    cr_expect(!!strchr(text, '*') == (n > 0), "%s", text);
    free(text);
  }
}
