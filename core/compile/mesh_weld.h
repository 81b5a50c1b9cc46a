// Vertices of a mesh that lie at exactly the same place.
#ifndef MB_COMPILE_MESH_WELD_H
#define MB_COMPILE_MESH_WELD_H

#include "core/model/spec.h"

// first[i] = the lowest vertex at exactly the position of vertex i (so i where there is no lower one).
// vertex (nv x 3) finite, first (nv), nv <= INT32_MAX. MB_IO when memory ran out.
MbStatus mb_mesh_weld(const double *vertex, size_t nv, int32_t *first, MbReport *report);

// Makes one vertex of those at the same place, in the order of their first ones, and leaves out the triangles
// that lose a corner by it. In place: nv and nt shrink.
MbStatus mb_mesh_merge(MbMesh *mesh, MbReport *report);

#endif
