// Contacts of nodes that a device moves, solved for there (gpu/moved_touch.c): what kernels have. The problem is that of core/contact/contact_ops.h
// of contacts alone, three rows each, normal first; its W that of core/contact/contact_points.h,
//
//   W = H (W_s ⊗ 1) Hᵀ + V N Vᵀ + F Fᵀ + soft,      W_s = B Bᵀ of points,
//
// where all rows of a contact are about one point, a sum of nodes whose branches (core/sparse/branches.h) are one way to the root of the elimination
// tree: corners of an element are coupled in A, so that one of two of them is always above the other. Numbers of a branch stand by depth, the root's first.
// A row both ways about bodies alone stands as a contact of a point without nodes, of which the first row alone is there: μ is MB_TOUCH_HELD.
#ifndef MB_GPU_KERNELS_TOUCH_ARGS_H
#define MB_GPU_KERNELS_TOUCH_ARGS_H

#include "gpu/kernels/kernel_body.h"

enum {
  MB_TOUCH_NODES = 4,   // of a point
  MB_TOUCH_BASIS = 40,  // directions of one linear solution
  MB_TOUCH_BAND = 4,    // points that one thread has W_s of
  MB_TOUCH_CHUNK = 512, // rows that a warp sums up
  MB_TOUCH_SOME = 64,   // contacts
  MB_TOUCH_TRIES = 10,  // lengths of a step: 1, 1/2, …
  MB_TOUCH_SUMS = MB_TOUCH_TRIES + 2
};
#define MB_TOUCH_NONE UINT32_MAX
#define MB_TOUCH_HELD (-1.0)

typedef struct MbTouchPoint {
  double weight[MB_TOUCH_NODES];
  uint32_t place[MB_TOUCH_NODES]; // in the order of elimination, the lowest first
  uint32_t n, first, count;       // nodes; contacts about it
} MbTouchPoint;

// A supernode of the factor: columns [first, first + columns), and how many are above them on the way to the root.
typedef struct MbTouchNode {
  uint32_t first, columns, parent, above;
} MbTouchNode;

// What a contact has of W by itself, and its F, how F changes by λ and by w, and the inverse of its own part of the step's equations.
typedef struct MbTouchBlock {
  double D[9], scale;
  double F[3], A[9], B[9], P[9];
  uint32_t out, active; // it moves nothing; bits: rows of the equations
} MbTouchBlock;

typedef struct MbTouchArgs {
  uint32_t points, contacts, rows, depth; // rows: 3 contacts; depth: of branches, at most
  uint32_t weights, numbers;              // columns of V; these and six of each body
  uint32_t chunks, somes;                 // of rows, of contacts
  uint32_t fischer, basis;                // the function; which direction
  double alpha, t;                        // see core/contact/nonsmooth_newton.c; of a step
  // the inverse (inverse_rows.h)
  const uint64_t *at;
  const uint32_t *from;
  const double *inverse;
  const uint32_t *supernode; // (n) of each place
  const MbTouchNode *node;
  // of a list
  const MbTouchPoint *point; // (points)
  const uint32_t *of;        // (contacts) their points
  const double *H;           // (contacts x 9)
  const double *F;           // (rows x 12)
  const uint32_t *slot;      // (rows x 2) bodies; MB_TOUCH_NONE
  double *branch;            // (depth x points)
  double *Ws;                // (points x points)
  // of a problem
  const double *b, *soft, *least, *mu;                        // (rows), (rows), (contacts), (contacts)
  const double *V, *NV;                                       // (rows x weights)
  MbTouchBlock *block;                                        // (contacts)
  double *lambda, *w, *trial, *trial_w, *best, *step, *along; // (rows) along: W step
  double *x, *r;                                              // (rows)
  double *direction, *image;                                  // (MB_TOUCH_BASIS x rows)
  double *dot, *square; // (MB_TOUCH_BASIS + 1 x chunks), (MB_TOUCH_BASIS) of images
  double *told;         // (MB_TOUCH_SUMS x somes) what comes back
  // of a product with W
  const double *in; // (rows)
  double *g, *v;    // (3 x points) pushes and velocities, axis by axis
  double *y;        // (numbers) NVᵀ λ, then Fᵀ λ
} MbTouchArgs;

#endif
