// Points of a pair with a mesh, which may touch along several normals: a patch for each of those.
#ifndef MB_COLLISION_PATCHES_H
#define MB_COLLISION_PATCHES_H

#include "core/collision/patch.h"

enum { MB_PATCHES = 8 };

typedef struct MbPatches {
  double within;
  int n, room; // patches; points of each
  MbPatch patch[MB_PATCHES];
  MbContactPoint *point; // (MB_PATCHES x room)
} MbPatches;

// No patches, with room for `room` points of each at `point`.
void mb_patches_start(MbPatches *patches, double within, MbContactPoint *point, int room);
// As mb_patch_add, in the patch of normals like this one; a point that is there already is not added once more.
void mb_patches_add(MbPatches *patches, const double on_a[3], const double normal[3], double gap,
                    uint32_t feature_a, uint32_t feature_b);
// Leaves four points of each patch, and of these the deepest of each first, as many as a pair may have.
void mb_patches_choose(MbPatches *patches, MbPatch *out);

#endif
