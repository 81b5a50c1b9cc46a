// What the files share that make a rig of a scene: what is read, errors of what does not fit, and the parts of a rig.
#ifndef MB_IO_SCENE_RIG_READING_H
#define MB_IO_SCENE_RIG_READING_H

#include "core/model/model.h"
#include "io/models/scene_rig.h"

typedef struct MbReading {
  const MbSceneSpec *spec;
  const MbModel *model;
  MbRig *rig;
  bool planes; // the format has joints that slide in a plane, and floating ones anywhere
  const char *directory;
  const double *q, *v; // of all bodies at the start
  MbReport *report;
  MbStatus status; // of the first error
} MbReading;

// Returns a text in the rig's arena; "" when memory ran out.
const char *mb_reading_format(MbReading *r, const char *how, ...) MB_PRINTF(2, 3);
// Notes that memory ran out, and returns false.
bool mb_reading_no_memory(MbReading *r);
// Adds an error at the JSON pointer of what does not fit; reading goes on after it, so that everything of the kind is listed.
void mb_reading_unfit(MbReading *r, const char *where, const char *what);
// Returns the value of a signal that does not change; NaN, with an error, for any other.
double mb_reading_constant(MbReading *r, const MbSignalSpec *signal, const char *where);

// Gives body b of the rig the joint of body i of the scene, whose text is `json`, and the frame that goes with it; false when memory ran
// out (scene_rig_joints.c).
bool mb_reading_add_joint(MbReading *r, size_t i, size_t b, const cJSON *json);
// Gives body b of the rig the free joint that body i of the scene has by having none; false when memory ran out.
bool mb_reading_add_free(MbReading *r, size_t i, size_t b);

// Adds constraint i of the scene as a tie; false when memory ran out (scene_rig_ties.c).
bool mb_reading_add_constraint(MbReading *r, size_t i);
// Adds force i of the scene as a tie, or as the damping of a ball joint; false when memory ran out.
bool mb_reading_add_force(MbReading *r, size_t i);
// Adds the pairs of the scene's contact and those that it excludes; false when memory ran out.
bool mb_reading_add_contact(MbReading *r);

#endif
