#include "tests/core/collision/hull_make.h"

#include "tests/support.h"

#include <math.h>
#include <string.h>

enum { MOST = 24, FACES = 2 * MOST };

static double above(const double *vertex, uint32_t i, uint32_t j, uint32_t k, uint32_t m) {
  double u[3], v[3], w[3], c[3];
  mb_vec3_sub(u, vertex + 3 * j, vertex + 3 * i);
  mb_vec3_sub(v, vertex + 3 * k, vertex + 3 * i);
  mb_vec3_sub(w, vertex + 3 * m, vertex + 3 * i);
  mb_vec3_cross(c, u, v);
  return mb_vec3_dot(c, w);
}

MbHull *made_hull(uint64_t *seed, uint32_t n) {
  double vertex[3 * MOST];
  uint32_t first[FACES + 1] = {0}, corner[3 * FACES], faces = 0;
  cr_assert(n <= MOST);
  for (uint32_t i = 0; i < n; i++) {
    double *x = vertex + 3 * i;
    do
      for (int k = 0; k < 3; k++) x[k] = 2 * test_random(seed) - 1;
    while (mb_vec3_norm(x) > 1 || mb_vec3_norm(x) < 0.1);
    mb_vec3_scale(x, 0.7 / mb_vec3_norm(x), x);
  }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i + 1; j < n; j++)
      for (uint32_t k = i + 1; k < n; k++) {
        bool outer = k != j;
        for (uint32_t m = 0; m < n && outer; m++)
          if (m != i && m != j && m != k) outer = above(vertex, i, j, k, m) < 0;
        if (!outer) continue;
        corner[3 * faces] = i, corner[3 * faces + 1] = j, corner[3 * faces + 2] = k;
        faces++;
        first[faces] = 3 * faces;
      }
  MbHull *hull;
  cr_assert_eq(mb_hull_make(&hull, n, vertex, faces, first, corner), MB_HULL_SOUND);
  return hull;
}

MbHull *made_prism(uint32_t n, double radius, double half) {
  double vertex[6 * MOST];
  uint32_t first[MOST + 3] = {0}, corner[6 * MOST], c = 0;
  for (uint32_t i = 0; i < n; i++) {
    const double angle = 2 * acos(-1.0) * i / n;
    mb_vec3_set(vertex + 3 * i, radius * cos(angle), radius * sin(angle), -half);
    mb_vec3_set(vertex + 3 * (n + i), radius * cos(angle), radius * sin(angle), half);
  }
  for (uint32_t i = 0; i < n; i++) corner[c++] = n - 1 - i;
  first[1] = c;
  for (uint32_t i = 0; i < n; i++) corner[c++] = n + i;
  first[2] = c;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t next = (i + 1) % n;
    corner[c++] = i, corner[c++] = next, corner[c++] = n + next, corner[c++] = n + i;
    first[3 + i] = c;
  }
  MbHull *hull;
  cr_assert_eq(mb_hull_make(&hull, 2 * n, vertex, n + 2, first, corner), MB_HULL_SOUND);
  return hull;
}

double made_simplices_distance(const MbHull *hull, const double x[3]) {
  double least = INFINITY, d[3], u[3], v[3];
  for (uint32_t i = 0; i < hull->vertices; i++)
    for (uint32_t j = i; j < hull->vertices; j++)
      for (uint32_t k = j; k < hull->vertices; k++) {
        const double *p = hull->vertex + 3 * i, *q = hull->vertex + 3 * j, *r = hull->vertex + 3 * k;
        mb_vec3_sub(d, x, p), mb_vec3_sub(u, q, p), mb_vec3_sub(v, r, p);
        const double uu = mb_vec3_dot(u, u), uv = mb_vec3_dot(u, v), vv = mb_vec3_dot(v, v);
        const double du = mb_vec3_dot(d, u), dv = mb_vec3_dot(d, v), det = uu * vv - uv * uv;
        double s = 0, t = 0;
        if (k > j && j > i)
          s = (du * vv - dv * uv) / det, t = (dv * uu - du * uv) / det;
        else if (k > j)
          t = dv / vv;
        if (!(s >= 0 && t >= 0 && s + t <= 1)) continue;
        mb_vec3_add_scaled(d, d, -s, u), mb_vec3_add_scaled(d, d, -t, v);
        least = fmin(least, mb_vec3_norm(d));
      }
  return least;
}
