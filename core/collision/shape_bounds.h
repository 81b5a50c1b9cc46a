// Boxes around shapes, for processors and devices alike (broad.h has it as a function).
#ifndef MB_COLLISION_SHAPE_BOUNDS_H
#define MB_COLLISION_SHAPE_BOUNDS_H

#include "core/collision/bounds.h"
#include "core/collision/shape.h"

// The box around a shape at p, R.
MB_INLINE void mb_shape_bounds_of(const MbShape *shape, const double p[3], const double R[9],
                                  MbBounds *bounds) {
  double x[3];
  if (shape->form == MB_FORM_SPHERE) {
    for (int k = 0; k < 3; k++) bounds->low[k] = p[k] - shape->radius, bounds->high[k] = p[k] + shape->radius;
    return;
  }
  for (int k = 0; k < 3; k++) {
    const double *row = R + 3 * k, *e = shape->axes;
    double high = INFINITY, low;
    switch (shape->form) {
    case MB_FORM_CAPSULE:
      high = shape->radius + shape->half * fabs(row[2]);
      break;
    case MB_FORM_CYLINDER:
      high = shape->radius * hypot(row[0], row[1]) + shape->half * fabs(row[2]);
      break;
    case MB_FORM_ELLIPSOID:
      high = hypot(hypot(e[0] * row[0], e[1] * row[1]), e[2] * row[2]);
      break;
    case MB_FORM_BOX:
      high = e[0] * fabs(row[0]) + e[1] * fabs(row[1]) + e[2] * fabs(row[2]);
      break;
    default:
      break;
    }
    low = -high;
    if (shape->form == MB_FORM_HULL) {
      low = INFINITY, high = -INFINITY;
      for (uint32_t i = 0; i < shape->hull->vertices; i++) {
        mb_shape_vertex(x, shape, i);
        const double at = mb_vec3_dot(row, x);
        low = fmin(low, at), high = fmax(high, at);
      }
    }
    if (shape->form == MB_FORM_MESH) {
      const MbSkinNode *all = shape->surface->node;
      low = high = 0;
      for (int i = 0; i < 3; i++) {
        low += fmin(row[i] * all->low[i], row[i] * all->high[i]);
        high += fmax(row[i] * all->low[i], row[i] * all->high[i]);
      }
    }
    bounds->low[k] = p[k] + low, bounds->high[k] = p[k] + high;
  }
}

#endif
