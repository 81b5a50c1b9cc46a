// The surface of a deformable as what meets others: its triangles and edges with their neighbours, and a tree of boxes over them. A deformable
// without triangles has its nodes for them.
#ifndef MB_SIM_TOUCH_FACES_H
#define MB_SIM_TOUCH_FACES_H

#include "core/base/arena.h"
#include "core/collision/broad.h"
#include "core/model/contacts.h"

#define MB_NO_FACE UINT32_MAX

// Features of contacts: a node by its number in the deformable, an edge or a triangle by its number here.
enum { MB_FEATURE_EDGE = 1 << 28, MB_FEATURE_FACE = 2 << 28 };

typedef struct MbFaceNode {
  MbBounds box;
  uint32_t first,
      count; // a leaf: of its elements in `order`; else the second child, and 0. The first child comes next
} MbFaceNode;

// Nodes are by their places in the surface's list.
typedef struct MbFaces {
  const MbDeformableSurface *of;
  double *rest;             // (3 nnodes) places at rest; where nothing is known of that, at the start
  bool closed;              // tetrahedra's: triangles look outward
  size_t nelements, nedges; // elements are triangles, or else nodes
  uint32_t *corner;         // (3 ntriangles)
  uint32_t *side;           // (3 ntriangles) the edge from a corner to the next
  uint32_t *edge, *beside;  // (2 nedges) its nodes; its triangles, MB_NO_FACE where there is no other
  uint32_t *spokes, *spoke; // (nnodes + 1), (2 nedges) the edges at each node
  uint8_t *own;             // (nelements) bits 0 to 2: corners that are its own to look for, 3 to 5: sides
  double *x, *v, *normal;   // (3 nnodes) places and velocities of the last look, (3 ntriangles)
  double mean[3], spread;   // the mean velocity, and by how much any differs from it
  MbFaceNode *node;
  uint32_t *order; // (nelements)
  size_t nnodes;   // of the tree
  bool fits;       // its boxes are those of the places
} MbFaces;

// Makes it of nodes that are at x (nnodes x 3), and at rest at `rest` (nodes of the deformable x 3; NULL: that is not known). NULL: out of memory.
MbFaces *mb_faces_make(MbArena *arena, const MbDeformableSurface *of, bool closed, const double *rest,
                       const double *x);
// Takes places and velocities that are written into `x` and `v`.
void mb_faces_place(MbFaces *faces);
// Makes the tree fit the places, where it does not yet: before anything is looked for by it.
void mb_faces_fit(MbFaces *faces);

// Shows all elements whose boxes come nearer to a box than `within`. Stops where `see` says false, which it then returns.
typedef bool MbFacesSee(void *context, uint32_t element);
bool mb_faces_near(const MbFaces *faces, const MbBounds *box, double within, MbFacesSee *see, void *context);
// The same of pairs of elements of two surfaces; of one with itself each pair once, and none of an element with itself.
typedef bool MbFacesSeePair(void *context, uint32_t a, uint32_t b);
bool mb_faces_pairs(const MbFaces *a, const MbFaces *b, double within, MbFacesSeePair *see, void *context);

// The mean of the normals of the triangles at an edge, not of unit length.
void mb_faces_edge_normal(const MbFaces *faces, uint32_t edge, double n[3]);
// The same at a node.
void mb_faces_node_normal(const MbFaces *faces, uint32_t node, double n[3]);
// Whether no triangle at the edge but `own` (MB_NO_FACE: none) rises along n (unit) by more than the sine `slack`: else another part of the
// surface is nearer there.
bool mb_faces_edge_leads(const MbFaces *faces, uint32_t edge, uint32_t own, const double n[3], double slack);
// How sharp the surface falls away along n at the edge, as the sum of its triangles' sines; 1 or more at a rim.
double mb_faces_edge_falls(const MbFaces *faces, uint32_t edge, const double n[3]);
// Whether no edge at the node does.
bool mb_faces_node_leads(const MbFaces *faces, uint32_t node, const double n[3], double slack);
// The node's number in the deformable.
static inline uint32_t mb_faces_number(const MbFaces *faces, uint32_t node) { return faces->of->node[node]; }

#endif
