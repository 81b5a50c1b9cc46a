// Nearest points of triangles and segments, against a search over their points.
#include "core/collision/nearest.h"
#include "core/math/vec3.h"
#include "tests/support.h"

enum { TRIES = 200, FINE = 200 };

static double distance_at(const double *const x[3], const double weight[3], const double p[3]) {
  double d[3];
  for (int k = 0; k < 3; k++) d[k] = weight[0] * x[0][k] + weight[1] * x[1][k] + weight[2] * x[2][k] - p[k];
  return mb_vec3_norm(d);
}

static double random_number(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0 * 2 - 1;
}

Test(nearest, no_point_of_a_triangle_is_nearer_than_the_one_that_is_told) {
  uint64_t seed = 7;
  bool seen[8] = {false};
  for (int try = 0; try < TRIES; try++) {
    double corner[3][3], p[3], weight[3];
    for (int i = 0; i < 9; i++) corner[i / 3][i % 3] = random_number(&seed);
    for (int k = 0; k < 3; k++) p[k] = 2 * random_number(&seed);
    const double *const x[3] = {corner[0], corner[1], corner[2]};
    const unsigned held = mb_nearest_on_triangle(p, x, 0, weight);
    const double told = distance_at(x, weight, p);
    seen[held] = true;
    for (int i = 0; i <= FINE; i++)
      for (int k = 0; k <= FINE - i; k++) {
        const double u = (double)i / FINE, v = (double)k / FINE, other[3] = {1 - u - v, u, v};
        cr_assert(distance_at(x, other, p) >= told - 1e-12, "try %d", try);
      }
    for (unsigned i = 0; i < 3; i++) cr_expect_eq(held >> i & 1, weight[i] > 0);
    cr_expect(fabs(weight[0] + weight[1] + weight[2] - 1) < 1e-14);
  }
  for (int i = 1; i < 8; i++) cr_expect(seen[i], "part %d was never nearest", i);
}

Test(nearest, no_points_of_two_segments_are_nearer_than_those_that_are_told) {
  uint64_t seed = 3;
  for (int try = 0; try < TRIES; try++) {
    double p[4][3], s, t, n[3];
    for (int i = 0; i < 12; i++) p[i / 3][i % 3] = random_number(&seed);
    if (try % 5 == 0) // along one another
      for (int k = 0; k < 3; k++) p[3][k] = p[2][k] + 0.7 * (p[1][k] - p[0][k]);
    const bool inside = mb_nearest_of_segments(p[0], p[1], p[2], p[3], &s, &t, n);
    double least = INFINITY, told = 0;
    for (int i = -1; i <= FINE; i++)
      for (int j = i < 0 ? FINE : 0; j <= FINE; j++) {
        const double u = i < 0 ? s : (double)i / FINE, v = i < 0 ? t : (double)j / FINE;
        double d[3];
        for (int k = 0; k < 3; k++)
          d[k] = p[0][k] + u * (p[1][k] - p[0][k]) - p[2][k] - v * (p[3][k] - p[2][k]);
        if (i < 0) {
          told = mb_vec3_norm(d);
          if (inside) cr_expect(fabs(fabs(mb_vec3_dot(d, n)) - told) < 1e-12, "try %d", try);
        } else {
          least = fmin(least, mb_vec3_norm(d));
        }
      }
    cr_expect(told <= least + 1e-12, "try %d: %g, but %g is there", try, told, least);
    cr_expect(try % 5 != 0 || !inside);
  }
}
