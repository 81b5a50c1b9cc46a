// Bodies that are driven: a path is a joint between the world and the body whose coordinates are signals.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/joints/joints.h"
#include "core/constraints/constraints.h"

#include <stdio.h>
#include <string.h>

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

// The path as a joint's motion: it slides along the world's axes, then turns.
static MbStatus path_joint(const MbBodyMotionSpec *motion, const char *where, MbModel *model, MbJoint *joint,
                           MbReport *report) {
  MbJointSpec parts[2] = {{.kind = MB_JOINT_TRANSLATIONAL}, {.kind = MB_JOINT_FIXED}};
  if (motion->turns) {
    parts[1].kind = MB_JOINT_REVOLUTE;
    mb_vec3_copy(parts[1].axis, motion->axis);
  } else if (motion->euler) {
    parts[1].kind = MB_JOINT_EULER;
    parts[1].order = motion->order;
  }
  const MbJointSpec path = {.kind = MB_JOINT_COMPOSITE, .nparts = 2, .parts = parts};
  char euler[WHERE];
  snprintf(euler, sizeof euler, "%.60s/pose/euler", where);
  const MbStatus status =
      mb_joint_geometry(&parts[1], euler, &model->arena, joint, report); // is its order one?
  return status == MB_OK ? mb_joint_geometry(&path, where, &model->arena, joint, report) : status;
}

static MbStatus build_path(const MbBodyMotionSpec *motion, const char *where, MbModel *model,
                           MbConstraint *constraint, MbReport *report) {
  MbJoint *joint = mb_arena_alloc(&model->arena, 1, sizeof *joint);
  if (!joint) return mb_no_memory(report, "constraints");
  constraint->closure = joint;
  MbStatus status = path_joint(motion, where, model, joint, report);
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

// Value and first rate at t = 0 of a signal that the model does not have yet; false where it has none.
static bool signal_at_start(const MbSignalSpec *spec, MbModel *model, double *value, double *rate) {
  MbSignal signal;
  char message[8];
  double rates[3];
  if (!mb_signal_build(spec, NULL, &model->arena, &signal) ||
      !mb_compile_signal_start(model, &signal, rates, message, sizeof message))
    return false;
  *value = rates[0], *rate = rates[1];
  return isfinite(*value) && isfinite(*rate);
}

// Pose and velocity of the body in the world as its path has them at t = 0, with χ = S q̇ in the axes of the path's X; false where
// something is wrong with the path, which is told where its rows are built.
static bool path_at_start(const MbBodyMotionSpec *motion, MbModel *model, MbPose *X, double w[3],
                          double v[3]) {
  MbJoint joint;
  if (path_joint(motion, "", model, &joint, NULL) != MB_OK) return false;
  double q[MB_JOINT_DOFS], rate[MB_JOINT_DOFS], S[6 * MB_JOINT_DOFS], Sdot[6 * MB_JOINT_DOFS], chi[6] = {0};
  for (size_t i = 0; i < joint.n; i++) {
    const MbSignalSpec *signal = i < 3           ? &motion->position[i]
                                 : motion->turns ? &motion->angle
                                                 : &motion->angles[i - 3];
    if (!signal_at_start(signal, model, &q[i], &rate[i])) return false;
  }
  joint.ops->eval(&joint, q, rate, X, S, Sdot);
  for (size_t k = 0; k < 6; k++)
    for (size_t i = 0; i < joint.n; i++) chi[k] += S[6 * i + k] * rate[i];
  mb_quat_rotate(w, X->q, chi);
  mb_quat_rotate(v, X->q, chi + 3);
  return true;
}

// Velocity of the body at t = 0 as its speed has it; false as above.
static bool speed_at_start(const MbBodyMotionSpec *motion, MbModel *model, double w[3], double v[3]) {
  double rate;
  for (size_t i = 0; i < 3; i++)
    if (!signal_at_start(&motion->angular[i], model, &w[i], &rate) ||
        !signal_at_start(&motion->linear[i], model, &v[i], &rate))
      return false;
  return true;
}

void mb_compile_driven_start(const MbBodySpec *body, MbModel *model, const MbPose *C, MbPose *E,
                             double phi[6]) {
  MbBodySpec as = *body;
  MbPose X;
  double w[3], v[3];
  const bool told = body->moving || model->integrator.kind == MB_STATIC;
  if (body->motion && body->motion->has_pose && path_at_start(body->motion, model, &X, w, v)) {
    if (!body->posed) {
      mb_vec3_copy(as.pose.position, X.p);
      memcpy(as.pose.rotation, X.q, sizeof X.q);
    }
    if (!told) {
      mb_vec3_copy(as.angular, w), mb_vec3_copy(as.linear, v);
      as.velocity_axes = MB_AXES_WORLD;
    }
  } else if (body->motion && !body->motion->has_pose && !told && speed_at_start(body->motion, model, w, v)) {
    mb_vec3_copy(as.angular, w), mb_vec3_copy(as.linear, v);
    as.velocity_axes = body->motion->axes;
  }
  mb_compile_start(&as, C, E, phi);
}
