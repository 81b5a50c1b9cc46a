// Deformation gradients of elements whose sides are straight: F = Σ x_a g_aᵀ over an element's nodes, with constant g_a.
//   rank 3  tetrahedra  4 nodes, F 3 x 3
//   rank 2  triangles   3 nodes, F 3 x 2, from a rest frame in their plane: first axis along their first side
//   rank 1  springs     2 nodes, F 3 x 1 = (x₁ − x₀) / length at rest
// Tetrahedra of ten nodes (quadratic.h) are four elements of rank 3 each, one for each of their points, with a quarter of the volume: what is
// said of corners and of places below is then that of corners y_a, which `mb_gradient_spread` makes of places.
// F, and what is like it, are stored as the local step wants them: component c of element e at [c * stride + e].
#ifndef MB_DEFORMABLES_GRADIENT_H
#define MB_DEFORMABLES_GRADIENT_H

#include "core/model/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct MbGradient {
  int rank;
  size_t n, nodes; // elements; nodes of the mesh
  size_t stride;   // n rounded up to whole packs of eight
  uint32_t *node;  // (stride x rank + 1), behind the n the last one's again, as in B and size
  double *
      B; // (rank x rank, each stride) inverse of the sides from the first node at rest, in the rest frame: row a − 1 is g_a
  double *size;     // (stride) volume, area or length at rest
  size_t *first;    // (nodes + 1) into `corner`
  uint32_t *corner; // (n (rank + 1)) by node, elements ascending: where the first number of a corner is
  uint32_t
      *order; // (nodes) as elements name them first: those next to each other have their corners close by
  // of ten nodes; NULL elsewhere
  uint32_t *ten; // (n/4 x 10)
  double *share; // (16 n) beside `corner`, which has as many there: what of a corner a node gets
  double *y;     // (4 n x 3) corners y_a of all elements
} MbGradient;

// x (nodes x 3) at rest. False: out of memory (*flat = SIZE_MAX), or element *flat has no size, or a tetrahedron is the wrong way
// round; nothing is left then.
bool mb_gradient_create(MbGradient *gradient, int rank, const uint32_t *node, size_t n, const double *x,
                        size_t nodes, size_t *flat);
// The same of a mesh's tetrahedra with ten nodes.
bool mb_gradient_create_quadratic(MbGradient *gradient, const MbElementMesh *mesh, size_t *flat);
void mb_gradient_free(MbGradient *gradient);

// How many nodes an element has; their numbers; how many elements have the same ones, being points of one tetrahedron.
static inline size_t mb_gradient_nodes(const MbGradient *gradient) {
  return gradient->ten ? 10 : (size_t)gradient->rank + 1;
}
static inline size_t mb_gradient_node(const MbGradient *gradient, size_t element, size_t a) {
  return gradient->ten ? gradient->ten[10 * (element / 4) + a]
                       : gradient->node[((size_t)gradient->rank + 1) * element + a];
}
static inline size_t mb_gradient_points(const MbGradient *gradient) { return gradient->ten ? 4 : 1; }

// Where kernels find the corners of elements [begin, end) by the numbers `node`: x (nodes x 3) itself, or y, which is made of it.
const double *mb_gradient_spread(const MbGradient *gradient, const double *x, size_t begin, size_t end);

// Of one element with corners `node` (rank + 1): B (rank x rank) as above, and its size. False: it has none, or is the wrong way round.
bool mb_gradient_rest(int rank, const uint32_t *node, const double *x, double B[9], double *size);

// Of one element: g (its nodes x rank), 30 numbers at most.
void mb_gradient_of(const MbGradient *gradient, size_t element, double *g);

// F (3 rank x stride) of elements [begin, end) at x (nodes x 3).
void mb_gradient_gather(const MbGradient *gradient, const double *x, double *F, size_t begin, size_t end);

// The way back in two parts, each of which may be divided among threads: what every corner gets,
//   c_a = scale size (p − u) g_a
// (number i of corner a of element e at [e / 8 * 24 (rank + 1) + 24 a + 8 i + e % 8], 3 (rank + 1) stride numbers in all),
// and b += the sum of their corners', always in the same order, at nodes number begin to end of `order`. u, scale (n): NULL for 0 and 1.
void mb_gradient_corners(const MbGradient *gradient, const double *scale, const double *p, const double *u,
                         double *c, size_t begin, size_t end);
void mb_gradient_collect(const MbGradient *gradient, const double *c, double *b, size_t begin, size_t end);

// The same on threads, for all elements and nodes; the same bits for any number of them.
void mb_gradient_gather_all(const MbGradient *gradient, int threads, const double *x, double *F);
void mb_gradient_scatter_all(const MbGradient *gradient, int threads, const double *scale, const double *p,
                             const double *u, double *c, double *b);

#endif
