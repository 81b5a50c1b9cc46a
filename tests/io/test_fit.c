// Fitting: least squares and the least of a number against problems whose answers and standard errors are known.
#include "core/base/report.h"
#include "io/fit/fit.h"
#include "io/sweep/random.h"
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

// A curve y(t; x) and data for it.
typedef struct Case {
  size_t n, m;
  double low[4], high[4], size[4];
  double t[MOST], data[MOST], sigma;
  double (*curve)(double t, const double *x);
  double walls; // above it the model has no answer
  int asked;
} Case;

static MbStatus value(void *to, const double *x, double *y, MbReport *report) {
  Case *c = to;
  (void)report;
  c->asked++;
  if (c->walls > 0 && x[0] > c->walls) return MB_NUMBERS;
  for (size_t i = 0; i < c->m; i++) y[i] = (c->curve(c->t[i], x) - c->data[i]) / c->sigma;
  return MB_OK;
}

static MbStatus slopes(void *to, const double *x, const double *y, double *out, MbReport *report) {
  const Case *c = to;
  (void)report, (void)y;
  for (size_t k = 0; k < c->n; k++) {
    double less[4], more[4];
    const double move = 1e-5 * fmax(fabs(x[k]), 1);
    memcpy(less, x, c->n * sizeof *x), memcpy(more, x, c->n * sizeof *x);
    less[k] -= move, more[k] += move;
    for (size_t i = 0; i < c->m; i++)
      out[k * c->m + i] = (c->curve(c->t[i], more) - c->curve(c->t[i], less)) / (2 * move * c->sigma);
  }
  return MB_OK;
}

static Case make(size_t n, size_t m, double (*curve)(double, const double *)) {
  Case c = {.n = n, .m = m, .sigma = 1, .curve = curve};
  for (size_t k = 0; k < 4; k++) c.low[k] = -INFINITY, c.high[k] = INFINITY, c.size[k] = 1;
  for (size_t i = 0; i < m; i++) c.t[i] = (double)i / (double)(m > 1 ? m - 1 : 1);
  return c;
}

static MbFitProblem problem_of(Case *c) {
  return (MbFitProblem){.unknowns = c->n,
                        .numbers = c->m,
                        .data = c->m,
                        .low = c->low,
                        .high = c->high,
                        .size = c->size,
                        .most = 200,
                        .to = c,
                        .value = value,
                        .slopes = slopes};
}

typedef struct Answer {
  double x[4], y[MOST], slopes[4 * MOST];
  MbFitFound found;
} Answer;

static void solve(const MbFitProblem *p, const double *start, bool squares, Answer *a) {
  MbReport report = {0};
  memcpy(a->x, start, p->unknowns * sizeof *start);
  a->found = (MbFitFound){.x = a->x, .y = a->y, .slopes = a->slopes};
  const MbStatus status =
      squares ? mb_fit_squares(p, &a->found, &report) : mb_fit_least(p, &a->found, &report);
  cr_assert_eq(status, MB_OK, "%s", report.issues[0].text);
}

static double decay(double t, const double *x) { return x[0] * exp(-x[1] * t); }
static double straight(double t, const double *x) { return x[0] + x[1] * t; }
static double alike(double t, const double *x) { return (x[0] + x[1]) * t + x[2]; }
static double valley(double t, const double *x) { return t < 0.5 ? 10 * (x[1] - x[0] * x[0]) : 1 - x[0]; }
static double bowl(double t, const double *x) {
  (void)t;
  return 100 * (x[1] - x[0] * x[0]) * (x[1] - x[0] * x[0]) + (1 - x[0]) * (1 - x[0]);
}

static double round_one(double t, const double *x) { return 0 * t + (x[0] - 1) * (x[0] - 1); }

// ---- least squares ----------------------------------------------------------------------------------------

Test(fit, squares_find_a_decay_from_far) {
  Case c = make(2, 30, decay);
  const double truth[2] = {3, 5}, start[2] = {0.1, 0.2};
  for (size_t i = 0; i < c.m; i++) c.data[i] = decay(c.t[i], truth);
  const MbFitProblem p = problem_of(&c);
  Answer a;
  solve(&p, start, true, &a);
  cr_expect_eq(a.found.end, MB_FIT_CONVERGED);
  cr_expect_float_eq(a.x[0], 3, 1e-9);
  cr_expect_float_eq(a.x[1], 5, 1e-9);
}

