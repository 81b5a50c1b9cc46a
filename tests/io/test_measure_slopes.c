// How measures change with frames and with a parameter: along a change of the frames, by weights of them, and by what the measures themselves come
// to for frames that have been changed.
#include "io/sweep/measure_slope.h"
#include "io/sweep/measure_weight.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLAIN = 3, QUATERNION = PLAIN, VECTOR = QUATERNION + 4, SIZE = VECTOR + 3, FRAMES = 41 };
static const char *const xyz[] = {"x", "y", "tiny"}, *const wxyz[] = {"w", "x", "y", "z"};
static const size_t vectors[] = {0};
static const MbChannel channels[] = {
    {.name = "e", .items = 1, .width = PLAIN, .offset = 0, .component_names = xyz},
    {.name = "q", .rotation = true, .items = 1, .width = 4, .offset = QUATERNION, .component_names = wxyz},
    {.name = "v", .items = 3, .width = 1, .offset = VECTOR, .vectors = vectors, .nvectors = 1}};
static const double MOVE = 1e-6;
static bool keeps_way; // rotations are told in one way throughout; else from frame 21 on in the other

// The rotation of a frame by an angle that grows, about an axis that moves, of a run with a number p.
static void make_turn(int k, double p, double *q, double *v) {
  const double t = k / 40.0, angle = 2.5 + 2 * t + p * t * t;
  const double z = 0.3 + 0.2 * t + p, across = sqrt(1 - z * z),
               axis[3] = {across * cos(t), across * sin(t), z};
  const bool other = k > 20 && !keeps_way;
  q[0] = (other ? -1 : 1) * cos(angle / 2);
  for (int i = 0; i < 3; i++) {
    q[1 + i] = (other ? -1 : 1) * sin(angle / 2) * axis[i];
    v[i] = (angle - (other ? 2 * 3.14159265358979323846 : 0)) * axis[i];
  }
}

// Frame k of a run with a number p; what is tiny is nothing beside the others.
static void make_frame(int k, double p, double *frame) {
  const double t = k / 40.0;
  frame[0] = sin(5 * t) + p * t, frame[1] = 2 + cos(3 * t) * (1 + p * p + p);
  frame[2] = 1e-15 * (1 + p * cos(t));
  make_turn(k, p, frame + QUATERNION, frame + VECTOR);
}
static void make_slope(int k, double *slope) {
  const double t = k / 40.0;
  const double h = 1e-4;
  double less[SIZE], more[SIZE];
  slope[0] = t, slope[1] = cos(3 * t), slope[2] = 1e-15 * cos(t);
  make_frame(k, -h, less), make_frame(k, h, more);
  for (int i = PLAIN; i < SIZE; i++) slope[i] = (more[i] - less[i]) / (2 * h);
}

static MbMeasures *measures_of(const char *what, double p) {
  const MbConstant constant = {"p", p};
  const MbMeasureAsk ask = {"m", what};
  MbMeasures *m = NULL;
  MbReport report = {0};
  cr_assert_eq(mb_measures_create(&ask, 1, channels, 3, &constant, 1, 1, &m, &report), MB_OK, "%s: %s", what,
               report.issues[0].text);
  return m;
}

static double value_of(const char *what, double p) {
  MbMeasures *m = measures_of(what, p);
  MbReport report = {0};
  double frame[SIZE], value;
  for (int k = 0; k < FRAMES; k++) {
    make_frame(k, p, frame);
    mb_measures_frame(m, k / 40.0, frame);
  }
  cr_assert_eq(mb_measures_values(m, &value, &report), MB_OK);
  mb_measures_free(m);
  return value;
}

static double by_differences(const char *what) {
  const double h = 1e-3;
  return (8 * (value_of(what, h) - value_of(what, -h)) - (value_of(what, 2 * h) - value_of(what, -2 * h))) /
         (12 * h);
}

// Along the frames' change, and by weights.
static void both(const char *what, double *along, double *back) {
  MbMeasures *m = measures_of(what, 0), *less = measures_of(what, -MOVE), *more = measures_of(what, MOVE);
  MbMeasureSlopes *slopes = NULL;
  MbMeasureWeights *weights = NULL;
  MbReport report = {0};
  double frame[SIZE], slope[SIZE], weight[SIZE], around;
  bool none = true;
  cr_assert_eq(mb_measure_slopes_create(m, less, more, MOVE, &slopes, &report), MB_OK);
  cr_assert_eq(mb_measure_weights_create(m, &weights, &report), MB_OK);
  for (int k = 0; k < FRAMES; k++) {
    make_frame(k, 0, frame), make_slope(k, slope);
    mb_measure_slopes_frame(slopes, k / 40.0, frame, slope);
    mb_measure_weights_frame(weights, k / 40.0, frame);
    mb_measures_frame(m, k / 40.0, frame);
  }
  cr_assert_eq(mb_measure_slopes_values(slopes, along, &report), MB_OK);
  cr_assert_eq(mb_measure_weights_of(weights, 0, &none, &report), MB_OK);
  cr_assert_eq(mb_measure_weights_around(weights, less, more, &around, &report), MB_OK);
  cr_expect_eq(none, isnan(*along));
  *back = around / (2 * MOVE);
  for (int k = 0; k < FRAMES; k++) {
    if (!mb_measure_weights_wanted(weights, k / 40.0)) continue;
    make_frame(k, 0, frame), make_slope(k, slope);
    memset(weight, 0, sizeof weight);
    mb_measure_weights_add(weights, k / 40.0, frame, weight);
    for (int i = 0; i < SIZE; i++) *back += weight[i] * slope[i];
    *back += mb_measure_weights_told(weights, k / 40.0, frame, less, more) / (2 * MOVE);
  }
  mb_measure_weights_free(weights), mb_measure_slopes_free(slopes);
  mb_measures_free(m), mb_measures_free(less), mb_measures_free(more);
}

