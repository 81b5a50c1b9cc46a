// What of a surface that moves is near a solid: its nodes and triangles, one by one, for processors and devices alike. A node touches what its
// gap may close to within the step; a triangle is near where its box along the solid's axes may come to the solid's own.
#ifndef MB_COLLISION_NEAR_H
#define MB_COLLISION_NEAR_H

#include "core/collision/bounds.h"
#include "core/collision/shape_distance.h"

// Of the smaller one's size: what is as near is seen whatever the velocities, as elastic forces may be large.
#define MB_NEAR_SHARE 0.05

// A share of a triangle: what is as near to a corner is at that node, whose own contact it is.
#define MB_NEAR_AT_NODE 1e-6

// In the place of how many points a triangle has: nobody has looked for them yet.
#define MB_NEAR_LEFT UINT32_MAX

// A solid where it is.
typedef struct MbNearSolid {
  MbBounds bounds, own; // in the world, on its way in the step; of its own axes
  double p[3], q[4], R[9];
  double way; // that it may go in the step
} MbNearSolid;

// A surface and a solid that may touch.
typedef struct MbNearPair {
  uint32_t surface, solid;
  double size;    // the smaller one's
  double h, fall; // the step's; what gravity may do in it
  double half;    // of the surface's thickness
  bool facets;    // its triangles may touch the solid beside its nodes
} MbNearPair;

// How a node touches a solid.
typedef struct MbNearNode {
  double gap, normal[3]; // in the world, from the node to the solid
  uint32_t feature;      // of the solid
} MbNearNode;

// How near what goes so fast has to be.
MB_INLINE double mb_near_reach(const MbNearPair *pair, const MbNearSolid *solid, double speed) {
  return pair->h * speed + pair->fall + solid->way + MB_NEAR_SHARE * pair->size;
}

// Whether a point is farther than `reach` from a box.
MB_INLINE bool mb_near_beyond(const double x[3], double reach, const MbBounds *bounds) {
  for (int k = 0; k < 3; k++)
    if (!(x[k] - reach <= bounds->high[k] && bounds->low[k] <= x[k] + reach)) return true;
  return false;
}

// Whether a node at x with velocity v touches the solid, and how.
MB_INLINE bool mb_near_node(const MbShape *shape, const MbNearSolid *solid, const MbNearPair *pair,
                            const double x[3], const double v[3], MbNearNode *out) {
  const double within = mb_near_reach(pair, solid, mb_vec3_norm(v)), reach = within + pair->half;
  MbBounds there;
  if (mb_near_beyond(x, reach, &solid->bounds)) return false;
  double local[3], n[3];
  mb_vec3_sub(local, x, solid->p);
  mb_quat_unrotate(local, solid->q, local);
  mb_vec3_copy(there.low, local), mb_vec3_copy(there.high, local);
  if (mb_bounds_apart(&there, &solid->own, reach)) return false;
  out->gap = mb_shape_distance_of(shape, local, n, &out->feature) - pair->half;
  if (!(out->gap < within)) return false;
  mb_quat_rotate(out->normal, solid->q, n);
  mb_vec3_scale(out->normal, -1, out->normal);
  return true;
}

// How near a triangle has to be whose corners have these velocities.
MB_INLINE double mb_near_triangle_reach(const MbNearPair *pair, const MbNearSolid *solid,
                                        const double *const v[3]) {
  double fastest = 0;
  for (int i = 0; i < 3; i++) {
    const double square = mb_vec3_dot(v[i], v[i]);
    if (square > fastest) fastest = square;
  }
  return mb_near_reach(pair, solid, sqrt(fastest)) + pair->half;
}

// Whether a triangle is farther than `reach` from the box around the solid that lies along the solid's axes: most of those are that the box
// along the world's axes takes in.
MB_INLINE bool mb_near_aside(const MbNearSolid *solid, const double *const x[3], double reach) {
  MbBounds there = mb_bounds_none();
  for (int i = 0; i < 3; i++) {
    double local[3];
    mb_vec3_sub(local, x[i], solid->p);
    mb_mat3_tapply(local, solid->R, local);
    mb_bounds_take(&there, local);
  }
  return mb_bounds_apart(&there, &solid->own, reach);
}

#endif
