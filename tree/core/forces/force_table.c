// By kind: what the scene's "forces" may hold.
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