Test(measure_slopes, both_ways_are_what_the_measures_change_by) {
  static const char *const asked[] = {
      "final(e.x)",
      "max(e.x)",
      "min(e.y*e.x)",
      "mean(e.y)",
      "rms(e.x-e.y)",
      "at(e.x, 0.3333)",
      "at(e.y, 1)",
      "mean(e.x^2)*rms(e.y) + 3*max(e.x)/min(e.y)",
      "rms(e.x*p + e.y)*(2 + p)",
      "final(e.y)^p + at(e.x, 0)",
      "1/mean(e.y)^3 + sqrt(rms(e.x)) + exp(-final(e.y))",
      "mean(e.y) + rms(e.tiny)",           // the second is nothing beside the first
      "rms(e.y + e.tiny) + final(e.tiny)", // in a frame, too
      "1e15*mean(e.tiny)/(1e15*rms(e.tiny) + 1)",
  };
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    double along, back, size;
    both(asked[i], &along, &back);
    const double wanted = by_differences(asked[i]);
    size = fmax(fabs(wanted), 1e-3);
    cr_expect_lt(fabs(along - wanted), 1e-8 * size, "%s: %.15g along, %.15g", asked[i], along, wanted);
    cr_expect_lt(fabs(back - wanted), 1e-8 * size, "%s: %.15g backwards, %.15g", asked[i], back, wanted);
  }
}

// At 0.51 rotations are between frame 20 and frame 21, which tells them in the other way.
static const char *const turned[] = {"at(q.w, 0.51)", "at(v.0, 0.51)",
                                     "at(v.2, 0.51)", "at(q.x*v.1 + p*v.0 + e.x, 0.51) + at(e.x, 0.2)",
                                     "at(q.w, 0.4)",  "at(v.0*v.1, 0.9)/at(q.y, 0.51)"};
enum { TURNED = sizeof turned / sizeof *turned };

Test(measure_slopes, rotations_between_frames_that_tell_them_in_two_ways_go_the_shorter_way) {
  for (int i = 0; i < TURNED - 1; i++) {
    keeps_way = true;
    const double wanted = value_of(turned[i], 0);
    keeps_way = false;
    const double found = value_of(turned[i], 0);
    cr_expect_lt(fabs(found - wanted), 1e-14 * fmax(1, fabs(wanted)), "%s: %.17g for %.17g", turned[i], found,
                 wanted);
  }
}

Test(measure_slopes, of_rotations_between_frames_both_ways_are_what_the_measures_change_by) {
  for (int i = 0; i < TURNED; i++) {
    double along, back;
    both(turned[i], &along, &back);
    const double wanted = by_differences(turned[i]), size = fmax(fabs(wanted), 1e-3);
    cr_expect_lt(fabs(along - wanted), 1e-7 * size, "%s: %.15g along, %.15g", turned[i], along, wanted);
    cr_expect_lt(fabs(back - wanted), 1e-7 * size, "%s: %.15g backwards, %.15g", turned[i], back, wanted);
  }
}

Test(measure_slopes, rotations_that_are_saved_between_two_frames_go_on_to_the_same_bits) {
  MbMeasures *a = measures_of(turned[3], 0), *b = measures_of(turned[3], 0);
  MbReport report = {0};
  double frame[SIZE], value = 0;
  void *bytes = malloc(mb_measures_state_size(a));
  for (int k = 0; k <= 20; k++) make_frame(k, 0, frame), mb_measures_frame(a, k / 40.0, frame);
  mb_measures_save(a, bytes);
  mb_measures_restore(b, bytes);
  for (int k = 21; k < FRAMES; k++) make_frame(k, 0, frame), mb_measures_frame(b, k / 40.0, frame);
  mb_measures_values(b, &value, &report);
  cr_expect_eq(value, value_of(turned[3], 0));
  free(bytes);
  mb_measures_free(a), mb_measures_free(b);
}

Test(measure_slopes, what_has_no_slope_is_no_number) {
  double along, back;
  both("floor(final(e.y)-final(e.y)+2) + max(e.x)", &along, &back);
  cr_expect(isnan(along), "%g", along);
}
