// Comparison of two trajectories: what counts as a difference, tolerances and scales, rotations, how errors grow, what `--until` leaves out, the
// verdict, and where two scenes differ.
#include "core/base/alloc.h"
#include "io/compare/compare_parts.h"
#include "tests/io/compare_fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(compare, .init = fixture_begin, .fini = fixture_end, .timeout = 30);

static MbCompareOptions with(double atol, double rtol) {
  return (MbCompareOptions){.fallback = {NULL, NULL, atol, rtol}, .until = INFINITY};
}

// ---- numbers ----------------------------------------------------------------------------------------------

Test(compare, a_run_is_the_same_as_itself_to_the_last_bit) {
  const Plan p = smooth_plan();
  Compared c = compare_plans(&p, &p, &exact);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  cr_expect(c.result.same);
  cr_expect_eq(c.result.frames, 101u);
  cr_expect_eq(c.result.nchannels, 6u, "the clock's channel is left out");
  cr_expect_str_eq(c.result.verdict, "same: 101 frames, 6 channels, every number equal");
  mb_compare_free(&c.result);
  cr_expect_eq(mb_alloc_live(), 0);
}

static void one_ulp(double *x, uint64_t k, double t) {
  (void)t;
  if (k == 37) x[POSITION + 1] = nextafter(x[POSITION + 1], 10);
}

Test(compare, one_unit_in_the_last_place_is_found_named_and_counted) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = one_ulp;
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_DIFFERS);
  const MbChannelResult *r = channel_result(&c, "body.position");
  cr_expect_not(r->pass);
  cr_expect_eq(r->exceeding, 1u);
  cr_expect_eq(r->first.frame, 37u);
  cr_expect_eq(r->first.item, 0u);
  cr_expect_eq(r->first.component, 1u);
  cr_expect_eq(r->worst.ulps, 1.0);
  cr_expect(r->jump);
  cr_expect(strstr(c.result.verdict, "differ: body.position of 'crate' (y) at t = 0.37 s (frame 37): "), "%s",
            c.result.verdict);
  for (size_t i = 0; i < c.result.nchannels; i++)
    cr_expect_eq(c.result.channels[i].pass, strcmp(c.result.channels[i].channel, "body.position") != 0);
  mb_compare_free(&c.result);
}

static void minus_zero(double *x, uint64_t k, double t) {
  (void)k, (void)t;
  x[ENERGY + 2] = -0.0;
}

Test(compare, minus_zero_is_zero) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = minus_zero;
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  mb_compare_free(&c.result);
}

static void nan_in_one(double *x, uint64_t k, double t) {
  (void)t;
  if (k == 90) x[VELOCITY + 3] = NAN;
}

Test(compare, nan_differs_from_every_number_and_from_no_nan) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = nan_in_one;
  const MbCompareOptions wide = with(1e300, 0);
  Compared c = compare_plans(&a, &b, &wide);
  cr_expect_eq(c.status, MB_DIFFERS);
  const MbChannelResult *r = channel_result(&c, "body.velocity");
  cr_expect(isinf(r->worst.error) && isnan(r->worst.b));
  cr_expect_eq(r->first.frame, 90u);
  cr_expect(strstr(c.result.verdict, "against nan"), "%s", c.result.verdict);
  mb_compare_free(&c.result);
  c = compare_plans(&b, &b, &exact);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  mb_compare_free(&c.result);
}

Test(compare, errors_of_numbers_have_their_edge_cases) {
  cr_expect_eq(mb_number_error(INFINITY, INFINITY), 0.0);
  cr_expect(isinf(mb_number_error(INFINITY, -INFINITY)));
  cr_expect_eq(mb_number_error(NAN, NAN), 0.0);
  cr_expect_eq(mb_number_ulps(-0.0, 0.0), 0.0);
  cr_expect_eq(mb_number_ulps(1, nextafter(1, 2)), 1.0);
  cr_expect_eq(mb_number_ulps(-0x1p-1074, 0x1p-1074), 2.0);
  cr_expect(mb_number_ulps(-1, 1) > 9e18);
  cr_expect(isinf(mb_number_ulps(NAN, 1)));
}

// ---- tolerances -------------------------------------------------------------------------------------------

