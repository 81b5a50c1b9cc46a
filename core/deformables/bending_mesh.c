// Triangles at rest, and which of them share an edge.
#include "core/base/alloc.h"
#include "core/deformables/bending_parts.h"
#include "core/math/vec3.h"

#include <stdlib.h>

static bool shape_of(const uint32_t *triangle, const double *x, MbTriangleShape *shape) {
  double across[3], d[3][3]; // d[i] from corner i + 1 to i + 2
  for (int i = 0; i < 3; i++)
    mb_vec3_sub(d[i], x + 3 * (size_t)triangle[(i + 2) % 3], x + 3 * (size_t)triangle[(i + 1) % 3]);
  mb_vec3_cross(across, d[0], d[1]);
  const double twice = mb_vec3_norm(across);
  shape->area = twice / 2;
  for (int i = 0; i < 3; i++) {
    shape->side2[i] = mb_vec3_dot(d[i], d[i]);
    shape->cot[i] = -mb_vec3_dot(d[(i + 1) % 3], d[(i + 2) % 3]) / twice;
  }
  return twice > 1e-14 * (shape->side2[0] + shape->side2[1]) && isfinite(twice);
}

typedef struct Side {
  uint32_t low, high;
  size_t corner;
} Side;

static int by_ends(const void *a, const void *b) {
  const Side *const p = a, *const q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  if (p->high != q->high) return p->high < q->high ? -1 : 1;
  return (p->corner > q->corner) - (p->corner < q->corner);
}

static bool find_twins(MbBendingMesh *mesh) {
  const size_t n = 3 * mesh->triangles;
  Side *side = mb_calloc(n, sizeof *side);
  if (!side) return false;
  for (size_t c = 0; c < n; c++) {
    const uint32_t *corner = mesh->triangle + c / 3 * 3;
    const uint32_t a = corner[(c + 1) % 3], b = corner[(c + 2) % 3];
    side[c] = (Side){a < b ? a : b, a < b ? b : a, c};
  }
  if (n) qsort(side, n, sizeof *side, by_ends);
  for (size_t k = 0, next; k < n; k = next) {
    for (next = k + 1; next < n && side[next].low == side[k].low && side[next].high == side[k].high;) next++;
    for (size_t i = k; i < next; i++)
      mesh->twin[side[i].corner] = next - k == 2 ? side[k + next - 1 - i].corner : SIZE_MAX;
  }
  mb_free(side);
  return true;
}

bool mb_bending_mesh_create(MbBendingMesh *mesh, size_t *flat) {
  const size_t n = mesh->triangles;
  if (n > SIZE_MAX / 1024) return false;
  mesh->shape = mb_calloc(n, sizeof *mesh->shape);
  mesh->twin = mb_calloc(3 * n, sizeof *mesh->twin);
  if (!mesh->shape || !mesh->twin) return false;
  for (size_t t = 0; t < n; t++)
    if (!shape_of(mesh->triangle + 3 * t, mesh->x, mesh->shape + t)) {
      *flat = t;
      return false;
    }
  return find_twins(mesh);
}

void mb_bending_mesh_free(MbBendingMesh *mesh) {
  mb_free(mesh->shape), mb_free(mesh->twin);
  mesh->shape = NULL, mesh->twin = NULL;
}
