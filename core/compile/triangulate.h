// Shapes as triangle meshes: for trajectories and views.
#ifndef MB_COMPILE_TRIANGULATE_H
#define MB_COMPILE_TRIANGULATE_H

#include "core/model/spec.h"

// Round shapes: a sphere has 20·4^level triangles, a cylinder 6·2^level sides. Corners lie on the true
// surface, so that the error falls by four a level.
enum { MB_TRIANGULATE_LEVEL = 2, MB_TRIANGULATE_FINEST = 7 };

// The closed surface in the body's frame, normals outward; its arrays are the arena's. A box has 12
// triangles, a mesh its own, a plane none (MB_OK, nv = nt = 0). MB_IO when memory ran out.
MbStatus mb_triangulate(const MbShapeSpec *shape, MbArena *arena, MbMesh *mesh);
// The same with a level of 0 .. MB_TRIANGULATE_FINEST for the round ones.
MbStatus mb_triangulate_level(const MbShapeSpec *shape, int level, MbArena *arena, MbMesh *mesh);

#endif
