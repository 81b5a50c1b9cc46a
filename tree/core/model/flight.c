#include "core/model/flight.h"

#include <stdbool.h>

static const double STILL = 1e-15; // turn of Π in C axes over the step that is less than rounding
static const double FINE = 0.02;   // of a part of the flight, radians
enum { MOST = 256 };               // parts
// Turns in a step up to which ω̄ is taken by its first term, by a short series: what they leave out is rounding of a step's energy.
static const double LITTLE = 1e-5, SHORT = 2e-3;

// The axes r, a, b: inverse inertias of r and a are nearest.
static void choose_axes(const double inverse[3], int axis[3]) {
  double least = INFINITY;
  for (int b = 0; b < 3; b++) {
    const int r = (b + 1) % 3, a = (b + 2) % 3;
    const double apart = fabs(inverse[r] - inverse[a]);
    if (apart < least) least = apart, axis[0] = r, axis[1] = a, axis[2] = b;
  }
}

// R ← R E, Π ← Eᵀ Π with E the turn about the axis by h δ Π_e
static void turn_about(int e, double hd, double turn[4], double P[3]) {
  const double angle = hd * P[e];
  const int i = (e + 1) % 3, j = (e + 2) % 3;
  const double c = cos(angle), s = sin(angle), Pi = P[i], Pj = P[j];
  double half[4] = {cos(angle / 2), 0, 0, 0};
  half[1 + e] = sin(angle / 2);
  mb_quat_mul(turn, turn, half);
  P[i] = c * Pi + s * Pj, P[j] = c * Pj - s * Pi;
}

// ω̄ h: the rotation vector of the turn, of those that differ by whole turns the one nearest to `near`.
static void vector_of(const double turn[4], const double near[3], double out[3]) {
  static const double TURN = 6.283185307179586476925;
  mb_quat_log(out, turn);
  const double angle = mb_vec3_norm(out);
  if (angle == 0) return;
  const double more = rint((mb_vec3_dot(out, near) / angle - angle) / TURN);
  mb_vec3_scale(out, 1 + more * TURN / angle, out);
}

// s by the parts' flights
static void long_swing(double h, const double I[3], const double w[3], double swing[3]) {
  double P[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]}, mean[3], near[3], turn[4];
  const double inverse[3] = {1 / I[0], 1 / I[1], 1 / I[2]};
  int axis[3] = {0, 1, 2};
  choose_axes(inverse, axis);
  const double ref = inverse[axis[0]], da = inverse[axis[1]] - ref, db = inverse[axis[2]] - ref;
  const double parts = ceil(h * mb_vec3_norm(P) * sqrt(fabs(da * db)) / FINE);
  const int n = parts < MOST ? (parts > 1 ? (int)parts : 1) : MOST; // of what is not a number: 1
  mb_vec3_scale(mean, h * ref, P);
  mb_quat_exp(turn, mean);
  const double part = h / n;
  if (da != 0) turn_about(axis[1], part / 2 * da, turn, P);
  for (int k = 0; k < n; k++) {
    turn_about(axis[2], part * db, turn, P);
    if (da != 0) turn_about(axis[1], (k + 1 < n ? part : part / 2) * da, turn, P);
  }
  mb_quat_normalise(turn);
  mb_vec3_scale(near, h, w);
  vector_of(turn, near, mean);
  for (int i = 0; i < 3; i++) swing[i] = I[i] * (mean[i] / h - w[i]);
}

// x = a × b + c × d
static void two_crosses(double x[3], const double a[3], const double b[3], const double c[3],
                        const double d[3]) {
  double t[3];
  mb_vec3_cross(t, c, d);
  mb_vec3_cross(x, a, b);
  mb_vec3_add(x, x, t);
}

// s by the series of Magnus, with t₁ = Π̇ = Π × ω, t₂ = Π̈, t₃ the next one, and w₁ = I⁻¹ t₁, …:
//   ω̄ = ω + (h/2) w₁ + h² (w₂/6 + ω × w₁/12) + h³ (w₃ + ω × w₂)/24 + O(h⁴)
static void short_swing(double h, const double I[3], const double w[3], const double P[3], const double t1[3],
                        double swing[3]) {
  const double inverse[3] = {1 / I[0], 1 / I[1], 1 / I[2]};
  double w1[3], w2[3], t2[3], t3[3], bend[3], more[3];
  for (int i = 0; i < 3; i++) w1[i] = t1[i] * inverse[i];
  two_crosses(t2, t1, w, P, w1);
  for (int i = 0; i < 3; i++) w2[i] = t2[i] * inverse[i];
  two_crosses(t3, t2, w, P, w2);
  mb_vec3_cross(more, t1, w1);
  mb_vec3_add_scaled(t3, t3, 2, more);
  mb_vec3_cross(bend, w, w1);
  mb_vec3_cross(more, w, w2);
  for (int i = 0; i < 3; i++)
    swing[i] = h * (t1[i] / 2 + h * ((t2[i] + I[i] * bend[i] / 2) / 6 + h * (t3[i] + I[i] * more[i]) / 24));
}

void mb_flight_swing(double h, const double I[3], const double w[3], double swing[3]) {
  const double P[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]}, turn = h * h * mb_vec3_dot(w, w);
  double t[3];
  mb_vec3_cross(t, P, w);
  const double change = h * h * mb_vec3_dot(t, t), size = mb_vec3_dot(P, P);
  mb_vec3_set(swing, 0, 0, 0);
  if (!(change > STILL * STILL * size) || !(I[0] > 0 && I[1] > 0 && I[2] > 0)) return;
  if (turn < LITTLE * LITTLE)
    mb_vec3_scale(swing, h / 2, t);
  else if (turn < SHORT * SHORT)
    short_swing(h, I, w, P, t, swing);
  else
    long_swing(h, I, w, swing);
}

void mb_flight_carry(double h, const double I[3], const double swing[3], double w[3]) {
  const double P[3] = {I[0] * w[0] - swing[0], I[1] * w[1] - swing[1], I[2] * w[2] - swing[2]};
  double t[3], more[3], back[3], turn[4], carried[3];
  mb_vec3_cross(t, w, P);
  const bool swings = swing[0] != 0 || swing[1] != 0 || swing[2] != 0;
  if (!swings && !(h * h * mb_vec3_dot(t, t) > STILL * STILL * mb_vec3_dot(P, P))) return;
  if (!(I[0] > 0 && I[1] > 0 && I[2] > 0)) return;
  if (h * h * mb_vec3_dot(w, w) < LITTLE * LITTLE) { // Π − h ω × Π + ½ h ω × (h ω × Π)
    mb_vec3_cross(more, w, t);
    for (int i = 0; i < 3; i++) carried[i] = P[i] - h * (t[i] - h / 2 * more[i]);
  } else {
    mb_vec3_scale(back, -h, w);
    mb_quat_exp(turn, back);
    mb_quat_rotate(carried, turn, P);
  }
  for (int i = 0; i < 3; i++) w[i] = carried[i] / I[i];
}
