// Frames that are missing: where the numbers of frames leap from one chunk to the next.
#include "core/base/alloc.h"
#include "io/trajectory/traj_reader.h"

#include <inttypes.h>

void mb_gap_warn(const char *path, MbTrajGap gap, MbReport *report) {
  if (gap.count == 1)
    mb_warning(report, "", "%s: frame %" PRIu64 " is missing", path, gap.first);
  else
    mb_warning(report, "", "%s: frames %" PRIu64 " to %" PRIu64 " are missing", path, gap.first,
               gap.first + gap.count - 1);
}

bool mb_index_gaps(const MbIndex *index, MbTrajGap **gaps, size_t *count) {
  size_t n = 0;
  uint64_t expected = 0;
  *gaps = NULL;
  *count = 0;
  for (size_t i = 0; i < index->nchunks; expected = index->chunks[i].first + index->chunks[i].count, i++)
    n += index->chunks[i].first != expected;
  if (!n) return true;
  *gaps = mb_calloc(n, sizeof **gaps);
  if (!*gaps) return false;
  expected = 0;
  for (size_t i = 0; i < index->nchunks; i++) {
    const MbTrajChunkInfo *c = &index->chunks[i];
    if (c->first != expected) (*gaps)[(*count)++] = (MbTrajGap){expected, c->first - expected};
    expected = c->first + c->count;
  }
  return true;
}

size_t mb_traj_gaps(const MbTraj *t) { return t->ngaps; }
MbTrajGap mb_traj_gap(const MbTraj *t, size_t i) { return t->gaps[i]; }

uint64_t mb_traj_frames_there(const MbTraj *t) {
  uint64_t frames = mb_traj_frames(t);
  for (size_t i = 0; i < t->ngaps; i++) frames -= t->gaps[i].count;
  return frames;
}

// The gap that the frame lies in, NULL when it lies in none.
static const MbTrajGap *gap_at(const MbTraj *t, uint64_t frame) {
  size_t low = 0, high = t->ngaps;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (t->gaps[middle].first <= frame)
      low = middle + 1;
    else
      high = middle;
  }
  const MbTrajGap *gap = low ? &t->gaps[low - 1] : NULL;
  return gap && frame - gap->first < gap->count ? gap : NULL;
}

uint64_t mb_traj_frame_from(const MbTraj *t, uint64_t frame) {
  const uint64_t frames = mb_traj_frames(t);
  if (frame >= frames) return frames;
  const MbTrajGap *gap = gap_at(t, frame);
  return gap ? gap->first + gap->count : frame;
}

uint64_t mb_traj_frame_until(const MbTraj *t, uint64_t frame) {
  const uint64_t frames = mb_traj_frames(t);
  if (frame >= frames) frame = frames - 1; // UINT64_MAX when there are none
  const MbTrajGap *gap = frames ? gap_at(t, frame) : NULL;
  return gap ? gap->first - 1 : frame;
}
