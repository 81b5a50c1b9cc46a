// Convex polyhedra: vertices, faces, and which faces meet at an edge.
#ifndef MB_COLLISION_HULL_H
#define MB_COLLISION_HULL_H

#include <stddef.h>
#include <stdint.h>

enum { MB_HULL_CORNERS = 256, MB_HULL_FACES = 16384 }; // the most corners of a face, the most faces

typedef struct MbHullEdge {
  uint32_t from, to;    // vertices, as face `left` runs through them
  uint32_t left, right; // the faces on either side
} MbHullEdge;

typedef struct MbHull {
  uint32_t vertices, faces, edges;
  const double *vertex;   // (3 vertices)
  const uint32_t *first;  // (faces + 1) where each face begins in `corner`
  const uint32_t *corner; // vertices of the faces, counterclockwise seen from outside
  const double *normal;   // (3 faces) outward, unit
  const MbHullEdge *edge; // (edges)
} MbHull;

// The cube from −1 to 1.
extern const MbHull mb_hull_cube;

typedef enum MbHullFault {
  MB_HULL_SOUND,
  MB_HULL_NO_MEMORY,
  MB_HULL_MANY,     // more faces, or corners of a face, than there may be
  MB_HULL_FACE,     // a face has fewer than three corners, one that is no vertex, or no area
  MB_HULL_OPEN,     // an edge does not have one face on either side
  MB_HULL_NOT_FLAT, // a face's corners are not in a plane (by 1e-9 of the hull's size)
  MB_HULL_CONCAVE,  // a vertex stands out from a face's plane (by 1e-9 of the hull's size)
  // of points alone (quickhull.h)
  MB_HULL_NOT_FINITE, // a coordinate is no finite number
  MB_HULL_FEW_POINTS, // there are fewer than four
  MB_HULL_ONE_POINT,  // all are in one place
  MB_HULL_ONE_LINE,   // all are on a line
  MB_HULL_ONE_PLANE,  // all are in a plane
  MB_HULL_FAULTS
} MbHullFault;

// What a fault is, in words that can follow "the hull of …": "has all of its points on a line".
const char *mb_hull_fault_text(MbHullFault fault);

// A hull of its own from vertices (3 n) and faces, of which face f has corners first[f] to first[f + 1], counterclockwise seen from outside.
// Whatever is wrong with them, *hull is NULL then. Free it with mb_hull_free.
MbHullFault mb_hull_make(MbHull **hull, uint32_t vertices, const double *vertex, uint32_t faces,
                         const uint32_t *first, const uint32_t *corner);
void mb_hull_free(MbHull *hull);
// Memory that it has, but for what of its room is not used.
size_t mb_hull_bytes(const MbHull *hull);

#endif
