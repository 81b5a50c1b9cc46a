// A cable's points are c_j, its length is l = Σ |c_{j+1} − c_j|. With d_j the direction of the segment behind point j the derivative of
// l by the place of one node of group j is (d_{j−1} − d_j)/(nodes of the group).
#include "core/deformables/cable.h"
#include "core/math/vec3.h"

#include <string.h>

void mb_cable_point(const MbCablePath *path, size_t point, const double *q, double c[3]) {
  const size_t begin = path->first[point], end = path->first[point + 1];
  mb_vec3_set(c, 0, 0, 0);
  for (size_t k = begin; k < end; k++) mb_vec3_add(c, c, q + 3 * (size_t)path->node[k]);
  mb_vec3_scale(c, 1 / (double)(end - begin), c);
}

double mb_cable_length(const MbCablePath *path, const double *q, double *J) {
  const size_t n = path->npoints;
  double length = 0, at[3], next[3], d[3];
  if (J) memset(J, 0, 3 * n * sizeof *J);
  mb_cable_point(path, 0, q, at);
  for (size_t j = 0; j + 1 < n; j++) {
    mb_cable_point(path, j + 1, q, next);
    mb_vec3_sub(d, next, at);
    const double l = mb_vec3_norm(d);
    mb_vec3_copy(at, next);
    length += l;
    if (!J || !(l > 0)) continue;
    for (size_t c = 0; c < 3; c++) J[3 * j + c] -= d[c] / l, J[3 * j + 3 + c] += d[c] / l;
  }
  for (size_t j = 0; J && j < n; j++)
    mb_vec3_scale(J + 3 * j, 1 / (double)(path->first[j + 1] - path->first[j]), J + 3 * j);
  return length;
}
