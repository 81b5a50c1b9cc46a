// Private to io/plot: which numbers of a trajectory a name means.
#ifndef MB_IO_PLOT_PICK_H
#define MB_IO_PLOT_PICK_H

#include "core/base/arena.h"
#include "io/trajectory/trajectory.h"

// One number of a frame.
typedef struct MbPick {
  const char *name, *unit, *channel;
  size_t at; // in the frame
} MbPick;

// The columns that `name` means: those of a channel, else one column, else all whose names begin with it and a point. At most `room`
// are put into `picks`, the names into the arena. How many there are, SIZE_MAX when memory ran out.
size_t mb_pick(const MbTraj *traj, const char *name, MbArena *arena, MbPick *picks, size_t room);
// The nearest name of a channel or column in the arena, or NULL.
const char *mb_pick_near(const MbTraj *traj, const char *name, MbArena *arena);

#endif