Test(fit, squares_go_along_a_curved_valley) {
  Case c = make(2, 2, valley);
  const MbFitProblem p = problem_of(&c);
  Answer a;
  solve(&p, (double[]){-1.2, 1}, true, &a);
  cr_expect_eq(a.found.end, MB_FIT_CONVERGED);
  cr_expect_float_eq(a.x[0], 1, 1e-8);
  cr_expect_float_eq(a.x[1], 1, 1e-8);
}

Test(fit, squares_stop_at_bounds_and_say_so) {
  Case c = make(2, 30, decay);
  const double truth[2] = {3, 5}, start[2] = {1, 1};
  for (size_t i = 0; i < c.m; i++) c.data[i] = decay(c.t[i], truth);
  c.high[0] = 2;
  const MbFitProblem p = problem_of(&c);
  Answer a;
  solve(&p, start, true, &a);
  MbFitWorth worth;
  MbArena arena = {0};
  MbReport report = {0};
  cr_assert_eq(mb_fit_worth(&p, &a.found, false, &worth, &arena, &report), MB_OK);
  cr_expect_eq(a.found.end, MB_FIT_CONVERGED);
  cr_expect_eq(a.x[0], 2);
  cr_expect(worth.bound[0] && !worth.bound[1]);
  cr_expect(isnan(worth.error[0]) && worth.error[1] > 0);
  // the best of the other one alone
  double best = INFINITY, at = 0;
  for (double b = 1; b < 5; b += 1e-4) {
    double y[MOST];
    value(&c, (double[]){2, b}, y, &report);
    if (mb_fit_cost(&p, y) < best) best = mb_fit_cost(&p, y), at = b;
  }
  cr_expect_float_eq(a.x[1], at, 2e-4, "%g, wanted %g", a.x[1], at);
  mb_arena_free(&arena);
}

Test(fit, squares_turn_round_where_there_is_no_answer) {
  Case c = make(2, 30, decay);
  const double truth[2] = {3, 5};
  for (size_t i = 0; i < c.m; i++) c.data[i] = decay(c.t[i], truth);
  c.walls = 3.2;
  const MbFitProblem p = problem_of(&c);
  Answer a;
  solve(&p, (double[]){0.1, 40}, true, &a);
  cr_expect_float_eq(a.x[0], 3, 1e-8);
}

static MbStatus slopes_below_walls(void *to, const double *x, const double *y, double *out,
                                   MbReport *report) {
  const Case *c = to;
  if (x[0] > 0.9 * c->walls) return mb_error(report, MB_NUMBERS, "", "there is a wall beside it");
  return slopes(to, x, y, out, report);
}

// What has been found before is kept.
Test(fit, a_place_without_slopes_is_an_end) {
  for (int squares = 0; squares < 2; squares++) {
    Case c = make(1, 1, round_one);
    c.walls = 0.5;
    MbFitProblem p = problem_of(&c);
    p.slopes = slopes_below_walls;
    Answer a;
    solve(&p, (double[]){0.1}, squares, &a);
    cr_expect_eq(a.found.end, MB_FIT_EDGE, "%s", mb_fit_end_text(a.found.end));
    cr_expect(a.x[0] > 0.4 && a.x[0] <= 0.5, "%g", a.x[0]);
  }
}

Test(fit, too_few_iterations_are_no_convergence) {
  Case c = make(2, 2, valley);
  MbFitProblem p = problem_of(&c);
  p.most = 3;
  Answer a;
  solve(&p, (double[]){-1.2, 1}, true, &a);
  cr_expect_eq(a.found.end, MB_FIT_ITERATIONS);
  solve(&p, (double[]){-1.2, 1}, true, &a);
  cr_expect_eq(a.found.iterations, 3);
}

