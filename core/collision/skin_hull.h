// A triangle of a surface as a hull of three vertices and two faces, for processors and devices alike.
#ifndef MB_COLLISION_SKIN_HULL_H
#define MB_COLLISION_SKIN_HULL_H

#include "core/collision/patch.h"

// Its vertices are from its middle. It points into itself: it stays where it was made.
typedef struct MbSkinHull {
  double vertex[9], normal[6];
  uint32_t first[3], corner[6];
  MbHullEdge edge[3];
  MbHull hull;
  MbShape shape;
  MbPlaced placed;
} MbSkinHull;

// Its faces and sides: the face that looks along the normal, and that which looks back.
MB_INLINE void mb_skin_hull_sides(MbSkinHull *out) {
  for (uint32_t i = 0; i < 3; i++) {
    const uint32_t next = i < 2 ? i + 1 : 0;
    out->first[i] = 3 * i;
    out->corner[i] = i, out->corner[3 + i] = i ? 3 - i : 0;
    out->edge[i].from = i, out->edge[i].to = next;
    out->edge[i].left = 0, out->edge[i].right = 1;
  }
}

MB_INLINE void mb_skin_hull_shape(MbSkinHull *out) {
  MbHull *hull = &out->hull;
  MbShape *shape = &out->shape;
  mb_skin_hull_sides(out);
  hull->vertices = 3, hull->faces = 2, hull->edges = 3;
  hull->vertex = out->vertex, hull->normal = out->normal;
  hull->first = out->first, hull->corner = out->corner, hull->edge = out->edge;
  shape->form = MB_FORM_HULL, shape->radius = shape->half = 0;
  mb_vec3_set(shape->axes, 1, 1, 1);
  shape->hull = hull, shape->surface = NULL;
  out->placed.shape = shape;
}

// Makes one of corners and the normal, from its middle, which it tells.
MB_INLINE void mb_skin_hull_make(MbSkinHull *out, const double *const x[3], const double n[3],
                                 double middle[3]) {
  mb_vec3_set(middle, 0, 0, 0);
  for (size_t i = 0; i < 3; i++) mb_vec3_add_scaled(middle, middle, 1.0 / 3, x[i]);
  for (size_t i = 0; i < 3; i++) mb_vec3_sub(out->vertex + 3 * i, x[i], middle);
  mb_vec3_copy(out->normal, n);
  mb_vec3_scale(out->normal + 3, -1, n);
  mb_skin_hull_shape(out);
}

// Makes one of triangle t of a mesh where that is.
MB_INLINE void mb_skin_hull(MbSkinHull *out, const MbPlaced *mesh, uint32_t t) {
  const MbSkin *surface = mesh->shape->surface;
  const double *x[3];
  double middle[3];
  for (size_t i = 0; i < 3; i++) x[i] = surface->vertex + 3 * (size_t)surface->corner[3 * (size_t)t + i];
  mb_skin_hull_make(out, x, surface->normal + 3 * (size_t)t, middle);
  for (int k = 0; k < 9; k++) out->placed.R[k] = mesh->R[k];
  mb_placed_point(out->placed.p, mesh, middle);
}

// Makes one of a triangle by its corners in the world, of which the normal is right-handed. False: it is a line.
MB_INLINE bool mb_skin_hull_of(MbSkinHull *out, const double *const x[3]) {
  double e[3], f[3], n[3];
  mb_vec3_sub(e, x[1], x[0]), mb_vec3_sub(f, x[2], x[0]);
  mb_vec3_cross(n, e, f);
  const double area = mb_vec3_norm(n);
  if (!(area > 1e-12 * mb_vec3_norm(e) * mb_vec3_norm(f))) return false;
  mb_vec3_scale(n, 1 / area, n);
  mb_skin_hull_make(out, x, n, out->placed.p);
  mb_mat3_identity(out->placed.R);
  return true;
}

// A feature that outlines have told of it, as one of the surface's.
MB_INLINE uint32_t mb_skin_feature(const MbSkin *surface, uint32_t t, uint32_t feature) {
  const uint32_t part = feature & (15u << 28), i = feature & ~(15u << 28);
  if (part == MB_PART_CORNER && i < 3) return part | surface->corner[3 * (size_t)t + i];
  if (part == MB_PART_SIDE && i < 3) return part | surface->side[3 * (size_t)t + i];
  // of an outline that is a side: it is number 2 and on
  if (i > 1 && i < 5) return MB_PART_SIDE | surface->side[3 * (size_t)t + i - 2];
  return MB_PART_FACE | t;
}

#endif
