// Deformables whose nodes are points of elements, as a solver of such reads them from the model: what they are made of,
// what holds their nodes, and what pulls at them. Their nodes are no bodies.
#ifndef MB_MODEL_DEFORMABLE_H
#define MB_MODEL_DEFORMABLE_H

#include "core/model/spec.h"

#define MB_STILL UINT32_MAX // a held node that no motion moves

// How pins move nodes: from x at the start to  c + R(a, angle(t)) (x − c) + translate(t),  in the world; a and c are
// `axis` and `through`. Signals are numbers in the model's list.
typedef struct MbPinMotion {
  size_t translate[3];
  bool turns;
  double axis[3], through[3];
  size_t angle; // where it turns
} MbPinMotion;

// A node that pins hold along some of the world's axes. The other axes' motions mean nothing.
typedef struct MbHeldNode {
  uint32_t node;      // in its deformable
  unsigned axes;      // bits 1, 2, 4: along x, y, z
  uint32_t motion[3]; // by axis, which of the motions moves it; MB_STILL
} MbHeldNode;

// A node that a body carries.
typedef struct MbAttachedNode {
  uint32_t node; // in its deformable
  size_t body;   // SIZE_MAX = fixed in space
  double at[3];  // in C of the body; in W
} MbAttachedNode;

// A cable from point to point, each the mean of some nodes' places. Either it pulls with a tension, whatever its length,
// or it keeps the length that it has at the start: length − `length` + compliance × tension = 0.
typedef struct MbCable {
  size_t npoints;
  const size_t *first;  // (npoints + 1) where each one's nodes begin
  const uint32_t *node; // (first[npoints]) in its deformable
  size_t pull;          // signal; SIZE_MAX = it keeps its length
  double length;        // at the start
  double compliance;    // m/N
} MbCable;

typedef struct MbElements {
  MbDeformableKind kind;
  MbElementMesh
      mesh; // x are places at rest, before the pose. Of tets only tets, of cloth triangles, of springs edges

  // springs
  double stiffness, damping;
  MbSpringLaw law;
  // tets, cloth
  MbElasticModel model;
  double young, poisson, density;
  double thickness; // cloth
  MbBendingKind bending;
  double bending_stiffness; // J, not zero with a `bending`

  const double
      *mass; // (nodes) lumped: quarters of tets, thirds of triangles, equal shares of springs and particles
  const double *x0, *v0; // (nodes x 3) at t = 0 in the world

  // no node is in both lists; each ascends
  size_t nheld, nattached;
  const MbHeldNode *held;         // (nheld)
  const MbAttachedNode *attached; // (nattached)
  size_t nmotions, ncables;
  const MbPinMotion *motions; // (nmotions)
  const MbCable *cables;      // (ncables)
} MbElements;

// Nodes of one deformable: [first, first + count) of the bodies; of all nodes of elements where it has such.
typedef struct MbDeformable {
  const char *name;
  size_t first, count;
  const MbElements *elements; // NULL = its nodes are bodies
} MbDeformable;

#endif
