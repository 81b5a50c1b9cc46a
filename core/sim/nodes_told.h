// Which runs of deformables' nodes have a way back through their steps, and which channels of a frame.
#ifndef MB_SIM_NODES_TOLD_H
#define MB_SIM_NODES_TOLD_H

#include "core/sim/sim_internal.h"

// What a channel tells of nodes: something else, their places, velocities, momentum, energy, or nothing.
typedef enum MbNodesTold {
  MB_TOLD_ELSE,
  MB_TOLD_PLACES,
  MB_TOLD_VELOCITIES,
  MB_TOLD_MOMENTUM,
  MB_TOLD_ENERGY,
  MB_TOLD_NOTHING
} MbNodesTold;

// Says why a simulation's steps are not those of nodes by themselves, to their end, or something else moves; NULL: they are.
const char *mb_nodes_no_way_back(const MbSim *sim);
// Tells what channel c tells.
MbNodesTold mb_nodes_told(const MbSim *sim, size_t c);
// Tells the same of the channel that a frame's number is of.
MbNodesTold mb_nodes_told_by(const MbSim *sim, size_t column);

#endif
