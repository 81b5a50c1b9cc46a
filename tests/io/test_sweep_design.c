// The runs of a study: grids, zips and tables, Latin hypercubes, Sobol's sequence as published and scrambled, distributions; the same seed
// gives the same runs on every machine.
#include "core/base/alloc.h"
#include "io/sweep/design.h"
#include "io/sweep/random.h"
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static MbDesign make(MbDesignKind kind, uint64_t samples, uint64_t seed, const char *const *axes) {
  MbDesign d = {.kind = kind, .samples = samples, .seed = seed};
  MbReport report = {0};
  for (; axes && *axes; axes += 2)
    cr_assert_eq(mb_design_add(&d, axes[0], axes[1], axes[0], &report), MB_OK, "%s", report.issues[0].text);
  cr_assert_eq(mb_design_finish(&d, &report), MB_OK, "%s", report.issues[0].text);
  return d;
}

// The values of a run, with spaces between them.
static char *row(const MbDesign *d, uint64_t run) {
  MbText t = {0};
  for (size_t a = 0; a < d->naxes; a++) {
    if (a) mb_text_add(&t, " ");
    mb_design_value(d, run, a, &t);
  }
  return mb_text_take(&t);
}

static void expect_row(const MbDesign *d, uint64_t run, const char *wanted) {
  char *found = row(d, run);
  cr_expect_str_eq(found, wanted, "run %d: %s, wanted %s", (int)run, found, wanted);
  mb_free(found);
}

static double number(const MbDesign *d, uint64_t run, size_t axis) {
  MbText t = {0};
  mb_design_value(d, run, axis, &t);
  char *text = mb_text_take(&t);
  const double x = strtod(text, NULL);
  mb_free(text);
  return x;
}

static void expect_refused(MbDesignKind kind, uint64_t samples, const char *name, const char *values,
                           const char *why) {
  MbDesign d = {.kind = kind, .samples = samples};
  MbReport report = {0};
  MbStatus status = mb_design_add(&d, name, values, name, &report);
  if (!status) status = mb_design_finish(&d, &report);
  cr_expect_eq(status, MB_USAGE, "%s=%s was taken", name, values);
  cr_expect(strstr(report.issues[0].text, why), "%s=%s: %s", name, values, report.issues[0].text);
  mb_design_free(&d);
}

Test(sweep_design, the_last_axis_of_a_grid_changes_fastest) {
  MbDesign d = make(MB_DESIGN_GRID, 0, 1, (const char *[]){"a", "1,2", "b", "0.1:0.3:3", NULL});
  cr_assert_eq(d.runs, 6);
  static const char *const rows[] = {"1 0.1", "1 0.2", "1 0.3", "2 0.1", "2 0.2", "2 0.3"};
  for (uint64_t i = 0; i < 6; i++) expect_row(&d, i, rows[i]);
  mb_design_free(&d);
}

Test(sweep_design, ranges_end_exactly_and_have_round_numbers_within) {
  MbDesign d = make(MB_DESIGN_ZIP, 0, 1,
                    (const char *[]){"a", "0.5:1.5:11", "b", "log:1e-3:1e7:11", "c", "0:pi:11", NULL});
  expect_row(&d, 1, "0.6 0.01 0.314159265358979");
  expect_row(&d, 3, "0.8 1 0.942477796076938");
  expect_row(&d, 10, "1.5 10000000 3.141592653589793");
  mb_design_free(&d);
}

Test(sweep_design, a_zip_takes_one_value_of_each_axis_and_single_ones_for_all) {
  MbDesign d = make(MB_DESIGN_ZIP, 0, 1, (const char *[]){"a", "1,2,3", "b", "7", "c", "4:6:3", NULL});
  cr_assert_eq(d.runs, 3);
  expect_row(&d, 2, "3 7 6");
  mb_design_free(&d);
}

Test(sweep_design, values_of_pointers_are_words_and_json) {
  MbDesign d =
      make(MB_DESIGN_GRID, 0, 1,
           (const char *[]){"/solver", "redmax,{\"type\":\"maximal\",\"threads\":2},\"x,y\"", "/gravity",
                            "[0, 0, -9.81], [0, 0, -1.62]", "/p", ".5,+2,=2*pi,=max(1,2)", NULL});
  cr_assert_eq(d.runs, 24);
  expect_row(&d, 0, "\"redmax\" [0, 0, -9.81] 0.5");
  expect_row(&d, 13, "{\"type\":\"maximal\",\"threads\":2} [0, 0, -1.62] 2");
  expect_row(&d, 23, "\"x,y\" [0, 0, -1.62] \"=max(1,2)\"");
  mb_design_free(&d);
}

