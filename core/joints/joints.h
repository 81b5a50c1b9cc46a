// Joints in reduced coordinates. With Q(q) the child's joint frame in the parent's, in the joint's own
// coordinates:
//   S = Q⁻¹ ∂Q/∂q (6 x n, unbracketed, column after column), so that the child moves with S q̇ in its own
//   joint frame, Ṡ = Σ ∂S/∂q_j q̇_j.
#ifndef MB_JOINTS_JOINTS_H
#define MB_JOINTS_JOINTS_H

#include "core/math/se3.h"
#include "core/model/spec.h"

typedef struct MbJointOps MbJointOps;

enum { MB_JOINT_DOFS = 6 }; // of a joint that is no composite

// One joint of the model, constant. What its kind does not use is zero.
typedef struct MbJoint {
  const MbJointOps *ops;
  size_t n;       // degrees of freedom
  double axis[3]; // unit: revolute, prismatic, cylindrical, screw
  double lead;    // screw: metres a radian
  int order[3];   // euler: axes 0, 1, 2 = x, y, z
  size_t nparts;  // composite
  const struct MbJoint *part;
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

extern const MbJointOps *const mb_joint_table[MB_JOINTS];

// A product of exponentials Q = Π exp(e_k f_k(q)), e_k constant twists: what all joints but the spherical one
// are. Call once for each factor from the left, after mb_product_begin. g (n) = ∂f/∂q, gdot (n) = d/dt of it.
typedef struct MbProduct {
  size_t n;
  const double *v;
  MbPose *Q;
  double *S, *Sdot;
} MbProduct;

void mb_product_begin(MbProduct *product, size_t n, const double *v, MbPose *Q, double *S, double *Sdot);
void mb_product_factor(MbProduct *product, const double e[6], double f, const double *g, const double *gdot);
// The commonest factor: exp(e q_i).
void mb_product_coordinate(MbProduct *product, const double e[6], size_t i, double q_i);

// Values and derivatives of the uniform cubic B-spline basis on one segment, u in [0, 1].
void mb_spline_basis(double u, double B[4], double B1[4], double B2[4]);
// Segment of parameter q (in segments) among `count`, and the place u in it; outside, the end segments go on.
size_t mb_spline_segment(double q, size_t count, bool closed, double *u);

#endif
