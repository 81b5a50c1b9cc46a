#include "core/model/flight.h"

#include <stdbool.h>

static const double STILL = 1e-15; // turn of Π in C axes over the step that is less than rounding
static const double FINE = 0.02;   // of a part of the flight, radians
enum { MOST = 256 };               // parts

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

void mb_flight_swing(double h, const double I[3], const double w[3], double swing[3]) {
  double P[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]}, t[3], mean[3], near[3], turn[4];
  mb_vec3_set(swing, 0, 0, 0);
  mb_vec3_cross(t, w, P);
  const double size = mb_vec3_norm(P);
  if (!(h * mb_vec3_norm(t) > STILL * size) || !(I[0] > 0 && I[1] > 0 && I[2] > 0)) return;
  const double inverse[3] = {1 / I[0], 1 / I[1], 1 / I[2]};
  int axis[3] = {0, 1, 2};
  choose_axes(inverse, axis);
  const double ref = inverse[axis[0]], da = inverse[axis[1]] - ref, db = inverse[axis[2]] - ref;
  const double parts = ceil(h * size * sqrt(fabs(da * db)) / FINE);
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

void mb_flight_carry(double h, const double I[3], const double swing[3], double w[3]) {
  const double P[3] = {I[0] * w[0] - swing[0], I[1] * w[1] - swing[1], I[2] * w[2] - swing[2]};
  double t[3], back[3], turn[4], carried[3];
  mb_vec3_cross(t, w, P);
  const bool swings = swing[0] != 0 || swing[1] != 0 || swing[2] != 0;
  if (!swings && !(h * mb_vec3_norm(t) > STILL * mb_vec3_norm(P))) return;
  if (!(I[0] > 0 && I[1] > 0 && I[2] > 0)) return;
  mb_vec3_scale(back, -h, w);
  mb_quat_exp(turn, back);
  mb_quat_rotate(carried, turn, P);
  for (int i = 0; i < 3; i++) w[i] = carried[i] / I[i];
}
