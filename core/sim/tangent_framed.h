// Private to core/sim/tangent*.c: what it changes to place a joint's frames a little differently (tangent_framed.c).
#ifndef MB_SIM_TANGENT_FRAMED_H
#define MB_SIM_TANGENT_FRAMED_H

#include "core/sim/tangent_parts.h"

// How the frames of a joint differ between two models: that on the parent before the joint, in the parent's C, that on the body behind it, in C.
typedef struct MbTangentFramed {
  double before[6], behind[6];
  bool stays; // the frame behind the joint: b is zero
} MbTangentFramed;

MbTangentFramed mb_tangent_framed(const MbModel *less, const MbModel *more, size_t b);
// What that changes of what the transposed pass has weighed, of velocities v, accelerations a and weights z of the tree.
double mb_tangent_of_framed(const MbTangentFramed *framed, const MbModel *model, const MbTangent *t, size_t b,
                            const double *v, const double *a, const double *z);

#endif
