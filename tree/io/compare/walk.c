#include "io/compare/walk.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

enum { BLOCK_BYTES = 8 << 20, BLOCK_FRAMES = 4096 };

MbStatus mb_walk_begin(MbWalk *walk, MbTraj *traj, const bool *wanted, MbReport *report) {
  const size_t size = mb_traj_frame_size(traj);
  *walk = (MbWalk){.traj = traj, .wanted = wanted, .frame_size = size, .frames = mb_traj_frames(traj)};

  // room for the longest chunk, unless its numbers are too many
  size_t room = 1;
  for (size_t i = 0; i < mb_traj_chunks(traj); i++) {
    const uint64_t n = mb_traj_chunk(traj, i).count;
    if (n > room) room = n < BLOCK_FRAMES ? (size_t)n : BLOCK_FRAMES;
  }
  const size_t fit = BLOCK_BYTES / sizeof(double) / (size + 1);
  if (room > fit) room = fit ? fit : 1;

  size_t numbers = 0;
  if (__builtin_mul_overflow(room, size, &numbers)) return mb_no_memory(report, "frames");
  walk->room = room;
  walk->times = mb_calloc(room, sizeof *walk->times);
  walk->numbers = mb_calloc(numbers, sizeof *walk->numbers);
  if (walk->times && walk->numbers) return MB_OK;
  mb_walk_end(walk);
  return mb_no_memory(report, "frames");
}

void mb_walk_end(MbWalk *walk) {
  mb_free(walk->times);
  mb_free(walk->numbers);
  *walk = (MbWalk){0};
}

// The chunk that holds frame k: the last one that begins at or before it.
static MbTrajChunkInfo find_chunk(MbWalk *walk, uint64_t k) {
  size_t lo = 0, hi = mb_traj_chunks(walk->traj);
  if (walk->chunk < hi && mb_traj_chunk(walk->traj, walk->chunk).first <= k) {
    lo = walk->chunk;
    if (lo + 1 < hi && mb_traj_chunk(walk->traj, lo + 1).first > k) hi = lo + 1;
  }
  while (hi - lo > 1) {
    const size_t middle = lo + (hi - lo) / 2;
    if (mb_traj_chunk(walk->traj, middle).first <= k)
      lo = middle;
    else
      hi = middle;
  }
  walk->chunk = lo;
  return mb_traj_chunk(walk->traj, lo);
}

MbStatus mb_walk_frame(MbWalk *walk, uint64_t k, double *time, const double **numbers, MbReport *report) {
  if (k >= walk->frames)
    return mb_error(report, MB_USAGE, "", "frame %llu of %llu", (unsigned long long)k,
                    (unsigned long long)walk->frames);
  if (k < walk->first || k - walk->first >= walk->count) {
    MbTrajChunkInfo chunk = {.first = k, .count = 1};
    if (mb_traj_chunks(walk->traj)) chunk = find_chunk(walk, k);
    if (k - chunk.first >= chunk.count) chunk = (MbTrajChunkInfo){.first = k, .count = 1};

    const uint64_t skip = (k - chunk.first) / walk->room * walk->room, left = chunk.count - skip;
    walk->first = chunk.first + skip;
    walk->count = 0;
    const uint64_t count = left < walk->room ? left : walk->room;
    const MbStatus status =
        mb_traj_read(walk->traj, walk->first, count, walk->wanted, walk->times, walk->numbers, report);
    if (status != MB_OK) return status;
    walk->count = count;
  }
  const size_t row = (size_t)(k - walk->first);
  *time = walk->times[row];
  *numbers = walk->numbers + row * walk->frame_size;
  return MB_OK;
}
