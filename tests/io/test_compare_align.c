// What of two trajectories is compared with what: bodies and components by name, frames by time, with interpolation where rates differ; what
// only one of them has is a difference.
#include "core/base/alloc.h"
#include "tests/io/compare_fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(compare_align, .init = fixture_begin, .fini = fixture_end, .timeout = 30);

static const char *const swapped[] = {"ball", "crate"}, *const stranger[] = {"crate", "wheel"};
static const char *const yzx[] = {"y", "z", "x"}, *const xyq[] = {"x", "y", "q"};

static void swap(double *x, size_t width) {
  for (size_t k = 0; k < width; k++) {
    const double kept = x[k];
    x[k] = x[width + k];
    x[width + k] = kept;
  }
}

static void swap_bodies(double *x, uint64_t k, double t) {
  (void)k, (void)t;
  swap(x + POSITION, 3);
  swap(x + ROTATION, 4);
  swap(x + VELOCITY, 6);
}

static void swap_bodies_and_nudge(double *x, uint64_t k, double t) {
  swap_bodies(x, k, t);
  if (k == 5) x[POSITION + 3 + 2] += 1e-3; // of the crate, which is second here
}

Test(compare_align, bodies_are_matched_by_name_and_not_by_place) {
  const Plan a = smooth_plan();
  Plan b = a;
  for (int i = 0; i < 3; i++) b.channels[i].items_names = swapped;
  b.edit = swap_bodies;
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  mb_compare_free(&c.result);

  b.edit = swap_bodies_and_nudge;
  c = compare_plans(&a, &b, &exact);
  cr_expect(strstr(c.result.verdict, "body.position of 'crate' (z) at t = 0.05 s (frame 5)"), "%s",
            c.result.verdict);
  mb_compare_free(&c.result);

  // the same numbers under the old names are other bodies
  b.edit = NULL;
  c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_DIFFERS);
  mb_compare_free(&c.result);
}

static void turn_components(double *x, uint64_t k, double t) {
  (void)k, (void)t;
  for (int b = 0; b < 2; b++) {
    double *p = x + POSITION + 3 * b;
    const double x0 = p[0];
    p[0] = p[1];
    p[1] = p[2];
    p[2] = x0;
  }
}

Test(compare_align, components_are_matched_by_name) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.channels[0].component_names = yzx;
  b.edit = turn_components;
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  mb_compare_free(&c.result);

  b.edit = NULL;
  b.channels[0].component_names = xyq;
  c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_DIFFERS);
  cr_expect(has_missing(&c, "body.position: component 'z' is only in") &&
            has_missing(&c, "body.position: component 'q' is only in"));
  cr_expect(channel_result(&c, "body.position")->pass, "x and y are equal");
  mb_compare_free(&c.result);
}

Test(compare_align, a_body_that_only_one_has_is_a_difference_with_its_name) {
  const Plan a = smooth_plan();
  Plan b = a;
  for (int i = 0; i < 3; i++) b.channels[i].items_names = stranger;
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_DIFFERS);
  cr_expect_eq(c.result.nmissing, 2u, "each is said once, not once a channel");
  cr_expect(has_missing(&c, "body 'ball' is only in") && has_missing(&c, "body 'wheel' is only in"), "%s",
            c.result.missing[0]);
  mb_compare_free(&c.result);

  // a body of which one channel only is missing
  b = a;
  b.channels[2].items_names = stranger;
  c = compare_plans(&a, &b, &exact);
  cr_expect(has_missing(&c, "body.velocity of 'ball' is only in"), "%s", c.result.verdict);
  mb_compare_free(&c.result);
}

Test(compare_align, a_channel_that_only_one_has_is_a_difference_with_its_name) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.channels[3] = b.channels[6];
  b.nchannels = 6;
  for (int way = 0; way < 2; way++) {
    Compared c = way ? compare_plans(&b, &a, &exact) : compare_plans(&a, &b, &exact);
    cr_expect_eq(c.status, MB_DIFFERS);
    cr_expect(has_missing(&c, "channel energy is only in") && c.result.nmissing == 1, "%s", c.result.verdict);
    const MbChannelResult *r = channel_result(&c, "energy");
    cr_expect(!r->compared && !r->pass && (way ? r->in_a : r->in_b) == SIZE_MAX);
    mb_compare_free(&c.result);
  }
}

Test(compare_align, another_unit_is_a_difference) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.channels[0].unit = "cm";
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_DIFFERS);
  cr_expect(has_missing(&c, "body.position is in 'm'"), "%s", c.result.verdict);
  mb_compare_free(&c.result);
}

static void slower(double *x, uint64_t k, double t) {
  (void)t;
  x[WALL] = (double)k;
}

Test(compare_align, channels_that_depend_on_the_clock_are_left_out) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.edit = slower;
  for (int way = 0; way < 3; way++) {
    b.channels[6].unstable = way == 0; // in one of the two is enough
    Compared c = way == 1 ? compare_plans(&b, &a, &exact) : compare_plans(&a, &b, &exact);
    cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
    mb_compare_free(&c.result);
  }
}

