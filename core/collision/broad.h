// Which shapes can touch at all: those whose boxes overlap. And which bodies hang together by what touches: islands.
#ifndef MB_COLLISION_BROAD_H
#define MB_COLLISION_BROAD_H

#include "core/collision/bounds.h"
#include "core/collision/shape.h"

typedef struct MbPair {
  uint32_t a, b;
} MbPair;

// A node of a tree of boxes: the box of all of them, and which they are.
typedef struct MbBroadNode {
  MbBounds box;
  uint32_t begin, end; // in `order`
  uint32_t left;       // its first child, the second one is behind it; 0: none
} MbBroadNode;

// Its memory stays from call to call. Zero it before use.
typedef struct MbBroad {
  size_t npairs;
  MbPair *pair; // (npairs) a < b, in order of a, then b
  // pairs of boxes that are wider than those they were found of, which hold as long as boxes stay in theirs
  uint32_t n;
  MbBounds *wide, *last; // (n) the last ones as they were
  MbPair *near;
  size_t nnear;
  // the search for them
  MbBroadNode *node;
  uint32_t *order;
  size_t *start;
  MbPair *found;
  size_t nfound;
  size_t wide_room, last_room, near_room, node_room, order_room, start_room, found_room, pair_room;
} MbBroad;

// The least box along the world's axes that holds the shape; a plane's has no end.
void mb_shape_bounds(const MbShape *shape, const MbPose *E, MbBounds *bounds);
// The same at x = p + R (what it is in its own axes). Of a mesh it is the box of its own box.
void mb_shape_bounds_at(const MbShape *shape, const double p[3], const double R[9], MbBounds *bounds);

// Lists the pairs of n boxes that overlap or touch; it allocates only where there are more than ever before. The pairs depend on the boxes
// alone, whatever the calls before were about; boxes that have moved little since the last call take little. False: no memory.
bool mb_broad_find(MbBroad *broad, uint32_t n, const MbBounds *bounds);
size_t mb_broad_bytes(const MbBroad *broad);
void mb_broad_free(MbBroad *broad);

// Numbers the islands that `links` make of n things, in order of their first members; returns how many. island (n) is written.
uint32_t mb_islands(uint32_t n, size_t nlinks, const MbPair *links, uint32_t *island);

#endif
