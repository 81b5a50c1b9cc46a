// Choices among the nodes of a deformable, by places in the mesh's own coordinates.
#ifndef MB_DEFORMABLES_SELECT_H
#define MB_DEFORMABLES_SELECT_H

#include "core/model/deformable.h"

// Where nodes are: listed, or as a mesh of few numbers has them.
typedef struct MbPlaces {
  size_t count;
  const double *x;            // (count x 3), or NULL:
  const MbNodeMeshSpec *mesh; // a rope or a grid that core/compile has found to be sound
  const MbRod *rod;           // whose first nodes they are; NULL: no rod's
} MbPlaces;

enum { MB_SELECT_FAULT = 120 }; // bytes of a text

// Where the nodes of elements are: of a rod its points alone.
MbPlaces mb_places_of(const MbElements *elements);

// Marks the nodes that `select` chooses. NULL, or what is wrong with the choice, for which `fault` has room.
const char *mb_select(const MbPlaces *places, const MbSelectSpec *select, bool *chosen,
                      char fault[MB_SELECT_FAULT]);

// The same among the nodes of a mesh of few numbers.
const char *mb_node_mesh_select(const MbNodeMeshSpec *mesh, const MbSelectSpec *select, bool *chosen,
                                char fault[MB_SELECT_FAULT]);

#endif
