// Rigid motions: E = (R, p), twists φ = (ω, v) in body coordinates, Ė = E [φ].
//
//   Ad_E = ( R 0 ; [p]R R )   turns twists of E's frame into the parent's      (RM 1.1)
//   ad_φ = ( [ω] 0 ; [v] [ω] ),   d/dt Ad_E = Ad_E ad_φ
//   exp(φ) = ( exp ω, V(ω) v ),   exp(φ + δ) = exp(φ) exp(J_r(φ) δ) + O(δ²)
#ifndef MB_MATH_SE3_H
#define MB_MATH_SE3_H

#include "core/math/quat.h"

typedef struct MbPose {
  double p[3];
  double q[4]; // unit
} MbPose;

MB_INLINE void mb_pose_identity(MbPose *E) {
  E->p[0] = E->p[1] = E->p[2] = 0;
  mb_quat_identity(E->q);
}

// C = A B; C may be either
MB_INLINE void mb_pose_mul(MbPose *C, const MbPose *A, const MbPose *B) {
  double p[3];
  mb_quat_rotate(p, A->q, B->p);
  mb_vec3_add(C->p, A->p, p);
  mb_quat_mul(C->q, A->q, B->q);
}

MB_INLINE void mb_pose_inverse(MbPose *C, const MbPose *A) {
  double p[3];
  mb_quat_unrotate(p, A->q, A->p);
  mb_quat_conj(C->q, A->q);
  mb_vec3_scale(C->p, -1, p);
}

// y = E x for a point; y may be x
MB_INLINE void mb_pose_point(double y[3], const MbPose *E, const double x[3]) {
  double r[3];
  mb_quat_rotate(r, E->q, x);
  mb_vec3_add(y, E->p, r);
}

// (θ − sin θ)/θ³ and (1 − (θ/2) cot(θ/2))/θ² as functions of θ², by series where they would lose digits
MB_INLINE double mb_exp_c(double x2) {
  if (x2 < 0.01)
    return 1.0 / 6 - x2 * (1.0 / 120 - x2 * (1.0 / 5040 - x2 * (1.0 / 362880 - x2 * (1.0 / 39916800))));
  if (x2 < 0.25) {
    double term = 1.0 / 6, sum = 0;
    for (int k = 1; k < 9; k++) {
      sum += term;
      term *= -x2 / ((2 * k + 2) * (2 * k + 3));
    }
    return sum;
  }
  const double x = sqrt(x2);
  return (x - sin(x)) / (x * x2);
}

MB_INLINE double mb_log_d(double x2) {
  if (x2 < 0.01) return 1.0 / 12 + x2 * (1.0 / 720 + x2 * (1.0 / 30240 + x2 * (1.0 / 1209600)));
  const double x = sqrt(x2) / 2;
  return (1 - x * cos(x) / sin(x)) / x2;
}

// E = exp(φ):  p = V v,  V = 1 + b [ω] + c [ω]²,  b = (1 − cos θ)/θ²,  c = (θ − sin θ)/θ³
MB_INLINE void mb_se3_exp(MbPose *E, const double phi[6]) {
  const double *w = phi, *v = phi + 3;
  const double x2 = mb_vec3_dot(w, w), s = mb_half_sinc(x2), b = 2 * s * s, c = mb_exp_c(x2);
  double wv[3], wwv[3];
  mb_vec3_cross(wv, w, v);
  mb_vec3_cross(wwv, w, wv);
  for (int i = 0; i < 3; i++) E->p[i] = v[i] + b * wv[i] + c * wwv[i];
  mb_quat_exp(E->q, w);
}

// φ = log E, |ω| <= π:  v = V⁻¹ p,  V⁻¹ = 1 − ½ [ω] + d [ω]²
MB_INLINE void mb_se3_log(double phi[6], const MbPose *E) {
  mb_quat_log(phi, E->q);
  const double d = mb_log_d(mb_vec3_dot(phi, phi));
  double wp[3], wwp[3];
  mb_vec3_cross(wp, phi, E->p);
  mb_vec3_cross(wwp, phi, wp);
  for (int i = 0; i < 3; i++) phi[3 + i] = E->p[i] - wp[i] / 2 + d * wwp[i];
}