static void off_by_1e_6(double *x, uint64_t k, double t) {
  (void)t;
  if (k >= 50) x[POSITION + 3] += 1e-6;
}

Test(compare, a_tolerance_is_absolute_plus_relative_to_the_channels_range) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = off_by_1e_6;
  // y goes from 0 to 2, which is the largest extent of the channel
  const double least[4][2] = {{1.01e-6, 0}, {0, 0.51e-6}, {0.99e-6, 0}, {0, 0.49e-6}};
  for (int i = 0; i < 4; i++) {
    const MbCompareOptions options = with(least[i][0], least[i][1]);
    Compared c = compare_plans(&a, &b, &options);
    cr_expect_eq(c.status, i < 2 ? MB_OK : MB_DIFFERS, "case %d: %s", i, c.result.verdict);
    const MbChannelResult *r = channel_result(&c, "body.position");
    cr_expect_float_eq(r->range, 2, 1e-12);
    cr_expect_float_eq(r->worst.error, 1e-6, 1e-15);
    cr_expect_float_eq(r->worst.scaled, 0.5e-6, 1e-15);
    mb_compare_free(&c.result);
  }
}

Test(compare, a_channels_own_tolerance_goes_before_the_one_for_all) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = off_by_1e_6;
  const MbTolerance own[] = {{"body.position", NULL, 2e-6, 0}, {"body.positon", NULL, 1, 0}};
  MbCompareOptions options = exact;
  options.tolerances = own;
  options.ntolerances = 2;
  Compared c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  cr_expect_eq(c.report.warnings, 1, "the misspelt one is told");
  cr_expect(strstr(c.report.issues[0].text, "did you mean 'body.position'"), "%s", c.report.issues[0].text);
  mb_compare_free(&c.result);

  const MbTolerance tight[] = {{"body.position", NULL, 0, 0}};
  options = with(1, 0);
  options.tolerances = tight;
  options.ntolerances = 1;
  c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_DIFFERS);
  mb_compare_free(&c.result);
}

Test(compare, tolerances_that_are_no_numbers_are_refused) {
  const Plan p = smooth_plan();
  const MbCompareOptions bad[] = {with(-1, 0), with(0, NAN), {.until = NAN}};
  for (int i = 0; i < 3; i++) {
    Compared c = compare_plans(&p, &p, &bad[i]);
    cr_expect_eq(c.status, MB_USAGE, "case %d", i);
    cr_expect_eq(c.report.errors, 1);
    mb_compare_free(&c.result);
  }
}

Test(compare, what_is_conserved_still_has_a_scale) {
  const Plan a = smooth_plan();
  const MbCompareOptions options = with(0, 1e-6);
  Compared c = compare_plans(&a, &a, &options);
  cr_expect_float_eq(channel_result(&c, "momentum")->range, 3, 1e-15, "constant, but 3 away from none");
  cr_expect_float_eq(channel_result(&c, "energy")->range, 5, 1e-15, "one range for all energies");
  mb_compare_free(&c.result);
}

static void stretched(double *x, uint64_t k, double t) {
  (void)t;
  if (k == 10) x[ENERGY + 2] += 4e-6; // of an elastic energy that is 0 throughout
}

Test(compare, energies_are_scaled_by_the_largest_of_them) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = stretched;
  const MbCompareOptions enough = with(0, 1e-6), tight = with(0, 0.5e-6);
  Compared c = compare_plans(&a, &b, &enough);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  mb_compare_free(&c.result);
  c = compare_plans(&a, &b, &tight);
  cr_expect_eq(c.status, MB_DIFFERS);
  mb_compare_free(&c.result);
}

static void spin_off(double *x, uint64_t k, double t) {
  (void)k, (void)t;
  x[VELOCITY + 2] += 1.5e-3; // wz, whose range is 1; that of vy is 2
}

Test(compare, components_of_another_kind_have_a_range_of_their_own) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = spin_off;
  const MbCompareOptions options = with(0, 1e-3);
  Compared c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_DIFFERS, "%s", c.result.verdict);
  cr_expect_float_eq(channel_result(&c, "body.velocity")->worst.scaled, 1.5e-3, 1e-9);
  mb_compare_free(&c.result);
}

