#include "core/collision/nearest_of_triangle.h"

unsigned mb_nearest_on_triangle(const double x[3], const double *const corner[3], double flat,
                                double weight[3]) {
  return mb_nearest_on_triangle_of(x, corner, flat, weight);
}

bool mb_nearest_of_segments(const double p0[3], const double p1[3], const double q0[3], const double q1[3],
                            double *s, double *t, double normal[3]) {
  static const double PARALLEL = 1e-6; // sine
  double e[3], f[3], d[3];
  mb_vec3_sub(e, p1, p0), mb_vec3_sub(f, q1, q0), mb_vec3_sub(d, q0, p0);
  const double ee = mb_vec3_dot(e, e), ff = mb_vec3_dot(f, f), ef = mb_vec3_dot(e, f);
  mb_vec3_cross(normal, e, f);
  const double square = mb_vec3_dot(normal, normal);
  const bool apart = square > PARALLEL * PARALLEL * ee * ff;
  if (apart) {
    mb_vec3_scale(normal, 1 / sqrt(square), normal);
    *s = (mb_vec3_dot(d, e) * ff - mb_vec3_dot(d, f) * ef) / square;
    *t = (mb_vec3_dot(d, e) * ef - mb_vec3_dot(d, f) * ee) / square;
    if (*s > 0 && *s < 1 && *t > 0 && *t < 1) return true;
  }
  // one of them ends there: the best of the four ends
  double least = INFINITY;
  for (int k = 0; k < 4; k++) {
    const double *x = k == 0 ? p0 : k == 1 ? p1 : k == 2 ? q0 : q1;
    const double own = k < 2 ? (double)k : mb_nearest_along(x, p0, p1),
                 other = k < 2 ? mb_nearest_along(x, q0, q1) : (double)(k - 2);
    double gap[3];
    for (int i = 0; i < 3; i++) gap[i] = p0[i] + own * e[i] - q0[i] - other * f[i];
    const double square_gap = mb_vec3_dot(gap, gap);
    if (square_gap < least) least = square_gap, *s = own, *t = other;
  }
  return false;
}
