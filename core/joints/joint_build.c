// Joints from what a scene says of them.
#include "core/joints/joints.h"

static MbStatus build(const MbJointBuild *at, const MbJointSpec *spec, MbJoint *joint) {
  const MbJointOps *ops = mb_joint_table[spec->kind];
  *joint = (MbJoint){.ops = ops, .n = ops->n};
  memcpy(joint->axis, spec->axis, sizeof joint->axis);
  return ops->build ? ops->build(at, spec, joint) : MB_OK;
}

MbStatus mb_joint_geometry(const MbJointSpec *spec, const char *where, MbArena *arena, MbJoint *joint,
                           MbReport *report) {
  const MbJointBuild at = {.where = where, .arena = arena, .report = report, .part = build};
  return build(&at, spec, joint);
}
