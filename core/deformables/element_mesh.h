// Meshes of deformables: nodes, and what stands between them.
#ifndef MB_DEFORMABLES_ELEMENT_MESH_H
#define MB_DEFORMABLES_ELEMENT_MESH_H

#include "core/model/spec.h"

// False: out of memory, or too many nodes to count; the mesh is then empty. All numberings are the same on every machine.
// Rows of nx x ny nodes over a x b in the plane z = 0, two triangles a cell: "diagonal" all cells alike; "cross" four triangles
// a cell with a node in its middle: (nx ny) corners first, then (nx − 1)(ny − 1) middles, 4 (nx − 1)(ny − 1) triangles.
bool mb_element_mesh_grid(MbElementMesh *mesh, size_t nx, size_t ny, double a, double b, bool cross);
// n[0] x n[1] x n[2] nodes over a block from the origin, six tetrahedra a cube.
bool mb_element_mesh_box(MbElementMesh *mesh, const size_t n[3], const double size[3]);
// A ball about the origin, n cells along its diameter (an odd number is rounded up): the centre, then shell by shell.
bool mb_element_mesh_ball(MbElementMesh *mesh, size_t n, double radius);
// The surface of that ball alone, seen from outside.
bool mb_element_mesh_sphere(MbElementMesh *mesh, size_t n, double radius);
void mb_element_mesh_free(MbElementMesh *mesh);

#endif
