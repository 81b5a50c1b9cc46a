// What a node of a deformable has: it moves along the axes of the world that `order` lists, n of them, and never turns:
//   Q = translation by Σ e_a q_a,   S = ( 0 ; e_a ),   Ṡ = 0.
// A node that is held along all axes has no coordinate. No word of the scene: bodies have no such joint.
#include "core/joints/joints.h"

#include <string.h>

static void eval(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S, double *Sdot) {
  (void)v;
  mb_pose_identity(Q);
  memset(S, 0, 6 * joint->n * sizeof *S);
  memset(Sdot, 0, 6 * joint->n * sizeof *Sdot);
  for (size_t i = 0; i < joint->n; i++) {
    Q->p[joint->order[i]] = q[i];
    S[6 * i + 3 + (size_t)joint->order[i]] = 1;
  }
}

const MbJointOps mb_joint_node = {.name = "node", .eval = eval, .carries = mb_joint_carries_nothing};
