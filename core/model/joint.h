// A joint in reduced coordinates. With Q(q) the child's joint frame in the parent's, in the joint's own coordinates:
//   S = Q⁻¹ ∂Q/∂q (6 x n, unbracketed, column after column), so that the child moves with S q̇ in its own joint frame,
//   Ṡ = Σ ∂S/∂q_j q̇_j.
#ifndef MB_MODEL_JOINT_H
#define MB_MODEL_JOINT_H

#include "core/math/se3.h"
#include "core/model/spec.h"

typedef struct MbJointOps MbJointOps;

enum { MB_JOINT_DOFS = 6, MB_JOINT_MOST = 24 }; // degrees of freedom of a joint that is no composite; of any

// Control frames of a spline curve, or control values of a spline surface.
typedef struct MbSpline {
  const MbPose *frame;   // curve: (rows) control frames
  const double *step;    // curve: (rows x 6) log of each frame in the one before it
  const double *control; // surface: (6 x rows x columns), x y z then rotations about x y z
  // numbers alone from here on, which the model's fingerprint takes as a whole
  size_t rows, columns; // surface: control values a side; curve: rows = control frames
  bool closed;          // curve
} MbSpline;

// One joint of the model, constant. What its kind does not use is zero.
typedef struct MbJoint {
  const MbJointOps *ops;
  const struct MbJoint *part; // (nparts) composite
  const char *name;           // part of a composite; NULL = by number
  const MbPose *base;     // part of a composite: its frame in what the part before it moves; NULL = the same
  const MbSpline *spline; // spline curve, spline surface
  // numbers alone from here on, which the model's fingerprint takes as a whole
  size_t n;       // degrees of freedom
  double axis[3]; // unit: revolute, prismatic, cylindrical, screw
  double lead;    // screw: metres a radian
  int order[3];   // euler: axes 0, 1, 2 = x, y, z
  size_t nparts;  // composite
} MbJoint;

// How numbers of a joint whose velocities are no rates of its coordinates change, q̇ = N v:
typedef enum MbJointWay {
  MB_TO_RATES,      // x ← N x
  MB_TO_FORCES,     // x ← Nᵀ x: forces along the coordinates as forces along the velocities
  MB_TO_VELOCITIES, // x ← N⁻¹ x
} MbJointWay;

// What a joint's own numbers are built with.
typedef struct MbJointBuild {
  const char *where; // of the joint in the scene
  int depth;         // of composites in one another
  MbArena *arena;
  MbReport *report;
  // Builds a part of a composite.
  MbStatus (*part)(const struct MbJointBuild *at, const MbJointSpec *spec, MbJoint *joint);
} MbJointBuild;

// One of the turns that a joint is made of: by k, which is constant, then about a.
typedef struct MbJointTurn {
  double k[4], a[3]; // a: unit
} MbJointTurn;

struct MbJointOps {
  const char *name;
  size_t n; // degrees of freedom; 0 for fixed, and for composites, which have the sum of their parts'
  // Fills what the kind takes from the scene beside its axis, or says what is wrong there. NULL: nothing.
  MbStatus (*build)(const MbJointBuild *at, const MbJointSpec *spec, MbJoint *joint);
  // Q, S (n x 6), Ṡ (n x 6) at (q, v): the child moves with S v in its own joint frame, and Ṡ is S's rate then. v is q̇, but where
  // there is `change`.
  void (*eval)(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S, double *Sdot);
  // Moves q (and v with it) to coordinates of the same pose that are further from a singularity, where q is
  // near one; true if it did. NULL: never needed.
  bool (*renew)(const MbJoint *joint, double *q, double *v);
  // Tells of each column i of S whether a move along velocity k carries it with it, dS_i = ad(S_i) S_k, or leaves it as it is: carried[stride i + k],
  // false before. False: neither is so of some. NULL: it is not known (joints/joint_curve.c).
  bool (*carries)(const MbJoint *joint, bool *carried, size_t stride);
  // Lists the turns, one a coordinate and each in the frame that the one before has turned, of a joint that is made of them and of nothing else, all
  // about axes through the joint's place; turn (MB_JOINT_MOST). False: this joint is not. NULL: none of its kind is.
  bool (*turns)(const MbJoint *joint, MbJointTurn *turn);
  // The joint with rotation vectors turned by angular velocities; NULL: it has none. Its coordinates stay what they are.
  const MbJointOps *turning;
  // Of that form (NULL in all others, where v = q̇): q ← q ⊕ h v; x of n numbers changed at q
  void (*advance)(const MbJoint *joint, double *q, double h, const double *v);
  void (*change)(const MbJoint *joint, const double *q, MbJointWay way, double *x);
  // T and T₀ with  (q ⊕ δ₀) ⊕ (s + δ) = (q ⊕ s) ⊕ (T δ + T₀ δ₀)  for small δ; entry (i, k) is T[stride i + k], both are 1 before
  void (*ahead)(const MbJoint *joint, const double *s, double *T, double *T0, size_t stride);
  // a = v̇ ← q̈ at (q, v)
  void (*accelerate)(const MbJoint *joint, const double *q, const double *v, double *a);
};

#endif
