// Frames a:b:c of a trajectory, as Python takes them.
#include "core/base/report.h"
#include "io/trajectory/trajectory.h"

uint64_t mb_frames_at(const MbTrajFrames *f, uint64_t i) {
  return f->first + i * (uint64_t)f->stride; // wraps to the right frame for negative strides
}

uint64_t mb_frames_next(const MbTrajFrames *f, uint64_t i) {
  const uint64_t step = f->stride < 0 ? 0 - (uint64_t)f->stride : (uint64_t)f->stride;
  while (i < f->span) {
    const uint64_t k = mb_frames_at(f, i);
    const uint64_t there = f->stride < 0 ? mb_traj_frame_until(f->traj, k) : mb_traj_frame_from(f->traj, k);
    if (there == k) return i;
    if (there == UINT64_MAX) return f->span; // backwards, and none is left
    const uint64_t leap = f->stride < 0 ? k - there : there - k;
    i += (leap - 1) / step + 1;
  }
  return f->span;
}

// An index as Python understands it, between `low` and `high`.
static int64_t clamp_index(int64_t k, int64_t n, int64_t low, int64_t high) {
  if (k < 0) k += n;
  return k < low ? low : k > high ? high : k;
}

static void choose_forwards(MbTrajFrames *f, MbTrajSlice slice, int64_t n) {
  const int64_t first = clamp_index(slice.first, n, 0, n), last = clamp_index(slice.last, n, 0, n);
  f->first = (uint64_t)first;
  if (last > first) f->span = (uint64_t)(last - first - 1) / (uint64_t)f->stride + 1;
}

static void choose_backwards(MbTrajFrames *f, MbTrajSlice slice, int64_t n) {
  const bool open = slice.last == INT64_MAX;
  const int64_t first = clamp_index(slice.first, n, -1, n - 1);
  const int64_t last = open ? -1 : clamp_index(slice.last, n, -1, n - 1);
  if (first <= last) return;
  f->first = (uint64_t)first;
  f->span = (uint64_t)(first - last - 1) / (uint64_t)-f->stride + 1;
}

MbStatus mb_traj_slice(const MbTraj *traj, MbTrajSlice slice, MbTrajFrames *f, MbReport *report) {
  const uint64_t frames = mb_traj_frames(traj);
  const int64_t n = frames < INT64_MAX ? (int64_t)frames : INT64_MAX;
  *f = (MbTrajFrames){.traj = traj, .stride = slice.stride == INT64_MIN ? -INT64_MAX : slice.stride};
  if (!f->stride) return mb_error(report, MB_USAGE, "", "frames cannot be taken in strides of 0");
  if (f->stride > 0)
    choose_forwards(f, slice, n);
  else
    choose_backwards(f, slice, n);

  // those that are there
  f->count = f->span;
  if (!mb_traj_gaps(traj)) return MB_OK;
  f->count = 0;
  for (uint64_t i = mb_frames_next(f, 0); i < f->span; i = mb_frames_next(f, i + 1)) f->count++;
  if (f->count || !f->span) return MB_OK;
  return mb_error(report, MB_IO, "", "%s lacks all of the frames that were asked for", mb_traj_path(traj));
}
