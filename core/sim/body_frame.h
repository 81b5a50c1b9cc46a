// Bodies as users see them: by their own frames, in the world's axes (body_frame.c).
#ifndef MB_SIM_BODY_FRAME_H
#define MB_SIM_BODY_FRAME_H

#include "core/sim/sim_internal.h"

// Finds the frame B of body b in the world.
void mb_sim_body_frame(const MbSim *sim, size_t b, MbPose *B);
// Finds its angular velocity, then the velocity of its origin, in the world's axes.
void mb_sim_body_velocity(const MbSim *sim, size_t b, double out[6]);
// The same of the bodies of x.
void mb_body_frame(const MbModel *model, const MbMaximal *x, size_t b, MbPose *B);
void mb_body_velocity(const MbModel *model, const MbMaximal *x, size_t b, double out[6]);

#endif
