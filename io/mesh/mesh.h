// Triangle mesh files: Wavefront .obj, .stl (text and binary), .ply (text and binary).
#ifndef MB_IO_MESH_H
#define MB_IO_MESH_H

#include "core/model/spec.h"

// Reads `path` by its ending, times `scale`, into the arena. Polygons are split into fans; .stl corners with
// the same coordinates become one vertex. Errors (`where` = the JSON pointer to name) say what and, in text
// files, at which line. Topology and orientation are not judged here.
MbStatus mb_mesh_read(const char *path, double scale, const char *where, MbArena *arena, MbMesh **mesh,
                      MbReport *report);

#endif
