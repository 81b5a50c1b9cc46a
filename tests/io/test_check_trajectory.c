// `mbsim check`: a sound run passes, each planted defect is found with its place, and what a file does not say is not judged.
#include "core/base/alloc.h"
#include "tests/io/compare_fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(check_trajectory, .init = fixture_begin, .fini = fixture_end, .timeout = 30);

static const MbCheckOptions strict = {1e-6, 1e-6, 1e-6}, report_only = {NAN, NAN, NAN};

static const MbCheckItem *item(const MbCheckResult *r, const char *name) {
  for (size_t i = 0; i < r->count; i++)
    if (!strcmp(r->items[i].name, name)) return &r->items[i];
  cr_assert_fail("no item %s", name);
  return NULL;
}

static MbCheckResult check(const Plan *plan, const MbCheckOptions *options, MbStatus expected) {
  MbCheckResult r;
  MbReport report = {0};
  const MbStatus status = mb_check_trajectory(plan_write(plan, "run.mbt"), options, &r, &report);
  cr_expect_eq(status, expected, "%d: %s", (int)status, report.issues[0].text);
  fixture_end();
  fixture_begin();
  return r;
}

Test(check_trajectory, a_sound_run_passes_everything) {
  const Plan p = smooth_plan();
  const MbCheckResult r = check(&p, &strict, MB_OK);
  cr_expect_eq(r.count, 8u);
  for (size_t i = 0; i < r.count; i++)
    cr_expect(r.items[i].checked && r.items[i].pass, "%s: %s", r.items[i].name, r.items[i].text);
  cr_expect_eq(mb_alloc_live(), 0);
}

static void nan_at_40(double *x, uint64_t k, double t) {
  (void)t;
  if (k == 40) x[POSITION + 5] = NAN;
  if (k == 41) x[POSITION + 4] = INFINITY;
}

static void long_at_12(double *x, uint64_t k, double t) {
  (void)t;
  if (k == 12) x[ROTATION + 4] *= 1 + 1e-6;
}

static void hot_at_70(double *x, uint64_t k, double t) {
  (void)t;
  if (k == 70) x[ENERGY + 3] += 0.1;
}

static void pushed_at_70(double *x, uint64_t k, double t) {
  (void)t;
  if (k == 70) x[MOMENTUM + 3] += 0.1;
}

static void torn_at_70(double *x, uint64_t k, double t) {
  (void)t;
  if (k == 70) x[VIOLATION + 1] = -0.1;
}

static void open_from_70(double *x, uint64_t k, double t) {
  (void)t;
  if (k >= 70) x[VIOLATION] = 0.1;
}

static void open_at_the_end(double *x, uint64_t k, double t) {
  (void)t;
  if (k == 100) x[VIOLATION] = 0.1;
}

static void closing(double *x, uint64_t k, double t) {
  (void)k;
  x[VIOLATION] = 5 * exp(-20 * t);
}

static void fast_at_70(double *x, uint64_t k, double t) {
  (void)t;
  if (k >= 70) x[VIOLATION + 1] = 0.1; // a rate is no gap
}

// By what the head says that the run was held to; nothing where it says nothing.
Test(check_trajectory, a_constraint_that_stays_open_fails_without_being_asked_for) {
  static const struct {
    void (*edit)(double *frame, uint64_t k, double t);
    const char *text;
    bool pass;
  } cases[] = {
      {NULL, "none stays open by more than 0.01", true},
      {open_from_70, "a constraint stays open by more than 0.01: 0.1, at t = 0.71 s (frame 71)", false},
      {open_at_the_end, "a constraint is open by more than 0.01 where the run ends", false},
      {closing, "none stays open by more than 0.01", true},
      {fast_at_70, "none stays open by more than 0.01", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int known = 0; known < 2; known++) {
      Plan p = smooth_plan();
      p.edit = cases[i].edit;
      p.step = 1e-3;
      if (known) p.constraint_bound = 0.01, p.constraint_patience = 0.15;
      const MbCheckResult r = check(&p, &report_only, known && !cases[i].pass ? MB_DIFFERS : MB_OK);
      const MbCheckItem *found = item(&r, "constraint.error");
      cr_expect_eq(found->checked, known == 1);
      if (known) cr_expect(strstr(found->text, cases[i].text), "%s", found->text);
    }
}

Test(check_trajectory, each_planted_defect_is_found_with_its_place) {
  static const struct {
    void (*edit)(double *, uint64_t, double);
    const char *name, *text;
  } defects[] = {
      {nan_at_40, "finite numbers",
       "2 are not; the first is nan, body.position of 'ball' (z) at t = 0.4 s (frame 40)"},
      {long_at_12, "unit quaternions", "body.rotation of 'ball' at t = 0.12 s (frame 12)"},
      {hot_at_70, "energy", "total drifts by up to 0.1 J"},
      {pushed_at_70, "momentum", "angular by up to 0.1"},
      {torn_at_70, "constraint.error", "at most 0.1, constraint.error (velocity) at t = 0.7 s (frame 70)"},
  };
  for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
    Plan p = smooth_plan();
    p.edit = defects[i].edit;
    const MbCheckResult r = check(&p, &strict, MB_DIFFERS);
    for (size_t k = 0; k < r.count; k++)
      cr_expect_eq(r.items[k].pass, strcmp(r.items[k].name, defects[i].name) != 0, "%s: %s", r.items[k].name,
                   r.items[k].text);
    cr_expect(strstr(item(&r, defects[i].name)->text, defects[i].text), "%s",
              item(&r, defects[i].name)->text);
  }
}