// A straight line's standard errors have a formula: s² (1/m + mean(t)²/S), s²/S.
Test(fit, standard_errors_of_a_line_are_those_of_the_book) {
  Case c = make(2, 20, straight);
  for (size_t i = 0; i < c.m; i++)
    c.data[i] = 1 + 2 * c.t[i] + 0.1 * mb_random_normal(mb_random_unit(mb_random_word(7, 0, i)));
  const MbFitProblem p = problem_of(&c);
  Answer a;
  solve(&p, (double[]){0, 0}, true, &a);
  double mean = 0, spread = 0, left = 0;
  for (size_t i = 0; i < c.m; i++) mean += c.t[i] / (double)c.m, left += a.y[i] * a.y[i];
  for (size_t i = 0; i < c.m; i++) spread += (c.t[i] - mean) * (c.t[i] - mean);
  const double s2 = left / (double)(c.m - 2);
  MbFitWorth worth;
  MbArena arena = {0};
  MbReport report = {0};
  cr_assert_eq(mb_fit_worth(&p, &a.found, false, &worth, &arena, &report), MB_OK);
  cr_expect_float_eq(worth.error[0], sqrt(s2 * (1 / (double)c.m + mean * mean / spread)), 1e-9);
  cr_expect_float_eq(worth.error[1], sqrt(s2 / spread), 1e-9);
  cr_expect_float_eq(worth.correlation[1], -mean / sqrt(spread / (double)c.m + mean * mean), 1e-9);
  mb_arena_free(&arena);
}

Test(fit, error_bars_hold_the_truth_as_often_as_they_say) {
  enum { SEEDS = 1000 };
  const double truth[2] = {3, 2};
  int held = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    Case c = make(2, 40, decay);
    for (size_t i = 0; i < c.m; i++)
      c.data[i] = decay(c.t[i], truth) + 0.05 * mb_random_normal(mb_random_unit(mb_random_word(seed, 0, i)));
    const MbFitProblem p = problem_of(&c);
    Answer a;
    solve(&p, (double[]){1, 1}, true, &a);
    MbFitWorth worth;
    MbArena arena = {0};
    MbReport report = {0};
    cr_assert_eq(mb_fit_worth(&p, &a.found, false, &worth, &arena, &report), MB_OK);
    for (size_t k = 0; k < 2; k++) held += fabs(a.x[k] - truth[k]) <= 1.96 * worth.error[k];
    mb_arena_free(&arena);
  }
  printf("error bars of 1.96 standard errors hold the truth in %.1f %% of %d\n", 100.0 * held / (2 * SEEDS),
         2 * SEEDS);
  cr_expect(held > 0.93 * 2 * SEEDS && held < 0.97 * 2 * SEEDS, "%d of %d", held, 2 * SEEDS);
}

Test(fit, what_data_does_not_tell_is_named) {
  Case c = make(3, 20, alike);
  for (size_t i = 0; i < c.m; i++) c.data[i] = 1 + 2 * c.t[i] + (i % 2 ? 0.01 : -0.01);
  const MbFitProblem p = problem_of(&c);
  Answer a;
  solve(&p, (double[]){0, 0, 0}, true, &a);
  MbFitWorth worth;
  MbArena arena = {0};
  MbReport report = {0};
  cr_assert_eq(mb_fit_worth(&p, &a.found, false, &worth, &arena, &report), MB_OK);
  cr_expect(worth.untold[0] && worth.untold[1] && !worth.untold[2]);
  cr_expect_eq(worth.nuntold, 2);
  cr_expect(isinf(worth.error[0]) && isinf(worth.error[1]) && isfinite(worth.error[2]));
  cr_expect_float_eq(a.x[0] + a.x[1], 2, 0.02);
  mb_arena_free(&arena);
}

// A mass, a stiffness and a drag of which only two ratios matter: derivatives have rounding, which is no way further down.
static double swing(double t, const double *x) { return exp(-x[2] / x[0] * t) * cos(20 * x[1] / x[0] * t); }