Test(compare, the_bounds_of_both_files_are_added) {
  Plan a = smooth_plan(), b = a;
  a.bound[MB_POSE] = 1e-4;
  b.bound[MB_POSE] = 2e-5;
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  const MbChannelResult *r = channel_result(&c, "body.position");
  cr_expect_float_eq(r->atol, 1.2e-4, 1e-12);
  cr_expect(r->worst.error > 0 && r->worst.error <= r->atol, "%g of %g", r->worst.error, r->atol);
  cr_expect_eq(r->worst.ulps, 0.0);
  const MbChannelResult *q = channel_result(&c, "body.rotation");
  cr_expect(q->atol > 4 * 1.2e-4 && q->atol < 5 * 1.2e-4, "%g", q->atol);
  mb_compare_free(&c.result);

  // but no more than that
  b.edit = off_by_1e_6;
  b.bound[MB_POSE] = 1e-8;
  a.bound[MB_POSE] = 1e-8;
  c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_DIFFERS);
  cr_expect_eq(channel_result(&c, "body.position")->first.frame, 50u);
  mb_compare_free(&c.result);
}

// ---- rotations --------------------------------------------------------------------------------------------

static void flip(double *x, uint64_t k, double t) {
  (void)t;
  for (int i = 0; i < 4 && k % 3; i++) x[ROTATION + i] = -x[ROTATION + i];
}

Test(compare, a_quaternion_and_its_negative_are_the_same_rotation) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = flip;
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  mb_compare_free(&c.result);
}

static double turned;

static void turn(double *x, uint64_t k, double t) {
  (void)k;
  x[ROTATION + 4] = -cos(t / 2 + turned / 2);
  x[ROTATION + 7] = -sin(t / 2 + turned / 2);
}

Test(compare, the_error_of_a_rotation_is_the_angle_also_where_it_is_tiny) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = turn;
  const double angles[] = {1e-12, 1e-6, 0.1, 3.0};
  static const double rounding = 4e-16; // of the sines and cosines above
  for (int i = 0; i < 4; i++) {
    turned = angles[i];
    Compared c = compare_plans(&a, &b, &exact);
    const MbChannelResult *r = channel_result(&c, "body.rotation");
    cr_expect(fabs(r->worst.error - turned) <= 2 * rounding, "%.17g for %.17g", r->worst.error, turned);
    cr_expect_eq(r->worst.item, 1u);
    cr_expect_float_eq(r->range, 1, 1e-12, "it turns by 1 rad");
    mb_compare_free(&c.result);
  }
  const double q[4] = {1, 0, 0, 0}, longer[4] = {2, 0, 0, 0}, broken[4] = {NAN, 0, 0, 0},
               tiny[4] = {1, 1e-20, 0, 0};
  cr_expect_eq(mb_rotation_error(q, longer), 1.0, "another length is no rotation of that angle");
  cr_expect(isinf(mb_rotation_error(q, broken)));
  cr_expect_eq(mb_rotation_error(broken, broken), 0.0);
  cr_expect_float_eq(mb_rotation_error(q, tiny), 2e-20, 1e-30);
}

// ---- growth -----------------------------------------------------------------------------------------------

static double logistic; // its parameter: 4 is chaotic, doubling a difference in each step on average
static double state;

static void chaos(double *x, uint64_t k, double t) {
  (void)t;
  if (!k) state = 0.3;
  if (k) state = logistic * state * (1 - state);
  x[POSITION] = state;
}

static void perturbed_chaos(double *x, uint64_t k, double t) {
  chaos(x, k, t);
  if (k == 10) x[POSITION] = state = nextafter(state, 1);
}

static void jump(double *x, uint64_t k, double t) {
  (void)t;
  if (k >= 60) x[POSITION + 2] += 1e-3 * (1 + 0.1 * sin((double)k));
}

