#include "core/constraints/constraints.h"

extern const MbConstraintOps mb_closure_ops, mb_point_ops, mb_distance_ops, mb_on_line_ops, mb_on_plane_ops,
    mb_ratio_ops, mb_velocity_ratio_ops, mb_rolling_ops;

const MbConstraintOps *const mb_constraint_table[] = {
    [MB_CONSTRAINT_JOINT] = &mb_closure_ops,
    [MB_CONSTRAINT_POINT] = &mb_point_ops,
    [MB_CONSTRAINT_DISTANCE] = &mb_distance_ops,
    [MB_CONSTRAINT_ON_LINE] = &mb_on_line_ops,
    [MB_CONSTRAINT_ON_PLANE] = &mb_on_plane_ops,
    [MB_CONSTRAINT_RATIO] = &mb_ratio_ops,
    [MB_CONSTRAINT_VELOCITY_RATIO] = &mb_velocity_ratio_ops,
    [MB_CONSTRAINT_ROLLING] = &mb_rolling_ops,
};
_Static_assert(sizeof mb_constraint_table / sizeof *mb_constraint_table == MB_CONSTRAINTS,
               "a row for every kind of constraint");