Test(sweep_design, a_later_axis_of_a_name_replaces_the_earlier_one) {
  MbDesign d = make(MB_DESIGN_GRID, 0, 1, (const char *[]){"a", "1,2,3", "b", "5", "a", "9", NULL});
  cr_assert_eq(d.runs, 1);
  expect_row(&d, 0, "9 5");
  mb_design_free(&d);
}

Test(sweep_design, what_fits_no_design_is_refused_with_what_was_wanted) {
  expect_refused(MB_DESIGN_GRID, 0, "a", "0:1", "from:to:count");
  expect_refused(MB_DESIGN_GRID, 0, "a", "normal:0:1", "--samples");
  expect_refused(MB_DESIGN_RANDOM, 5, "a", "0:1:3", "from:to alone");
  expect_refused(MB_DESIGN_RANDOM, 0, "a", "0:1", "--samples");
  expect_refused(MB_DESIGN_GRID, 3, "a", "1,2", "--samples");
  expect_refused(MB_DESIGN_GRID, 0, "a", "0:1:0", "how many");
  expect_refused(MB_DESIGN_GRID, 0, "a", "0:1:2.5", "how many");
  expect_refused(MB_DESIGN_GRID, 0, "a", "log:0:1:3", "above 0");
  expect_refused(MB_DESIGN_GRID, 0, "a", "1,two", "found \"two\"");
  expect_refused(MB_DESIGN_GRID, 0, "a", "", "found \"\"");
  expect_refused(MB_DESIGN_GRID, 0, "a", "1,,2", "found \"\"");
  expect_refused(MB_DESIGN_RANDOM, 2, "a", "normal:0:-1", "no less than 0");
  expect_refused(MB_DESIGN_RANDOM, 2, "a", "uniform:0:1:2", "two numbers");
  expect_refused(MB_DESIGN_GRID, 0, "a", "0:1:1e10", "how many");
}

Test(sweep_design, a_table_makes_a_run_of_each_row) {
  static const char text[] = "\xEF\xBB\xBFlength, /solver "
                             ",\"/gravity\"\r\n1,redmax,\"[0,0,-1]\"\r\n\r\n0.5,\"maximal\",\"[0,0,-2]\"";
  MbDesign d = {.kind = MB_DESIGN_LIST};
  MbReport report = {0};
  cr_assert_eq(mb_design_add_table(&d, text, sizeof text - 1, "t.csv", &report), MB_OK, "%s",
               report.issues[0].text);
  cr_assert_eq(mb_design_finish(&d, &report), MB_OK);
  cr_assert_eq(d.runs, 2);
  expect_row(&d, 0, "1 \"redmax\" [0,0,-1]");
  expect_row(&d, 1, "0.5 \"maximal\" [0,0,-2]");
  mb_design_free(&d);
}

Test(sweep_design, a_table_that_is_wrong_is_refused_with_its_line) {
  static const char *const texts[][2] = {{"a,b\n1,2\n3\n", "t.csv:3: 1 cells, wanted 2"},
                                         {"a,b\n1,2,3\n", "t.csv:2: more cells"},
                                         {"a,a\n1,2\n", "t.csv:1: a is there already"},
                                         {"a,\n1,2\n", "t.csv:1: a column has no name"},
                                         {"a\n", "has names and no rows"},
                                         {"a\n1\nx\n", "t.csv:3: a: found \"x\""}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    MbDesign d = {.kind = MB_DESIGN_LIST};
    MbReport report = {0};
    cr_expect_eq(mb_design_add_table(&d, texts[i][0], strlen(texts[i][0]), "t.csv", &report), MB_USAGE);
    cr_expect(strstr(report.issues[0].text, texts[i][1]), "%s", report.issues[0].text);
    mb_design_free(&d);
  }
}

// ---- samples ----------------------------------------------------------------------------------------------

