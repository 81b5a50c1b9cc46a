// Joints in reduced coordinates. With Q(q) the child's joint frame in the parent's, in the joint's own
// coordinates:
//   S = Q⁻¹ ∂Q/∂q (6 x n, unbracketed, column after column), so that the child moves with S q̇ in its own
//   joint frame, Ṡ = Σ ∂S/∂q_j q̇_j.
#ifndef MB_JOINTS_JOINTS_H
#define MB_JOINTS_JOINTS_H

#include "core/model/joint.h"

#include <string.h>

extern const MbJointOps *const mb_joint_table[MB_JOINTS];
extern const MbJointOps mb_joint_node; // of deformables

// Builds a joint's geometry from what the scene says at `where`, without its place between bodies.
MbStatus mb_joint_geometry(const MbJointSpec *spec, const char *where, MbArena *arena, MbJoint *joint,
                           MbReport *report);
// Reads a frame of the scene.
static inline void mb_joint_frame(const MbFrameSpec *frame, MbPose *E) {
  memcpy(E->p, frame->position, sizeof E->p);
  memcpy(E->q, frame->rotation, sizeof E->q);
}

// C (n x 6, column after column) = D(Ṡ v): how Ṡ v changes as the joint moves along each of its velocities, v being what it is; S is the
// joint's at q (joint_curve.c).
void mb_joint_curve(const MbJoint *joint, const double *q, const double *v, const double *S, double *C);
// MbJointOps.carries of joints that are products of exponentials of one coordinate each, in their order; of joints whose S is constant.
bool mb_joint_carries_in_order(const MbJoint *joint, bool *carried, size_t stride);
bool mb_joint_carries_nothing(const MbJoint *joint, bool *carried, size_t stride);

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
