// What of deformables is near solids, found where a device moves the nodes (moved_near.c).
#ifndef MB_GPU_MOVED_NEAR_H
#define MB_GPU_MOVED_NEAR_H

#include "core/collision/near_elsewhere.h"
#include "gpu/kernels/meet_kernels.h"
#include "gpu/moved.h"

struct MbMovedNear {
  MbNearElsewhere self;
  char *memory; // on the device; NULL: nothing has been made
  size_t bytes;
  MbNearArgs args;     // all but what a look has
  size_t most, pairs;  // things of a window, pairs
  size_t meets, rooms; // triangles that are met in a window, and at once
  size_t meshes, each; // at once near meshes; points that one may have
  uint32_t nshapes, nsurfaces;
  MbShape *shape;    // (nshapes) as they are there
  MbNearOf *surface; // (nsurfaces) as they are there
  // on the processor
  uint64_t *first;  // (2 pairs + 1)
  MbNearWord *told; // of a window
  MbNearTouch *touch;
  MbNearFace *face;
  MbContactPoint *point;
  size_t touches, faces, points; // room
  size_t expected;               // words that the last look told
};

// For tests: how many things a window has at most.
extern size_t mb_moved_near_most;
// And how many triangles are met in it, and how many at once.
extern size_t mb_moved_near_meets, mb_moved_near_rooms, mb_moved_near_meshes;

#endif
