// Bodies that are driven: a path is a joint between the world and the body whose coordinates are signals.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/joints/joints.h"
#include "core/constraints/constraints.h"

#include <stdio.h>

enum { WHERE = 96 };

// Of the key `key` of the motion at `where`; `n` is 3, or 0 for one signal that is no list.
static MbStatus add_signals(const MbSignalSpec *spec, size_t n, const char *where, const char *key,
                            MbModel *model, MbReport *report) {
  for (size_t i = 0; i < n || i == 0; i++) {
    char at[WHERE + 48];
    snprintf(at, sizeof at, n ? "%s/%s/%zu" : "%s/%s", where, key, i);
    size_t index = 0;
    const MbStatus status = mb_model_add_signal(model, &spec[i], at, &index, report);
    if (status != MB_OK) return status;
  }
  return MB_OK;
}

// Slides along the world's axes, then turns.
static MbStatus build_path(const MbBodyMotionSpec *motion, const char *where, MbModel *model,
                           MbConstraint *constraint, MbReport *report) {
  MbJointSpec parts[2] = {{.kind = MB_JOINT_TRANSLATIONAL}, {.kind = MB_JOINT_FIXED}};
  if (motion->turns) {
    parts[1].kind = MB_JOINT_REVOLUTE;
    mb_vec3_copy(parts[1].axis, motion->axis);
  } else if (motion->euler) {
    parts[1].kind = MB_JOINT_EULER;
    parts[1].order = motion->order;
  }
  const MbJointSpec path = {.kind = MB_JOINT_COMPOSITE, .nparts = 2, .parts = parts};
  MbJoint *joint = mb_arena_alloc(&model->arena, 1, sizeof *joint);
  if (!joint) return mb_no_memory(report, "constraints");
  constraint->closure = joint;
  char euler[WHERE];
  snprintf(euler, sizeof euler, "%.60s/pose/euler", where);
  MbStatus status = mb_joint_geometry(&parts[1], euler, &model->arena, joint, report); // is its order one?
  if (status == MB_OK) status = mb_joint_geometry(&path, where, &model->arena, joint, report);
  if (status == MB_OK) status = add_signals(motion->position, 3, where, "pose/position", model, report);
  if (status == MB_OK && motion->turns)
    status = add_signals(&motion->angle, 0, where, "pose/turn/angle", model, report);
  if (status == MB_OK && motion->euler)
    status = add_signals(motion->angles, 3, where, "pose/euler/angles", model, report);
  return status;
}

MbStatus mb_compile_body_motion(const MbSceneSpec *spec, size_t listed, MbModel *model,
                                MbConstraint *constraint, MbReport *report) {
  const MbBodySpec *body = &spec->bodies[listed];
  const MbBodyMotionSpec *motion = body->motion;
  char where[WHERE];
  snprintf(where, sizeof where, "/bodies/%zu/motion", listed);
  if (body->jointed)
    return mb_error(report, MB_SCENE, where,
                    "\"%s\" hangs on a joint: give the joint a \"motion\", or the body none", body->name);
  const size_t b = model->number[listed];
  MbPose F;
  mb_pose_inverse(&F, &model->C[b]);
  if (!motion->has_pose) constraint->ops = &mb_speed_ops;
  constraint->body[0] = b;
  constraint->order = motion->has_pose ? 0 : 1;
  constraint->axes = motion->axes;
  constraint->path = model->nsignals;
  mb_vec3_copy(constraint->at[0], F.p);
  mb_quat_to_mat3(constraint->R[0], F.q);
  MbStatus status = MB_OK;
  if (motion->has_pose) {
    status = build_path(motion, where, model, constraint, report);
  } else {
    status = add_signals(motion->angular, 3, where, "velocity/angular", model, report);
    if (status == MB_OK) status = add_signals(motion->linear, 3, where, "velocity/linear", model, report);
  }
  constraint->npath = model->nsignals - constraint->path;
  return status;
}
