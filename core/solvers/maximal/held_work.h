// The articulated form: what B96's elimination of a body and its joint leaves to the parent is the articulated inertia of the
// reduced coordinates, and the joint's motions T span what its rows leave free. With η the motion of a body in its parent,
//   J v = b   is   η = T q̇ + β,   β = Z b,
// and the passes are those of the reduced coordinates (redmax/lanes.h), in world axes at origins O, about where the bodies are:
//   inward    p = −f + Σ children's,  p ← p + Î β,   u = −Tᵀ p,   to the parent  p + U G⁻¹ u
//   outward   q̇ = G⁻¹ (u − Uᵀ a_p),   a = X a_p + β + T q̇,   λ = Zᵀ (Î a + p)
// A hinge that has drifted apart turns its body about its parent's point and axis: there O is, and of T nothing but the axis is
// left, T = κ a with V T = 1.
#ifndef MB_SOLVERS_MAXIMAL_HELD_WORK_H
#define MB_SOLVERS_MAXIMAL_HELD_WORK_H

#include "core/solvers/maximal/held.h"
#include "core/solvers/redmax/lanes_joints.h"
#include "core/solvers/redmax/responses.h"

struct MbHeldPosture {
  const MbLinks *links; // of the first instance
  MbLinks own;          // where it is its own
  const MbLanes *lanes;
  MbRecursion *work;
  MbPosture posture;
  Mat *R;             // (nb)
  Vec *O;             // (nb)
  double *arm;        // (nb x 3) C − O
  Articulated *whole; // (nb) Î
  Vec *across; // (nb x 2) of hinges: what turns by 1 in one row of turning, and by 0 in the other and about V
  Screw *a, *beta; // (nb)
  MbResponses *responses;
  double *none, *rate; // (nv) zero; scratch
  char *memory;        // that the arrays are in
  size_t bytes;
};

#endif
