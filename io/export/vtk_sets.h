// Private to io/export/*vtk*.c: the sets of files, each with one file a frame.
#ifndef MB_IO_VTK_SETS_H
#define MB_IO_VTK_SETS_H

#include "io/export/export_parts.h"
#include "io/export/surface.h"
#include "io/export/vtk.h"
#include "io/export/vtk_file.h"

typedef struct MbVtk {
  MbExporter e;
  const MbFolder *folder;
  const MbChannel *position, *rotation, *velocity; // of bodies; NULL: none
  size_t nbodies;

  size_t nmeshes;
  MbTrajMesh *mesh;   // (nmeshes)
  MbSurface *surface; // (nmeshes) of bodies' meshes
  size_t *body;       // (nmeshes) that a mesh moves with; SIZE_MAX: none that is known
  double **rest;  // (nmeshes) a deformable's places at rest, where its pose puts them; NULL of other meshes
  cJSON *drawing; // NULL: the file has none
} MbVtk;

const MbChannel *mb_vtk_channel(const MbVtk *v, const char *before, const char *name, const char *behind);
// Writes of one frame into a file that has begun, between its first and its last line.
void mb_vtk_surfaces(const MbVtk *v, const double *frame, MbVtkFile *file);
void mb_vtk_places(const MbVtk *v, const double *frame, MbVtkFile *file);
void mb_vtk_lines(const MbVtk *v, const double *frame, MbVtkFile *file);
void mb_vtk_deformable(const MbVtk *v, size_t mesh, const double *frame, MbVtkFile *file);

size_t mb_vtk_line_count(const MbVtk *v);

// Makes v->rest; false when memory ran out.
bool mb_vtk_make_rest(MbVtk *v);
// Warns of deformables whose velocities the trajectory does not have.
void mb_vtk_tell_missing(const MbVtk *v);

// Places of n points.
void mb_vtk_points(MbVtkFile *file, const double *x, size_t n);
// n cells of `corners` points each: connectivity and where each ends. `kind`: "Polys", "Lines", "Verts" or "Cells".
void mb_vtk_cells(MbVtkFile *file, const char *kind, const int64_t *point, size_t n, size_t corners);

#endif