Test(fit, a_valley_that_leads_nowhere_is_an_end) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    Case c = make(3, 40, swing);
    for (size_t i = 0; i < c.m; i++)
      c.data[i] = swing(c.t[i], (double[]){1, 0.7, 0.4}) +
                  0.02 * mb_random_normal(mb_random_unit(mb_random_word(seed, 0, i)));
    const MbFitProblem p = problem_of(&c);
    Answer a;
    solve(&p, (double[]){1.3, 0.9, 0.3}, true, &a);
    cr_expect_eq(a.found.end, MB_FIT_CONVERGED, "seed %d: %s", (int)seed, mb_fit_end_text(a.found.end));
    MbFitWorth worth;
    MbArena arena = {0};
    MbReport report = {0};
    cr_assert_eq(mb_fit_worth(&p, &a.found, false, &worth, &arena, &report), MB_OK);
    cr_expect_eq(worth.nuntold, 3, "seed %d: %zu", (int)seed, worth.nuntold);
    mb_arena_free(&arena);
  }
}

Test(fit, losses_bear_what_is_far_off) {
  double off[MB_LOSSES];
  for (int loss = 0; loss < MB_LOSSES; loss++) {
    Case c = make(2, 40, straight);
    c.sigma = 0.01;
    for (size_t i = 0; i < c.m; i++)
      c.data[i] = 1 + 2 * c.t[i] + 0.01 * mb_random_normal(mb_random_unit(mb_random_word(3, 0, i))) +
                  (i % 10 == 9 ? 5 : 0);
    MbFitProblem p = problem_of(&c);
    p.loss = (MbLoss)loss;
    Answer a;
    solve(&p, (double[]){1, 1}, true, &a);
    off[loss] = fmax(fabs(a.x[0] - 1), fabs(a.x[1] - 2));
  }
  printf("a line with a tenth of its points far off: squares %.2g, huber %.2g, cauchy %.2g\n",
         off[MB_LOSS_SQUARES], off[MB_LOSS_HUBER], off[MB_LOSS_CAUCHY]);
  cr_expect(off[MB_LOSS_SQUARES] > 0.1 && off[MB_LOSS_HUBER] < 0.02 && off[MB_LOSS_CAUCHY] < 0.02);
}

// Slopes that are of the other sign, until others are asked for.
static bool astray;

static MbStatus slopes_astray(void *to, const double *x, const double *y, double *out, MbReport *report) {
  const Case *c = to;
  const MbStatus status = slopes(to, x, y, out, report);
  for (size_t i = 0; astray && i < c->n * c->m; i++) out[i] = -out[i];
  return status;
}

static bool go_straight(void *to) {
  (void)to;
  if (!astray) return false;
  astray = false;
  return true;
}

Test(fit, slopes_that_lead_nowhere_are_found_another_way) {
  for (int squares = 0; squares < 2; squares++) {
    Case c = squares ? make(2, 30, decay) : make(1, 1, round_one);
    const double truth[2] = {squares ? 3 : 1, 5}, start[2] = {squares ? 2 : 7, 4};
    for (size_t i = 0; squares && i < c.m; i++) c.data[i] = decay(c.t[i], truth);
    MbFitProblem p = problem_of(&c);
    p.slopes = slopes_astray;
    for (int other = 0; other < 2; other++) {
      Answer a;
      astray = true;
      p.otherwise = other ? go_straight : NULL;
      solve(&p, start, squares, &a);
      cr_expect_eq(a.found.end, other ? MB_FIT_CONVERGED : MB_FIT_STUCK);
      cr_expect_float_eq(a.x[0], other ? truth[0] : start[0], 1e-4, "%g", a.x[0]);
    }
  }
}

// What is left is of the place all the same: where no others are found there it is stuck, and has no edge.
static MbStatus slopes_once(void *to, const double *x, const double *y, double *out, MbReport *report) {
  if (!astray) return mb_error(report, MB_NUMBERS, "", "no run there");
  return slopes_astray(to, x, y, out, report);
}

