// The plane that is between two polytopes, or the one along which they are least in one another (polytope_plane.c).
#ifndef MB_COLLISION_POLYTOPE_PLANE_H
#define MB_COLLISION_POLYTOPE_PLANE_H

#include "core/collision/patch.h"

typedef enum MbPlaneOf { MB_PLANE_OF_A, MB_PLANE_OF_B, MB_PLANE_OF_EDGES } MbPlaneOf;

typedef struct MbPlane {
  double gap, n[3]; // from A to B
  double same;      // gaps that differ by less do so by rounding
  MbPlaneOf of;
  uint32_t face, low;      // its face, the other's vertex that is nearest to it
  uint32_t edge_a, edge_b; // or its edges
} MbPlane;

// Finds the plane with the largest gap: in *faces of those of faces, in *best of all, a plane of two edges only where its gap is larger by
// more than best->same, which the caller has set. False: the gap is not below `within`.
bool mb_polytope_planes(const MbPlaced *a, const MbPlaced *b, double within, MbPlane *faces, MbPlane *best);

// The vertex that is lowest along n (a direction of the world); *height is how low it is above the shape's own origin.
uint32_t mb_polytope_lowest(const MbPlaced *b, const double n[3], double *height);

#endif
