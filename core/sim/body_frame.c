#include "core/sim/body_frame.h"

// E_WB = E_WC C⁻¹
void mb_body_frame(const MbModel *model, const MbMaximal *x, size_t b, MbPose *B) {
  MbPose inverse;
  mb_pose_inverse(&inverse, &model->C[b]);
  mb_pose_mul(B, &x->E[b], &inverse);
  mb_quat_normalise(B->q);
}

// ω_W = R ω, and of B's origin v_W = R (v + ω × o), with o the origin of B in C
void mb_body_velocity(const MbModel *model, const MbMaximal *x, size_t b, double out[6]) {
  const double *phi = x->phi + 6 * b;
  MbPose inverse;
  double turn[3];
  mb_pose_inverse(&inverse, &model->C[b]);
  mb_vec3_cross(turn, phi, inverse.p);
  mb_vec3_add(turn, turn, phi + 3);
  mb_quat_rotate(out, x->E[b].q, phi);
  mb_quat_rotate(out + 3, x->E[b].q, turn);
}

void mb_sim_body_frame(const MbSim *sim, size_t b, MbPose *B) { mb_body_frame(sim->model, &sim->x, b, B); }
void mb_sim_body_velocity(const MbSim *sim, size_t b, double out[6]) {
  mb_body_velocity(sim->model, &sim->x, b, out);
}
