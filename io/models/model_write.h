// What both writers of models share: the tree in the order of a model, angles, errors.
#ifndef MB_IO_MODEL_WRITE_H
#define MB_IO_MODEL_WRITE_H

#include "io/models/rig.h"
#include "io/xml/xml_write.h"

typedef struct MbModelWriter {
  MbXmlWriter xml;
  MbRig *rig;
  const char *folder; // of the model to be, from which it names meshes
  MbReport *report;
  MbStatus status; // of the first error
  size_t *order;   // (nbodies) parents before children, each subtree together
  int *depth;      // (nbodies) of order[i]: 0 in the world
} MbModelWriter;

// The order of bodies; false when memory ran out.
bool mb_model_order(MbModelWriter *w);
// An error at the JSON pointer of what does not fit; writing goes on, so that all of them are listed.
void mb_model_unfit(MbModelWriter *w, const char *where, const char *format, ...) MB_PRINTF(3, 4);
const char *mb_model_format(MbModelWriter *w, const char *format, ...) MB_PRINTF(2, 3); // in the rig's arena
// A mesh's file as the model names it.
const char *mb_model_file(MbModelWriter *w, const char *file);

// A whole hundredth of a degree, but for rounding: *degrees ← it.
bool mb_angle_is_round(double x, double *degrees);
// An angle that was computed, as a person would have written it, where that is the same but for rounding.
double mb_angle_tidy(double x);
// The angles of a turn about z, the new y, the new x, exact also where y's is near a quarter of a turn; *nice: all three are round.
void mb_turn_zyx(const double q[4], double angles[3], bool *nice);
void mb_turn_xyz(const double q[4], double angles[3], bool *nice);

// The writers; false with errors.
bool mb_mjcf_write(MbModelWriter *w);
bool mb_urdf_write(MbModelWriter *w);

#endif
