// With B = E C⁻¹ the body's own frame, o its origin in the axes of E, a motion ε of E in its own axes, and w a channel's weights:
//
//   position  p + R o          δ = R (ε_v + ε_ω × o)                       felt by  ε: (o × Rᵀw, Rᵀw)
//   rotation  q_E ⊗ q_C⁻¹      δ = ½ q_E ⊗ (0, ε_ω) ⊗ q_C⁻¹
//   velocity  R ω, R (v + ω × o)   δ = R (ε_ω × ω), R (ε_ω × (v + ω × o)), R δω, R (δv + δω × o)
#include "core/sim/channel_weights.h"
#include "core/joints/joints.h"
#include "core/math/se3.h"

static bool any(const double *w, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (w[i] != 0) return true;
  return false;
}

bool mb_weigh_position(const MbSim *sim, const double *weights, MbWeighed *to) {
  const MbModel *model = sim->model;
  for (size_t i = 0; i < model->nlisted; i++) {
    const size_t b = model->number[i];
    double w[3], lever[3];
    MbPose back;
    if (!any(weights + 3 * i, 3)) continue;
    mb_pose_inverse(&back, &model->C[b]);
    mb_quat_unrotate(w, sim->x.E[b].q, weights + 3 * i);
    mb_vec3_cross(lever, back.p, w);
    mb_vec3_add(to->move + 6 * b, to->move + 6 * b, lever);
    mb_vec3_add(to->move + 6 * b + 3, to->move + 6 * b + 3, w);
  }
  return true;
}

bool mb_weigh_rotation(const MbSim *sim, const double *weights, MbWeighed *to) {
  const MbModel *model = sim->model;
  for (size_t i = 0; i < model->nlisted; i++) {
    const size_t b = model->number[i];
    MbPose back;
    if (!any(weights + 4 * i, 4)) continue;
    mb_pose_inverse(&back, &model->C[b]);
    for (size_t k = 0; k < 3; k++) {
      double axis[4] = {0}, turned[4], change[4];
      axis[1 + k] = 0.5;
      mb_quat_mul(turned, sim->x.E[b].q, axis);
      mb_quat_mul(change, turned, back.q);
      for (size_t j = 0; j < 4; j++) to->move[6 * b + k] += weights[4 * i + j] * change[j];
    }
  }
  return true;
}

bool mb_weigh_velocity(const MbSim *sim, const double *weights, MbWeighed *to) {
  const MbModel *model = sim->model;
  for (size_t i = 0; i < model->nlisted; i++) {
    const size_t b = model->number[i];
    const double *phi = sim->x.phi + 6 * b;
    double *move = to->move + 6 * b, *by = to->phi + 6 * b, turn[3], line[3], origin[3], felt[3];
    MbPose back;
    if (!any(weights + 6 * i, 6)) continue;
    mb_pose_inverse(&back, &model->C[b]);
    mb_quat_unrotate(turn, sim->x.E[b].q, weights + 6 * i);
    mb_quat_unrotate(line, sim->x.E[b].q, weights + 6 * i + 3);
    mb_vec3_cross(origin, phi, back.p);
    mb_vec3_add(origin, origin, phi + 3);
    mb_vec3_cross(felt, phi, turn);
    mb_vec3_add(move, move, felt);
    mb_vec3_cross(felt, origin, line);
    mb_vec3_add(move, move, felt);
    mb_vec3_cross(felt, back.p, line);
    mb_vec3_add(by, by, turn);
    mb_vec3_add(by, by, felt);
    mb_vec3_add(by + 3, by + 3, line);
  }
  return true;
}

bool mb_weigh_joint_position(const MbSim *sim, const double *weights, MbWeighed *to) {
  const MbModel *model = sim->model;
  for (size_t b = 0; b < model->nlisted; b++) {
    const MbJoint *joint = &model->joint[b];
    double w[MB_JOINT_MOST];
    if (!joint->ops) continue;
    for (size_t i = 0; i < joint->n; i++) w[i] = weights[i];
    if (joint->ops->change) joint->ops->change(joint, sim->x.q + model->q_first[b], MB_TO_FORCES, w);
    for (size_t i = 0; i < joint->n; i++) to->q[model->v_first[b] + i] += w[i];
    weights += joint->n;
  }
  return true;
}

// Where joints turn, rates depend on coordinates.
bool mb_weigh_joint_velocity(const MbSim *sim, const double *weights, MbWeighed *to) {
  const MbModel *model = sim->model;
  for (size_t b = 0; b < model->nlisted; b++)
    if (model->joint[b].ops && model->joint[b].ops->change) return false;
  for (size_t b = 0; b < model->nlisted; b++) {
    const size_t n = model->joint[b].ops ? model->joint[b].n : 0;
    for (size_t i = 0; i < n; i++) to->v[model->v_first[b] + i] += weights[i];
    weights += n;
  }
  return true;
}
