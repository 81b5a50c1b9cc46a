// Tetrahedra with ten nodes: four corners and, behind them, one half way along each edge, straight at rest. With L_a the shares of the
// corners in a place (barycentric coordinates) places are
//
//   x = Σ_a L_a (2 L_a − 1) x_a + Σ_ab 4 L_a L_b x_ab
//
// As edges are straight at rest, L has the constant gradients g_a there that a tetrahedron of these four corners has, and
//
//   F = Σ_a y_a g_aᵀ,  y_a = ∂x/∂L_a = (4 L_a − 1) x_a + 4 Σ_b L_b x_ab
//
// So F is that of a tetrahedron with corners y_a, of which differences alone count, since Σ g_a = 0 and the weights in each y_a add up to 3.
// F is linear in L. Energies are integrated at four points, one near each corner with L = 0.585 for it and 0.138 for the others, a quarter of
// the volume each, which is exact for functions of degree 2: what F is quadratic in, as an element about its rest.
//
// Masses are lumped in proportion to the diagonal of the consistent matrix, 1/36 of the element's at a corner and 4/27 half way along an edge
// (Hinton, Rock, Zienkiewicz 1976). All are positive; total and centre of mass are right, and with Σ_a over the corners' places about the centre
// an element's own second moment is 0.102 Σ x_a x_aᵀ of its mass, where 0.05 would be right and quarters at the corners have 0.25.
#ifndef MB_DEFORMABLES_QUADRATIC_H
#define MB_DEFORMABLES_QUADRATIC_H

#include "core/base/arena.h"
#include "core/model/spec.h"

enum {
  MB_QUADRATIC_EDGES = 6,
  MB_QUADRATIC_NODES = 10,
  MB_QUADRATIC_POINTS = 4,
  MB_QUADRATIC_PARTS = 8 // straight tetrahedra between its nodes
};
#define MB_QUADRATIC_CORNER_MASS (1.0 / 36)
#define MB_QUADRATIC_MIDDLE_MASS (4.0 / 27)

// The corners of each edge: (0 1), (1 2), (0 2), (0 3), (1 3), (2 3); the edge of two corners.
extern const unsigned char mb_quadratic_edge[MB_QUADRATIC_EDGES][2];
extern const unsigned char mb_quadratic_between[4][4];

// L at a point, and at the middle of a part.
void mb_quadratic_point(size_t point, double L[4]);
void mb_quadratic_part(size_t part, double L[4]);
// What node n weighs in y of a corner, at L.
double mb_quadratic_share(const double L[4], size_t corner, size_t n);
// y (4 x 3) at L, of places x by the numbers `node` (10), from the first corner: places far from the origin do no harm.
void mb_quadratic_corners(const double L[4], const uint32_t *node, const double *x, double y[12]);

// Puts a node in the middle of every edge, behind the mesh's nodes, by ascending numbers of the edge's ends. False: out of memory.
bool mb_quadratic_add(MbElementMesh *mesh, MbArena *arena);
// The nodes of a tetrahedron, and of a part of it.
void mb_quadratic_nodes(const MbElementMesh *mesh, size_t tet, uint32_t node[MB_QUADRATIC_NODES]);
void mb_quadratic_part_nodes(const MbElementMesh *mesh, size_t tet, size_t part, uint32_t node[4]);

#endif
