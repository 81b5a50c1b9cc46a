// Prediction of poses from velocities: exact where the rule is, undone bit by bit whatever the numbers, and
// worth it.
#include "core/base/alloc.h"
#include "io/trajectory/traj_motion.h"
#include "tests/io/traj_make.h"
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the rules --------------------------------------------------------------------------------------------

// Simpson's rule integrates cubic motion exactly, the trapezoid a quadratic one: what is left is rounding.
Test(traj_motion, polynomial_motion_is_predicted_to_the_last_integer) {
  enum { N = 400 };                   // more than a tile
  static const double gain = 0x1p-20; // exact, so that the numbers are what the formula gives
  double time[3] = {0.25, 0.5, 0.75}, *v = malloc(3 * N * sizeof *v);
  uint64_t q[3][N], d[N];
  for (unsigned order = 1; order < 3; order++) {
    for (size_t r = 0; r < 3; r++)
      for (size_t k = 0; k < N; k++) {
        const double t = time[r], a = (double)(k % 7), b = order == 2 ? (double)(k % 5) : 0;
        q[r][k] = (uint64_t)(int64_t)llround((1 - t + a * t * t + b * t * t * t) / gain);
        v[r * N + k] = -1 + 2 * a * t + 3 * b * t * t;
      }
    const MbMotion motion = {MB_MOTION_LINEAR, time, v, N, 1};
    const MbMotionRow row = {&motion, order, 2, 0, N, 1, gain, q[1], q[0]};
    mb_motion_residual(&row, q[2], d);
    for (size_t k = 0; k < N; k++)
      cr_assert(d[k] + 1 <= 2, "order %u number %zu: %lld", order, k, (long long)d[k]);
  }
  free(v);
}

// Constant angular velocity turns by a constant angle: the prediction is exact but for its own series.
Test(traj_motion, steady_turning_is_predicted_to_the_last_integer) {
  static const double gain = 1e-9, w[3] = {1, -2, 2}; // 3 rad/s
  const double time[3] = {0, 0.1, 0.25}, v[9] = {1, -2, 2, 1, -2, 2, 1, -2, 2};
  uint64_t q[3][4], d[4];
  for (size_t r = 0; r < 3; r++) {
    const double half = 1.5 * time[r] + 0.2;
    q[r][0] = (uint64_t)(int64_t)llround(cos(half) / gain);
    for (size_t k = 0; k < 3; k++) q[r][k + 1] = (uint64_t)(int64_t)llround(sin(half) * w[k] / 3 / gain);
  }
  for (unsigned order = 1; order < 3; order++) {
    const MbMotion motion = {MB_MOTION_ROTATION, time, v, 3, 3};
    const MbMotionRow row = {&motion, order, 2, 0, 1, 4, gain, q[1], q[0]};
    mb_motion_residual(&row, q[2], d);
    // the quaternion that it begins with is rounded, and so is what is left
    for (size_t k = 0; k < 4; k++)
      cr_assert(d[k] + 4 <= 8, "order %u component %zu: %lld", order, k, (long long)d[k]);
  }
}

Test(traj_motion, every_residual_is_undone_whatever_the_numbers) {
  enum { ITEMS = 70, MOST = 6 * ITEMS };
  static const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324, -0.0, 1e200};
  static const double gains[] = {1e-6, 5e-324, 1e300, 1};
  double *v = malloc(3 * MOST * sizeof *v);
  uint64_t q[3][MOST], d[MOST], back[MOST], state = 5;
  for (int round = 0; round < 400; round++) {
    const bool turning = round % 2, apart = round / 2 % 2;
    const size_t width = turning ? 4 : 3, step = apart ? 6 : 3, cols = width * ITEMS;
    double time[3] = {0.1, 0.2, round % 7 ? 0.3 : 1e300};
    for (size_t k = 0; k < 3 * MOST; k++) {
      const uint64_t word = random_word(&state);
      v[k] = word % 3 == 0 ? odd[(word >> 8) % 8] : (double)(int64_t)word * 0x1p-60;
    }
    for (size_t r = 0; r < 3; r++)
      for (size_t k = 0; k < cols; k++) q[r][k] = random_word(&state) >> (round % 5 ? 44 : 0);
    const MbMotion motion = {turning ? MB_MOTION_ROTATION : MB_MOTION_LINEAR, time, v, MOST, step};
    const MbMotionRow row = {&motion, round / 4 % 2 ? 1 : 2, 2,    0,   ITEMS,
                             width,   gains[round / 8 % 4],  q[1], q[0]};
    mb_motion_residual(&row, q[2], d);
    mb_motion_integrate(&row, d, back);
    for (size_t k = 0; k < cols; k++)
      cr_assert_eq(back[k], q[2][k], "round %d number %zu: %llx and %llx", round, k,
                   (unsigned long long)q[2][k], (unsigned long long)back[k]);
  }
  free(v);
}

// ---- files ------------------------------------------------------------------------------------------------

static void write_moving(const char *path, const MbTrajHead *head, uint64_t count) {
  MbTrajWriter *w = NULL;
  cr_assert_eq(mb_traj_create(path, head, &w, NULL), MB_OK);
  for (uint64_t i = 0; i < count; i++) {
    double time = 0, frame[MAKE_MOVING_SIZE];
    make_moving_frame(i, &time, frame);
    cr_assert_eq(mb_traj_frame(w, time, frame, NULL), MB_OK);
  }
  cr_assert_eq(mb_traj_close(w, NULL, NULL), MB_OK);
}

