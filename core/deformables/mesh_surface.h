// The surface of a mesh: of tetrahedra the faces that one element alone has, of cloth its triangles; which parts of it are closed, and
// what they enclose.
#ifndef MB_DEFORMABLES_MESH_SURFACE_H
#define MB_DEFORMABLES_MESH_SURFACE_H

#include "core/model/spec.h"

// Parts are triangles that hang together by edges. Those that are closed come first, part by part: their corners are counterclockwise seen
// from outside, so that what they enclose is above 0. Behind them come all others, as the mesh has them.
typedef struct MbMeshSurface {
  uint32_t *triangle; // (count x 3)
  size_t count;
  size_t nclosed; // parts
  size_t *first;  // (nclosed + 1) where the triangles of each begin
  bool *hollow;   // (nclosed) elements are around it, and not inside
  // an edge of a part that is not closed, where there is one: it has one triangle, or it is one of a surface of one side
  bool open, twisted;
  uint32_t edge[2];
} MbMeshSurface;

// The faces that one tetrahedron alone has, seen from outside, ascending by their corners; with nodes in the middles of edges (NULL: there are
// none) each is four triangles. NULL: out of memory.
uint32_t *mb_mesh_outer_faces(const uint32_t *tet, const uint32_t *middle, size_t tets, size_t *count);
// False: out of memory, and *surface is empty.
bool mb_mesh_surface_find(const MbElementMesh *mesh, MbMeshSurface *surface);
void mb_mesh_surface_free(MbMeshSurface *surface);

#endif
