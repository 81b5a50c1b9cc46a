// Where a triangle by itself touches what is convex, or a mesh, for processors and devices alike (facet.h has it as a function).
#ifndef MB_COLLISION_FACET_POINTS_H
#define MB_COLLISION_FACET_POINTS_H

#include "core/collision/convex_mesh.h"

// What a triangle needs on its way: outlines of its own and the shape's, lists of corners to cut, and points.
typedef struct MbFacetRoom {
  MbOutline own, other;
  MbCuts cuts;
  MbPatch patch;
} MbFacetRoom;

// n ← from the triangle's middle to where the solid's surface is nearest, which is all but the gap's direction where the solid is large.
MB_INLINE void mb_facet_start(const MbSkinHull *triangle, const MbPlaced *solid, double n[3]) {
  double middle[3], local[3];
  uint32_t feature;
  mb_convex_middle(&triangle->placed, middle);
  mb_vec3_add(middle, middle, triangle->placed.p);
  mb_placed_local(local, solid, middle);
  mb_shape_distance_of(solid->shape, local, n, &feature);
  mb_mat3_apply(n, solid->R, n);
  mb_vec3_scale(n, -1, n);
}

// What of a face, an edge or a corner of the shape lies flat on the triangle, or the other way round; else the one point that the gap is at.
MB_INLINE void mb_facet_convex(const MbSkinHull *triangle, const MbPlaced *solid, MbFacetRoom *room) {
  MbConvexPair pair;
  MbConvexGap gap;
  MbOutline *own = &room->own, *other = &room->other;
  MbPatch *patch = &room->patch;
  double back[3], x[3];
  mb_convex_pair_of(&pair, &triangle->placed, solid);
  mb_facet_start(triangle, solid, gap.n);
  if (!mb_convex_gap_near_of(&pair, patch->within, &gap)) return;
  mb_vec3_scale(back, -1, gap.n);
  mb_outline_of(own, &triangle->placed, gap.n);
  mb_outline_of(other, solid, back);
  if (own->n + other->n >= 5) mb_outlines_shared_of(own, other, gap.n, gap.gap, &room->cuts, patch);
  bool there = false;
  for (int i = 0; i < patch->n; i++) there |= patch->point[i].gap <= gap.gap + 1e-8 * pair.size;
  if (there || !(gap.gap < patch->within)) return;
  mb_vec3_add(x, gap.x, triangle->placed.p);
  mb_patch_add_of(patch, x, gap.n, gap.gap, 0, MB_PART_FACE);
}

// Finds the points of a triangle and a convex shape, in room->patch, which has been started. Where room was wanting, which points these are
// depends on that: mb_facet_spilled tells.
MB_INLINE void mb_facet_points(const double *const corner[3], const MbPlaced *solid, MbFacetRoom *room) {
  MbSkinHull triangle;
  if (!mb_skin_hull_of(&triangle, corner)) return;
  mb_facet_convex(&triangle, solid, room);
  mb_patch_reduce_of(&room->patch);
}

// The same of a triangle and a mesh, in *out, which has room for MB_CONTACT_POINTS: see mb_mesh_spilled.
MB_INLINE void mb_facet_mesh_points(const double *const corner[3], const MbPlaced *solid, MbMeshRoom *room,
                                    MbPatch *out) {
  MbSkinHull triangle;
  if (mb_skin_hull_of(&triangle, corner)) mb_convex_mesh_of(&triangle.placed, solid, room, out);
}

MB_INLINE bool mb_facet_spilled(const MbFacetRoom *room) {
  return room->own.spilled || room->other.spilled || room->cuts.spilled || room->patch.spilled;
}

#endif
