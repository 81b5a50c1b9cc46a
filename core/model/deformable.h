// Deformables of elements, as the model has them: what they are made of; where their nodes are points and no bodies, what holds
// these and what pulls at them; where they are bodies, the elements as a force between them.
#ifndef MB_MODEL_DEFORMABLE_H
#define MB_MODEL_DEFORMABLE_H

#include "core/model/spec.h"

#define MB_STILL UINT32_MAX // a pinned node that no motion moves

// How pins move nodes: from x at the start to  c + R(a, angle(t)) (x − c) + translate(t),  in the world; a and c are
// `axis` and `through`. Signals are numbers in the model's list.
typedef struct MbPinMotion {
  size_t translate[3];
  bool turns;
  double axis[3], through[3];
  size_t angle; // where it turns
} MbPinMotion;

// A node that pins hold along some of the world's axes. The other axes' motions mean nothing.
typedef struct MbPinnedNode {
  uint32_t node;      // in its deformable
  unsigned axes;      // bits 1, 2, 4: along x, y, z
  uint32_t motion[3]; // by axis, which of the motions moves it; MB_STILL
} MbPinnedNode;

// A node that a body carries.
typedef struct MbAttachedNode {
  uint32_t node; // in its deformable
  size_t body;   // SIZE_MAX = fixed in space
  double at[3];  // in C of the body; in W
} MbAttachedNode;

// A cable from point to point, each the mean of some nodes' places. Either it pulls with a tension, whatever its length,
// or it keeps the length that it has at the start: length − `length` + compliance × tension = 0.
typedef struct MbCable {
  const size_t *first;  // (npoints + 1) where each one's nodes begin
  const uint32_t *node; // (first[npoints]) in its deformable
  // numbers alone from here on, which the model's fingerprint takes as a whole
  size_t npoints;
  size_t pull;       // signal; SIZE_MAX = it keeps its length
  double length;     // at the start
  double compliance; // m/N
} MbCable;

// What acts on the surface of a deformable: pressure inside closed parts of it, chambers, and wind (core/deformables/surface_load.h).
// Triangles' corners are counterclockwise seen from outside, of chambers from outside these.
typedef struct MbElementSurface {
  const uint32_t *inner; // (chamber[nchambers] x 3) triangles around chambers
  const size_t *chamber; // (nchambers + 1) where each one's begin
  const double *volume;  // (nchambers) at the start
  const uint32_t *outer; // (nouter x 3) triangles that wind blows at
  // numbers alone from here on, which the model's fingerprint takes as a whole
  size_t nchambers, nouter;
  size_t nclosed;             // of the outer ones the first, which belong to closed surfaces
  size_t pressure;            // signal; SIZE_MAX = none
  double gas, outside;        // Pa: of a gas at the start, and around it
  size_t wind[3];             // signals
  double density, drag, lift; // of the wind
} MbElementSurface;

// A family of fibres in a deformable's elements (core/deformables/fibres.h).
typedef struct MbFibres {
  const double *weight; // (points of elements x their nodes) Σ weight x is a unit vector at rest
  // numbers alone from here on, which the model's fingerprint takes as a whole
  double stiffness, beyond, strength; // Pa
  double limit;
  size_t activation; // signal; SIZE_MAX = none
} MbFibres;

// A rod (core/deformables/rod.h): which of a mesh's nodes are what, and its moduli.
typedef struct MbRod {
  // numbers alone, which the model's fingerprint takes as a whole
  size_t points; // its points are the mesh's first nodes; 0 = this is no rod
  size_t handle
      [2]; // the first of the three nodes that hold the direction of its start, of its end; SIZE_MAX = none
  double radius, area, arm; // arm: how far beside a segment the nodes are by which it knows how it is turned
  double bending, twisting; // N m²
} MbRod;

