// How K and D of the turning part of a frame_spring change (frame_spring_curve.c).
#ifndef MB_FORCES_FRAME_SPRING_CURVE_H
#define MB_FORCES_FRAME_SPRING_CURVE_H

#include "core/model/ops.h"

// Where the frames are turned against one another by r, R[0] and R[1] their axes in their bodies', J = J_r⁻¹.
void mb_frame_turn_curve(const MbForce *force, const MbMaximal *x, const MbForceCurve *at,
                         const double *const R[2], const double r[3], const double J[9]);

#endif
