// What weights of a frame's numbers are felt by where bodies are and how they move: transposed derivatives of the channels that tell of the
// bodies' motion and of the joints' alone.
#ifndef MB_SIM_CHANNEL_WEIGHTS_H
#define MB_SIM_CHANNEL_WEIGHTS_H

#include "core/sim/sim_internal.h"

// Sums, to which each of the channels adds.
typedef struct MbWeighed {
  double *move, *phi; // (nb x 6) by a motion of the body, and by its velocity, both in its own axes
  double *q, *v;      // (nv) by a motion of the coordinates, and by velocities
} MbWeighed;

// Each adds what the weights of a channel's numbers come to, where the bodies of sim->x are. False, and nothing is added, where it does not tell.
bool mb_weigh_position(const MbSim *sim, const double *weights, MbWeighed *to);
bool mb_weigh_rotation(const MbSim *sim, const double *weights, MbWeighed *to);
bool mb_weigh_velocity(const MbSim *sim, const double *weights, MbWeighed *to);
bool mb_weigh_joint_position(const MbSim *sim, const double *weights, MbWeighed *to);
bool mb_weigh_joint_velocity(const MbSim *sim, const double *weights, MbWeighed *to);

#endif