Test(compare, one_ulp_that_grows_chaotically_is_told_from_a_jump) {
  logistic = 4;
  Plan a = smooth_plan(), b = a;
  a.edit = chaos;
  b.edit = perturbed_chaos;
  Compared c = compare_plans(&a, &b, &exact);
  const MbChannelResult *r = channel_result(&c, "body.position");
  cr_expect_eq(r->first.frame, 10u);
  cr_expect_eq(r->first.ulps, 1.0);
  cr_expect_not(r->jump);
  const double doubling = log10(2) / 0.01; // decades a second
  cr_expect(fabs(r->growth - doubling) < 0.25 * doubling, "%g for %g", r->growth, doubling);
  cr_expect(r->growth_r2 > 0.9, "%g", r->growth_r2);
  cr_expect(strstr(c.result.verdict, "grows 10x every 0.0"), "%s", c.result.verdict);
  mb_compare_free(&c.result);

  a.edit = NULL;
  b.edit = jump;
  c = compare_plans(&a, &b, &exact);
  r = channel_result(&c, "body.position");
  cr_expect_eq(r->first.frame, 60u);
  cr_expect(r->jump);
  cr_expect(isnan(r->growth));
  cr_expect(strstr(c.result.verdict, "there at once"), "%s", c.result.verdict);
  mb_compare_free(&c.result);
}

Test(compare, growth_is_fitted_on_series_longer_than_are_kept) {
  static MbGrowth g;
  const double rate = 0.5; // decades a second
  for (int k = 0; k < 20000; k++) {
    const double t = k * 1e-3, e = 1e-12 * pow(10, rate * t);
    mb_growth_add(&g, t, fmin(e, 1e-4), k > 0);
  }
  MbChannelResult r = {0};
  mb_growth_fit(&g, &r);
  cr_expect_float_eq(r.growth, rate, 0.01 * rate, "%g", r.growth);
  cr_expect(r.growth_r2 > 0.999, "%g", r.growth_r2);
  cr_expect_not(r.jump);
}

// Errors that grow like a power of time, towards a bound, or swing about one have no rate at which they grow tenfold.
Test(compare, what_saturates_has_no_rate_of_growth) {
  static MbGrowth g;
  for (int kind = 0; kind < 5; kind++) {
    memset(&g, 0, sizeof g);
    for (int k = 0; k < 400; k++) {
      const double t = (k + 1) * 0.01;
      const double errors[] = {1 - exp(-t), t, t * t, 1 - exp(-10 * t), 0.1 * t * (1.1 + sin(40 * t))};
      mb_growth_add(&g, t, errors[kind], true);
    }
    MbChannelResult r = {0};
    mb_growth_fit(&g, &r);
    cr_expect(isnan(r.growth) && isnan(r.growth_r2) && isnan(r.growth_end), "kind %d: %g", kind, r.growth);
  }
}

// ---- until ------------------------------------------------------------------------------------------------

static void drifted(double *x, uint64_t k, double t) {
  (void)k;
  if (t <= 0.505) return;
  x[POSITION] += t;
  x[VELOCITY] = t;
}

static void hotter(double *x, uint64_t k, double t) {
  drifted(x, k, t);
  if (t > 0.505) x[ENERGY + 3] += 0.01;
}

static void pushed(double *x, uint64_t k, double t) {
  drifted(x, k, t);
  if (t > 0.7) x[MOMENTUM] += 0.01;
}

static void torn(double *x, uint64_t k, double t) {
  drifted(x, k, t);
  if (t > 0.7) x[VIOLATION] += 0.01;
}

Test(compare, after_until_invariants_count_and_numbers_do_not) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = drifted;
  MbCompareOptions options = with(1e-6, 0);
  Compared c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_DIFFERS);
  mb_compare_free(&c.result);

  options.until = 0.5;
  c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  cr_expect_eq(c.result.frames, 51u);
  cr_expect_eq(c.result.ninvariants, 6u);
  cr_expect(strstr(c.result.verdict, "6 invariants agree after t = 0.5 s"), "%s", c.result.verdict);
  mb_compare_free(&c.result);

  void (*const edits[])(double *, uint64_t, double) = {hotter, pushed, torn};
  const char *const names[] = {"energy.total mean", "momentum.linear", "constraint.error.position max"};
  for (int i = 0; i < 3; i++) {
    b.edit = edits[i];
    c = compare_plans(&a, &b, &options);
    cr_expect_eq(c.status, MB_DIFFERS, "%s", names[i]);
    size_t k = 0;
    while (k < c.result.ninvariants && strcmp(c.result.invariants[k].name, names[i]) != 0) k++;
    cr_assert_lt(k, c.result.ninvariants, "%s", names[i]);
    cr_expect_not(c.result.invariants[k].pass, "%s", names[i]);
    cr_expect_float_eq(c.result.invariants[k].error, 0.01, 1e-6, "%s: %g", names[i],
                       c.result.invariants[k].error);
    cr_expect(strstr(c.result.verdict, names[i]), "%s", c.result.verdict);
    mb_compare_free(&c.result);
  }
}