Test(check_trajectory, budgets_without_a_limit_are_told_and_not_judged) {
  Plan p = smooth_plan();
  p.edit = hot_at_70;
  const MbCheckResult r = check(&p, &report_only, MB_OK);
  const MbCheckItem *energy = item(&r, "energy");
  cr_expect(energy->pass && !energy->checked);
  cr_expect(strstr(energy->text, "frame 70"), "%s", energy->text);
}

Test(check_trajectory, energy_is_relative_to_what_moves) {
  Plan p = smooth_plan();
  p.edit = hot_at_70;
  // largest kinetic energy 1 + sin 1, extent of the gravitational one sin 1
  const double drift = 0.1 / (1 + 2 * sin(1));
  const MbCheckOptions just = {drift * 1.001, NAN, NAN}, less = {drift * 0.999, NAN, NAN};
  check(&p, &just, MB_OK);
  check(&p, &less, MB_DIFFERS);
}

Test(check_trajectory, a_files_error_bound_widens_what_a_unit_is) {
  Plan p = smooth_plan();
  p.bound[MB_POSE] = 1e-5;
  const MbCheckResult r = check(&p, &strict, MB_OK);
  cr_expect(item(&r, "unit quaternions")->pass);
}

// Nor do they pass where a bound is given of what they would tell.
Test(check_trajectory, channels_that_are_not_there_are_not_checked) {
  Plan p = smooth_plan();
  p.nchannels = 1;
  static const char *const names[] = {"unit quaternions", "energy", "momentum", "constraint.error"};
  const MbCheckResult r = check(&p, &report_only, MB_OK), asked = check(&p, &strict, MB_DIFFERS);
  for (int i = 0; i < 4; i++) {
    cr_expect(!item(&r, names[i])->checked && item(&r, names[i])->pass, "%s", names[i]);
    cr_expect_eq(item(&asked, names[i])->pass, i == 0, "%s", names[i]);
  }
}

Test(check_trajectory, of_no_frames_nothing_is_said) {
  Plan p = smooth_plan();
  p.frames = 0;
  const MbCheckResult r = check(&p, &strict, MB_OK);
  cr_expect_eq(r.count, 3u);
  cr_expect(!item(&r, "frames")->checked);
}

Test(check_trajectory, a_file_cut_off_does_not_pass) {
  Plan p = smooth_plan();
  p.cut = true;
  MbCheckResult r;
  MbReport report = {0};
  cr_expect_neq(mb_check_trajectory(plan_write(&p, "cut.mbt"), &strict, &r, &report), MB_OK);
  cr_expect_not(item(&r, "whole file")->pass);
  cr_expect(item(&r, "finite numbers")->pass, "what is there is looked at");
}

Test(check_trajectory, a_flipped_bit_is_found) {
  const Plan p = smooth_plan();
  const char *path = plan_write(&p, "flipped.mbt");
  FILE *file = fopen(path, "rb+");
  cr_assert_not_null(file);
  fseek(file, 0, SEEK_END);
  const long middle = ftell(file) / 2;
  fseek(file, middle, SEEK_SET);
  const int byte = fgetc(file);
  fseek(file, middle, SEEK_SET);
  fputc(byte ^ 4, file);
  fclose(file);
  MbCheckResult r;
  MbReport report = {0};
  cr_expect_eq(mb_check_trajectory(path, &strict, &r, &report), MB_IO);
  cr_expect_not(item(&r, "checksums")->pass);
  cr_expect_geq(report.errors, 1);
}

Test(check_trajectory, what_is_no_trajectory_is_unreadable) {
  MbCheckResult r;
  MbReport report = {0};
  cr_expect_eq(mb_check_trajectory("/nonexistent.mbt", &strict, &r, &report), MB_IO);
  cr_expect_eq(report.errors, 1);
}