// E ← E exp(h φ), kept unit
MB_INLINE void mb_pose_advance(MbPose *E, double h, const double phi[6]) {
  double d[6];
  MbPose D;
  for (int i = 0; i < 6; i++) d[i] = h * phi[i];
  mb_se3_exp(&D, d);
  mb_pose_mul(E, E, &D);
  mb_quat_normalise(E->q);
}

// A (6 x 6) = Ad_E
MB_INLINE void mb_se3_adjoint(double A[36], const MbPose *E) {
  double R[9], P[9], PR[9];
  mb_quat_to_mat3(R, E->q);
  mb_mat3_cross(P, E->p);
  mb_mat3_mul(PR, P, R);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      A[6 * i + j] = A[6 * (i + 3) + j + 3] = R[3 * i + j];
      A[6 * i + j + 3] = 0;
      A[6 * (i + 3) + j] = PR[3 * i + j];
    }
}

// A (6 x 6) = ad_φ
MB_INLINE void mb_se3_ad(double A[36], const double phi[6]) {
  double W[9], V[9];
  mb_mat3_cross(W, phi);
  mb_mat3_cross(V, phi + 3);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      A[6 * i + j] = A[6 * (i + 3) + j + 3] = W[3 * i + j];
      A[6 * i + j + 3] = 0;
      A[6 * (i + 3) + j] = V[3 * i + j];
    }
}

// J (6 x 6) = J_r(φ) = Σ (−1)ᵏ ad_φᵏ / (k+1)!. As ad⁵ + 2θ² ad³ + θ⁴ ad = 0 the sum closes after the fourth
// power:
//   J_r = 1 − a₁ ad + a₂ ad² − a₃ ad³ + a₄ ad⁴,
//   a₁ = (4 − θ sin θ − 4 cos θ)/2θ²,  a₂ = (4θ − 5 sin θ + θ cos θ)/2θ³,
//   a₃ = (2 − θ sin θ − 2 cos θ)/2θ⁴,  a₄ = (2θ − 3 sin θ + θ cos θ)/2θ⁵, and their series where θ is small.
MB_INLINE void mb_se3_right_jacobian(double J[36], const double phi[6]) {
  const double x2 = mb_vec3_dot(phi, phi);
  double a[5] = {1, 0, 0, 0, 0};
  if (x2 < 1) {
    double even = 0.5, odd = 1.0 / 6, sign = 1; // 1/(2k)!, 1/(2k+1)!, (−1)^(k+1)
    double power = 1, before = 0;               // θ^(2k−2), θ^(2k−4)
    for (int k = 1; k < 12; k++) {
      a[1] += sign * (4 - 2 * k) / 2.0 * power * even;
      a[2] -= sign * (2 * k - 4) / 2.0 * power * odd;
      a[3] += sign * (2 - 2 * k) / 2.0 * before * even;
      a[4] -= sign * (2 * k - 2) / 2.0 * before * odd;
      before = power, power *= x2, sign = -sign;
      even /= (2 * k + 1) * (2 * k + 2), odd /= (2 * k + 2) * (2 * k + 3);
    }
  } else {
    const double x = sqrt(x2), s = sin(x), c = cos(x);
    a[1] = (4 - x * s - 4 * c) / (2 * x2), a[2] = (4 * x - 5 * s + x * c) / (2 * x2 * x);
    a[3] = (2 - x * s - 2 * c) / (2 * x2 * x2), a[4] = (2 * x - 3 * s + x * c) / (2 * x2 * x2 * x);
  }

  // Horner: J = 1 − ad (a₁ − ad (a₂ − ad (a₃ − ad a₄)))
  double A[36], P[36];
  mb_se3_ad(A, phi);
  for (int i = 0; i < 36; i++) P[i] = i % 7 == 0 ? a[4] : 0;
  for (int k = 3; k >= 0; k--) {
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) {
        double sum = i == j ? a[k] : 0;
        for (int l = 0; l < 6; l++) sum -= A[6 * i + l] * P[6 * l + j];
        J[6 * i + j] = sum;
      }
    for (int i = 0; i < 36; i++) P[i] = J[i];
  }
}

#endif
