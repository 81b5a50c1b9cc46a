// What of deformables is near solids, found where a device moves the nodes (moved_near.c).
#ifndef MB_GPU_MOVED_NEAR_H
#define MB_GPU_MOVED_NEAR_H

#include "core/collision/near_elsewhere.h"
#include "gpu/moved.h"

struct MbMovedNear {
  MbNearElsewhere self;
  char *memory; // on the device; NULL: nothing has been made
  size_t bytes;
  MbNearArgs args;    // all but what a look has
  size_t most, pairs; // things of a window, pairs
  uint32_t nshapes, nsurfaces;
  MbShape *shape;    // (nshapes) as they are there
  MbNearOf *surface; // (nsurfaces) as they are there
  // on the processor
  uint64_t *first;  // (2 pairs + 1)
  MbNearWord *told; // of a window
  MbNearTouch *touch;
  MbNearFace *face;
  size_t touches, faces; // room
  size_t expected;       // words that the last look told
};

// For tests: how many things a window has at most.
extern size_t mb_moved_near_most;

#endif
