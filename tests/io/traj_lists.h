// Trajectories with lists for the tests: what a file of contacts is like.
#ifndef MB_TESTS_IO_TRAJ_LISTS_H
#define MB_TESTS_IO_TRAJ_LISTS_H

#include "tests/io/traj_make.h"

// Channels "body.position" (2 x 3), "touch" (a list of two keys, the first of which counts words, a place, a gap and a force) and "mark"
// (a list without keys).
enum {
  LISTS_FRAME_SIZE = 6 + 2,
  LISTS_TOUCH = 1,
  LISTS_MARK = 2,
  LISTS_KEYS = 2,
  LISTS_WIDTH = 7,
  LISTS_MARK_WIDTH = 2,
  LISTS_MOST = 12 // entries of a frame
};
MbTrajHead make_lists_head(double pose, double force);
// Entries that come, stay for a while and go, and move smoothly as long as they stay; any frame by itself.
size_t make_touches(uint64_t i, double *entries);
size_t make_marks(uint64_t i, double *entries);
void make_lists_frame(uint64_t i, double *time, double *frame);
// Gives frame i and its lists to a writer.
void put_lists_frame(MbTrajWriter *writer, uint64_t i);
// A whole file of that many frames, with a checkpoint before frame `cut`.
void make_lists_file(const char *path, double pose, double force, uint64_t frames, uint64_t cut);

#endif
