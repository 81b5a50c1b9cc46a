// Frames of a trajectory one after the other, a block of one chunk in memory at a time.
#ifndef MB_IO_WALK_H
#define MB_IO_WALK_H

#include "io/trajectory/trajectory.h"

typedef struct MbWalk {
  MbTraj *traj;
  const bool *wanted; // channels to decode, NULL = all; the others' numbers are 0
  size_t frame_size;
  uint64_t frames;         // of the trajectory
  uint64_t first, count;   // frames in the block
  size_t chunk;            // that the last frame was found in
  size_t room;             // frames that the block has memory for
  double *times, *numbers; // (room), (room x frame_size)
} MbWalk;

MbStatus mb_walk_begin(MbWalk *walk, MbTraj *traj, const bool *wanted, MbReport *report);
// Time and numbers of frame k, valid until the next call. Cheapest when frames come in order, either way
// round.
MbStatus mb_walk_frame(MbWalk *walk, uint64_t k, double *time, const double **numbers, MbReport *report);
void mb_walk_end(MbWalk *walk); // zeroed walks are fine

#endif
