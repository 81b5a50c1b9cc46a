// Whether a mesh from outside can be the shape of something elastic.
#ifndef MB_DEFORMABLES_MESH_CHECK_H
#define MB_DEFORMABLES_MESH_CHECK_H

#include "core/model/spec.h"

enum { MB_MESH_FAULT = 200 }; // bytes of a text

// Of tetrahedra: that each has a volume and every vertex belongs to one. Those that are inside out are turned round, and
// counted into `turned`. Edges of those with ten nodes are straight. MB_SCENE: `fault` says what is wrong. MB_IO: memory ran out.
MbStatus mb_check_tets(MbElementMesh *mesh, size_t *turned, char fault[MB_MESH_FAULT]);
// Of triangles: that each has an area, every vertex belongs to one, and no edge to more than two.
MbStatus mb_check_cloth(const MbElementMesh *mesh, char fault[MB_MESH_FAULT]);

#endif
