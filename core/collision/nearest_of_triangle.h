// The point of a triangle that is nearest to another one, for processors and devices alike (nearest.h has it as a function).
#ifndef MB_COLLISION_NEAREST_OF_TRIANGLE_H
#define MB_COLLISION_NEAREST_OF_TRIANGLE_H

#include "core/collision/nearest.h"
#include "core/math/vec3.h"

MB_INLINE double mb_nearest_share(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

// The weight of b at the point of the segment from a to b that is nearest to x.
MB_INLINE double mb_nearest_along(const double x[3], const double a[3], const double b[3]) {
  double e[3], d[3];
  mb_vec3_sub(e, b, a), mb_vec3_sub(d, x, a);
  const double square = mb_vec3_dot(e, e);
  return square > 0 ? mb_nearest_share(mb_vec3_dot(d, e) / square) : 0;
}

MB_INLINE double mb_nearest_square(const double x[3], const double *const corner[3], const double weight[3]) {
  double d[3];
  for (int k = 0; k < 3; k++)
    d[k] = weight[0] * corner[0][k] + weight[1] * corner[1][k] + weight[2] * corner[2][k] - x[k];
  return mb_vec3_dot(d, d);
}

// Weights of the foot of x on the triangle's plane; false: the triangle is a line.
MB_INLINE bool mb_nearest_foot(const double x[3], const double *const corner[3], double weight[3]) {
  double e[3], f[3], d[3], n[3], c[3];
  mb_vec3_sub(e, corner[1], corner[0]), mb_vec3_sub(f, corner[2], corner[0]);
  mb_vec3_sub(d, x, corner[0]);
  mb_vec3_cross(n, e, f);
  const double square = mb_vec3_dot(n, n), sides = mb_vec3_dot(e, e) * mb_vec3_dot(f, f);
  if (!(square > 1e-24 * sides)) return false;
  mb_vec3_cross(c, d, f), weight[1] = mb_vec3_dot(c, n) / square;
  mb_vec3_cross(c, e, d), weight[2] = mb_vec3_dot(c, n) / square;
  weight[0] = 1 - weight[1] - weight[2];
  return true;
}

// The nearest of the points of the three sides.
MB_INLINE void mb_nearest_on_sides(const double x[3], const double *const corner[3], double weight[3]) {
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3;
    double own[3] = {0};
    own[j] = mb_nearest_along(x, corner[i], corner[j]);
    own[i] = 1 - own[j];
    const double d = mb_nearest_square(x, corner, own);
    if (!(d < least)) continue;
    least = d;
    mb_vec3_copy(weight, own);
  }
}

MB_INLINE unsigned mb_nearest_on_triangle_of(const double x[3], const double *const corner[3], double flat,
                                             double weight[3]) {
  if (!mb_nearest_foot(x, corner, weight) || weight[0] < 0 || weight[1] < 0 || weight[2] < 0)
    mb_nearest_on_sides(x, corner, weight);
  unsigned held = 0;
  double sum = 0;
  for (unsigned i = 0; i < 3; i++) {
    if (weight[i] > flat)
      held |= 1u << i, sum += weight[i];
    else
      weight[i] = 0;
  }
  for (int i = 0; i < 3; i++) weight[i] /= sum;
  return held;
}

#endif
