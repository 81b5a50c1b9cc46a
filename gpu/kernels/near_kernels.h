// What of surfaces is near solids, found where nodes are moved (gpu/moved_near.c). Things that are looked at have numbers, one a node of a surface and
// a solid that it may touch, behind all of these one a triangle; a window of these numbers is looked at at once:
//
//   look   notes whether a thing is near
//   count  adds up chunks of these notes, and sum chunks of chunks
//   list   has the numbers of what is near, in order, and how many there are
//   tell   writes them, and of nodes how they touch
//
// Where triangles meet solids is found behind `list` (meet_kernels.h). Nothing is added to by two threads, so the list has the order of the numbers.
#ifndef MB_GPU_KERNELS_NEAR_KERNELS_H
#define MB_GPU_KERNELS_NEAR_KERNELS_H

#include "core/collision/collide.h"
#include "core/collision/near.h"
#include "gpu/kernels/kernel_body.h"

enum {
  MB_NEAR_CHUNK = 64, // things that one thread counts, and chunks that one adds up
  MB_NEAR_HEAD = 2,   // words before what is told: all and nodes; points
  MB_NEAR_WORDS = 5   // of a node that touches
};

// see meet_kernels.h
typedef struct MbMeetRoom MbMeetRoom;
typedef struct MbMeetMesh MbMeetMesh;

// A surface there.
typedef struct MbNearOf {
  const uint32_t *node, *corner; // see core/collision/near_elsewhere.h
  uint32_t nnodes, ntriangles;
} MbNearOf;

// So many things of a chunk are near, so many of them are nodes.
typedef struct MbNearCount {
  uint32_t all, nodes;
} MbNearCount;

// What is told: first how many there are, in words; of each node five, gap, normal, number in the window and feature; of each triangle its number, and
// how many points it has; then eight of each point.
typedef union MbNearWord {
  double number;
  uint32_t word[2];
} MbNearWord;

typedef struct MbNearArgs {
  const double *x, *v; // (nodes x 3)
  const MbShape *shape;
  const MbNearSolid *solid;
  const MbNearOf *surface;
  const MbNearPair *pair;
  const uint64_t *first;          // (2 pairs + 1) of nodes of each pair, then of triangles
  uint32_t pairs, things, chunks; // in the window
  uint64_t from;                  // the first number of the window
  uint8_t *near;                  // (things)
  MbNearCount *count, *sum;       // (chunks), (chunks of these)
  uint32_t *list;                 // (things)
  MbNearWord *told;
  // where triangles meet solids
  MbMeetRoom *room;      // (rooms)
  uint32_t rooms, meets; // so many triangles at once, so many in a window
  MbMeetMesh *mesh;      // (meshes) the same for meshes
  uint32_t meshes, each; // and the most points of a triangle
  MbContactPoint *point; // (meets x each)
  uint32_t *points;      // (meets) how many, or MB_NEAR_LEFT
  uint32_t *some, *many; // (chunks of meets), (chunks of these)
} MbNearArgs;

// A thing: of which pair it is, whether it is a node, and which of the surface's.
typedef struct MbNearThing {
  const MbNearPair *pair;
  const MbNearOf *surface;
  const MbNearSolid *solid;
  uint32_t at;
  bool node;
} MbNearThing;

// The last range that begins at a number or before it, of those that are not empty.
MB_BODY MbNearThing mb_near_thing(const MbNearArgs *a, uint64_t number) {
  uint32_t low = 0, high = 2 * a->pairs;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (a->first[middle] <= number)
      low = middle;
    else
      high = middle;
  }
  MbNearThing thing;
  thing.node = low < a->pairs;
  thing.pair = a->pair + (thing.node ? low : low - a->pairs);
  thing.surface = a->surface + thing.pair->surface;
  thing.solid = a->solid + thing.pair->solid;
  thing.at = (uint32_t)(number - a->first[low]);
  return thing;
}

MB_BODY bool mb_near_touches(const MbNearArgs *a, const MbNearThing *thing, MbNearNode *how) {
  const uint32_t node = thing->surface->node[thing->at];
  return node != UINT32_MAX && mb_near_node(a->shape + thing->pair->solid, thing->solid, thing->pair,
                                            a->x + 3 * (size_t)node, a->v + 3 * (size_t)node, how);
}

