// Two meshes that are looked at for contacts: what collide_meshes.c, meshes_sides.c and meshes_inner.c share (meshes.c).
#ifndef MB_COLLISION_MESHES_H
#define MB_COLLISION_MESHES_H

#include "core/collision/patches.h"
#include "core/collision/skin.h"

// Two sides that are in one another, or a vertex that is in the other mesh and its foot on that.
typedef struct MbMeshesInner {
  double x[3], y[3], n[3], gap; // on a and on b; out of a
  const MbPlaced *vertex_of;    // NULL: sides
  double e[3], f[3], s, t;      // along the sides, and where on them x and y are: 0 to 1 between their ends
  double in_a, in_b; // how much farther on they are what is inside of the other mesh, if they are not
  bool inside;       // there what is of a is inside of b, and what is of b of a
  uint32_t part_a, part_b;
} MbMeshesInner;

enum { MB_MESHES_INNER = 64 };

typedef struct MbMeshes {
  const MbPlaced *a, *b;
  MbPatches patches;
  double rounding; // what distances of the two are off by
  double depth;    // of the deepest vertex
  // x, n, gap and parts of the deepest of the triangles that are through one another; gap 0: none are
  MbMeshesInner through;
  int inners;
  MbMeshesInner inner[MB_MESHES_INNER];
} MbMeshes;

// A triangle of each, in the world. Sides lead from corner i to the next.
typedef struct MbThree {
  const MbPlaced *mesh;
  const MbSkin *surface;
  uint32_t t;
  double x[3][3], normal[3];
} MbThree;

// Whether the part of a triangle that these corners are has nothing beside it that reaches farther along n, by `slack`.
bool mb_three_leads(const MbThree *three, uint32_t corners, const double n[3], double slack);
// What rounding makes distances of two meshes off by: a share of the smaller one's size, and some last digits of where the two are in the world
// and of how far they reach from there.
double mb_meshes_rounding(const MbPlaced *a, const MbPlaced *b);
// The distance to a surface from a point of the world.
double mb_meshes_distance(const MbPlaced *mesh, const double x[3]);
// Adds a contact whose normal leads out of `from`, one of the two, at x of its surface.
void mb_meshes_add(MbMeshes *meshes, const MbThree *from, const double x[3], const double n[3], double gap,
                   uint32_t feature_from, uint32_t feature_to);

// ---- meshes_inner.c ---------------------------------------------------------------------------------------

// Keeps what is in one another for the end; where there is too much the deepest goes.
void mb_meshes_keep(MbMeshes *meshes, const MbMeshesInner *inner);
// Adds those that were kept which matter, when all else has been added.
void mb_meshes_inners(MbMeshes *meshes);

// ---- meshes_sides.c ---------------------------------------------------------------------------------------

// Adds what the sides of two triangles touch by, and keeps those that are in one another; `through`: the triangles are.
void mb_meshes_sides(MbMeshes *meshes, const MbThree *a, const MbThree *b, bool through);

#endif