static uint64_t bytes_of_poses(const char *path) {
  MbTraj *t = NULL;
  uint64_t sum = 0;
  cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
  size_t n = 0;
  const MbChannel *channels = mb_traj_channels(t, &n);
  for (size_t i = 0; i < n; i++)
    if (channels[i].quantity == MB_POSE) sum += mb_traj_channel_bytes(t, i, NULL);
  mb_traj_free(t);
  return sum;
}

Test(traj_motion, poses_are_smaller_with_their_velocities) {
  const Folder folder = folder_make();
  char path[256], apart[256];
  folder_file(&folder, "a.mbt", path);
  folder_file(&folder, "b.mbt", apart);
  MbTrajHead head = make_moving_head(1e-6, 1e-4);
  write_moving(path, &head, 64);
  MbChannel renamed[MAKE_MOVING_CHANNELS];
  memcpy(renamed, head.channels, sizeof renamed);
  renamed[2].name = renamed[4].name = renamed[6].name = "rate";
  head.channels = renamed;
  write_moving(apart, &head, 64);
  const uint64_t with = bytes_of_poses(path), without = bytes_of_poses(apart);
  cr_assert_lt(10 * with, 9 * without, "%d bytes with velocities, %d without", (int)with, (int)without);
  folder_remove(&folder);
}

// Poses whose velocities nobody asked for, frame by frame and chunk by chunk: the same bits.
Test(traj_motion, channels_are_read_alone_as_together) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  const MbTrajHead head = make_moving_head(1e-6, 1e-4);
  write_moving(path, &head, 70);
  MbTraj *t = NULL;
  double *all = malloc(70 * MAKE_MOVING_SIZE * sizeof *all),
         *some = malloc(70 * MAKE_MOVING_SIZE * sizeof *all);
  cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
  cr_assert_eq(mb_traj_read(t, 0, 70, NULL, NULL, all, NULL), MB_OK);
  for (unsigned set = 0; set < 1u << MAKE_MOVING_CHANNELS; set++) {
    bool wanted[MAKE_MOVING_CHANNELS];
    for (size_t i = 0; i < MAKE_MOVING_CHANNELS; i++) wanted[i] = set >> i & 1;
    for (size_t k = 0; k < 70 * MAKE_MOVING_SIZE; k++) some[k] = -7;
    if (set % 2)
      cr_assert_eq(mb_traj_read(t, 0, 70, wanted, NULL, some, NULL), MB_OK);
    else
      for (uint64_t f = 0; f < 70; f++)
        cr_assert_eq(mb_traj_read(t, f, 1, wanted, NULL, some + f * MAKE_MOVING_SIZE, NULL), MB_OK);
    for (size_t i = 0; i < MAKE_MOVING_CHANNELS; i++) {
      const size_t offset = head.channels[i].offset, n = head.channels[i].items * head.channels[i].width;
      for (size_t f = 0; f < 70; f++)
        for (size_t k = f * MAKE_MOVING_SIZE + offset; k < f * MAKE_MOVING_SIZE + offset + n; k++)
          cr_assert(some[k] == (wanted[i] ? all[k] : -7), "set %u frame %zu channel %zu: %a, not %a", set, f,
                    i, some[k], all[k]);
    }
  }
  mb_traj_free(t);
  free(all);
  free(some);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

// The bound holds for every pose, and steps that vary are no hindrance.
Test(traj_motion, bounds_hold_at_steps_that_vary) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  const MbTrajHead head = make_moving_head(1e-6, 1e-4);
  MbTrajWriter *w = NULL;
  double(*frame)[MAKE_MOVING_SIZE] = malloc(70 * sizeof *frame), *read = malloc(70 * sizeof *frame);
  double before = -1;
  uint64_t state = 9;
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_OK);
  for (uint64_t i = 0; i < 70; i++) {
    double time = 0;
    make_moving_frame(3 * i + random_word(&state) % 3, &time, frame[i]);
    cr_assert_gt(time, before);
    before = time;
    cr_assert_eq(mb_traj_frame(w, time, frame[i], NULL), MB_OK);
  }
  cr_assert_eq(mb_traj_close(w, NULL, NULL), MB_OK);
  MbTraj *t = NULL;
  cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
  cr_assert_eq(mb_traj_read(t, 0, 70, NULL, NULL, read, NULL), MB_OK);
  for (size_t c = 0; c < MAKE_MOVING_CHANNELS; c++) {
    const MbChannel *channel = &head.channels[c];
    for (size_t f = 0; f < 70; f++)
      for (size_t k = channel->offset; k < channel->offset + channel->items * channel->width; k++)
        cr_assert_leq(fabs(frame[f][k] - read[f * MAKE_MOVING_SIZE + k]), head.bound[channel->quantity],
                      "%s frame %zu number %zu: %a and %a", channel->name, f, k, frame[f][k],
                      read[f * MAKE_MOVING_SIZE + k]);
  }
  mb_traj_free(t);
  free(frame);
  free(read);
  folder_remove(&folder);
}