// Where a triangle's corners are, and how near it has to be.
MB_BODY double mb_near_corners(const MbNearArgs *a, const MbNearThing *thing, const double *x[3]) {
  const double *v[3];
  for (int i = 0; i < 3; i++) {
    const size_t node = thing->surface->corner[3 * (size_t)thing->at + (size_t)i];
    x[i] = a->x + 3 * node, v[i] = a->v + 3 * node;
  }
  return mb_near_triangle_reach(thing->pair, thing->solid, v);
}

MB_BODY bool mb_near_comes(const MbNearArgs *a, const MbNearThing *thing) {
  const double *x[3], reach = mb_near_corners(a, thing, x);
  return !mb_near_aside(thing->solid, x, reach);
}

MB_BODY void mb_near_look(const MbNearArgs *a, size_t i) {
  const MbNearThing thing = mb_near_thing(a, a->from + i);
  MbNearNode how;
  const bool near = thing.node ? mb_near_touches(a, &thing, &how) : mb_near_comes(a, &thing);
  a->near[i] = near ? 1 : 0;
}

// How many of the window's numbers are nodes'.
MB_BODY size_t mb_near_nodes(const MbNearArgs *a) {
  const uint64_t end = a->first[a->pairs];
  return end <= a->from ? 0 : end - a->from < a->things ? (size_t)(end - a->from) : a->things;
}

MB_BODY void mb_near_count(const MbNearArgs *a, size_t c) {
  const size_t nodes = mb_near_nodes(a), begin = c * MB_NEAR_CHUNK,
               end = begin + MB_NEAR_CHUNK < a->things ? begin + MB_NEAR_CHUNK : a->things;
  MbNearCount count = {0, 0};
  for (size_t i = begin; i < end; i++) count.all += a->near[i], count.nodes += i < nodes ? a->near[i] : 0u;
  a->count[c] = count;
}

MB_BODY void mb_near_sum(const MbNearArgs *a, size_t s) {
  const size_t begin = s * MB_NEAR_CHUNK,
               end = begin + MB_NEAR_CHUNK < a->chunks ? begin + MB_NEAR_CHUNK : a->chunks;
  MbNearCount sum = {0, 0};
  for (size_t c = begin; c < end; c++) sum.all += a->count[c].all, sum.nodes += a->count[c].nodes;
  a->sum[s] = sum;
}

MB_BODY void mb_near_list(const MbNearArgs *a, size_t c) {
  const size_t super = c / MB_NEAR_CHUNK, begin = c * MB_NEAR_CHUNK,
               end = begin + MB_NEAR_CHUNK < a->things ? begin + MB_NEAR_CHUNK : a->things;
  MbNearCount at = {0, 0};
  for (size_t s = 0; s < super; s++) at.all += a->sum[s].all, at.nodes += a->sum[s].nodes;
  for (size_t k = super * MB_NEAR_CHUNK; k < c; k++) at.all += a->count[k].all, at.nodes += a->count[k].nodes;
  for (size_t i = begin; i < end; i++)
    if (a->near[i]) a->list[at.all++] = (uint32_t)i;
  if (c + 1 == a->chunks) a->told->word[0] = at.all, a->told->word[1] = at.nodes + a->count[c].nodes;
}

MB_BODY void mb_near_tell(const MbNearArgs *a, size_t i) {
  const uint32_t all = a->told->word[0], nodes = a->told->word[1];
  if (i >= all) return;
  if (i >= nodes) {
    MbNearWord *to = a->told + MB_NEAR_HEAD + MB_NEAR_WORDS * (size_t)nodes + (i - nodes);
    to->word[0] = a->list[i], to->word[1] = i - nodes < a->meets ? a->points[i - nodes] : MB_NEAR_LEFT;
    return;
  }
  const MbNearThing thing = mb_near_thing(a, a->from + a->list[i]);
  MbNearWord *to = a->told + MB_NEAR_HEAD + MB_NEAR_WORDS * i;
  MbNearNode how;
  how.gap = how.normal[0] = how.normal[1] = how.normal[2] = 0, how.feature = 0;
  (void)mb_near_touches(a, &thing, &how);
  to[0].number = how.gap;
  for (int k = 0; k < 3; k++) to[1 + k].number = how.normal[k];
  to[4].word[0] = a->list[i], to[4].word[1] = how.feature;
}

#endif
