// What can touch: solids in axes of their own, as collision sees them. A pose puts one into the world.
#ifndef MB_COLLISION_SHAPE_H
#define MB_COLLISION_SHAPE_H

#include "core/collision/hull.h"
#include "core/collision/skin.h"
#include "core/math/se3.h"

#include <stdbool.h>

typedef enum MbForm {
  MB_FORM_PLANE,     // everything with z <= 0
  MB_FORM_SPHERE,    // radius
  MB_FORM_CAPSULE,   // radius, half of its length along z without the caps
  MB_FORM_CYLINDER,  // radius, half of its length along z
  MB_FORM_ELLIPSOID, // half axes along x, y, z
  MB_FORM_BOX,       // half edges along x, y, z
  MB_FORM_HULL,      // a convex polyhedron
  MB_FORM_MESH,      // triangles, convex or not, closed or open
  MB_FORMS
} MbForm;

typedef struct MbShape {
  MbForm form;
  double radius, half;
  double axes[3];        // ellipsoid, box: half axes, half edges; hull: 1, 1, 1
  const MbHull *hull;    // hull: its own, which must outlive the shape; box: the cube of edge 2
  const MbSkin *surface; // mesh: its own, which must outlive the shape
} MbShape;

MbShape mb_shape_plane(void);
MbShape mb_shape_sphere(double radius);
MbShape mb_shape_capsule(double radius, double length);
MbShape mb_shape_cylinder(double radius, double length);
MbShape mb_shape_ellipsoid(const double radii[3]);
MbShape mb_shape_box(const double size[3]);
MbShape mb_shape_hull(const MbHull *hull);
MbShape mb_shape_mesh(const MbSkin *surface);

// Where vertex i of a box or a hull is, in the shape's axes.
MB_INLINE void mb_shape_vertex(double x[3], const MbShape *shape, uint32_t i) {
  const double *vertex = shape->hull->vertex + 3 * (size_t)i;
  for (int k = 0; k < 3; k++) x[k] = shape->axes[k] * vertex[k];
}

// The signed distance from a point to the shape's surface, both in the shape's axes: negative inside. `normal` is the surface's, outward,
// where it is nearest (unit); `feature` tells which part of the surface that is. Where several are as near it takes one by a fixed rule. An open
// mesh has no inside.
double mb_shape_distance(const MbShape *shape, const double x[3], double normal[3], uint32_t *feature);

#endif