Test(sweep_design, every_slice_of_a_latin_hypercube_holds_one_run) {
  enum { N = 500, AXES = 5 };
  MbDesign d = make(MB_DESIGN_LATIN_HYPERCUBE, N, 3,
                    (const char *[]){"a", "0:1", "b", "0:1", "c", "0:1", "d", "0:1", "e", "0:1", NULL});
  for (size_t axis = 0; axis < AXES; axis++) {
    int seen[N] = {0};
    for (uint64_t i = 0; i < N; i++) seen[(int)(number(&d, i, axis) * N)]++;
    for (int k = 0; k < N; k++)
      cr_assert_eq(seen[k], 1, "slice %d of axis %d holds %d", k, (int)axis, seen[k]);
  }
  int same = 0; // axes are not in step
  for (uint64_t i = 0; i < N; i++) same += fabs(number(&d, i, 0) - number(&d, i, 1)) < 0.01;
  cr_expect_lt(same, N / 10);
  mb_design_free(&d);
}

// S. Joe and F. Y. Kuo, Notes on generating Sobol sequences: the first ten points in three dimensions.
Test(sweep_design, a_sobol_sequence_of_seed_0_begins_as_published) {
  static const double points[10][3] = {{0, 0, 0},
                                       {0.5, 0.5, 0.5},
                                       {0.75, 0.25, 0.25},
                                       {0.25, 0.75, 0.75},
                                       {0.375, 0.375, 0.625},
                                       {0.875, 0.875, 0.125},
                                       {0.625, 0.125, 0.875},
                                       {0.125, 0.625, 0.375},
                                       {0.1875, 0.3125, 0.9375},
                                       {0.6875, 0.8125, 0.4375}};
  MbDesign d = make(MB_DESIGN_SOBOL, 10, 0, (const char *[]){"a", "0:1", "b", "0:1", "c", "0:1", NULL});
  for (uint64_t i = 0; i < 10; i++)
    for (size_t a = 0; a < 3; a++) cr_expect_eq(number(&d, i, a), points[i][a], "point %d", (int)i);
  mb_design_free(&d);
}

// Of dimension s + 1 the polynomials of degree s are used; a primitive one makes x come back after 2^s - 1 steps and not before.
Test(sweep_design, the_table_of_direction_numbers_holds_primitive_polynomials_in_order_and_odd_numbers) {
  for (size_t i = 0; i + 1 < MB_SOBOL_DIMENSIONS; i++) {
    const MbSobolRow *r = &mb_sobol_table[i];
    const unsigned polynomial = 1u << r->degree | (unsigned)r->inner << 1 | 1u;
    unsigned x = 1, order = 0;
    do {
      x <<= 1;
      if (x >> r->degree) x ^= polynomial;
      order++;
    } while (x != 1 && order <= 1u << r->degree);
    cr_expect_eq(order, (1u << r->degree) - 1, "dimension %d", (int)i + 2);
    for (unsigned k = 0; k < r->degree; k++)
      cr_expect(r->first[k] % 2 && r->first[k] < 2u << k, "dimension %d", (int)i + 2);
    if (i) cr_expect(r->degree > r[-1].degree || (r->degree == r[-1].degree && r->inner > r[-1].inner));
  }
}

// Property A of Sobol: of the first 2^d points of d dimensions each octant holds one. And each dimension alone is a permutation.
Test(sweep_design, sobol_points_fill_every_dimension_and_every_pair_evenly) {
  enum { BITS = 10, N = 1 << BITS };
  static uint32_t v[MB_SOBOL_DIMENSIONS][MB_SOBOL_BITS];
  for (size_t a = 0; a < MB_SOBOL_DIMENSIONS; a++) {
    mb_sobol_directions(a, v[a]);
    bool seen[N] = {false};
    for (uint32_t i = 0; i < N; i++) {
      const uint32_t k = mb_sobol_coordinate(v[a], i) >> (32 - BITS);
      cr_assert(!seen[k], "dimension %d", (int)a + 1);
      seen[k] = true;
    }
  }
  // Joe and Kuo chose the numbers so that pairs of dimensions are good: with t = 7 every box of area 2^(7 - 10) holds 2^7 of the
  // first 2^10 points, for all pairs of the first hundred
  enum { T = 7 };
  for (size_t a = 0; a < MB_SOBOL_DIMENSIONS; a++)
    for (size_t b = a + 1; b < MB_SOBOL_DIMENSIONS; b++)
      for (unsigned k = 0; k <= BITS - T; k++) {
        int count[1 << (BITS - T)] = {0};
        for (uint32_t i = 0; i < N; i++) {
          const uint32_t x = k ? mb_sobol_coordinate(v[a], i) >> (32 - k) : 0, m = BITS - T - k;
          const uint32_t y = m ? mb_sobol_coordinate(v[b], i) >> (32 - m) : 0;
          count[x << m | y]++;
        }
        for (int c = 0; c < 1 << (BITS - T); c++)
          cr_assert_eq(count[c], 1 << T, "dimensions %d and %d", (int)a + 1, (int)b + 1);
      }
}

