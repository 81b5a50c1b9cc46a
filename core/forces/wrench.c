// A torque and a force at the centre of mass of one body, signals in world or body axes.
//   world axes: f = ( Rᵀτ ; RᵀF ),  K = ( [Rᵀτ] 0 ; [RᵀF] 0 )   (RM 1.34)
//   body axes:  f = ( R_CB τ ; R_CB F ),  K = 0
#include "core/forces/forces.h"

static void eval(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)model, (void)begin, (void)end;
  const size_t b = force->body;
  for (int row = 0; row < 6; row += 3) {
    const size_t *s = force->signal + row;
    const double given[3] = {x->signal[s[0]], x->signal[s[1]], x->signal[s[2]]};
    double a[3]; // in C axes
    if (force->axes == MB_AXES_WORLD)
      mb_quat_unrotate(a, x->E[b].q, given);
    else
      mb_mat3_apply(a, force->R, given);
    mb_vec3_add(x->f + 6 * b + row, x->f + 6 * b + row, a);
    if (x->K && force->axes == MB_AXES_WORLD) mb_force_add_turning(x->K + 36 * b, row, 1, a);
  }
}

extern const MbForceOps mb_wrench_ops;
const MbForceOps mb_wrench_ops = {.name = "wrench", .eval = eval};
