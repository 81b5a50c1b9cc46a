// A force at a point r of one body (r in C axes from C's origin), signals in world or body axes (RM 1.9.2).
//   f = ( r × a ; a ),  a = RᵀF (world axes) or R_CB F (body axes)
//   world axes: ∂a/∂δ = [a] on the rotations, so K = ( [r][a] 0 ; [a] 0 ); body axes: K = 0
#include "core/forces/body_force.h"
#include "core/forces/forces.h"
#include "core/forces/point_curve.h"

void mb_force_at_point(const MbForce *force, MbMaximal *x) {
  const size_t b = force->body;
  const double *at = ((const MbBodyForce *)force->parameters)->at;
  double a[3], torque[3];
  mb_force_vector(force, x, 3, a);
  mb_vec3_cross(torque, at, a);
  mb_vec3_add(x->f + 6 * b, x->f + 6 * b, torque);
  mb_vec3_add(x->f + 6 * b + 3, x->f + 6 * b + 3, a);

  if (!mb_force_turns(force, x)) return;
  double *K = x->K + 36 * b, RX[9], AX[9], RA[9];
  mb_mat3_cross(RX, at);
  mb_mat3_cross(AX, a);
  mb_mat3_mul(RA, RX, AX);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) K[6 * i + j] += RA[3 * i + j];
  mb_force_add_turning(K, 3, 1, a);
  double fixed[3];
  mb_quat_rotate(fixed, x->E[b].q, a);
  mb_force_stays(x, b, fixed);
}

// Of a force F fixed in the world  zᵀ K y = F·t,  S = ½ F·t  (point_curve.h).
void mb_force_at_point_curve(const MbForce *force, const MbMaximal *x, const MbForceCurve *at) {
  if (!mb_force_may_turn(force, x)) return;
  MbCurvedPoint point;
  double given[3];
  mb_curved_point(force->body, ((const MbBodyForce *)force->parameters)->at, x, at, &point);
  mb_force_given(force, x, 3, given);
  mb_vec3_scale(point.felt[MB_AT_T], 0.5, given);
  mb_curved_point_back(x, at, &point);
}

static void eval(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)model, (void)begin, (void)end;
  mb_force_at_point(force, x);
}

extern const MbForceOps mb_point_force_ops;
const MbForceOps mb_point_force_ops = {.name = "point_force",
                                       .parameters = sizeof(MbBodyForce),
                                       .build = mb_force_on_body,
                                       .eval = eval,
                                       .curve = mb_force_at_point_curve};
