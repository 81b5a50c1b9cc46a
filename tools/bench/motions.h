// Small simulations that give the trajectory benchmarks numbers like those of real runs.
#ifndef MB_TOOLS_BENCH_MOTIONS_H
#define MB_TOOLS_BENCH_MOTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Motion {
  const char *name, *what;
  size_t items;
  bool bodies; // channels: position 3, rotation 4, velocity 6; otherwise position 3, velocity 3
  size_t frames;
  double interval; // s between frames
  double *numbers; // (frames x items * (pose + velocity)): all poses of a frame, then all velocities
} Motion;

enum { MOTIONS = 6 };
// Fills one of them; false when memory ran out. Free the numbers with mb_free.
bool motion_make(int which, Motion *motion);

#endif
