// Which numbers of a frame tell a rotation together, and the two ways to tell one: a unit quaternion is q or -q, a rotation vector r or
// (1 - 2π/|r|) r. A run goes from one to the other at some step, so that numbers of two frames may tell nearly the same and lie far apart.
#ifndef MB_SIM_TURNS_H
#define MB_SIM_TURNS_H

#include "core/mbsim.h"

typedef struct MbRotationPlace {
  size_t at;    // of its first number in a frame
  size_t width; // 4: a quaternion, 3: a rotation vector
} MbRotationPlace;

// Fills in the places of the rotation vectors among the coordinates of a model's joints, as channel joint.position has them; returns how many
// there are. `places` may be NULL.
size_t mb_joint_vectors(const MbModel *model, size_t *places);
// Fills in the rotations of the channels of a frame, channel by channel; returns how many there are. `turns` may be NULL.
size_t mb_channel_turns(const MbChannel *channels, size_t nchannels, MbRotationPlace *turns);

// Tells a rotation of n numbers in the other way.
void mb_turn_tell(double *value, size_t n);
// slope ← that of the other way, where the way at hand is `value` and changes by `slope`. The map is symmetric: it also takes weights of the
// other way's numbers to weights of these.
void mb_turn_slope(const double *value, double *slope, size_t n);
// Takes the other way where that is nearer to `to`, of which numbers that are NaN do not count, and tells whether it did. `slope`, how the
// rotation changes, follows; it may be NULL.
bool mb_turn_bring(double *value, double *slope, const double *to, size_t n);

#endif
