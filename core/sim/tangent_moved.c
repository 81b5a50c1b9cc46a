// How small motions of the coordinates add up, of joints that turn about any axis and of bodies free in space (tangent.h).
#include "core/sim/tangent_moved.h"
#include "core/joints/joints.h"
#include "core/math/so3.h"
#include "core/math/spatial.h"
#include "core/sim/tangent.h"

#include <string.h>

void mb_tangent_ahead(const MbModel *model, size_t b, const double *step, double *T, double *T0) {
  const MbJoint *joint = &model->joint[b];
  const size_t n = mb_tangent_dofs(model, b);
  memset(T, 0, n * n * sizeof *T), memset(T0, 0, n * n * sizeof *T0);
  for (size_t i = 0; i < n; i++) T[(n + 1) * i] = T0[(n + 1) * i] = 1;
  if (joint->ops && joint->ops->ahead) joint->ops->ahead(joint, step, T, T0, n);
  if (joint->ops) return;
  double J[9], R[9], q[4];
  mb_so3_right_jacobian(J, step);
  mb_quat_exp(q, step);
  mb_quat_to_mat3(R, q);
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 3; k++) T[n * i + k] = J[3 * i + k], T0[n * i + k] = R[3 * k + i];
}

// Joints whose coordinates add up one by one.
static bool adds(const MbModel *model, size_t b) {
  return model->joint[b].ops && !model->joint[b].ops->ahead;
}

void mb_tangent_moved(const MbSim *sim, const double *step, const double *before, const double *change,
                      double *out) {
  const MbModel *model = sim->model;
  double T[MB_JOINT_MOST * MB_JOINT_MOST], T0[MB_JOINT_MOST * MB_JOINT_MOST];
  for (size_t b = 0; b < model->nb; b++) {
    const size_t first = model->v_first[b], n = mb_tangent_dofs(model, b);
    if (adds(model, b)) {
      for (size_t i = first; i < first + n; i++) out[i] = change[i] + before[i];
      continue;
    }
    if (!n) continue;
    mb_tangent_ahead(model, b, step + first, T, T0);
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++)
        sum += T[n * i + k] * change[first + k] + T0[n * i + k] * before[first + k];
      out[first + i] = sum;
    }
  }
}

// Of a body free in space T and T₀ are 1 but for its turn.
static void free_transposed(const double *step, const double *out, double *before, double *change) {
  double J[9], q[4];
  mb_so3_right_jacobian(J, step);
  mb_quat_exp(q, step);
  mb_quat_rotate(before, q, out);
  mb_mat3_tapply(change, J, out);
  for (size_t i = 3; i < 6; i++) before[i] = change[i] = out[i];
}

void mb_tangent_moved_transposed(const MbSim *sim, const double *step, const double *out, double *before,
                                 double *change) {
  const MbModel *model = sim->model;
  double T[MB_JOINT_MOST * MB_JOINT_MOST], T0[MB_JOINT_MOST * MB_JOINT_MOST];
  for (size_t b = 0; b < model->nb; b++) {
    const size_t first = model->v_first[b], n = mb_tangent_dofs(model, b);
    if (adds(model, b)) {
      for (size_t i = first; i < first + n; i++) before[i] = change[i] = out[i];
      continue;
    }
    if (!n) continue;
    if (!model->joint[b].ops) {
      free_transposed(step + first, out + first, before + first, change + first);
      continue;
    }
    mb_tangent_ahead(model, b, step + first, T, T0);
    for (size_t k = 0; k < n; k++) {
      before[first + k] = change[first + k] = 0;
      for (size_t i = 0; i < n; i++) {
        before[first + k] += T0[n * i + k] * out[first + i];
        change[first + k] += T[n * i + k] * out[first + i];
      }
    }
  }
}
