#include "core/collision/nearest.h"

#include "core/math/vec3.h"

static double clamp(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

// The weight of b at the point of the segment from a to b that is nearest to x.
static double along(const double x[3], const double a[3], const double b[3]) {
  double e[3], d[3];
  mb_vec3_sub(e, b, a), mb_vec3_sub(d, x, a);
  const double square = mb_vec3_dot(e, e);
  return square > 0 ? clamp(mb_vec3_dot(d, e) / square) : 0;
}

static double distance(const double x[3], const double *const corner[3], const double weight[3]) {
  double d[3];
  for (int k = 0; k < 3; k++)
    d[k] = weight[0] * corner[0][k] + weight[1] * corner[1][k] + weight[2] * corner[2][k] - x[k];
  return mb_vec3_dot(d, d);
}

// Weights of the foot of x on the triangle's plane; false: the triangle is a line.
static bool foot(const double x[3], const double *const corner[3], double weight[3]) {
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
static void nearest_on_sides(const double x[3], const double *const corner[3], double weight[3]) {
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3;
    double own[3] = {0};
    own[j] = along(x, corner[i], corner[j]);
    own[i] = 1 - own[j];
    const double d = distance(x, corner, own);
    if (!(d < least)) continue;
    least = d;
    mb_vec3_copy(weight, own);
  }
}

unsigned mb_nearest_on_triangle(const double x[3], const double *const corner[3], double flat,
                                double weight[3]) {
  if (!foot(x, corner, weight) || weight[0] < 0 || weight[1] < 0 || weight[2] < 0)
    nearest_on_sides(x, corner, weight);
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
    const double own = k < 2 ? (double)k : along(x, p0, p1),
                 other = k < 2 ? along(x, q0, q1) : (double)(k - 2);
    double gap[3];
    for (int i = 0; i < 3; i++) gap[i] = p0[i] + own * e[i] - q0[i] - other * f[i];
    const double square_gap = mb_vec3_dot(gap, gap);
    if (square_gap < least) least = square_gap, *s = own, *t = other;
  }
  return false;
}