Test(sweep_design, scrambling_leaves_a_sobol_net_a_net_and_depends_on_the_seed) {
  enum { N = 256 };
  const char *axes[] = {"a", "0:1", "b", "0:1", NULL};
  MbDesign d = make(MB_DESIGN_SOBOL, N, 7, axes), other = make(MB_DESIGN_SOBOL, N, 8, axes);
  int boxes[16][16] = {{0}}, same = 0;
  for (uint64_t i = 0; i < N; i++) {
    boxes[(int)(number(&d, i, 0) * 16)][(int)(number(&d, i, 1) * 16)]++;
    same += number(&d, i, 0) == number(&other, i, 0);
  }
  for (int i = 0; i < 16; i++)
    for (int k = 0; k < 16; k++) cr_expect_eq(boxes[i][k], 1, "box %d %d", i, k);
  cr_expect_eq(same, 0);
  mb_design_free(&d);
  mb_design_free(&other);
}

// The same numbers on every machine: these were made once.
Test(sweep_design, the_same_seed_gives_the_same_runs_everywhere) {
  const char *axes[] = {"a", "0:1", "b", "log:1:1000", "c", "normal:5:2", "/d", "x,y,z", NULL};
  MbDesign random = make(MB_DESIGN_RANDOM, 1000, 42, axes),
           latin = make(MB_DESIGN_LATIN_HYPERCUBE, 1000, 42, axes),
           sobol = make(MB_DESIGN_SOBOL, 1000, 42, axes);
  expect_row(&random, 17, "0.870664056961172 7.860003078420303 8.820364207023857 \"z\"");
  expect_row(&latin, 17, "0.8728706640569611 391.64755776649906 6.612647812152781 \"y\"");
  expect_row(&sobol, 17, "0.15757098805624992 3.3930130743685756 2.9391388749268144 \"z\"");
  mb_design_free(&random);
  mb_design_free(&latin);
  mb_design_free(&sobol);
}

Test(sweep_design, what_is_drawn_has_the_distribution_that_was_asked_for) {
  enum { N = 100000 };
  MbDesign d = make(MB_DESIGN_RANDOM, N, 5,
                    (const char *[]){"u", "-1:3", "l", "log_uniform:1:1e4", "n", "normal:5:2", NULL});
  double sum[3] = {0}, square[3] = {0}, low = 1e300;
  for (uint64_t i = 0; i < N; i++)
    for (size_t a = 0; a < 3; a++) {
      const double x = a == 1 ? log10(number(&d, i, a)) : number(&d, i, a);
      sum[a] += x;
      square[a] += x * x;
      if (!a) low = fmin(low, x);
    }
  static const double mean[] = {1, 2, 5}, deviation[] = {1.1547005, 1.1547005, 2};
  for (int a = 0; a < 3; a++) {
    const double m = sum[a] / N, s = sqrt(square[a] / N - m * m);
    cr_expect_float_eq(m, mean[a], 5 * deviation[a] / sqrt(N), "mean %g", m);
    cr_expect_float_eq(s, deviation[a], 0.02, "deviation %g", s);
  }
  cr_expect(low >= -1 && low < -0.999);
  mb_design_free(&d);
}

Test(sweep_design, its_own_functions_are_those_of_the_library_to_rounding) {
  for (int i = 1; i < 2000; i++) {
    const double x = (i - 1000) * 0.1, u = i / 2000.0;
    cr_expect_float_eq(mb_random_exp(x) / exp(x), 1, 4e-16);
    cr_expect_float_eq(mb_random_log(i * 0.37), log(i * 0.37), 1e-15 * (1 + fabs(log(i * 0.37))));
    cr_expect_float_eq(0.5 * erfc(-mb_random_normal(u) / sqrt(2)) / u, 1, 1e-13);
  }
}
