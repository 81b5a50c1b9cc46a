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

// Vertex i of a shape's core, in its own axes.
void mb_convex_vertex(double x[3], const MbShape *shape, uint32_t i);
// A point within the shape, from its origin in the world's axes.
void mb_convex_middle(const MbPlaced *a, double x[3]);
// The corner along n, that is least n · w; returns n · w.
double mb_convex_corner(const MbConvexPair *pair, const double n[3], MbCorner *corner);
// Writes w of the corner anew, for where the pair is now.
void mb_convex_locate(const MbConvexPair *pair, MbCorner *corner);

// √(nᵀ Q n), and its gradient Q n / √(nᵀ Q n): the support point along n; 0 where a disk lies across n.
double mb_round_reach(const MbRound *round, const double n[3], double gradient[3]);
// tᵀ H u, H the second derivative of √(nᵀ Q n).
double mb_round_bend(const MbRound *round, const double n[3], const double t[3], const double u[3]);

// gap(n) but for balls, of one corner, and its gradient by n (of a function of all vectors).
double mb_convex_height(const MbConvexPair *pair, const double w[3], const double n[3], double gradient[3]);
// The highest height of one corner: of all directions, and of those square to e. They start from n.
void mb_convex_top(const MbConvexPair *pair, const double w[3], double n[3]);
void mb_convex_arc(const MbConvexPair *pair, const double w[3], const double e[3], double n[3]);
// One step of Newton's method for a top that is near n; `e` as for mb_convex_arc, or NULL. Returns its length; INFINITY where n is none.
double mb_convex_newton(const MbConvexPair *pair, const double w[3], const double *e, double n[3]);

// The highest of the least heights of at most four corners; n is that of all but the last one, which is lower there. At `start` all of them
// are above 0. Leaves those corners that hold it.
void mb_corners_top(const MbConvexPair *pair, MbCorners *corners, const double start[3], double n[3]);
// The weights of the corners' point that is nearest to `c`, all seen along n; returns how far it is from it, and leads `rest` from c there.
double mb_corners_nearest(const MbCorners *corners, const double n[3], const double c[3], double weight[4],
                          double rest[3]);

// The signed distance of the pair. False, and no more than a direction whose gap is not below `within`, where that is shown on the way.
bool mb_convex_gap(const MbConvexPair *pair, double within, MbConvexGap *gap);
// The same, looked for from gap->n, a unit vector: near where the gap is it is found soon.
bool mb_convex_gap_near(const MbConvexPair *pair, double within, MbConvexGap *gap);

#endif
