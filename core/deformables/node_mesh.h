// Meshes of nodes that scenes describe in a few numbers. Places are in the mesh's own
// coordinates: the first node at the origin, the others along +x (a rope), or +x and +y (a grid, row by row along x).
#ifndef MB_DEFORMABLES_NODE_MESH_H
#define MB_DEFORMABLES_NODE_MESH_H

#include "core/model/spec.h"

// Of a mesh that core/compile has found to be sound.
size_t mb_node_mesh_count(const MbNodeMeshSpec *mesh);
void mb_node_mesh_place(const MbNodeMeshSpec *mesh, size_t node, double x[3]);
// How many pairs of neighbours there are, and into `edge` (NULL: only count them) which.
size_t mb_node_mesh_edges(const MbNodeMeshSpec *mesh, size_t (*edge)[2]);

// All of it; of springs with edges. False: out of memory, and the mesh is empty. For mb_element_mesh_free.
bool mb_node_mesh_make(const MbNodeMeshSpec *spec, bool springs, MbElementMesh *mesh);

#endif