Test(compare, bounds_of_the_files_widen_what_invariants_may_be_off) {
  Plan a = smooth_plan(), b = a;
  MbCompareOptions options = with(1e-6, 0);
  options.until = 0.5;
  b.edit = pushed; // momentum off by 0.01
  a.bound[MB_VELOCITY] = b.bound[MB_VELOCITY] = 4e-3;
  Compared c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  const double wanted = 1e-6 + 3.5 * 8e-3;
  size_t k = 0;
  while (k < c.result.ninvariants && strcmp(c.result.invariants[k].name, "momentum.linear") != 0) k++;
  cr_assert_lt(k, c.result.ninvariants);
  cr_expect_float_eq(c.result.invariants[k].tolerance, wanted, 1e-12, "%g", c.result.invariants[k].tolerance);
  mb_compare_free(&c.result);
}

Test(compare, a_run_that_ends_early_is_found_after_until_too) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.frames = 80;
  MbCompareOptions options = with(1, 0);
  options.until = 0.5;
  for (int way = 0; way < 2; way++) {
    Compared c = way ? compare_plans(&b, &a, &options) : compare_plans(&a, &b, &options);
    cr_expect_eq(c.status, MB_DIFFERS);
    cr_expect(has_missing(&c, "21 frames from t = 0.8 s (frame 80) on are only in"), "%s", c.result.verdict);
    mb_compare_free(&c.result);
  }
}

// ---- the verdict --------------------------------------------------------------------------------------------

static void twice(double *x, uint64_t k, double t) {
  (void)t;
  if (k >= 60) x[POSITION] += 1;
  if (k >= 40) x[MOMENTUM + 4] += 1;
}

static void creeps(double *x, uint64_t k, double t) {
  if (k >= 10) x[ENERGY] += 1e-9;
  if (k >= 20) x[POSITION + 4] += 1e-3 * t;
}

Test(compare, the_verdict_has_the_worst_beside_the_first) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = creeps;
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect(strstr(c.result.verdict, "differ: energy (kinetic) at t = 0.1 s (frame 10)"), "%s",
            c.result.verdict);
  cr_expect(strstr(c.result.verdict,
                   "; worst body.position of 'ball' (y) at t = 1 s (frame 100): 0.001 > 0; 1 more"),
            "%s", c.result.verdict);
  mb_compare_free(&c.result);
}

Test(compare, only_the_channels_that_are_asked_for_are_compared) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = creeps;
  b.channels[4].name = "another"; // in place of momentum
  MbCompareOptions options = exact;
  const char *const only[] = {"body.rotation", "body.velocity"};
  options.only = only, options.nonly = 2;
  Compared c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  cr_expect_eq(c.result.nchannels, 2u);
  cr_expect_eq(c.result.nmissing, 0u);
  mb_compare_free(&c.result);
}

Test(compare, a_components_tolerance_goes_before_its_channels) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = creeps;
  for (int tight = 0; tight < 2; tight++) {
    const MbTolerance own[] = {{"body.position", "y", tight ? 1e-6 : 2e-3, 0},
                               {"body.position", NULL, tight ? 1 : 0, 0}};
    MbCompareOptions options = exact;
    options.tolerances = own, options.ntolerances = 2;
    options.fallback.atol = 1;
    Compared c = compare_plans(&a, &b, &options);
    cr_expect_eq(c.status, tight ? MB_DIFFERS : MB_OK, "%s", c.result.verdict);
    const MbChannelResult *r = channel_result(&c, "body.position");
    cr_expect_eq(r->worst.allowed, own[0].atol);
    cr_expect_eq(r->ncomponents, 3u);
    cr_expect(r->worst_of[0] == 0 && r->worst_of[1] > 9e-4 && r->worst_of[2] == 0);
    mb_compare_free(&c.result);
  }
}

// ---- scenes -----------------------------------------------------------------------------------------------

