// Colours that a scene gives its shapes and deformables, as a trajectory has them in its DRAW record (io/README.md).
#ifndef MB_IO_LOOKS_H
#define MB_IO_LOOKS_H

#include "core/mbsim.h"

#include <cjson/cJSON.h>

typedef struct MbLooks {
  cJSON *drawing;     // NULL: the file has none
  const cJSON *shape; // the next one that has not been asked for
  double rgba[4];     // of what was asked for last: in linear light, but for the opacity
} MbLooks;

// Reads what the file has; mb_looks_end in any case.
void mb_looks_begin(MbLooks *looks, const MbTraj *traj);
void mb_looks_end(MbLooks *looks);
// The colour of a body's mesh by its record's name; NULL where the scene gives none. Meshes are asked for in the order of the file.
const double *mb_looks_of_shape(MbLooks *looks, size_t body, const char *body_name, const char *mesh);
// The colour of a deformable; NULL where the scene gives none.
const double *mb_looks_of_deformable(MbLooks *looks, const char *name);

#endif