Test(fit, a_search_whose_other_slopes_fail_is_stuck_with_those_it_has) {
  const double start[2] = {2, 4};
  for (int squares = 0; squares < 2; squares++) {
    Case c = squares ? make(2, 30, decay) : make(1, 1, round_one);
    MbFitProblem p = problem_of(&c);
    Answer a;
    p.slopes = slopes_once, p.otherwise = go_straight, astray = true;
    solve(&p, start, squares, &a);
    cr_expect_eq(a.found.end, MB_FIT_STUCK);
    cr_expect(a.slopes[0] != 0 && isfinite(a.slopes[0]));
  }
}

// ---- the least of a number --------------------------------------------------------------------------------

Test(fit, least_of_a_curved_valley) {
  Case c = make(2, 1, bowl);
  MbFitProblem p = problem_of(&c);
  p.data = 0, p.most = 500;
  Answer a;
  solve(&p, (double[]){-1.2, 1}, false, &a);
  cr_expect_eq(a.found.end, MB_FIT_CONVERGED);
  cr_expect_float_eq(a.x[0], 1, 1e-2, "%g", a.x[0]);
  cr_expect_float_eq(a.x[1], 1, 2e-2, "%g", a.x[1]);
  cr_expect_lt(a.found.iterations, 100);
}

static double slope_without_end(double t, const double *x) { return -0.5 * t - x[0]; }

Test(fit, a_number_that_falls_for_ever_has_not_converged) {
  Case c = make(1, 1, slope_without_end);
  const MbFitProblem p = problem_of(&c);
  Answer a;
  solve(&p, (double[]){9}, false, &a);
  cr_expect_neq(a.found.end, MB_FIT_CONVERGED, "it says that it has converged at %g", a.x[0]);
  c.high[0] = 20; // with a bound in the way there is a least one
  solve(&p, (double[]){9}, false, &a);
  cr_expect_eq(a.found.end, MB_FIT_CONVERGED);
  cr_expect_float_eq(a.x[0], 20, 1e-12);
}

static double raised(double t, const double *x) { return 1e9 + 0 * t + (x[0] - 1) * (x[0] - 1); }

Test(fit, slopes_that_look_small_at_the_start_are_no_convergence) {
  Case c = make(1, 1, round_one);
  c.size[0] = 1e-8; // as of a start that is near 0 and not 0
  const MbFitProblem p = problem_of(&c);
  Answer a;
  solve(&p, (double[]){1e-8}, false, &a);
  cr_expect_eq(a.found.end, MB_FIT_CONVERGED);
  cr_expect_float_eq(a.x[0], 1, 1e-3, "it says that it has converged at %g after %d", a.x[0],
                     a.found.iterations);
  c.size[0] = 1, c.curve = raised;
  solve(&p, (double[]){0}, false, &a);
  cr_expect_eq(a.found.end, MB_FIT_CONVERGED);
  cr_expect_float_eq(a.x[0], 1, 5e-2, "on a large constant it says that it has converged at %g after %d",
                     a.x[0], a.found.iterations);
}

static double flat(double t, const double *x) {
  (void)t;
  return fmax(3, x[0] * x[0] + x[1] * x[1]);
}

// It was told as converged.
Test(fit, a_number_that_no_unknown_changes_has_not_converged) {
  Case c = make(2, 1, flat);
  const MbFitProblem p = problem_of(&c);
  Answer a;
  solve(&p, (double[]){0.5, 0.25}, false, &a);
  cr_expect_eq(a.found.end, MB_FIT_FLAT, "%s", mb_fit_end_text(a.found.end));
  cr_expect_eq(a.x[0], 0.5);
  solve(&p, (double[]){5, 2}, false, &a);
  cr_expect_eq(a.found.end, MB_FIT_CONVERGED, "%s", mb_fit_end_text(a.found.end));
}

Test(fit, least_within_bounds_is_at_the_bound_that_is_in_the_way) {
  Case c = make(2, 1, bowl);
  c.high[0] = 0.5;
  MbFitProblem p = problem_of(&c);
  p.data = 0;
  Answer a;
  solve(&p, (double[]){-1.2, 1}, false, &a);
  cr_expect_eq(a.found.end, MB_FIT_CONVERGED);
  cr_expect_eq(a.x[0], 0.5);
  cr_expect_float_eq(a.x[1], 0.25, 1e-4, "%g", a.x[1]);
}
