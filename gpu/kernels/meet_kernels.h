// Where triangles that are near meet solids: what the processor does of each (core/collision/facet.h), between `list` and `tell` of near_kernels.h:
//
//   meet   finds the points of some triangles but those at nodes, one after the other in one room; `mesh` those that are near meshes
//   some   adds up chunks of their numbers, and many chunks of chunks
//   tell   is that of near_kernels.h; `points` writes the points of a chunk behind it, in the triangles' order
//
// A triangle is left to the processor where there is no room for what is on its way, and so is one behind the first `meets` of a window. Rooms
// serve whatever has faces of at most MB_MEET_CORNERS corners, and triangles that touch a mesh at no more than MB_MEET_SAME places of about one
// normal.
#ifndef MB_GPU_KERNELS_MEET_KERNELS_H
#define MB_GPU_KERNELS_MEET_KERNELS_H

#include "core/collision/facet_points.h"
#include "core/collision/nearest_of_triangle.h"
#include "gpu/kernels/near_kernels.h"

enum {
  MB_MEET_CORNERS = 16,                    // of a face of the solid
  MB_MEET_CUTS = 3 + MB_MEET_CORNERS + 2,  // of a triangle that it cuts, and what cutting keeps free
  MB_MEET_FOUND = 3 + MB_MEET_CORNERS + 1, // points before four of them are chosen
  MB_MEET_SAME = 24,                       // points of a patch of a mesh
  MB_MEET_SMALL = 3 + 3 + 2,               // of a triangle that another one cuts
  MB_MEET_WORDS = 8                        // of a point
};

// What a triangle needs on its way.
struct MbMeetRoom {
  double own[3][3], other[MB_MEET_CORNERS][3];
  uint32_t own_corner[3], other_corner[MB_MEET_CORNERS];
  MbCutCorner cut[2][MB_MEET_CUTS];
  MbContactPoint found[MB_MEET_FOUND];
};

struct MbMeetMesh {
  double own[3][3], other[3][3];
  uint32_t own_corner[3], other_corner[3];
  MbCutCorner cut[2][MB_MEET_SMALL];
  MbContactPoint flat[MB_MEET_SMALL], found[MB_PATCHES * MB_MEET_SAME], point[MB_CONTACT_POINTS];
};

// How many triangles of the window are met.
MB_BODY uint32_t mb_meet_count(const MbNearArgs *a) {
  const uint32_t triangles = a->told->word[0] - a->told->word[1];
  return triangles < a->meets ? triangles : a->meets;
}

// A triangle that meets a solid: its corners, how near it has to be, and the solid.
typedef struct MbMeet {
  const double *x[3];
  double within;
  MbPlaced solid;
} MbMeet;

MB_BODY void mb_meet_of(const MbNearArgs *a, size_t f, MbMeet *meet) {
  const MbNearThing thing = mb_near_thing(a, a->from + a->list[a->told->word[1] + f]);
  meet->within = mb_near_corners(a, &thing, meet->x);
  meet->solid.shape = a->shape + thing.pair->solid;
  mb_vec3_copy(meet->solid.p, thing.solid->p);
  for (int k = 0; k < 9; k++) meet->solid.R[k] = thing.solid->R[k];
}

// Whether a point is at a corner of the triangle: nobody asks for it.
MB_BODY bool mb_meet_at_node(const MbMeet *meet, const MbContactPoint *point) {
  double on[3], weight[3];
  mb_vec3_add_scaled(on, point->position, -point->gap / 2, point->normal);
  const unsigned held = mb_nearest_on_triangle_of(on, meet->x, MB_NEAR_AT_NODE, weight);
  return (held & (held - 1)) == 0;
}

// Keeps the points of triangle f, or that it is left.
MB_BODY void mb_meet_keep(const MbNearArgs *a, size_t f, const MbMeet *meet, const MbPatch *patch,
                          bool spilled) {
  uint32_t n = 0;
  for (int k = 0; k < patch->n && !spilled; k++)
    if (!mb_meet_at_node(meet, &patch->point[k])) a->point[a->each * f + n++] = patch->point[k];
  a->points[f] = spilled ? MB_NEAR_LEFT : n;
}

// Finds where a triangle meets what is convex.
MB_BODY void mb_meet_convex(const MbNearArgs *a, size_t f, const MbMeet *meet, MbMeetRoom *memory) {
  MbFacetRoom room;
  mb_outline_start(&room.own, memory->own, memory->own_corner, 3);
  mb_outline_start(&room.other, memory->other, memory->other_corner, MB_MEET_CORNERS);
  mb_cuts_start(&room.cuts, memory->cut[0], memory->cut[1], MB_MEET_CUTS);
  mb_patch_start(&room.patch, meet->within, memory->found, MB_MEET_FOUND);
  mb_facet_points(meet->x, &meet->solid, &room);
  mb_meet_keep(a, f, meet, &room.patch, mb_facet_spilled(&room));
}

