// What the steps from points to a hull hand on: triangles around them, each with its neighbours.
#ifndef MB_COLLISION_HULL_BUILD_H
#define MB_COLLISION_HULL_BUILD_H

#include "core/collision/hull.h"

#include <stdbool.h>

// Side i leads from corner i to the next one; `across` is the triangle on its other side.
typedef struct MbHullTriangle {
  uint32_t corner[3], across[3];
} MbHullTriangle;

// Joins triangles of one plane to faces; makes the hull. Triangles are counterclockwise seen from outside, `size` is that of all points.
MbHullFault mb_hull_join(MbHull **hull, uint32_t points, const double *point, uint32_t triangles,
                         const MbHullTriangle *triangle, double size);

#endif
