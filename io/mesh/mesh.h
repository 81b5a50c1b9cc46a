// Mesh files. Of triangles: Wavefront .obj, .stl (text and binary), .ply (text and binary). Of tetrahedra and triangles:
// Gmsh .msh (2.2 and 4.1, text and binary), TetGen .node with .ele, legacy .vtk (text and binary).
#ifndef MB_IO_MESH_H
#define MB_IO_MESH_H

#include "core/model/spec.h"

// Reads `path` by its ending, times `scale`, into the arena. Polygons are split into fans; .stl corners with
// the same coordinates become one vertex. Errors (`where` = the JSON pointer to name) say what and, in text
// files, at which line. Topology and orientation are not judged here.
MbStatus mb_mesh_read(const char *path, double scale, const char *where, MbArena *arena, MbMesh **mesh,
                      MbReport *report);

// Stretches a mesh by factors other than 0 along x, y and z. A mirrored one has its triangles turned, so that they still face outward.
void mb_mesh_stretch(MbMesh *mesh, const double factor[3]);

// The same as the first for deformables, from .msh, .node or .ele, .vtk and .obj: all vertices in the file's order, its tetrahedra and
// its triangles. How these are turned is not judged here either.
MbStatus mb_mesh_read_elements(const char *path, double scale, const char *where, MbArena *arena,
                               MbElementMesh **mesh, MbReport *report);

#endif
