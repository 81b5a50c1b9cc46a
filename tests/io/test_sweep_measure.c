#include "io/sweep/measure.h"
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const bodies[] = {"bob", "left-wheel 2"}, *const joints[] = {"bob", "ball.0", "ball.1"};
static const char *const xyz[] = {"x", "y", "z"}, *const energies[] = {"kinetic", "total"};
static const MbChannel channels[] = {
    {.name = "body.position",
     .items = 2,
     .width = 3,
     .offset = 0,
     .items_names = bodies,
     .component_names = xyz},
    {.name = "joint.position", .items = 3, .width = 1, .offset = 6, .items_names = joints},
    {.name = "energy", .items = 1, .width = 2, .offset = 9, .component_names = energies},
};
enum { SIZE = 11, FRAMES = 101 };
static const MbConstant constants[] = {{"height", 0.5}};

// Frame k: at t = k/100.
static void make_frame(int k, double *frame) {
  const double t = k / 100.0;
  for (int i = 0; i < SIZE; i++) frame[i] = i + t;
  frame[0] = sin(7 * t);
  frame[2] = t * t;
  frame[6] = cos(9 * t + 1);
}

static MbStatus create(const char *what, MbMeasures **m, MbReport *report) {
  const MbMeasureAsk ask = {"m", what};
  return mb_measures_create(&ask, 1, channels, 3, constants, 1, 1, m, report);
}

static double measure(const char *what) {
  MbMeasures *m = NULL;
  MbReport report = {0};
  double frame[SIZE], value = 0;
  cr_assert_eq(create(what, &m, &report), MB_OK, "%s: %s", what, report.issues[0].text);
  for (int k = 0; k < FRAMES; k++) {
    make_frame(k, frame);
    mb_measures_frame(m, k / 100.0, frame);
  }
  cr_assert_eq(mb_measures_values(m, &value, &report), MB_OK);
  mb_measures_free(m);
  return value;
}

static void refused(const char *what, const char *why) {
  MbMeasures *m = NULL;
  MbReport report = {0};
  cr_expect_eq(create(what, &m, &report), MB_USAGE, "%s was taken", what);
  cr_expect(strstr(report.issues[0].text, why), "%s: %s", what, report.issues[0].text);
}

Test(sweep_measure, each_function_is_what_its_name_says_to_the_last_bit) {
  double most = -2, least = 2, sum = 0, squares = 0, when = 0, first = NAN, frame[SIZE];
  for (int k = 0; k < FRAMES; k++) {
    make_frame(k, frame);
    if (frame[0] > most) most = frame[0], when = k / 100.0;
    least = fmin(least, frame[0]);
    sum += frame[2];
    squares += frame[0] * frame[0];
    if (isnan(first) && frame[0] > 0.5) first = k / 100.0;
  }
  cr_expect_eq(measure("max(bob.position.x)"), most);
  cr_expect_eq(measure("min(bob.position.x)"), least);
  cr_expect_eq(measure("final(bob.position.z)"), 1.0);
  cr_expect_eq(measure("time_of_max(bob.position.x)"), when);
  cr_expect_eq(measure("first(bob.position.x > 0.5)"), first);
  cr_expect_float_eq(measure("mean(bob.position.z)"), sum / FRAMES, 1e-15);
  cr_expect_float_eq(measure("rms(bob.position.x)"), sqrt(squares / FRAMES), 1e-15);
  make_frame(37, frame);
  cr_expect_eq(measure("at(bob.position.x, 0.37)"), frame[0]);
  cr_expect_eq(measure("at(bob.position.x, 0)"), 0);
  cr_expect_eq(measure("at(bob.position.x, 1)"), sin(7));
  cr_expect_float_eq(measure("at(bob.position.z, 0.375)"), (0.37 * 0.37 + 0.38 * 0.38) / 2, 1e-15);
}

Test(sweep_measure, a_condition_that_never_holds_has_no_first_time) {
  cr_expect(isnan(measure("first(bob.position.x > 2)")));
}

Test(sweep_measure, names_are_those_of_csv_or_begin_with_the_channel) {
  cr_expect_eq(measure("final(bob.joint.position)"), measure("final(joint.position.bob)"));
  cr_expect_eq(measure("final(ball.joint.position.1)"), 9);
  cr_expect_eq(measure("final(joint.position.ball.1)"), 9);
  cr_expect_eq(measure("final(left-wheel 2.position.y)"), 5);
  cr_expect_eq(measure("final(energy.total)"), 11);
}

