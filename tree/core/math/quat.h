// Unit quaternions w x y z; q turns vectors of the body frame into the world's.
#ifndef MB_MATH_QUAT_H
#define MB_MATH_QUAT_H

#include "core/math/mat3.h"

MB_INLINE void mb_quat_identity(double q[4]) { q[0] = 1, q[1] = q[2] = q[3] = 0; }

// c = a b, the turn b followed by the turn a; c may be either
MB_INLINE void mb_quat_mul(double c[4], const double a[4], const double b[4]) {
  const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  const double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  const double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  c[0] = w, c[1] = x, c[2] = y, c[3] = z;
}

MB_INLINE void mb_quat_conj(double c[4], const double a[4]) {
  c[0] = a[0], c[1] = -a[1], c[2] = -a[2], c[3] = -a[3];
}

MB_INLINE void mb_quat_normalise(double q[4]) {
  const double s = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] *= s;
}

// R(q), exact rotation for unit q
MB_INLINE void mb_quat_to_mat3(double R[9], const double q[4]) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

// The unit quaternion (w >= 0) of a rotation matrix, by its largest component, so that no digits are lost.
MB_INLINE void mb_quat_from_mat3(double q[4], const double R[9]) {
  const double t[4] = {R[0] + R[4] + R[8], R[0] - R[4] - R[8], R[4] - R[0] - R[8], R[8] - R[0] - R[4]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (t[i] > t[k]) k = i;
  const double s = 2 * sqrt(1 + t[k]); // 4 |q_k|
  const double a = (R[7] - R[5]) / s, b = (R[2] - R[6]) / s, c = (R[3] - R[1]) / s;
  const double d = (R[1] + R[3]) / s, e = (R[2] + R[6]) / s, f = (R[5] + R[7]) / s;
  switch (k) {
  case 0:
    q[0] = s / 4, q[1] = a, q[2] = b, q[3] = c;
    break;
  case 1:
    q[0] = a, q[1] = s / 4, q[2] = d, q[3] = e;
    break;
  case 2:
    q[0] = b, q[1] = d, q[2] = s / 4, q[3] = f;
    break;
  default:
    q[0] = c, q[1] = e, q[2] = f, q[3] = s / 4;
    break;
  }
  const double sign = q[0] < 0 ? -1 : 1;
  for (int i = 0; i < 4; i++) q[i] *= sign;
  mb_quat_normalise(q);
}

// y = R(q) x; y may be x
MB_INLINE void mb_quat_rotate(double y[3], const double q[4], const double x[3]) {
  double t[3], u[3];
  mb_vec3_cross(t, q + 1, x);
  mb_vec3_scale(t, 2, t);
  mb_vec3_cross(u, q + 1, t);
  for (int i = 0; i < 3; i++) y[i] = x[i] + q[0] * t[i] + u[i];
}

// y = R(q)ᵀ x; y may be x
MB_INLINE void mb_quat_unrotate(double y[3], const double q[4], const double x[3]) {
  double c[4];
  mb_quat_conj(c, q);
  mb_quat_rotate(y, c, x);
}

// sin(x/2)/x and cos(x/2) as functions of x², by their series where the quotient would lose digits
MB_INLINE double mb_half_sinc(double x2) {
  if (x2 < 0.01)
    return 0.5 - x2 * (1.0 / 48 - x2 * (1.0 / 3840 - x2 * (1.0 / 645120 - x2 * (1.0 / 185794560))));
  const double x = sqrt(x2);
  return sin(x / 2) / x;
}
MB_INLINE double mb_half_cos(double x2) {
  if (x2 < 0.01) return 1 - x2 * (1.0 / 8 - x2 * (1.0 / 384 - x2 * (1.0 / 46080 - x2 * (1.0 / 10321920))));
  return cos(sqrt(x2) / 2);
}

// exp of a rotation vector
MB_INLINE void mb_quat_exp(double q[4], const double w[3]) {
  const double x2 = mb_vec3_dot(w, w), s = mb_half_sinc(x2);
  q[0] = mb_half_cos(x2), q[1] = s * w[0], q[2] = s * w[1], q[3] = s * w[2];
}

// The rotation vector, at most π long, of a unit quaternion
MB_INLINE void mb_quat_log(double w[3], const double q[4]) {
  const double sign = q[0] < 0 ? -1 : 1, n2 = mb_vec3_dot(q + 1, q + 1), c = sign * q[0];
  // atan2(n, c) / n = 1/c − n²/(3c³) + n⁴/(5c⁵) − …, with c near 1 here
  const double n = sqrt(n2), r = n2 / (c * c);
  const double s = n2 < 1e-6 ? (1 - r / 3 + r * r / 5) / c : atan2(n, c) / n;
  mb_vec3_scale(w, 2 * sign * s, q + 1);
}

// q̇ = ½ q (0, ω), with ω in body axes
MB_INLINE void mb_quat_rate(double qdot[4], const double q[4], const double w[3]) {
  const double half[4] = {0, w[0] / 2, w[1] / 2, w[2] / 2};
  mb_quat_mul(qdot, q, half);
}

#endif
