// The distance from a point to each of the shapes, for processors and devices alike (shape.h has it as a function).
#ifndef MB_COLLISION_SHAPE_DISTANCE_H
#define MB_COLLISION_SHAPE_DISTANCE_H

#include "core/collision/shape.h"
#include "core/collision/skin_distance.h"

// n = d / |d|, or `otherwise` where d is 0; returns |d|. Sizes that squares of numbers would lose are kept.
MB_INLINE double mb_shape_direction(double n[3], const double d[3], const double otherwise[3]) {
  const double most = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
  if (!(most > 0)) {
    mb_vec3_copy(n, otherwise);
    return 0;
  }
  double scaled[3];
  for (int k = 0; k < 3; k++) scaled[k] = d[k] / most;
  const double size = mb_vec3_norm(scaled);
  for (int k = 0; k < 3; k++) n[k] = scaled[k] / size;
  return size * most;
}

MB_INLINE double mb_to_capsule(const MbShape *shape, const double x[3], double normal[3], uint32_t *feature) {
  // features: 0 and 1 the caps, 2 what is between them
  const double z = x[2] < -shape->half ? -shape->half : x[2] > shape->half ? shape->half : x[2];
  *feature = x[2] < -shape->half ? 0 : x[2] > shape->half ? 1 : 2;
  const double d[3] = {x[0], x[1], x[2] - z}, sideways[3] = {1, 0, 0};
  return mb_shape_direction(normal, d, sideways) - shape->radius;
}

MB_INLINE double mb_to_cylinder(const MbShape *shape, const double x[3], double normal[3],
                                uint32_t *feature) {
  // features: 0 and 1 the flat ends, 2 the side, 3 and 4 the rims
  const double d[3] = {x[0], x[1], 0}, sideways[3] = {1, 0, 0};
  double side[3];
  const double rho = mb_shape_direction(side, d, sideways);
  const double out = rho - shape->radius, up = fabs(x[2]) - shape->half, sign = x[2] < 0 ? -1 : 1;
  const uint32_t end = x[2] < 0 ? 0 : 1;
  if (out > 0 && up > 0) {
    *feature = 3 + end;
    const double s = hypot(out, up);
    mb_vec3_set(normal, out / s * side[0], out / s * side[1], up / s * sign);
    return s;
  }
  if (up >= out) {
    *feature = end;
    mb_vec3_set(normal, 0, 0, sign);
    return up;
  }
  *feature = 2;
  mb_vec3_copy(normal, side);
  return out;
}

// The nearest point y of an ellipsoid with half axes e fulfils x − y = s E⁻² y (in units of the least half axis: e_i = √r_i), so that
// y_i = r_i x_i / (s + r_i), and Σ (y_i / e_i)² = 1 is G(u) = Σ r_i x_i² / (u + r_i − 1)² − 1 = 0 with u = s + 1 >= 0. G falls and is convex:
// Newton's method comes to the root from below without passing it. Where x has nothing along the least axis and G < 0 at u = 0 already, the
// root is u = 0, and y has what is missing along that axis. The surface's normal is E⁻² y, and x − y = s times that.
MB_INLINE double mb_to_ellipsoid(const MbShape *shape, const double x[3], double normal[3],
                                 uint32_t *feature) {
  *feature = 0;
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (shape->axes[i] < shape->axes[least]) least = i;
  const double unit = shape->axes[least];
  double r[3], m[3], z[3], u = 0; // m = r − 1, z = |x| e / unit², so that the terms of G are (z / (u + m))²
  for (int i = 0; i < 3; i++) {
    const double e = shape->axes[i] / unit;
    r[i] = e * e, m[i] = (e - 1) * (e + 1), z[i] = fabs(x[i]) / unit * e;
    u = fmax(u, z[i] - m[i]); // there one term alone is 1
  }

  double y[3]; // E⁻² y in units of 1/unit, but for the signs
  double at_zero = -1;
  for (int i = 0; i < 3; i++)
    if (z[i] > 0) at_zero += m[i] > 0 ? (z[i] / m[i]) * (z[i] / m[i]) : INFINITY;
  if (at_zero <= 0) {
    u = 0;
    for (int i = 0; i < 3; i++) y[i] = z[i] > 0 ? z[i] / (m[i] * sqrt(r[i])) : 0;
    y[least] = sqrt(-at_zero);
  } else {
    // 64: each step at least halves the distance to the root until Newton's own speed
    for (int k = 0; k < 64; k++) {
      double G = -1, slope = 0;
      for (int i = 0; i < 3; i++) {
        if (!(z[i] > 0)) continue;
        const double w = z[i] / (u + m[i]);
        G += w * w, slope += 2 * w * w / (u + m[i]);
      }
      const double next = u + G / slope;
      if (!(next > u)) break;
      u = next;
    }
    for (int i = 0; i < 3; i++) y[i] = z[i] > 0 ? z[i] / ((u + m[i]) * sqrt(r[i])) : 0;
  }
  const double sideways[3] = {1, 0, 0};
  for (int i = 0; i < 3; i++) y[i] = copysign(y[i], x[i]);
  return (u - 1) * unit * mb_shape_direction(normal, y, sideways);
}

