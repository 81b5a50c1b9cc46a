// A joint as a constraint on two frames: how far they are from positions that the joint allows, which are its coordinates
// there, and how both change.
#ifndef MB_MODEL_JOINT_GAP_H
#define MB_MODEL_JOINT_GAP_H

#include "core/model/joint.h"

typedef struct MbJointGap {
  size_t n, rows;      // degrees of freedom, 6 − n
  double g[6];         // (rows) zero where the joint allows X
  size_t of[6];        // (rows) which of the six numbers it is: below 3 turns
  double N[36], Z[36]; // (n x 6), (rows x 6): ξ of q̇ = 1 and ġ = 0; of ġ = 1 and q̇ = 0
  double W[36], V[36]; // (rows x 6), (n x 6): ġ = W ξ, q̇ = V ξ
  double bend[MB_JOINT_DOFS], v[6], turn[6]; // g̈ = W ξ̇ + bend; q̇; q̈ = V ξ̇ + turn
} MbJointGap;

// X ← the second frame of a joint in the first, P⁻¹ E B⁻¹, where the body is at E in its parent's axes.
void mb_joint_between(const MbPose *P, const MbPose *B, const MbPose *E, MbPose *X);
// Whether all coordinates of a joint move its body in ways of their own at q. They do not where a gimbal is locked, nor anywhere where two slide alike or there are more than six.
bool mb_joint_moves_apart(const MbJoint *joint, const double *q);
// X is the second frame in the first, ξ its twist in its own axes. q: from where the coordinates are looked for, and where
// they are. False where none are found, or where motions of the joint are the same.
bool mb_joint_gap(const MbJoint *joint, const MbPose *X, const double xi[6], double *q, MbJointGap *gap);

#endif
