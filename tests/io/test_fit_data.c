// Data that a run is fitted to: tables as they are read, and what of a run stands beside them.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/fit/fit_data.h"
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- data -------------------------------------------------------------------------------------------------

static MbStatus read_text(MbFitData *data, const char *text, MbReport *report) {
  return mb_fit_data_table(data, "data.csv", text, strlen(text), report);
}

Test(fit_data, tables_with_gaps_quotes_and_other_line_ends_are_read) {
  MbFitData d;
  MbReport report = {0};
  cr_assert_eq(read_text(&d, "\xEF\xBB\xBFtime,\"a, b\",c\r\n0,1,\r\n\r\n0.5, 2.5 ,3e-1\r\n", &report), MB_OK,
               "%s", report.issues[0].text);
  cr_expect_eq(d.rows, 2);
  cr_expect_eq(d.ncolumns, 2);
  cr_expect_str_eq(d.columns[0].name, "a, b");
  cr_expect_eq(d.columns[0].value[1], 2.5);
  cr_expect(isnan(d.columns[1].value[0]) && !d.columns[1].bad);
  cr_expect_eq(d.columns[1].value[1], 0.3);
  mb_fit_data_free(&d);
}

Test(fit_data, what_is_wrong_with_a_table_is_told_with_its_place) {
  static const struct {
    const char *text;
    int line, column;
  } cases[] = {
      {"x,y\n0,1\n", 1, 1},
      {"time\n0\n", 1, 1},
      {"time,a,a\n0,1,2\n", 1, 8},
      {"time,a\n0,1\n0,2\n", 3, 1},
      {"time,a\n0,1,2\n", 2, 5},
      {"time,a,b\n0,1\n", 2, 3},
      {"time,\"a\n,,,,,\",b\n", 2, 1},
      {"time,a\r0,1\r0.5\r1,2\r", 3, 1},
      {"time,a\nnan,1\n", 2, 1},
      {"time,a\n1e999,1\n", 2, 1},
      {"time,,b\n0,1,2\n", 1, 6},
      {"time,a\n1e300,1\n", 2, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    MbFitData d;
    MbReport report = {0};
    cr_expect_eq(read_text(&d, cases[i].text, &report), MB_USAGE, "%s", cases[i].text);
    cr_expect_eq(report.issues[0].line, cases[i].line, "%s: line %d", cases[i].text, report.issues[0].line);
    cr_expect_eq(report.issues[0].column, cases[i].column, "%s: column %d", cases[i].text,
                 report.issues[0].column);
    mb_fit_data_free(&d);
  }
}

static const char *const letters[] = {"x", "y", "z"};
static const char *const items[] = {"hand"};
static const MbChannel channel = {
    .name = "body.position", .items = 1, .width = 3, .items_names = items, .component_names = letters};

static MbStatus match(const char *text, MbFitMatchAsk ask, MbFitMatch *m, MbArena *arena, MbFitData *d,
                      MbReport *report) {
  ask.sigma = 1;
  cr_assert_eq(read_text(d, text, report), MB_OK, "%s", report->issues[0].text);
  const MbFitModel model = {.channels = &channel, .nchannels = 1, .step = 0.1, .steps = 10};
  return mb_fit_match(d, &ask, 1, &model, m, arena, report);
}

Test(fit_data, between_steps_a_cubic_stands_for_the_run) {
  MbFitData d;
  MbFitMatch m;
  MbArena arena = {0};
  MbReport report = {0};
  const char *text = "time,hand.position.x,hand.position.z\n-1,0,0\n0,0,0\n0.01,0,0\n0.3,0,0\n0.33,0,\n0.35,"
                     "0,0\n0.97,0,0\n1,0,0\n1.2,0,0\n";
  cr_assert_eq(match(text, (MbFitMatchAsk){.model = "hand.position"}, &m, &arena, &d, &report), MB_OK, "%s",
               report.issues[0].text);
  cr_expect_eq(m.outside, 2);
  cr_expect_eq(m.nseries, 2);
  cr_expect_eq(m.npoints, 7 + 6);
  double samples[2 * 11], y[13];
  for (size_t i = 0; i < m.nsamples; i++) {
    const double t = 0.1 * (double)m.steps[i], frame[3] = {1 - t + 2 * t * t - 3 * t * t * t, 0, t * t};
    mb_fit_match_take(&m, i, frame, samples);
  }
  mb_fit_match_at_points(&m, samples, y);
  for (size_t i = 0; i < m.npoints; i++) {
    const double t = d.time[m.points[i].row];
    cr_expect_float_eq(y[i], m.points[i].series ? t * t : 1 - t + 2 * t * t - 3 * t * t * t, 1e-14, "at %g",
                       t);
  }
  mb_arena_free(&arena);
  mb_fit_data_free(&d);
}

// ---- rotations --------------------------------------------------------------------------------------------

enum { TURN_STEPS = 20 };
static const double TURN_STEP = 0.1, PI = 3.14159265358979323846;

// What a run turning at `rate` tells at t of one of its steps, with the step from which on it tells it in the other way; all of it, also
// between steps, in the first way where that step is behind the run.
static void tell_turn(size_t width, double rate, double t, int64_t exchange, double *frame) {
  const double angle = 1.5 + rate * t + 0.1 * t * t, axis[3] = {0.6, 0, 0.8};
  const bool other = t > TURN_STEP * ((double)exchange - 0.5);
  frame[0] = other ? -cos(angle / 2) : cos(angle / 2);
  for (size_t i = 0; i < 3; i++)
    if (width == 4)
      frame[1 + i] = (other ? -1 : 1) * axis[i] * sin(angle / 2);
    else
      frame[i] = axis[i] * (angle - (other ? 2 * PI : 0));
}

// Samples of a run of each of three rates, r - d, r and r + d, and the slopes that these tell.
typedef struct Turning {
  MbFitData data;
  MbFitMatch match;
  MbArena arena;
  double samples[3][8 * TURN_STEPS + 8], changes[8 * TURN_STEPS + 8], y[3][4 * TURN_STEPS],
      slope[4 * TURN_STEPS];
} Turning;

static const double RATE = 1.9, RATE_MOVE = 1e-5;

static void match_turn(Turning *t, size_t width, int64_t exchange) {
  static const char *const parts[] = {"w", "x", "y", "z"};
  const MbChannel turning = {.name = "body.rotation",
                             .rotation = width == 4,
                             .items = 1,
                             .width = width,
                             .items_names = items,
                             .component_names = parts + 4 - width};
  char text[8192], *at = text;
  at += sprintf(at, "time");
  for (size_t i = 0; i < width; i++) at += sprintf(at, ",hand.rotation.%s", turning.component_names[i]);
  for (int k = 0; k < 16; k++) { // between steps, exchanged at another time than the run
    double frame[4];
    tell_turn(width, RATE, 0.06 + 0.11 * k, 5, frame);
    at += sprintf(at, "\n%.3f", 0.06 + 0.11 * k);
    for (size_t i = 0; i < width; i++) at += sprintf(at, ",%.17g", frame[i]);
  }
  MbFitMatchAsk ask = {.model = "hand.rotation", .sigma = 1};
  const MbRotationPlace place = {0, width};
  const MbFitModel model = {.channels = &turning,
                            .nchannels = 1,
                            .turns = &place,
                            .nturns = 1,
                            .step = TURN_STEP,
                            .steps = TURN_STEPS};
  MbReport report = {0};
  cr_assert_eq(read_text(&t->data, text, &report), MB_OK, "%s", report.issues[0].text);
  cr_assert_eq(mb_fit_match(&t->data, &ask, 1, &model, &t->match, &t->arena, &report), MB_OK, "%s",
               report.issues[0].text);
  for (size_t i = 0; i < t->match.nsamples; i++) {
    double frame[3][4], change[4];
    for (int s = 0; s < 3; s++) {
      tell_turn(width, RATE + (s - 1) * RATE_MOVE, TURN_STEP * (double)t->match.steps[i], exchange, frame[s]);
      mb_fit_match_take(&t->match, i, frame[s], t->samples[s]);
    }
    for (size_t k = 0; k < width; k++) change[k] = (frame[2][k] - frame[0][k]) / (2 * RATE_MOVE);
    mb_fit_match_take(&t->match, i, change, t->changes);
  }
  for (int s = 0; s < 3; s++) mb_fit_match_at_points(&t->match, t->samples[s], t->y[s]);
  mb_fit_match_slopes(&t->match, t->samples[1], t->changes, t->slope);
}

// The run goes over to the other way to tell its rotation, the data at another time: neither the numbers between steps nor their
// distance from the data know of it.
Test(fit_data, a_rotation_that_is_told_in_two_ways_is_one) {
  for (size_t width = 3; width <= 4; width++)
    for (int64_t exchange = 1; exchange <= TURN_STEPS + 1; exchange++) {
      Turning t = {0};
      match_turn(&t, width, exchange);
      double off = 0, slope_off = 0;
      for (size_t i = 0; i < t.match.npoints; i++) {
        off = fmax(off, fabs(t.y[1][i] - t.match.points[i].value));
        slope_off = fmax(slope_off, fabs(t.slope[i] - (t.y[2][i] - t.y[0][i]) / (2 * RATE_MOVE)));
      }
      cr_expect_lt(off, 1e-4, "width %zu, exchange at step %d: off by %g", width, (int)exchange, off);
      cr_expect_lt(slope_off, 1e-8, "width %zu, exchange at step %d: slopes off by %g", width, (int)exchange,
                   slope_off);
      mb_arena_free(&t.arena);
      mb_fit_data_free(&t.data);
    }
}

Test(fit_data, names_are_found_in_both_orders_and_under_others) {
  static const struct {
    const char *text, *model, *data;
    size_t found;
  } cases[] = {
      {"time,hand.position.x,hand.position.y\n0,1,2\n", "hand.position", NULL, 2},
      {"time,body.position.hand.z\n0,1\n", "body.position", NULL, 1},
      {"time,body.position.hand.z\n0,1\n", "hand.position.z", NULL, 1},
      {"time,m.x,m.z\n0,1,2\n", "hand.position", "m", 2},
      {"time,m\n0,1\n", "hand.position.y", "m", 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    MbFitData d;
    MbFitMatch m;
    MbArena arena = {0};
    MbReport report = {0};
    cr_expect_eq(match(cases[i].text, (MbFitMatchAsk){.model = cases[i].model, .data = cases[i].data}, &m,
                       &arena, &d, &report),
                 MB_OK, "%zu: %s", i, report.issues[0].text);
    cr_expect_eq(m.nseries, cases[i].found, "%zu: %zu", i, m.nseries);
    mb_arena_free(&arena);
    mb_fit_data_free(&d);
  }
}

Test(fit_data, what_cannot_be_matched_is_refused) {
  static const struct {
    const char *text, *model, *data, *told;
  } cases[] = {
      {"time,hand.position.x\n0,1\n", "hand.positon", NULL, "no such column"},
      {"time,hnd.position.x\n0,1\n", "hand.position.x", NULL, "did you mean \"hnd.position.x\""},
      {"time,hand.position.x\n0,1\n", "hand.position.x", "marker", "data.csv has no such column"},
      {"time,hand.position.x\n2,1\n", "hand.position.x", NULL, "no time in common"},
      {"time,hand.position.x\n0,inf\n", "hand.position.x", NULL, "has inf"},
      {"time,hand.position.x\n0,\n2,1\n", "hand.position.x", NULL, "nothing for hand.position.x within"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    MbFitData d;
    MbFitMatch m;
    MbArena arena = {0};
    MbReport report = {0};
    cr_expect_eq(match(cases[i].text, (MbFitMatchAsk){.model = cases[i].model, .data = cases[i].data}, &m,
                       &arena, &d, &report),
                 MB_USAGE, "%zu", i);
    cr_expect(strstr(report.issues[0].text, cases[i].told), "%zu: %s", i, report.issues[0].text);
    mb_arena_free(&arena);
    mb_fit_data_free(&d);
  }
}
