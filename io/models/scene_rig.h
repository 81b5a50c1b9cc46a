// A scene as a rig, for what writes models of it.
#ifndef MB_IO_SCENE_RIG_H
#define MB_IO_SCENE_RIG_H

#include "io/models/rig.h"
#include "io/scene/scene.h"

typedef struct MbRigAsk {
  const char *directory; // of the scene's meshes
  bool planes;           // the format has planar joints, and floating ones between any two bodies
  const double *q, *v;   // coordinates and velocities at the start, as mb_sim_get tells them
} MbRigAsk;

// Fills a rig that was zeroed; it may point into the scene. False with errors, each with its JSON pointer, where something fits in no
// model. Bodies have the scene's order.
bool mb_rig_of_scene(const MbScene *scene, const MbModel *model, const MbRigAsk *ask, MbRig *rig,
                     MbReport *report);

#endif
