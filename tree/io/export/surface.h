// Surfaces of meshes for pictures: triangles and normals.
#ifndef MB_IO_SURFACE_H
#define MB_IO_SURFACE_H

#include "io/trajectory/trajectory.h"

// Triangles of a mesh's surface: those of triangles, the outer ones of tetrahedra; none of springs and particles.
typedef struct MbSurface {
  size_t n;
  uint32_t *triangle; // (n x 3) vertices; mb_free
} MbSurface;

// False when memory ran out.
bool mb_surface_make(const MbTrajMesh *mesh, MbSurface *surface);
// Area-weighted unit normals of vertices at `x` (nv x 3); of a vertex that no triangle has, z. `work` has 3 nv numbers.
void mb_surface_normals(const MbSurface *surface, const double *x, size_t nv, double *work, float *normal);
// A unit normal for each corner of each triangle, the mean of the triangles about its vertex that are within 35° of its own: round
// shapes look round, edges sharp. False when memory ran out.
bool mb_surface_creased(const MbSurface *surface, const double *x, size_t nv, float *normal);

#endif
