// A joint in reduced coordinates. With Q(q) the child's joint frame in the parent's, in the joint's own coordinates:
//   S = Q⁻¹ ∂Q/∂q (6 x n, unbracketed, column after column), so that the child moves with S q̇ in its own joint frame,
//   Ṡ = Σ ∂S/∂q_j q̇_j.
#ifndef MB_MODEL_JOINT_H
#define MB_MODEL_JOINT_H

#include "core/math/se3.h"
#include "core/model/spec.h"

typedef struct MbJointOps MbJointOps;

enum { MB_JOINT_DOFS = 6, MB_JOINT_MOST = 24 }; // degrees of freedom of a joint that is no composite; of any

// One joint of the model, constant. What its kind does not use is zero.
typedef struct MbJoint {
  const MbJointOps *ops;
  size_t n;       // degrees of freedom
  double axis[3]; // unit: revolute, prismatic, cylindrical, screw
  double lead;    // screw: metres a radian
  int order[3];   // euler: axes 0, 1, 2 = x, y, z
  size_t nparts;  // composite
  const struct MbJoint *part;
  const char *name; // part of a composite; NULL = by number
  bool apart; // part of a composite: its frame is `base` in what the part before it moves, else the same
  MbPose base;
  size_t rows, columns;  // spline surface: control values a side; spline curve: rows = control frames
  bool closed;           // spline curve
  const MbPose *frame;   // spline curve: (rows) control frames
  const double *step;    // spline curve: (rows x 6) log of each frame in the one before it
  const double *control; // spline surface: (6 x rows x columns), x y z then rotations about x y z
} MbJoint;

struct MbJointOps {
  const char *name;
  size_t n; // degrees of freedom; 0 for fixed, and for composites, which have the sum of their parts'
  // Q, S (n x 6), Ṡ (n x 6) at (q, q̇)
  void (*eval)(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S, double *Sdot);
  // Moves q (and v with it) to coordinates of the same pose that are further from a singularity, where q is
  // near one; true if it did. NULL: never needed.
  bool (*renew)(const MbJoint *joint, double *q, double *v);
};

#endif
