// Vectors that are given in some axes, as a body's forces read them.
#include "core/forces/forces.h"

void mb_force_vector(const MbForce *force, const MbMaximal *x, int first, double a_C[3]) {
  const size_t *s = force->signal + first;
  const double given[3] = {x->signal[s[0]], x->signal[s[1]], x->signal[s[2]]};
  if (force->axes == MB_AXES_WORLD)
    mb_quat_unrotate(a_C, x->E[force->body].q, given);
  else
    mb_mat3_apply(a_C, force->R, given);
}

void mb_force_add_turning(double K[36], int row, double s, const double a_C[3]) {
  double X[9];
  mb_mat3_cross(X, a_C);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) K[6 * (row + i) + j] += s * X[3 * i + j];
}
