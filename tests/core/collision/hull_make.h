// Hulls for tests.
#ifndef MB_TESTS_HULL_MAKE_H
#define MB_TESTS_HULL_MAKE_H

#include "core/collision/hull.h"

// Of n random points on a sphere of radius 0.7: every triangle that has all others on one side is a face.
MbHull *made_hull(uint64_t *seed, uint32_t n);
// A prism over a regular polygon of n corners at that radius, from z = −half to half: n + 2 faces.
MbHull *made_prism(uint32_t n, double radius, double half);
// The distance from x to the nearest of all simplices of at most three of the vertices: each is in their hull, and where x is outside one of
// them has the hull's nearest point.
double made_simplices_distance(const MbHull *hull, const double x[3]);

#endif
