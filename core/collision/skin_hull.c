#include "core/collision/skin_hull.h"

#include "core/math/mat3.h"

static const uint32_t first[3] = {0, 3, 6}, corner[6] = {0, 1, 2, 0, 2, 1};
static const MbHullEdge edge[3] = {{0, 1, 0, 1}, {1, 2, 0, 1}, {2, 0, 0, 1}};

// From its middle, which it tells.
static void make(MbSkinHull *out, const double *const x[3], const double n[3], double middle[3]) {
  mb_vec3_set(middle, 0, 0, 0);
  for (size_t i = 0; i < 3; i++) mb_vec3_add_scaled(middle, middle, 1.0 / 3, x[i]);
  for (size_t i = 0; i < 3; i++) mb_vec3_sub(out->vertex + 3 * i, x[i], middle);
  mb_vec3_copy(out->normal, n);
  mb_vec3_scale(out->normal + 3, -1, n);
  out->hull = (MbHull){3, 2, 3, out->vertex, first, corner, out->normal, edge};
  out->shape = mb_shape_hull(&out->hull);
  out->placed.shape = &out->shape;
}

void mb_skin_hull(MbSkinHull *out, const MbPlaced *mesh, uint32_t t) {
  const MbSkin *surface = mesh->shape->surface;
  const double *x[3];
  double middle[3];
  for (size_t i = 0; i < 3; i++) x[i] = surface->vertex + 3 * (size_t)surface->corner[3 * (size_t)t + i];
  make(out, x, surface->normal + 3 * (size_t)t, middle);
  for (int k = 0; k < 9; k++) out->placed.R[k] = mesh->R[k];
  mb_placed_point(out->placed.p, mesh, middle);
}

bool mb_skin_hull_of(MbSkinHull *out, const double *const x[3]) {
  double e[3], f[3], n[3];
  mb_vec3_sub(e, x[1], x[0]), mb_vec3_sub(f, x[2], x[0]);
  mb_vec3_cross(n, e, f);
  const double area = mb_vec3_norm(n);
  if (!(area > 1e-12 * mb_vec3_norm(e) * mb_vec3_norm(f))) return false;
  mb_vec3_scale(n, 1 / area, n);
  make(out, x, n, out->placed.p);
  mb_mat3_identity(out->placed.R);
  return true;
}

uint32_t mb_skin_feature(const MbSkin *surface, uint32_t t, uint32_t feature) {
  const uint32_t part = feature & (15u << 28), i = feature & ~(15u << 28);
  if (part == MB_PART_CORNER && i < 3) return part | surface->corner[3 * (size_t)t + i];
  if (part == MB_PART_SIDE && i < 3) return part | surface->side[3 * (size_t)t + i];
  // of an outline that is a side: it is number 2 and on
  if (i > 1 && i < 5) return MB_PART_SIDE | surface->side[3 * (size_t)t + i - 2];
  return MB_PART_FACE | t;
}
