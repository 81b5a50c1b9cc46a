// Joints made of joints.
#ifndef MB_JOINTS_JOINT_PARTS_H
#define MB_JOINTS_JOINT_PARTS_H

#include "core/joints/joints.h"
#include "core/math/dense6.h"

extern const MbJointOps mb_joint_translational;

// Q ← Q Q₂ for a part whose coordinates start at q + first; the `first` columns of S and Ṡ are carried along,
// the part's are put behind them.
void mb_joint_append(const MbJoint *part, size_t first, const double *q, const double *v, MbPose *Q,
                     double *S, double *Sdot);

#endif
