// Points of one patch as they are found, and the four of them that stand for it. A pair of shapes as its family's functions get it.
#ifndef MB_COLLISION_PATCH_H
#define MB_COLLISION_PATCH_H

#include "core/collision/collide.h"
#include "core/math/mat3.h"

// What many places call: devices keep one copy of it, or kernels would have hundreds.
#ifdef __CUDACC__
#define MB_COLLIDE_ASIDE static __noinline__ __host__ __device__
#else
#define MB_COLLIDE_ASIDE static inline
#endif

enum { MB_PATCH_ROOM = 64 };

typedef struct MbPatch {
  double within;
  int n, room;
  bool chosen;           // of a mesh: the points are those of several patches, and stay
  bool spilled;          // it has been full: which points stand for it may depend on its room
  MbContactPoint *point; // (room) MB_PATCH_ROOM of them on processors
} MbPatch;

// A patch of no points, with room for `room` of them at `point`.
MB_INLINE void mb_patch_start(MbPatch *patch, double within, MbContactPoint *point, int room) {
  patch->within = within, patch->n = 0, patch->room = room, patch->point = point;
  patch->chosen = patch->spilled = false;
}

// A point of a shape's axes in the world, and back; the two may be one.
MB_INLINE void mb_placed_point(double x[3], const MbPlaced *a, const double local[3]) {
  double turned[3];
  mb_mat3_apply(turned, a->R, local);
  mb_vec3_add(x, a->p, turned);
}
MB_INLINE void mb_placed_local(double local[3], const MbPlaced *a, const double x[3]) {
  double d[3];
  mb_vec3_sub(d, x, a->p);
  mb_mat3_tapply(local, a->R, d);
}

// Adds the point of a's surface `on_a` from which b's is `gap` away along the normal; if gap < within. A patch that is full keeps its four.
void mb_patch_add(MbPatch *patch, const double on_a[3], const double normal[3], double gap,
                  uint32_t feature_a, uint32_t feature_b);
// Leaves the four points that stand for all, the deepest first.
void mb_patch_reduce(MbPatch *patch);

// Whether x is between p and q but for a millionth of their distance: where sides lie along one another they cross by rounding, in another
// place from step to step, and what is there is no corner.
bool mb_in_line(const double p[3], const double x[3], const double q[3]);

// A unit vector across n, by a rule of n alone.
void mb_across(double t[3], const double n[3]);

// Finds the points of a pair; a's form is not behind b's in MbForm.
typedef void MbPairFind(const MbPlaced *a, const MbPlaced *b, MbPatch *patch);

MbPairFind mb_plane_sphere, mb_plane_capsule, mb_plane_cylinder, mb_plane_ellipsoid, mb_plane_polytope;
MbPairFind mb_plane_mesh, mb_convex_mesh, mb_meshes;
MbPairFind mb_sphere_sphere, mb_sphere_any, mb_capsule_capsule, mb_capsule_polytope, mb_polytopes,
    mb_convexes;

#endif