Test(compare_align, nothing_in_common_cannot_be_compared) {
  Plan a = smooth_plan(), b = a;
  b.channels[0].name = "node.position";
  a.nchannels = b.nchannels = 1;
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_USAGE);
  mb_compare_free(&c.result);

  b = a;
  b.t0 = 100;
  c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_USAGE, "%s", c.result.verdict);
  mb_compare_free(&c.result);

  b = a;
  b.frames = 0;
  c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_USAGE);
  mb_compare_free(&c.result);
}

static const char *const others[] = {"wheel", "axle"};

Test(compare_align, channels_of_other_bodies_are_not_called_the_same) {
  Plan a = smooth_plan(), b = a;
  for (int i = 0; i < 3; i++) b.channels[i].items_names = others;
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_DIFFERS);
  const MbChannelResult *position = channel_result(&c, "body.position"),
                        *energy = channel_result(&c, "energy");
  cr_expect(!position->compared && !position->pass);
  cr_expect(energy->compared && energy->pass);
  cr_expect(has_missing(&c, "body 'wheel' is only in"));
  mb_compare_free(&c.result);

  // and nothing else is there
  a.nchannels = b.nchannels = 1;
  c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_USAGE, "%s", c.result.verdict);
  cr_expect(
      strstr(c.report.issues[0].text, "nothing in common that can be compared: body 'crate' is only in"),
      "%s", c.report.issues[0].text);
  mb_compare_free(&c.result);
}

Test(compare_align, numbers_that_until_leaves_out_are_not_called_compared) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.dt = a.dt / 2, b.frames = 2 * a.frames - 1;
  MbCompareOptions options = exact;
  options.until = -1;
  options.fallback.atol = 1e-2;
  Compared c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  cr_expect_eq(c.result.frames, 0);
  cr_expect(!channel_result(&c, "body.position")->compared);
  cr_expect(strstr(c.result.verdict, "no number compared; "), "%s", c.result.verdict);
  mb_compare_free(&c.result);
}

// ---- frames -----------------------------------------------------------------------------------------------

Test(compare_align, frames_that_only_one_has_are_a_difference) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.frames = 98;
  for (int way = 0; way < 2; way++) {
    Compared c = way ? compare_plans(&b, &a, &exact) : compare_plans(&a, &b, &exact);
    cr_expect_eq(c.status, MB_DIFFERS);
    cr_expect_eq(c.result.frames, 98u);
    cr_expect(has_missing(&c, "3 frames from t = 0.98 s (frame 98) on are only in"), "%s", c.result.verdict);
    mb_compare_free(&c.result);
  }
}

Test(compare_align, times_are_the_same_within_a_billionth_of_a_step) {
  const Plan a = smooth_plan();
  Plan b = a;
  const MbCompareOptions near = {.fallback.atol = 1e-9, .until = INFINITY};
  b.t0 = 0.9e-11;
  Compared c = compare_plans(&a, &b, &near);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  mb_compare_free(&c.result);
  b.t0 = 1.2e-11;
  c = compare_plans(&a, &b, &near);
  cr_expect_neq(c.status, MB_OK, "%s", c.result.verdict);
  mb_compare_free(&c.result);
}

static void every_other_negated(double *x, uint64_t k, double t) {
  (void)t;
  for (int i = 0; i < 8 && k % 2; i++) x[ROTATION + i] = -x[ROTATION + i];
}

Test(compare_align, interpolation_takes_the_shorter_arc) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.dt = 0.004;
  b.frames = 251;
  b.edit = every_other_negated;
  const MbCompareOptions options = {.fallback.atol = 1e-5, .until = INFINITY, .interpolate = true};
  Compared c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  mb_compare_free(&c.result);
}

// ---- rotation vectors ------------------------------------------------------------------------------------

// Two rotation vectors in the place of the positions; from a time on they are told in the other way.
static void turn_by(double *x, double t, double from) {
  const double lengths[2] = {2.5 + 2 * t, 4 - 2 * t}, axis[2][3] = {{0.6, 0, 0.8}, {0, 1, 0}};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++)
      x[POSITION + 3 * i + k] = (lengths[i] - (t >= from ? 2 * 3.14159265358979323846 : 0)) * axis[i][k];
}
static void turned_early(double *x, uint64_t k, double t) { (void)k, turn_by(x, t, 0.302); }
static void turned_late(double *x, uint64_t k, double t) { (void)k, turn_by(x, t, 0.606); }
static void turned_late_and_off(double *x, uint64_t k, double t) {
  (void)k, turn_by(x, t, 0.606);
  x[POSITION + 4] += t > 0.4 ? 1e-3 : 0;
}

static const size_t vectors[] = {0, 3};

static Plan turning_plan(void (*edit)(double *x, uint64_t k, double t)) {
  Plan p = smooth_plan();
  p.channels[0] = (MbChannel){.name = "joint.position",
                              .unit = "m, rad",
                              .quantity = MB_POSE,
                              .items = 6,
                              .width = 1,
                              .offset = POSITION,
                              .vectors = vectors,
                              .nvectors = 2};
  p.edit = edit;
  return p;
}

