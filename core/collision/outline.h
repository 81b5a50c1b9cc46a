// What of a convex shape lies flat towards a direction: a face, the end of a cylinder, an edge, a line of its side; and what of two such
// is over one another.
#ifndef MB_COLLISION_OUTLINE_H
#define MB_COLLISION_OUTLINE_H

#include "core/collision/patch.h"

enum { MB_OUTLINE_ROOM = MB_HULL_CORNERS };

typedef struct MbOutline {
  int n, room;      // corners of a polygon; 2: a segment; 0: it is round there, or there is no room
  bool spilled;     // there was no room
  double (*x)[3];   // (room x 3) in the world
  double normal[3]; // polygon: outward
  uint32_t face;    // features: of all of it
  uint32_t *corner; // (room) and of its corners
} MbOutline;

// An outline that corners can be put into.
MB_INLINE void mb_outline_start(MbOutline *outline, double (*x)[3], uint32_t *corner, int room) {
  outline->n = 0, outline->room = room, outline->spilled = false;
  outline->x = x, outline->corner = corner;
}

// An outline's room on processors, which has any.
typedef struct MbOutlineRoom {
  double x[MB_OUTLINE_ROOM][3];
  uint32_t corner[MB_OUTLINE_ROOM];
} MbOutlineRoom;

// A corner of what is left of an outline, with its features on it and on the other one. `along` is the side that leads from it to the next
// corner: one of its own, by number, or one of the other's that it has been cut by.
typedef struct MbCutCorner {
  double x[3];
  uint32_t own, other, along;
} MbCutCorner;

enum { MB_CUTS_ROOM = 2 * MB_OUTLINE_ROOM + 2 };

// Two lists of corners, of which one is made of the other.
typedef struct MbCuts {
  int room;
  bool spilled;       // there was none
  MbCutCorner *at[2]; // (room) each; MB_CUTS_ROOM serve any two
} MbCuts;

MB_INLINE void mb_cuts_start(MbCuts *cuts, MbCutCorner *one, MbCutCorner *other, int room) {
  cuts->room = room, cuts->spilled = false;
  cuts->at[0] = one, cuts->at[1] = other;
}

// The outline of a shape towards n, of what is within a few degrees of lying across it; it has its corners in `room`. Any shape but planes and
// meshes.
void mb_outline(MbOutline *outline, MbOutlineRoom *room, const MbPlaced *a, const double n[3]);

// Adds the corners of what is of both outlines, seen along n (from a to b); no gap counts as less than `gap`. Returns the least gap, INFINITY
// where there is nothing.
double mb_outlines_shared(const MbOutline *a, const MbOutline *b, const double n[3], double gap,
                          MbPatch *patch);

#endif
