// How far meshes are apart by brute force, of all pairs of their triangles; one of the two shapes may be convex.
#ifndef MB_TESTS_MESH_BRUTE_H
#define MB_TESTS_MESH_BRUTE_H

#include "core/collision/collide.h"

// The least signed distance of pieces of the two, and where it is led along; `within` above it.
double brute_gap(const MbShape *a, const MbPose *A, const MbShape *b, const MbPose *B, double within,
                 double n[3]);
// Brings b to a hair's breadth from a, as it comes along the way; false: it does not touch.
bool brute_touch(const MbShape *a, const MbPose *A, const MbShape *b, MbPose *B, const double way[3]);

#endif
