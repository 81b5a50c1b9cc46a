// A torque, and a force at the body frame's origin, of one body; signals in world or body axes.
//   world axes: f = ( Rᵀτ ; 0 ), K = ( [Rᵀτ] 0 ; 0 0 )   (RM 1.34);   body axes: f = ( R_CB τ ; 0 ), K = 0
// and the force as any force at a point.
#include "core/forces/body_force.h"
#include "core/forces/forces.h"
#include "core/forces/point_curve.h"

static void eval(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)model, (void)begin, (void)end;
  const size_t b = force->body;
  double a[3]; // in C axes
  mb_force_vector(force, x, 0, a);
  mb_vec3_add(x->f + 6 * b, x->f + 6 * b, a);
  if (mb_force_turns(force, x)) mb_force_add_turning(x->K + 36 * b, 0, 1, a);
  mb_force_at_point(force, x);
}

// Of a torque τ fixed in the world  zᵀ K y = τ·R (ω_y × ω_z).
static void curve(const MbForce *force, const MbMaximal *x, const MbForceCurve *at) {
  if (!mb_force_may_turn(force, x)) return;
  const size_t b = 6 * force->body;
  double given[3], own[3], turned[3] = {0};
  mb_force_given(force, x, 0, given);
  mb_quat_unrotate(own, x->E[force->body].q, given);
  mb_add_cross(turned, 1, at->y1 + b, at->z + b);
  mb_add_cross(turned, 1, at->z + b, at->y2 + b);
  mb_add_cross(at->by_move + b, 0.5, turned, own);
  mb_force_at_point_curve(force, x, at);
}

extern const MbForceOps mb_wrench_ops;
const MbForceOps mb_wrench_ops = {.name = "wrench",
                                  .parameters = sizeof(MbBodyForce),
                                  .build = mb_force_on_body,
                                  .eval = eval,
                                  .curve = curve};