Test(compare, where_the_scenes_differ_is_told_and_is_no_difference) {
  Plan a = smooth_plan(), b = a;
  a.scene =
      "{\"parameters\": {\"kp\": 100, \"a/b\": 1}, \"_note\": 1, \"time\": {\"step\": 0.1}, \"bodies\": "
      "[{\"name\": \"crate\", \"mass\": 1}, {\"name\": \"ball\", \"at\": [0, 0, 1]}]}";
  b.scene =
      "{\"time\": {\"step\": 1e-1}, \"parameters\": {\"a/b\": 2, \"kp\": 120}, \"_note\": 2, \"bodies\": "
      "[{\"name\": \"new\"}, {\"name\": \"ball\", \"at\": [0, 0, 2]}, {\"name\": \"crate\", \"mass\": 1}], "
      "\"x\": true}";
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  static const char *const wanted[][3] = {{"/parameters/kp", "100", "120"},
                                          {"/parameters/a~1b", "1", "2"},
                                          {"/bodies/1/at/2", "1", "2"},
                                          {"/bodies/0", NULL, "{\"name\":\"new\"}"},
                                          {"/x", NULL, "true"}};
  cr_assert_eq(c.result.nscene, 5u);
  for (size_t i = 0; i < 5; i++) {
    const MbSceneDifference *d = &c.result.scene[i];
    cr_expect_str_eq(d->pointer, wanted[i][0]);
    cr_expect(wanted[i][1] ? d->a && !strcmp(d->a, wanted[i][1]) : !d->a, "%s", d->pointer);
    cr_expect(d->b && !strcmp(d->b, wanted[i][2]), "%s", d->pointer);
  }
  mb_compare_free(&c.result);
}

Test(compare, many_and_long_differences_of_scenes_are_counted_and_cut) {
  static char text[2][4000];
  for (int side = 0; side < 2; side++) {
    strcpy(text[side], "{\"long\": \"");
    for (int i = 0; i < 300; i++) strcat(text[side], side ? "b" : "\xc3\xa4");
    strcat(text[side], "\", \"list\": [");
    for (int i = 0; i < 100; i++)
      snprintf(text[side] + strlen(text[side]), 20, "%s%d", i ? ", " : "", i + side);
    strcat(text[side], "]}");
  }
  Plan a = smooth_plan(), b = a;
  a.scene = text[0], b.scene = text[1];
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_OK);
  cr_assert_eq(c.result.nscene, 101u);
  cr_expect(strlen(c.result.scene[0].a) < 130 && strstr(c.result.scene[0].a, "\xc3\xa4..."), "%s",
            c.result.scene[0].a);
  cr_expect_str_eq(c.result.scene[MB_SCENE_DIFFERENCES - 1].pointer, "/list/30");
  mb_compare_free(&c.result);
}

Test(compare, unrelated_scenes_cannot_be_compared) {
  static const struct {
    const char *a, *b;
    MbStatus status;
  } cases[] = {
      {"{\"bodies\": [{\"name\": \"arm\"}]}", "{\"bodies\": [{\"name\": \"top\"}]}", MB_USAGE},
      {"{\"bodies\": [{\"name\": \"arm\"}]}", "{\"deformables\": [{\"name\": \"arm\"}]}", MB_USAGE},
      {"{\"bodies\": [{\"name\": \"arm\"}, {\"name\": \"top\"}]}", "{\"bodies\": [{\"name\": \"top\"}]}",
       MB_OK},
      {"{\"bodies\": [{\"mass\": 1}]}", "{\"bodies\": [{\"name\": \"top\"}]}", MB_OK},
      {"{\"bodies\": []}", "{\"bodies\": [{\"name\": \"top\"}]}", MB_OK},
      {"{}", "{\"bodies\": [{\"name\": \"top\"}]}", MB_OK},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Plan a = smooth_plan(), b = a;
    a.scene = cases[i].a, b.scene = cases[i].b;
    Compared c = compare_plans(&a, &b, &exact);
    cr_expect_eq(c.status, cases[i].status, "case %zu", i);
    if (cases[i].status)
      cr_expect(strstr(c.report.issues[0].text, "unrelated"), "%s", c.report.issues[0].text);
    mb_compare_free(&c.result);
  }
}

Test(compare, the_verdict_names_what_differs_first) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = twice;
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_str_eq(c.result.verdict, "differ: momentum (ay) at t = 0.4 s (frame 40): 1 > 0, there at once; "
                                     "1 more difference");
  mb_compare_free(&c.result);
}
