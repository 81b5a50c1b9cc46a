// Which numbers of a frame tell a rotation together.
#ifndef MB_SIM_TURNS_H
#define MB_SIM_TURNS_H

#include "core/mbsim.h"

// A unit quaternion, q and -q being the same, or a rotation vector r, the same as (1 - 2π/|r|) r: a run goes from one to the other.
typedef struct MbRotationPlace {
  size_t at;    // of its first number in a frame
  size_t width; // 4 or 3
} MbRotationPlace;

// Fills in the rotations of channels of quaternions and of joints' coordinates, by rising place; returns how many there are. `turns` may
// be NULL.
size_t mb_sim_turns(const MbSim *sim, MbRotationPlace *turns);

#endif
