// Convex hulls of points.
#ifndef MB_COLLISION_QUICKHULL_H
#define MB_COLLISION_QUICKHULL_H

#include "core/collision/hull.h"

// The hull of n points (3 n) as a hull of its own: triangles in one plane (by 1e-10 of the size) are one face, and only points that are
// corners of three faces or more are its vertices. Whatever is wrong, *hull is NULL then; points that are in one place, on a line or in a
// plane by 1e-8 of their size have faults of their own. Free it with mb_hull_free.
MbHullFault mb_hull_of_points(MbHull **hull, uint32_t n, const double *point);

#endif
