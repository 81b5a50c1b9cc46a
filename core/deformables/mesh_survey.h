// What may be wrong with a mesh from outside that can be simulated all the same.
#ifndef MB_DEFORMABLES_MESH_SURVEY_H
#define MB_DEFORMABLES_MESH_SURVEY_H

#include "core/model/spec.h"

typedef struct MbMeshSurvey {
  double near;    // m, that vertices are at one place within: 1e-9 of the mesh's size
  size_t twins;   // vertices that are where one before them is
  size_t repeats; // elements with the same corners as one before them
  size_t pieces;  // parts that have no vertex in common
  // how many more parts there are where those are cut that only vertices, or edges of tetrahedra, hold together
  size_t hinges;
  size_t thin;     // elements whose least height is below 0.01 of their longest edge
  double height;   // the least of those
  size_t thinnest; // and whose it is
} MbMeshSurvey;

// Of tetrahedra or, where there are none, of triangles, that have passed mesh_check.h. False: out of memory.
bool mb_mesh_survey(const MbElementMesh *mesh, MbMeshSurvey *survey);

// The least height of an element by its longest edge.
double mb_mesh_height(const MbElementMesh *mesh, const uint32_t *corner, size_t corners);

#endif
