// Who finds what of surfaces is near solids, and where triangles meet them, in the processor's place, where the nodes are moved: a device, to which
// places and velocities go and from which the list of what is near comes back (gpu/moved_near.c). Nodes are by their numbers among all that are moved there.
#ifndef MB_COLLISION_NEAR_ELSEWHERE_H
#define MB_COLLISION_NEAR_ELSEWHERE_H

#include "core/collision/collide.h"
#include "core/collision/near.h"
#include "core/mbsim.h"

#define MB_NEAR_NONE UINT32_MAX

// A surface: its nodes (MB_NEAR_NONE: one that takes no part), and its triangles' corners by these places, in the order that they are told in.
typedef struct MbNearSurface {
  uint32_t nnodes, ntriangles;
  const uint32_t *node;   // (nnodes)
  const uint32_t *corner; // (3 ntriangles) nodes among all
} MbNearSurface;

// All surfaces and shapes of a run, which stay.
typedef struct MbNearThings {
  uint32_t nshapes, nsurfaces;
  const MbShape *shape;         // (nshapes) of solids, by their numbers
  const MbNearSurface *surface; // (nsurfaces); one of no nodes is not looked at there
} MbNearThings;

// A look: where all nodes are, where solids are, and which pairs may touch.
typedef struct MbNearLook {
  const double *x, *v; // (nodes x 3)
  const MbNearSolid *solid;
  const MbNearPair *pair; // (npairs)
  size_t npairs;
} MbNearLook;

// A node that touches: the pair's place in the list, and the node's in its surface.
typedef struct MbNearTouch {
  uint32_t pair, node;
  MbNearNode how;
} MbNearTouch;

// A triangle that is near: the pair's place in the list, and the triangle's in its surface. Where it meets the solid (facet.h) is told too, by
// points from `first` on, but for those at nodes.
typedef struct MbNearFace {
  uint32_t pair, triangle;
  uint32_t points; // how many, or MB_NEAR_LEFT
  size_t first;
} MbNearFace;

// What is near, by pairs, and of each by nodes and triangles as they are listed.
typedef struct MbNearFound {
  size_t ntouches, nfaces;
  const MbNearTouch *touch;
  const MbNearFace *face;
  const MbContactPoint *point;
} MbNearFound;

typedef struct MbNearElsewhere {
  void *context;
  // Takes what stays, and the memory that looks need. Once a run.
  MbStatus (*make)(void *context, const MbNearThings *things, MbReport *report);
  // Finds what is near; good until the next look. False: whoever it is has stopped, or has no memory, and the processor looks.
  bool (*look)(void *context, const MbNearLook *look, MbNearFound *found);
} MbNearElsewhere;

#endif
