// The flight of one body (flight.h), for processors and devices alike.
#ifndef MB_MODEL_FLIGHT_BODY_H
#define MB_MODEL_FLIGHT_BODY_H

#include "core/math/quat.h"

#include <stdbool.h>

static const double MB_FLIGHT_STILL = 1e-15; // turn of Π in C axes over the step that is less than rounding
static const double MB_FLIGHT_FINE = 0.02;   // of a part of the flight, radians
enum { MB_FLIGHT_MOST = 256 };               // parts
// Turns in a step up to which ω̄ is taken by its first term, by a short series: what they leave out is rounding of a step's energy.
static const double MB_FLIGHT_LITTLE = 1e-5, MB_FLIGHT_SHORT = 2e-3;

// The axes r, a, b: inverse inertias of r and a are nearest.
MB_INLINE void mb_flight_choose_axes(const double inverse[3], int axis[3]) {
  double least = INFINITY;
  for (int b = 0; b < 3; b++) {
    const int r = (b + 1) % 3, a = (b + 2) % 3;
    const double apart = fabs(inverse[r] - inverse[a]);
    if (apart < least) least = apart, axis[0] = r, axis[1] = a, axis[2] = b;
  }
}

// R ← R E, Π ← Eᵀ Π with E the turn about the axis by h δ Π_e
MB_INLINE void mb_flight_turn_about(int e, double hd, double turn[4], double P[3]) {
  const double angle = hd * P[e];
  const int i = (e + 1) % 3, j = (e + 2) % 3;
  const double c = cos(angle), s = sin(angle), Pi = P[i], Pj = P[j];
  double half[4] = {cos(angle / 2), 0, 0, 0};
  half[1 + e] = sin(angle / 2);
  mb_quat_mul(turn, turn, half);
  P[i] = c * Pi + s * Pj, P[j] = c * Pj - s * Pi;
}

// ω̄ h: the rotation vector of the turn, of those that differ by whole turns the one nearest to `near`.
MB_INLINE void mb_flight_vector_of(const double turn[4], const double near[3], double out[3]) {
  static const double TURN = 6.283185307179586476925;
  mb_quat_log(out, turn);
  const double angle = mb_vec3_norm(out);
  if (angle == 0) return;
  const double more = rint((mb_vec3_dot(out, near) / angle - angle) / TURN);
  mb_vec3_scale(out, 1 + more * TURN / angle, out);
}

// s by the parts' flights
MB_INLINE void mb_flight_long_swing(double h, const double I[3], const double w[3], double swing[3]) {
  double P[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]}, mean[3], near[3], turn[4];
  const double inverse[3] = {1 / I[0], 1 / I[1], 1 / I[2]};
  int axis[3] = {0, 1, 2};
  mb_flight_choose_axes(inverse, axis);
  const double ref = inverse[axis[0]], da = inverse[axis[1]] - ref, db = inverse[axis[2]] - ref;
  const double parts = ceil(h * mb_vec3_norm(P) * sqrt(fabs(da * db)) / MB_FLIGHT_FINE);
  const int n =
      parts < MB_FLIGHT_MOST ? (parts > 1 ? (int)parts : 1) : MB_FLIGHT_MOST; // of what is not a number: 1
  mb_vec3_scale(mean, h * ref, P);
  mb_quat_exp(turn, mean);
  const double part = h / n;
  if (da != 0) mb_flight_turn_about(axis[1], part / 2 * da, turn, P);
  for (int k = 0; k < n; k++) {
    mb_flight_turn_about(axis[2], part * db, turn, P);
    if (da != 0) mb_flight_turn_about(axis[1], (k + 1 < n ? part : part / 2) * da, turn, P);
  }
  mb_quat_normalise(turn);
  mb_vec3_scale(near, h, w);
  mb_flight_vector_of(turn, near, mean);
  for (int i = 0; i < 3; i++) swing[i] = I[i] * (mean[i] / h - w[i]);
}