Test(compare_align, rotation_vectors_are_the_same_in_either_way_to_tell_them) {
  const Plan a = turning_plan(turned_early);
  Plan b = turning_plan(turned_late);
  const MbCompareOptions options = {.fallback.atol = 1e-12, .until = INFINITY};
  Compared c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  mb_compare_free(&c.result);
  b = turning_plan(turned_late_and_off);
  c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_DIFFERS);
  cr_expect_float_eq(channel_result(&c, "joint.position")->worst.error, 1e-3, 1e-12);
  mb_compare_free(&c.result);
}

Test(compare_align, rotation_vectors_between_two_frames_go_the_shorter_way) {
  const Plan a = turning_plan(turned_early);
  Plan b = turning_plan(turned_late);
  b.dt = 0.004;
  b.frames = 251;
  const MbCompareOptions options = {.fallback.atol = 1e-5, .until = INFINITY, .interpolate = true};
  Compared c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  mb_compare_free(&c.result);
}

Test(compare_align, different_rates_need_interpolation) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.dt = 0.004; // 0 ... 1.0
  b.frames = 251;
  MbCompareOptions options = {.fallback.atol = 1e-5, .until = INFINITY};
  Compared c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_DIFFERS);
  cr_expect_eq(c.result.frames, 51u, "every 0.02 s");
  cr_expect(has_missing(&c, "50 frames from t = 0.01 s (frame 1) on are only in"), "%s", c.result.verdict);
  cr_expect(has_missing(&c, "200 frames from t = 0.004 s (frame 1) on are only in"), "%s", c.result.verdict);
  mb_compare_free(&c.result);

  options.interpolate = true;
  c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  cr_expect_eq(c.result.frames, 101u);
  // h^2 / 8 times the largest second derivative, 1
  const double error = channel_result(&c, "body.position")->worst.error, bound = 0.004 * 0.004 / 8;
  cr_expect(error > 0.5 * bound && error <= bound, "%g of %g", error, bound);
  // at constant rate an arc is exact
  cr_expect(channel_result(&c, "body.rotation")->worst.error < 1e-15, "%g",
            channel_result(&c, "body.rotation")->worst.error);
  mb_compare_free(&c.result);
}

Test(compare_align, with_interpolation_ends_may_differ_by_less_than_one_frame) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.dt = 0.03;
  b.frames = 34; // to 0.99
  const MbCompareOptions options = {.fallback.atol = 1e-3, .until = INFINITY, .interpolate = true};
  Compared c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_OK, "%s", c.result.verdict);
  cr_expect_eq(c.result.frames, 100u);
  mb_compare_free(&c.result);
  b.frames = 33; // to 0.96: 0.99 is missing
  c = compare_plans(&a, &b, &options);
  cr_expect_eq(c.status, MB_DIFFERS);
  cr_expect(has_missing(&c, "2 frames from t = 0.99 s (frame 99)"), "%s", c.result.verdict);
  mb_compare_free(&c.result);
}

Test(compare_align, a_file_that_was_cut_off_is_never_the_same) {
  const Plan a = smooth_plan();
  Plan b = a;
  b.cut = true;
  Compared c = compare_plans(&a, &b, &exact);
  cr_expect_eq(c.status, MB_DIFFERS);
  cr_expect(has_missing(&c, "b.mbt is cut off or damaged"), "%s", c.result.verdict);
  mb_compare_free(&c.result);
}

// ---- memory -----------------------------------------------------------------------------------------------

Test(compare_align, running_out_of_memory_at_any_point_leaks_nothing) {
  const Plan p = smooth_plan();
  Plan other = p;
  for (int i = 0; i < 3; i++) other.channels[i].items_names = stranger;
  MbCompareOptions options = exact;
  options.interpolate = true;
  options.until = 0.5;
  const char *file = plan_write(&p, "a.mbt");
  char path_a[300];
  snprintf(path_a, sizeof path_a, "%s", file);
  const char *path_b = plan_write(&other, "b.mbt");
  int64_t calls = 0;
  MbStatus status = MB_IO;
  for (; status == MB_IO && calls < 1000; calls++) {
    MbReport report = {0};
    MbTraj *a = NULL, *b = NULL;
    cr_assert_eq(mb_traj_open(path_a, &a, &report), MB_OK);
    cr_assert_eq(mb_traj_open(path_b, &b, &report), MB_OK);
    MbCompareResult result;
    mb_alloc_fail_after(calls);
    status = mb_compare(a, b, &options, &result, &report);
    mb_alloc_fail_after(-1);
    cr_expect(status != MB_IO || report.errors > 0, "after %d calls", (int)calls);
    mb_compare_free(&result);
    mb_traj_free(a);
    mb_traj_free(b);
    cr_assert_eq(mb_alloc_live(), 0, "after %d calls", (int)calls);
  }
  cr_expect_eq(status, MB_DIFFERS);
  cr_expect_gt(calls, 5);
}
