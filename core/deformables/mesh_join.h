// Vertices of a mesh that are at one place, and their joining.
#ifndef MB_DEFORMABLES_MESH_JOIN_H
#define MB_DEFORMABLES_MESH_JOIN_H

#include "core/model/spec.h"

// Writes into `to` (nodes), for every vertex, the lowest number of those no further than `distance` from it along a chain of such
// vertices, and into *count how many vertices are not the first of theirs. False: out of memory.
bool mb_mesh_find_twins(const MbElementMesh *mesh, double distance, uint32_t *to, size_t *count);

// Joins the vertices of tetrahedra and triangles that are no further apart than `distance`: the first of them stays where it is, and
// vertices are numbered anew in their old order. Of elements with the same corners the first stays. MB_SCENE: an element would lose a
// corner, *fault; MB_IO: memory ran out.
MbStatus mb_mesh_join(MbElementMesh *mesh, double distance, size_t *vertices, size_t *elements,
                      size_t *fault);

// How many elements have the same corners as one before them; drops[e] (elements; NULL: not wanted) says which. SIZE_MAX: out of memory.
size_t mb_mesh_repeats(const uint32_t *corner, size_t count, size_t corners, bool *drops);

#endif
