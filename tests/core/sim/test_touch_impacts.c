// Channel contact.impact: what has come at one another in the steps since the frame before.
#include "core/base/alloc.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#define BALL(interval_)                                                                                      \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 3000}, \"contact\": {\"restitution\": 0.5, "        \
  "\"friction\": 0.3}, \"output\": {\"interval\": " interval_ ", \"channels\": [\"contact.impact\"]}, "      \
  "\"bodies\": [{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": "             \
  "\"fixed\"}}, {\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 4, "      \
  "\"pose\": {\"position\": [0, 0, 1.1]}, \"velocity\": {\"linear\": [1, 0, 0]}}]}"

// Columns of an entry.
enum { A, B, NUMBER, AT, X, NX = X + 3, SPEED = NX + 3, IMPULSE, PX, WIDTH = PX + 3 };
enum { FRAMES = 7, MOST = 20 };

// The entries of the frames of a run, after one another. How many.
static size_t tell(const char *scene, int64_t between, double *entries) {
  TestRun run = test_run(scene, NULL);
  MbReport report = {0};
  double frame[8];
  size_t n = 0;
  for (int64_t step = 0; step <= 3000; step += between) {
    size_t count;
    test_ok(mb_sim_sample(run.sim, frame, &report), &report);
    const double *now = mb_sim_list(run.sim, mb_sim_channel(run.sim, "contact.impact"), &count);
    cr_assert_leq(n + count, MOST);
    for (size_t i = 0; i < count * WIDTH; i++) entries[n * WIDTH + i] = now[i];
    n += count;
    if (step < 3000) test_steps(run.sim, between);
  }
  test_run_free(&run);
  cr_expect_eq(mb_alloc_live(), 0);
  return n;
}

Test(touch_impacts, each_bounce_is_told_once_with_its_speed_and_impulse) {
  double entries[MOST * WIDTH];
  const size_t n = tell(BALL("0.5"), 500, entries);
  cr_assert_eq(n, 8, "%zu bounces", n);
  for (size_t i = 0; i < n; i++) {
    const double *e = entries + i * WIDTH;
    cr_expect(e[A] == 0 && e[B] == 1 && e[NX + 2] == 1);
    cr_expect(fabs(e[IMPULSE] - 4 * 1.5 * e[SPEED]) < 1e-9, "%g N s at %g m/s", e[IMPULSE], e[SPEED]);
    cr_expect(fabs(e[X + 2]) < 1e-3);
    // half of the speed is left, but for what gravity does in the steps of the impacts
    if (i)
      cr_expect(fabs(e[SPEED] - e[SPEED - WIDTH] / 2) < 0.016, "%g m/s after %g", e[SPEED], e[SPEED - WIDTH]);
  }
  cr_expect(fabs(entries[AT] - sqrt(2 / 9.81)) < 1.5e-3, "at %g s", entries[AT]);
  cr_expect(entries[PX] < 0 && entries[PX + 1] == 0 &&
            fabs(entries[PX]) <= 0.3 * entries[IMPULSE] * (1 + 1e-9));
}

Test(touch_impacts, however_long_frames_are_they_tell_the_same) {
  double few[MOST * WIDTH], many[MOST * WIDTH];
  const size_t n = tell(BALL("0.5"), 500, few), m = tell(BALL("0.001"), 1, many);
  cr_assert_eq(n, m, "%zu and %zu", n, m);
  for (size_t i = 0; i < n * WIDTH; i++) cr_expect(i % WIDTH == NUMBER || few[i] == many[i]);
}

// A frame that a run has only because it ends there is none of the run that goes on.
Test(touch_impacts, a_resumed_run_tells_those_before_it) {
  TestRun one = test_run(BALL("0.5"), NULL), other = test_run(BALL("0.5"), NULL);
  MbReport report = {0};
  double frame[8];
  test_steps(one.sim, 1250);
  test_ok(mb_sim_sample(one.sim, frame, &report), &report);
  test_resumes(one.sim, other.sim, 0, 50, "in a frame");
  cr_expect_eq(other.sim->touching->impacts.kept, 3);
  test_resumes(one.sim, other.sim, 200, 100, "at its end");
  cr_expect_eq(other.sim->touching->impacts.kept, 0);
  test_run_free(&one);
  test_run_free(&other);
}

Test(touch_impacts, nothing_is_kept_that_no_channel_tells) {
  TestRun run = test_run(BALL("0.5"), (const char *const[]){"/output/channels=[\"body.position\"]", NULL});
  test_steps(run.sim, 1250);
  cr_expect_eq(run.sim->touching->impacts.kept, 0);
  cr_expect_eq(run.sim->touching->impacts.room, 0);
  test_run_free(&run);
}
