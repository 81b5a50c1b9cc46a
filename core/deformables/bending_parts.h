// Insides of bending: the mesh with what is across its edges, and energies as sums of squares over stencils of nodes.
#ifndef MB_DEFORMABLES_BENDING_PARTS_H
#define MB_DEFORMABLES_BENDING_PARTS_H

#include "core/deformables/bending_damper.h"

// Angles at the corners of a triangle at rest; the squares of the sides across from them.
typedef struct MbTriangleShape {
  double cot[3], side2[3], area;
} MbTriangleShape;

// Corner k of triangle t is number 3 t + k and also stands for the side across from it, from corner k + 1 to k + 2.
typedef struct MbBendingMesh {
  const uint32_t *triangle;
  const double *x;
  size_t triangles, nodes;
  MbTriangleShape *shape; // (triangles)
  size_t *twin; // (3 triangles) the same side of the one other triangle that has it; SIZE_MAX: a free edge
} MbBendingMesh;

// E = ½ Σ_s Σ_r |Σ_a c_ra x_a|² over stencils s of nodes a, with three rows r each.
typedef struct MbStencils {
  size_t count, entries, room, room_first;
  size_t *first;  // (count + 1)
  uint32_t *node; // (entries)
  double (*c)[3]; // (entries) by rows
  bool failed;    // out of memory
} MbStencils;

// False: out of memory, or *flat has no area. The mesh is to be freed either way.
bool mb_bending_mesh_create(MbBendingMesh *mesh, size_t *flat);
void mb_bending_mesh_free(MbBendingMesh *mesh);

// Adds an entry to the stencil that is being written, and ends that stencil.
void mb_stencil_add(MbStencils *stencils, uint32_t node, const double c[3]);
void mb_stencil_end(MbStencils *stencils);
void mb_stencils_free(MbStencils *stencils);
// Makes Q of them. False: out of memory, here or when they were written; nothing is left then.
bool mb_bending_of_stencils(const MbStencils *stencils, size_t nodes, MbBending *bending);

// Moves stencils, and axes (their entries x 3; NULL: cloth), to a damper. False: out of memory; nothing is left then.
bool mb_bending_damper_take(MbBendingDamper *damper, MbStencils *stencils, double (*axes)[3]);

// The slope across the edge that a corner stands for, half way along it: weights of nodes, at most MB_PATCH of them. It grows from
// the corner's triangle towards the other one. The numbers are those of bending_slope.c.
enum { MB_PATCH = 48 };
size_t mb_bending_slope(const MbBendingMesh *mesh, size_t corner, uint32_t *node, double *weight);

void mb_bending_isometric(const MbBendingMesh *mesh, double stiffness, MbStencils *stencils);
// Takes curvatures at rest into account, of stencils that are those of the triangles in order. False: out of memory.
bool mb_bending_take_rest(const MbBendingMesh *mesh, double stiffness, MbStencils *stencils,
                          MbBendingRest *rest);
bool mb_bending_laplace_beltrami(const MbBendingMesh *mesh, double stiffness, MbStencils *stencils);

#endif
