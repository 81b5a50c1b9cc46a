// Spatial inertia: principal, about the centre of mass, M = diag(I₁, I₂, I₃, m, m, m); and the velocity term
// of the Newton–Euler equations in body coordinates,  M φ̇ = ad_φᵀ M φ + f   (RM 1.6, 1.8).
#ifndef MB_MATH_SPATIAL_H
#define MB_MATH_SPATIAL_H

#include "core/math/se3.h"

// f += ad_φᵀ M φ = ( −ω × Iω ; −m ω × v ), by its torque and its force; D (6 x 6) += the torque's derivative, [Iω] − [ω]I
MB_INLINE void mb_gyroscopic_add(double f[6], const double M[6], const double w[3]) {
  const double L[3] = {M[0] * w[0], M[1] * w[1], M[2] * w[2]};
  double t[3];
  mb_vec3_cross(t, L, w);
  mb_vec3_add(f, f, t);
}
MB_INLINE void mb_turning_add(double f[6], const double M[6], const double phi[6]) {
  const double *w = phi, *v = phi + 3, P[3] = {M[3] * v[0], M[4] * v[1], M[5] * v[2]};
  double t[3];
  mb_vec3_cross(t, P, w);
  mb_vec3_add(f + 3, f + 3, t);
}
MB_INLINE void mb_coriolis_add(double f[6], const double M[6], const double phi[6]) {
  mb_gyroscopic_add(f, M, phi);
  mb_turning_add(f, M, phi);
}
MB_INLINE void mb_gyroscopic_add_D(double D[36], const double M[6], const double w[3]) {
  const double L[3] = {M[0] * w[0], M[1] * w[1], M[2] * w[2]};
  double LX[9], WX[9];
  mb_mat3_cross(LX, L);
  mb_mat3_cross(WX, w);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) D[6 * i + j] += LX[3 * i + j] - WX[3 * i + j] * M[j];
}

// y += s ad_a b;  y += s ad_aᵀ w
MB_INLINE void mb_add_bracket(double y[6], double s, const double a[6], const double b[6]) {
  double t[3], u[3];
  mb_vec3_cross(t, a, b);
  mb_vec3_add_scaled(y, y, s, t);
  mb_vec3_cross(t, a, b + 3);
  mb_vec3_cross(u, a + 3, b);
  mb_vec3_add(t, t, u);
  mb_vec3_add_scaled(y + 3, y + 3, s, t);
}
MB_INLINE void mb_add_transposed_bracket(double y[6], double s, const double a[6], const double w[6]) {
  double t[3], u[3];
  mb_vec3_cross(t, w, a);
  mb_vec3_cross(u, w + 3, a + 3);
  mb_vec3_add(t, t, u);
  mb_vec3_add_scaled(y, y, s, t);
  mb_vec3_cross(t, w + 3, a);
  mb_vec3_add_scaled(y + 3, y + 3, s, t);
}

// out ← the wrench w (torque, force) at the frame `from`, in its axes, as one at the frame `to`, in the axes there.
MB_INLINE void mb_wrench_move(double out[6], const MbPose *from, const double w[6], const MbPose *to) {
  double torque[3], force[3], arm[3], turn[3];
  mb_quat_rotate(torque, from->q, w);
  mb_quat_rotate(force, from->q, w + 3);
  mb_vec3_sub(arm, from->p, to->p);
  mb_vec3_cross(turn, arm, force);
  mb_vec3_add(torque, torque, turn);
  mb_quat_unrotate(out, to->q, torque);
  mb_quat_unrotate(out + 3, to->q, force);
}

// What a wrench is felt by that is seen from another frame and weighed there: out · w = weight · (w as mb_wrench_move has it).
MB_INLINE void mb_wrench_weigh(double out[6], const MbPose *from, const MbPose *to, const double weight[6]) {
  double turn[3], way[3], arm[3], more[3];
  mb_quat_rotate(turn, to->q, weight);
  mb_quat_rotate(way, to->q, weight + 3);
  mb_vec3_sub(arm, from->p, to->p);
  mb_vec3_cross(more, turn, arm);
  mb_vec3_add(way, way, more);
  mb_quat_unrotate(out, from->q, turn);
  mb_quat_unrotate(out + 3, from->q, way);
}

// Inertia (6 x 6) about another frame: X = Ad_E⁻¹ᵀ M Ad_E⁻¹, with E the centre-of-mass frame in that frame.
// By blocks, with I_p = R I Rᵀ and c = p:  X = ( I_p − m[c]²  m[c] ; −m[c]  m 1 ).
MB_INLINE void mb_inertia_about(double X[36], const double M[6], const MbPose *E) {
  double R[9], RI[9], Ip[9], C[9], CC[9];
  mb_quat_to_mat3(R, E->q);
  for (int i = 0; i < 9; i++) RI[i] = R[i] * M[i % 3];
  mb_mat3_mult(Ip, RI, R);
  mb_mat3_cross(C, E->p);
  mb_mat3_mul(CC, C, C);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      X[6 * i + j] = Ip[3 * i + j] - M[3] * CC[3 * i + j];
      X[6 * i + j + 3] = M[3] * C[3 * i + j];
      X[6 * (i + 3) + j] = -M[3] * C[3 * i + j];
      X[6 * (i + 3) + j + 3] = i == j ? M[3] : 0;
    }
}

#endif