typedef struct MbElements {
  MbElementMesh
      mesh; // x are places at rest, before the pose. Of tets only tets, of cloth triangles, of springs edges
  const double *
      mass; // (nodes) lumped: quarters of tets (of ten nodes: deformables/quadratic.h), thirds of triangles, equal shares of springs and particles
  const double *x0, *v0; // (nodes x 3) at t = 0 in the world
  const uint32_t
      *node; // (elements x corners) of tets and cloth: their corners and, behind these, the middles of edges

  // no node is in both lists; each ascends
  const MbPinnedNode *pinned;      // (npinned)
  const MbAttachedNode *attached;  // (nattached)
  const MbPinMotion *motions;      // (nmotions)
  const MbCable *cables;           // (ncables)
  const MbElementSurface *surface; // NULL: nothing acts on it
  const MbFibres *fibres;          // (nfibres)
  const double *fibre_volume;      // (points of elements) at rest, where there are fibres

  // numbers alone from here on, which the model's fingerprint takes as a whole
  size_t npinned, nattached, nmotions, ncables, nfibres;
  size_t corners, points; // nodes of an element; points in it at which it is integrated
  MbDeformableKind kind;
  // springs
  MbSpringLaw law;
  double stiffness, damping;
  // tets, cloth
  MbElasticModel model;
  MbBendingKind bending;
  double young, poisson, density;
  double thickness;         // cloth; of rods what the volumes of their tetrahedra are to be taken times
  double bending_stiffness; // J, not zero with a `bending`
  double bending_damping;   // s, of cloth and rods
  MbRod rod;                // rods, whose tetrahedra are segments
} MbElements;

// The same as one force between the nodes, where these are bodies (core/forces/elements.c).
typedef struct MbElementForce {
  const MbElements *of;
  size_t first;           // body that node 0 is
  size_t rank, n;         // 3 tetrahedra, 2 triangles; points of all
  size_t corners, points; // nodes of an element; points in it: point k is of element k / points
  const uint32_t *node;   // (elements x corners)
  const double *g;        // (n x corners x rank)  F = Σ x_a g_aᵀ
  const double *size;     // (n) volumes at rest
  size_t ncouples;        // pairs of nodes that an element holds, or that bending couples
  const uint32_t *couple; // (ncouples x 2) first < second, ascending
  const size_t *pair;     // (ncouples) numbers of the model's pairs
  const uint32_t *edge; // (elements x corners (corners − 1)/2) couples of nodes (1, 0), (2, 0), (2, 1) ...
  const double *bend;   // (ncouples) Q_ij of bending, J/m²; NULL: it has none
  const uint32_t *inner_edge,
      *outer_edge; // couples of the corners of the surface's triangles, (1, 0), (2, 1), (0, 2)
  // triangles that are curved at rest (deformables/bending_rest.h), by nodes of the deformable
  size_t ncurved;
  const uint32_t *curved;      // (ncurved x 3) corners
  const size_t *curved_first;  // (ncurved + 1)
  const uint32_t *curved_node; // (curved_first[ncurved])
  const uint32_t
      *curved_couple; // (curved_first[ncurved] x 3) couples with the corners; of a node with itself any
  const double *curved_weight; // (curved_first[ncurved])
  const double *curved_square; // (ncurved)
  // what damps bending (deformables/bending_damper.h); NULL: nothing
  const struct MbBendingDamper *damper;
  const size_t *damped_first;    // (stencils + 1) where each one's couples begin
  const uint32_t *damped_couple; // of its nodes (1, 0), (2, 0), (2, 1) ...; of a node with itself any
} MbElementForce;

// Nodes of one deformable: [first, first + count) of the bodies; where they are points, of the nodes of all deformables.
typedef struct MbDeformable {
  const char *name;
  size_t first, count;
  const MbElements
      *elements; // what it is made of; NULL: its nodes are bodies, with springs between them or nothing
  bool points;   // its nodes are points of elements, and no bodies but for ports:
  const size_t *
      port; // (count) body that a node is which rows act on, see MbModel.ports; SIZE_MAX = none. NULL: none are
} MbDeformable;

#endif