// The point of the face's polygon nearest to x is in it where x is on the inner side of all of its edges; else it is on an edge.
MB_INLINE double mb_to_face(const MbShape *shape, uint32_t face, const double x[3], double near[3],
                            uint32_t *feature) {
  const MbHull *hull = shape->hull;
  const double *n = hull->normal + 3 * (size_t)face;
  const uint32_t *corner = hull->corner + hull->first[face],
                 count = hull->first[face + 1] - hull->first[face];
  double least = INFINITY;
  bool inside = true;
  double p[3], q[3], d[3], e[3], across[3], on[3];
  mb_shape_vertex(p, shape, corner[count - 1]);
  const double height = (mb_vec3_sub(d, x, p), mb_vec3_dot(d, n));
  for (uint32_t i = 0; i < count; i++, mb_vec3_copy(p, q)) {
    mb_shape_vertex(q, shape, corner[i]);
    mb_vec3_sub(e, q, p);
    mb_vec3_sub(d, x, p);
    mb_vec3_cross(across, e, n);
    if (!(mb_vec3_dot(d, across) > 0)) continue;
    inside = false;
    const double s = mb_vec3_dot(d, e) / mb_vec3_dot(e, e);
    mb_vec3_add_scaled(on, p, s <= 0 ? 0 : s, e);
    if (s >= 1) mb_vec3_copy(on, q);
    mb_vec3_sub(d, x, on);
    const double distance = mb_vec3_norm(d);
    if (distance < least) {
      least = distance;
      mb_vec3_copy(near, on);
      // features: faces, vertices behind them, edges behind those by face and corner
      const uint32_t before = corner[(i + count - 1) % count];
      *feature = s <= 0   ? hull->faces + before
                 : s >= 1 ? hull->faces + corner[i]
                          : hull->faces + hull->vertices + hull->first[face] + i;
    }
  }
  if (!inside) return least;
  mb_vec3_add_scaled(near, x, -height, n);
  *feature = face;
  return fabs(height);
}

MB_INLINE double mb_to_polytope(const MbShape *shape, const double x[3], double normal[3],
                                uint32_t *feature) {
  const MbHull *hull = shape->hull;
  double highest = -INFINITY, least = INFINITY;
  double near[3] = {0}, at[3], d[3];
  uint32_t top = 0, part = 0;
  for (uint32_t f = 0; f < hull->faces; f++) {
    mb_shape_vertex(at, shape, hull->corner[hull->first[f]]);
    mb_vec3_sub(d, x, at);
    const double height = mb_vec3_dot(d, hull->normal + 3 * (size_t)f);
    if (height > highest) highest = height, top = f;
    if (!(height > 0)) continue;
    const double distance = mb_to_face(shape, f, x, at, &part);
    if (distance < least) {
      least = distance, *feature = part;
      mb_vec3_copy(near, at);
    }
  }
  const double *face = hull->normal + 3 * (size_t)top;
  if (!(highest > 0) || *feature == top) {
    *feature = top;
    mb_vec3_copy(normal, face);
    return highest;
  }
  mb_vec3_sub(d, x, near);
  return mb_shape_direction(normal, d, face);
}

MB_INLINE double mb_to_surface(const MbShape *shape, const double x[3], double normal[3], uint32_t *feature) {
  MbSkinPart part;
  const double distance = mb_skin_distance_of(shape->surface, x, normal, &part);
  *feature = mb_skin_part_of(shape->surface, part);
  return distance;
}

MB_INLINE double mb_shape_distance_of(const MbShape *shape, const double x[3], double normal[3],
                                      uint32_t *feature) {
  const double sideways[3] = {1, 0, 0};
  *feature = 0;
  switch (shape->form) {
  case MB_FORM_SPHERE:
    return mb_shape_direction(normal, x, sideways) - shape->radius;
  case MB_FORM_CAPSULE:
    return mb_to_capsule(shape, x, normal, feature);
  case MB_FORM_CYLINDER:
    return mb_to_cylinder(shape, x, normal, feature);
  case MB_FORM_ELLIPSOID:
    return mb_to_ellipsoid(shape, x, normal, feature);
  case MB_FORM_BOX:
  case MB_FORM_HULL:
    return mb_to_polytope(shape, x, normal, feature);
  case MB_FORM_MESH:
    return mb_to_surface(shape, x, normal, feature);
  default:
    mb_vec3_set(normal, 0, 0, 1);
    return x[2];
  }
}

#endif