Test(sweep_measure, expressions_stand_inside_and_outside_of_functions) {
  cr_expect_float_eq(measure("max(abs(bob.position.x) * 2)"), 2 * measure("max(abs(bob.position.x))"), 0);
  cr_expect_eq(measure("max(1, final(bob.position.z))"), 1);
  cr_expect_eq(measure("max(final(bob.position.z), 3) - height"), 2.5);
  cr_expect_eq(measure("first(bob.position.z >= height^2)"), 0.5);
  cr_expect_float_eq(measure("final(bob.position.x - sin(7*t))"), 0, 0);
  cr_expect_eq(measure("2*pi"), 2 * 3.14159265358979323846);
  cr_expect_eq(measure(" final( left-wheel 2.position.y-bob.position.z ) "), 4);
}

Test(sweep_measure, a_number_that_is_none_spoils_the_extremes) {
  cr_expect(isnan(measure("max(sqrt(0.25 - bob.position.z))")));
  cr_expect(isnan(measure("mean(sqrt(0.25 - bob.position.z))")));
  cr_expect_not(isnan(measure("at(sqrt(0.25 - bob.position.z), 0.2)")));
}

Test(sweep_measure, wrong_names_are_refused_with_the_nearest) {
  refused("max(bob.position.w)", "did you mean \"bob.position.");
  refused("max(bob.joint.positon)", "did you mean \"bob.joint.position\"");
  refused("maxx(bob.position.x)", "did you mean \"max\"");
  refused("bob.position.x", "final(bob.position.x)");
  refused("final(bob.position.x) + heigth", "no column is called \"heigth\"");
  refused("at(bob.position.x)", "two arguments");
  refused("at(bob.position.x, 2)", "the run goes from 0 to 1 s");
  refused("mean(bob.position.x, 2)", "one argument");
  refused("max(bob.position.x", "not closed");
  refused("final(bob.position.x) +", "ends too early");
  refused("max(bob.position.x +)", "in \"bob.position.x +\"");
  refused("final()", "empty");
  refused("", "empty");
}

Test(sweep_measure, what_is_saved_at_a_checkpoint_goes_on_to_the_same_bits) {
  static const char *const what[] = {"mean(bob.position.x)", "at(bob.position.x, 0.525)",
                                     "time_of_max(bob.position.x)",
                                     "first(bob.position.z > height) + rms(bob.position.z)"};
  for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
    MbMeasures *a = NULL, *b = NULL;
    MbReport report = {0};
    double frame[SIZE], value = 0;
    cr_assert_eq(create(what[i], &a, &report), MB_OK);
    cr_assert_eq(create(what[i], &b, &report), MB_OK);
    for (int k = 0; k < 53; k++) make_frame(k, frame), mb_measures_frame(a, k / 100.0, frame);
    void *bytes = malloc(mb_measures_state_size(a));
    mb_measures_save(a, bytes);
    mb_measures_restore(b, bytes);
    for (int k = 53; k < FRAMES; k++) make_frame(k, frame), mb_measures_frame(b, k / 100.0, frame);
    mb_measures_values(b, &value, &report);
    cr_expect_eq(value, measure(what[i]), "%s", what[i]);
    free(bytes);
    mb_measures_free(a);
    mb_measures_free(b);
  }
}

Test(sweep_measure, measures_begin_anew_and_tell_what_they_read) {
  MbMeasures *m = NULL;
  MbReport report = {0};
  const MbMeasureAsk asks[] = {{"a", "max(bob.position.x) + height"},
                               {"b", "at(energy.total - 2*joint.position.ball.0, height)"}};
  double first[2], again[2], frame[SIZE];
  bool reads[SIZE] = {false};
  cr_assert_eq(mb_measures_create(asks, 2, channels, 3, constants, 1, 1, &m, &report), MB_OK, "%s",
               report.issues[0].text);
  for (int round = 0; round < 2; round++) {
    for (int k = 0; k < FRAMES; k++) {
      make_frame(k, frame);
      mb_measures_frame(m, k / 100.0, frame);
    }
    cr_assert_eq(mb_measures_values(m, round ? again : first, &report), MB_OK);
    for (int i = 0; i < SIZE; i++) frame[i] = 1e9; // of another run
    if (!round) mb_measures_frame(m, 2, frame), mb_measures_reset(m);
  }
  cr_expect(first[0] == again[0] && first[1] == again[1]);
  mb_measures_reads(m, reads);
  for (int i = 0; i < SIZE; i++) cr_expect_eq(reads[i], i == 0 || i == 7 || i == 10, "column %d", i);
  mb_measures_free(m);
  cr_expect(mb_measures_use(asks, 2, "height"));
  cr_expect(mb_measures_use(asks, 2, "bob"));
  cr_expect_not(mb_measures_use(asks, 2, "eight"));
  cr_expect_not(mb_measures_use(asks, 1, "energy"));
}
