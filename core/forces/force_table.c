#include "core/forces/forces.h"

extern const MbForceOps mb_damping_ops, mb_wrench_ops, mb_point_force_ops, mb_spring_ops, mb_frame_spring_ops,
    mb_multi_spring_ops, mb_muscle_ops;

const MbForceOps *const mb_force_table[] = {
    [MB_FORCE_DAMPING] = &mb_damping_ops,
    [MB_FORCE_WRENCH] = &mb_wrench_ops,
    [MB_FORCE_POINT] = &mb_point_force_ops,
    [MB_FORCE_SPRING] = &mb_spring_ops,
    [MB_FORCE_FRAME_SPRING] = &mb_frame_spring_ops,
    [MB_FORCE_MULTI_SPRING] = &mb_multi_spring_ops,
    [MB_FORCE_MUSCLE] = &mb_muscle_ops,
};
_Static_assert(sizeof mb_force_table / sizeof *mb_force_table == MB_FORCES, "a row for every kind of force");

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
