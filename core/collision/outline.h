// What of a convex shape lies flat towards a direction: a face, the end of a cylinder, an edge, a line of its side; and what of two such
// is over one another.
#ifndef MB_COLLISION_OUTLINE_H
#define MB_COLLISION_OUTLINE_H

#include "core/collision/patch.h"

enum { MB_OUTLINE_ROOM = MB_HULL_CORNERS };

typedef struct MbOutline {
  int n;                                  // corners of a polygon; 2: a segment; 0: it is round there
  double x[MB_OUTLINE_ROOM][3];           // in the world
  double normal[3];                       // polygon: outward
  uint32_t face, corner[MB_OUTLINE_ROOM]; // features: of all of it, of its corners
} MbOutline;

// The outline of a shape towards n, of what is within a few degrees of lying across it. Any shape but planes and meshes.
void mb_outline(MbOutline *outline, const MbPlaced *a, const double n[3]);

// Adds the corners of what is of both outlines, seen along n (from a to b); no gap counts as less than `gap`. Returns the least gap, INFINITY
// where there is nothing.
double mb_outlines_shared(const MbOutline *a, const MbOutline *b, const double n[3], double gap,
                          MbPatch *patch);

#endif
