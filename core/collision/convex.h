// The gap of two convex shapes, as the highest value of one function on the sphere of directions.
//
// A convex shape is taken as a sum of its core's vertices (those of a box, a hull, a triangle; the two ends of the axis of a capsule or a
// cylinder; one point), and of what is round: a disk across the axis, an ellipsoid, a ball. With w = y − x for a vertex x of a's core and y
// of b's, the planes across a unit vector n that touch a and b are
//
//     gap(n) = min over w of n · w − Σ √(nᵀ Q n) − balls' radii,      Q = r² (1 − a aᵀ) of a disk across a, R E² Rᵀ of an ellipsoid
//
// apart. The shapes' signed distance is the largest gap(n). Where it is above 0, n is the only direction of that kind.
#ifndef MB_COLLISION_CONVEX_H
#define MB_COLLISION_CONVEX_H

#include "core/collision/patch.h"

// What is round of a shape, but for balls.
typedef struct MbRound {
  bool disk;          // else an ellipsoid
  double radius;      // disk
  double axis[3];     // disk: across it, in the world
  const MbPlaced *of; // whose it is
} MbRound;

typedef struct MbConvexPair {
  const MbPlaced *a, *b;
  double p[3]; // from a's origin to b's
  int rounds;
  MbRound round[2];
  double ball; // the sum of the balls' radii
  double size; // of both together: lengths that differ by 1e-15 of it are the same
} MbConvexPair;

// A vertex of each core, and w = y − x.
typedef struct MbCorner {
  double w[3];
  uint32_t a, b;
} MbCorner;

// Corners that hold the nearest point of the cores' differences.
typedef struct MbCorners {
  int n;
  MbCorner corner[4];
} MbCorners;

// What is known of a pair: n leads from a to b; x and y are points of a's and of b's surface that the gap is between, from a's origin.
typedef struct MbConvexGap {
  double gap, n[3], x[3], y[3];
  MbCorners corners;
} MbConvexGap;

// Any two shapes but planes and meshes. The pair keeps pointers to both.
void mb_convex_pair(MbConvexPair *pair, const MbPlaced *a, const MbPlaced *b);

// The signed distance of the pair. False, and no more than a direction whose gap is not below `within`, where that is shown on the way.
bool mb_convex_gap(const MbConvexPair *pair, double within, MbConvexGap *gap);

#endif
