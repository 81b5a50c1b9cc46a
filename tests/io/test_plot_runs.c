// Trajectories as curves: which numbers a name means, their units, gaps; what a comparison finds as curves.
#include "core/base/alloc.h"
#include "io/export/column_unit.h"
#include "io/plot/plot_errors.h"
#include "io/plot/plot_pick.h"
#include "io/plot/plot_runs.h"
#include "tests/io/compare_fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(plot_runs, .init = fixture_begin, .fini = fixture_end, .timeout = 60);

static MbTraj *open_plan(const Plan *p, const char *name) {
  MbTraj *traj = NULL;
  cr_assert_eq(mb_traj_open(plan_write(p, name), &traj, NULL), MB_OK);
  return traj;
}

// ---- names and units --------------------------------------------------------------------------------------

Test(plot_runs, a_name_is_a_channel_a_column_or_what_columns_begin_with) {
  static const struct {
    const char *name, *first, *unit;
    size_t count;
  } cases[] = {{"energy", "energy.kinetic", "J", 4},
               {"energy.total", "energy.total", "J", 1},
               {"body.position", "crate.position.x", "m", 6},
               {"crate.position", "crate.position.x", "m", 3},
               {"body.position.ball", "ball.position.x", "m", 3},
               {"body.position.ball.z", "ball.position.z", "m", 1},
               {"crate", "crate.position.x", "m", 13},
               {"crat", NULL, NULL, 0},
               {"crate.position.xy", NULL, NULL, 0},
               {"", NULL, NULL, 0}};
  const Plan p = smooth_plan();
  MbTraj *traj = open_plan(&p, "a.mbt");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    MbArena arena = {0};
    MbPick picks[4];
    const size_t n = mb_pick(traj, cases[i].name, &arena, picks, 4);
    cr_expect_eq(n, cases[i].count, "%s: %zu", cases[i].name, n);
    if (n) cr_expect_str_eq(picks[0].name, cases[i].first);
    if (n) cr_expect_str_eq(picks[0].unit, cases[i].unit, "%s", picks[0].unit);
    mb_arena_free(&arena);
  }
  MbArena arena = {0};
  cr_expect_str_eq(mb_pick_near(traj, "enregy", &arena), "energy");
  cr_expect_str_eq(mb_pick_near(traj, "crate.postion.y", &arena), "crate.position.y");
  cr_expect_null(mb_pick_near(traj, "something else altogether", &arena));
  mb_arena_free(&arena);
  mb_traj_free(traj);
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(plot_runs, units_of_a_channel_are_those_of_its_components_in_order) {
  static const struct {
    const char *units;
    size_t width, component;
    const char *unit;
  } cases[] = {{"J", 4, 3, "J"},
               {"", 4, 0, ""},
               {"rad/s, m/s", 6, 2, "rad/s"},
               {"rad/s, m/s", 6, 3, "m/s"},
               {"m, m/s, N", 3, 2, "N"},
               {"m, rad", 1, 0, "m or rad"},
               {"m, rad, m/s, rad/s", 2, 1, "m/s or rad/s"},
               {"m, rad", 3, 1, "m or rad"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const MbChannel channel = {.unit = cases[i].units, .items = 5, .width = cases[i].width};
    MbText unit = {0};
    mb_column_unit(&unit, &channel, 2 * cases[i].width + cases[i].component);
    cr_expect_str_eq(unit.text, cases[i].unit, "%s: %s", cases[i].units, unit.text);
    mb_free(mb_text_take(&unit));
  }
}

// ---- runs -------------------------------------------------------------------------------------------------

static MbStatus plot_of(MbTraj *const *runs, size_t nruns, const char *name, const char *across,
                        MbRunsPlot *made, MbReport *report) {
  static const char *const labels[] = {"a", "b", "c"};
  const MbRunsAsk ask = {.runs = runs,
                         .labels = labels,
                         .nruns = nruns,
                         .names = &name,
                         .nnames = 1,
                         .across = across,
                         .slice = {.last = INT64_MAX, .stride = 1}};
  return mb_runs_plot(&ask, made, report);
}

Test(plot_runs, curves_hold_the_numbers_of_the_frames) {
  const Plan p = smooth_plan();
  MbTraj *traj = open_plan(&p, "a.mbt");
  MbRunsPlot made;
  MbReport report = {0};
  cr_assert_eq(plot_of(&traj, 1, "crate.position.x", NULL, &made, &report), MB_OK);
  cr_assert(made.plot.npanels == 1 && made.plot.panels[0].ncurves == 1);
  const MbCurve *c = &made.plot.panels[0].curves[0];
  cr_assert_eq(c->n, p.frames);
  for (size_t i = 0; i < c->n; i++) cr_expect(c->y[i] == sin(c->x[i]), "frame %zu", i);
  cr_expect_str_eq(made.plot.panels[0].y.label, "body.position (m)");
  mb_runs_plot_free(&made);
  // over one another
  cr_assert_eq(plot_of(&traj, 1, "crate.position.x", "energy.total", &made, &report), MB_OK);
  cr_expect_str_eq(made.plot.panels[0].x.label, "energy.total (J)");
  mb_runs_plot_free(&made);
  mb_traj_free(traj);
  cr_expect_eq(mb_alloc_live(), 0);
}

static void make_nan(double *frame, uint64_t k, double t) {
  (void)t;
  if (k == 50 || k == 51) frame[POSITION] = NAN;
}

Test(plot_runs, runs_that_end_early_and_numbers_that_are_not_finite_are_shown_as_they_are) {
  Plan a = smooth_plan(), b = smooth_plan();
  b.frames = 40;
  a.edit = make_nan;
  MbTraj *const runs[] = {open_plan(&a, "a.mbt"), open_plan(&b, "b.mbt")};
  MbRunsPlot made;
  MbReport report = {0};
  cr_assert_eq(plot_of(runs, 2, "crate.position.x", NULL, &made, &report), MB_OK);
  const MbPanel *panel = &made.plot.panels[0];
  cr_assert_eq(panel->ncurves, 2);
  cr_expect_eq(panel->curves[0].n, 101 - 2 + 1, "a break in two numbers' place");
  cr_expect(isnan(panel->curves[0].y[50]));
  cr_expect_eq(panel->curves[1].n, 40);
  cr_expect_float_eq(panel->x.to, 1.0, 1e-12);
  cr_expect_eq(report.warnings, 1);
  cr_expect(strstr(report.issues[0].text, "2 numbers are not finite"), "%s", report.issues[0].text);
  mb_runs_plot_free(&made);
  mb_traj_free(runs[0]);
  mb_traj_free(runs[1]);
}

Test(plot_runs, what_cannot_be_plotted_is_told) {
  Plan a = smooth_plan(), none = smooth_plan();
  none.frames = 0;
  MbTraj *whole = open_plan(&a, "a.mbt"), *empty = open_plan(&none, "b.mbt");
  static const struct {
    bool empty;
    const char *name, *across, *text;
  } cases[] = {{true, "energy", NULL, "there are no frames to plot"},
               {false, "enrgy", NULL, "no channel or column \"enrgy\"; did you mean energy?"},
               {false, "energy", "crate.position", "is 3 columns"},
               {false, "energy", "nothing", "no channel or column \"nothing\""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    MbRunsPlot made;
    MbReport report = {0};
    cr_expect_eq(plot_of(cases[i].empty ? &empty : &whole, 1, cases[i].name, cases[i].across, &made, &report),
                 MB_USAGE);
    cr_expect(strstr(report.issues[report.kept - 1].text, cases[i].text), "%s",
              report.issues[report.kept - 1].text);
    cr_expect_eq(report.errors, 1);
    mb_runs_plot_free(&made);
  }
  mb_traj_free(whole);
  mb_traj_free(empty);
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(plot_runs, memory_that_runs_out_is_told_and_leaves_nothing) {
  const Plan p = smooth_plan();
  char path[300];
  mb_traj_free(open_plan(&p, "a.mbt"));
  fixture_file("a.mbt", path);
  MbStatus status = MB_IO;
  for (int64_t calls = 0; status; calls++) {
    MbTraj *traj = NULL;
    MbRunsPlot made;
    MbReport report = {0};
    cr_assert_eq(mb_traj_open(path, &traj, NULL), MB_OK);
    mb_alloc_fail_after(calls);
    status = plot_of(&traj, 1, "energy", NULL, &made, &report);
    mb_alloc_fail_after(-1);
    cr_assert(status == MB_OK || status == MB_IO, "%d: %s", status, report.issues[0].text);
    mb_runs_plot_free(&made);
    mb_traj_free(traj);
    cr_assert_eq(mb_alloc_live(), 0, "call %lld", (long long)calls);
    cr_assert_lt(calls, 2000);
  }
}

// ---- errors -----------------------------------------------------------------------------------------------

static void disturb(double *frame, uint64_t k, double t) {
  if (k < 30) return;
  frame[POSITION + 1] += 1e-6 * exp(8 * (t - 0.3)); // crate y
  frame[VELOCITY + 3] += 1e-3;                      // crate vx
  if (k == 60) frame[ENERGY + 3] = NAN;
}

Test(plot_runs, errors_cross_their_line_where_the_comparison_first_differs) {
  Plan a = smooth_plan(), b = smooth_plan();
  b.edit = disturb;
  a.channels[2].unit = b.channels[2].unit = "rad/s, m/s";
  MbTraj *const runs[] = {open_plan(&a, "a.mbt"), open_plan(&b, "b.mbt")};
  static const char *const labels[] = {"a", "b"};
  static const MbTolerance own[] = {{"body.velocity", "vx", 1, 0}, {"body.velocity", NULL, 1e-4, 0}};
  MbErrorPlot made;
  MbCompareResult result;
  MbReport report = {0};
  cr_assert_eq(mb_error_plot_begin(&made, runs[0], &report), MB_OK);
  const MbCompareOptions options = {.fallback = {.atol = 1e-5},
                                    .tolerances = own,
                                    .ntolerances = 2,
                                    .until = INFINITY,
                                    .watch = mb_error_plot_watch,
                                    .watcher = &made};
  cr_assert_eq(mb_compare(runs[0], runs[1], &options, &result, &report), MB_DIFFERS);
  cr_assert_eq(mb_error_plot_make(&made, &result, labels, &report), MB_OK);
  cr_expect_str_eq(made.plot.title, "b against a: largest errors");
  size_t velocities = 0;
  for (size_t i = 0; i < made.plot.npanels; i++) {
    const MbPanel *p = &made.plot.panels[i];
    if (!strncmp(p->title, "body.position", 13)) {
      // the curve is the error that was made, and the line its tolerance
      cr_expect(p->y.logarithmic && p->ncurves == 1 && p->nguides == 2, "%zu guides", p->nguides);
      cr_expect_float_eq(p->guides[0].at, 1e-5, 1e-20);
      const MbCurve *c = &p->curves[0];
      double first = NAN;
      for (size_t k = 0; k < c->n; k++) {
        const double made_error = k < 30 ? 0 : 1e-6 * exp(8 * (c->x[k] - 0.3));
        cr_assert_float_eq(c->y[k], made_error, 1e-9 * made_error + 1e-15, "frame %zu: %g", k, c->y[k]);
        if (isnan(first) && c->y[k] > 1e-5) first = c->x[k];
      }
      const MbChannelResult *r = &result.channels[0];
      cr_expect_str_eq(r->channel, "body.position");
      cr_expect(first == r->first.time && p->guides[1].at == first && p->guides[1].upright, "%g, %g", first,
                r->first.time);
      cr_expect(strstr(p->title, "first beyond the tolerance at t = 0.59 s"), "%s", p->title);
    } else if (!strncmp(p->title, "body.velocity", 13)) {
      // angular and linear ones apart; of the latter one has a tolerance of its own
      cr_expect_eq(p->ncurves, velocities++ ? 2u : 1u);
      cr_expect_str_eq(p->y.label, velocities == 1 ? "error (rad/s)" : "error (m/s)");
      if (velocities == 2)
        cr_expect(strstr(p->curves[0].name, "vx, tolerance 1") &&
                  strstr(p->curves[1].name, "vy vz, tolerance 0.0001"));
    } else if (!strncmp(p->title, "energy", 6)) {
      cr_expect(strstr(p->title, "not finite in 1 frame"), "%s", p->title);
    } else if (!strncmp(p->title, "body.rotation", 13)) {
      cr_expect(strstr(p->title, "no difference") && !strcmp(p->y.label, "error (rad)"), "%s", p->title);
    }
  }
  cr_expect_eq(velocities, 2);
  mb_error_plot_free(&made);
  mb_compare_free(&result);
  mb_traj_free(runs[0]);
  mb_traj_free(runs[1]);
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(plot_runs, watching_changes_nothing_in_the_comparison) {
  Plan a = smooth_plan(), b = smooth_plan();
  b.edit = disturb;
  MbTraj *const runs[] = {open_plan(&a, "a.mbt"), open_plan(&b, "b.mbt")};
  MbCompareResult seen, alone;
  MbErrorPlot made;
  MbReport report = {0};
  MbCompareOptions options = exact;
  cr_assert_eq(mb_compare(runs[0], runs[1], &options, &alone, &report), MB_DIFFERS);
  cr_assert_eq(mb_error_plot_begin(&made, runs[0], &report), MB_OK);
  options.watch = mb_error_plot_watch, options.watcher = &made;
  cr_assert_eq(mb_compare(runs[0], runs[1], &options, &seen, &report), MB_DIFFERS);
  cr_expect_str_eq(alone.verdict, seen.verdict);
  for (size_t i = 0; i < alone.nchannels; i++)
    cr_expect(alone.channels[i].worst.error == seen.channels[i].worst.error &&
              alone.channels[i].exceeding == seen.channels[i].exceeding);
  mb_error_plot_free(&made);
  mb_compare_free(&alone);
  mb_compare_free(&seen);
  mb_traj_free(runs[0]);
  mb_traj_free(runs[1]);
}