MB_BODY void mb_meet_mesh(const MbNearArgs *a, size_t f, const MbMeet *meet, MbMeetMesh *memory) {
  MbMeshRoom room;
  MbPatch patch;
  mb_outline_start(&room.own, memory->own, memory->own_corner, 3);
  mb_outline_start(&room.other, memory->other, memory->other_corner, 3);
  mb_cuts_start(&room.cuts, memory->cut[0], memory->cut[1], MB_MEET_SMALL);
  mb_patch_start(&room.flat, meet->within, memory->flat, MB_MEET_SMALL);
  mb_patches_start_of(&room.patches, meet->within, memory->found, MB_MEET_SAME);
  mb_patch_start(&patch, meet->within, memory->point, MB_CONTACT_POINTS);
  mb_facet_mesh_points(meet->x, &meet->solid, &room, &patch);
  mb_meet_keep(a, f, meet, &patch, mb_mesh_spilled(&room));
}

MB_BODY void mb_near_meet(const MbNearArgs *a, size_t r) {
  const uint32_t n = mb_meet_count(a);
  MbMeet meet;
  for (size_t f = r; f < n; f += a->rooms) {
    mb_meet_of(a, f, &meet);
    if (meet.solid.shape->form != MB_FORM_MESH) mb_meet_convex(a, f, &meet, a->room + r);
  }
}

MB_BODY void mb_near_mesh(const MbNearArgs *a, size_t r) {
  const uint32_t n = mb_meet_count(a);
  MbMeet meet;
  for (size_t f = r; f < n; f += a->meshes) {
    mb_meet_of(a, f, &meet);
    if (meet.solid.shape->form == MB_FORM_MESH) mb_meet_mesh(a, f, &meet, a->mesh + r);
  }
}

// How many points a triangle tells.
MB_BODY uint32_t mb_meet_told(const MbNearArgs *a, size_t f) {
  return a->points[f] == MB_NEAR_LEFT ? 0 : a->points[f];
}

MB_BODY void mb_near_some(const MbNearArgs *a, size_t c) {
  const uint32_t n = mb_meet_count(a);
  uint32_t sum = 0;
  for (size_t f = c * MB_NEAR_CHUNK; f < n && f < (c + 1) * MB_NEAR_CHUNK; f++) sum += mb_meet_told(a, f);
  a->some[c] = sum;
}

// Chunks behind the last triangle have no points.
MB_BODY void mb_near_many(const MbNearArgs *a, size_t s) {
  const size_t chunks = (a->meets + MB_NEAR_CHUNK - 1) / MB_NEAR_CHUNK;
  uint32_t sum = 0;
  for (size_t c = s * MB_NEAR_CHUNK; c < chunks && c < (s + 1) * MB_NEAR_CHUNK; c++) sum += a->some[c];
  a->many[s] = sum;
}

MB_BODY void mb_meet_write(MbNearWord *to, const MbContactPoint *point) {
  for (int k = 0; k < 3; k++) to[k].number = point->position[k], to[3 + k].number = point->normal[k];
  to[6].number = point->gap;
  to[7].word[0] = point->feature_a, to[7].word[1] = point->feature_b;
}

MB_BODY void mb_near_points(const MbNearArgs *a, size_t c) {
  const uint32_t n = mb_meet_count(a), all = a->told->word[0], nodes = a->told->word[1];
  const size_t super = c / MB_NEAR_CHUNK, chunks = (a->meets + MB_NEAR_CHUNK - 1) / MB_NEAR_CHUNK;
  size_t at = 0;
  for (size_t s = 0; s < super; s++) at += a->many[s];
  for (size_t k = super * MB_NEAR_CHUNK; k < c; k++) at += a->some[k];
  if (c + 1 == chunks) a->told[1].word[0] = (uint32_t)at + a->some[c], a->told[1].word[1] = 0;
  MbNearWord *to =
      a->told + MB_NEAR_HEAD + MB_NEAR_WORDS * (size_t)nodes + (all - nodes) + MB_MEET_WORDS * at;
  for (size_t f = c * MB_NEAR_CHUNK; f < n && f < (c + 1) * MB_NEAR_CHUNK; f++)
    for (uint32_t k = 0; k < mb_meet_told(a, f); k++, to += MB_MEET_WORDS)
      mb_meet_write(to, a->point + a->each * f + k);
}

#endif