// x = a × b + c × d
MB_INLINE void mb_flight_two_crosses(double x[3], const double a[3], const double b[3], const double c[3],
                                     const double d[3]) {
  double t[3];
  mb_vec3_cross(t, c, d);
  mb_vec3_cross(x, a, b);
  mb_vec3_add(x, x, t);
}

// s by the series of Magnus, with t₁ = Π̇ = Π × ω, t₂ = Π̈, t₃ the next one, and w₁ = I⁻¹ t₁, …:
//   ω̄ = ω + (h/2) w₁ + h² (w₂/6 + ω × w₁/12) + h³ (w₃ + ω × w₂)/24 + O(h⁴)
MB_INLINE void mb_flight_short_swing(double h, const double I[3], const double w[3], const double P[3],
                                     const double t1[3], double swing[3]) {
  const double inverse[3] = {1 / I[0], 1 / I[1], 1 / I[2]};
  double w1[3], w2[3], t2[3], t3[3], bend[3], more[3];
  for (int i = 0; i < 3; i++) w1[i] = t1[i] * inverse[i];
  mb_flight_two_crosses(t2, t1, w, P, w1);
  for (int i = 0; i < 3; i++) w2[i] = t2[i] * inverse[i];
  mb_flight_two_crosses(t3, t2, w, P, w2);
  mb_vec3_cross(more, t1, w1);
  mb_vec3_add_scaled(t3, t3, 2, more);
  mb_vec3_cross(bend, w, w1);
  mb_vec3_cross(more, w, w2);
  for (int i = 0; i < 3; i++)
    swing[i] = h * (t1[i] / 2 + h * ((t2[i] + I[i] * bend[i] / 2) / 6 + h * (t3[i] + I[i] * more[i]) / 24));
}

MB_INLINE void mb_swing_of(double h, const double I[3], const double w[3], double swing[3]) {
  const double P[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]}, turn = h * h * mb_vec3_dot(w, w);
  double t[3];
  mb_vec3_set(swing, 0, 0, 0);
  if (w[0] == 0 && w[1] == 0 && w[2] == 0) return;
  mb_vec3_cross(t, P, w);
  const double change = h * h * mb_vec3_dot(t, t), size = mb_vec3_dot(P, P);
  if (!(change > MB_FLIGHT_STILL * MB_FLIGHT_STILL * size) || !(I[0] > 0 && I[1] > 0 && I[2] > 0)) return;
  if (turn < MB_FLIGHT_LITTLE * MB_FLIGHT_LITTLE)
    mb_vec3_scale(swing, h / 2, t);
  else if (turn < MB_FLIGHT_SHORT * MB_FLIGHT_SHORT)
    mb_flight_short_swing(h, I, w, P, t, swing);
  else
    mb_flight_long_swing(h, I, w, swing);
}

MB_INLINE void mb_carry_of(double h, const double I[3], const double swing[3], double w[3]) {
  const bool swings = swing[0] != 0 || swing[1] != 0 || swing[2] != 0;
  if (!swings && w[0] == 0 && w[1] == 0 && w[2] == 0) return;
  const double P[3] = {I[0] * w[0] - swing[0], I[1] * w[1] - swing[1], I[2] * w[2] - swing[2]};
  double t[3], more[3], back[3], turn[4], carried[3];
  mb_vec3_cross(t, w, P);
  if (!swings && !(h * h * mb_vec3_dot(t, t) > MB_FLIGHT_STILL * MB_FLIGHT_STILL * mb_vec3_dot(P, P))) return;
  if (!(I[0] > 0 && I[1] > 0 && I[2] > 0)) return;
  if (h * h * mb_vec3_dot(w, w) < MB_FLIGHT_LITTLE * MB_FLIGHT_LITTLE) { // Π − h ω × Π + ½ h ω × (h ω × Π)
    mb_vec3_cross(more, w, t);
    for (int i = 0; i < 3; i++) carried[i] = P[i] - h * (t[i] - h / 2 * more[i]);
  } else {
    mb_vec3_scale(back, -h, w);
    mb_quat_exp(turn, back);
    mb_quat_rotate(carried, turn, P);
  }
  for (int i = 0; i < 3; i++) w[i] = carried[i] / I[i];
}

#endif
