// A torque, and a force at the body frame's origin, of one body; signals in world or body axes.
//   world axes: f = ( Rᵀτ ; 0 ), K = ( [Rᵀτ] 0 ; 0 0 )   (RM 1.34);   body axes: f = ( R_CB τ ; 0 ), K = 0
// and the force as any force at a point.
#include "core/forces/body_force.h"
#include "core/forces/forces.h"

static void eval(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)model, (void)begin, (void)end;
  const size_t b = force->body;
  double a[3]; // in C axes
  mb_force_vector(force, x, 0, a);
  mb_vec3_add(x->f + 6 * b, x->f + 6 * b, a);
  if (mb_force_turns(force, x)) mb_force_add_turning(x->K + 36 * b, 0, 1, a);
  mb_force_at_point(force, x);
}

extern const MbForceOps mb_wrench_ops;
const MbForceOps mb_wrench_ops = {
    .name = "wrench", .parameters = sizeof(MbBodyForce), .build = mb_force_on_body, .eval = eval};
