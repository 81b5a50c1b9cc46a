#include "core/joints/joints.h"

extern const MbJointOps mb_joint_fixed, mb_joint_revolute, mb_joint_prismatic, mb_joint_cylindrical,
    mb_joint_screw, mb_joint_universal, mb_joint_planar, mb_joint_translational, mb_joint_spherical,
    mb_joint_euler, mb_joint_free2d, mb_joint_free3d, mb_joint_composite, mb_joint_spline_curve,
    mb_joint_spline_surface;

const MbJointOps *const mb_joint_table[] = {
    [MB_JOINT_FIXED] = &mb_joint_fixed,
    [MB_JOINT_REVOLUTE] = &mb_joint_revolute,
    [MB_JOINT_PRISMATIC] = &mb_joint_prismatic,
    [MB_JOINT_CYLINDRICAL] = &mb_joint_cylindrical,
    [MB_JOINT_SCREW] = &mb_joint_screw,
    [MB_JOINT_UNIVERSAL] = &mb_joint_universal,
    [MB_JOINT_PLANAR] = &mb_joint_planar,
    [MB_JOINT_TRANSLATIONAL] = &mb_joint_translational,
    [MB_JOINT_SPHERICAL] = &mb_joint_spherical,
    [MB_JOINT_EULER] = &mb_joint_euler,
    [MB_JOINT_FREE2D] = &mb_joint_free2d,
    [MB_JOINT_FREE3D] = &mb_joint_free3d,
    [MB_JOINT_COMPOSITE] = &mb_joint_composite,
    [MB_JOINT_SPLINE_CURVE] = &mb_joint_spline_curve,
    [MB_JOINT_SPLINE_SURFACE] = &mb_joint_spline_surface,
};
_Static_assert(sizeof mb_joint_table / sizeof *mb_joint_table == MB_JOINTS, "a row for every joint");
