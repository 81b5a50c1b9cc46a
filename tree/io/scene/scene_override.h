// What the command line changes in a scene before it is checked.
#ifndef MB_IO_SCENE_OVERRIDE_H
#define MB_IO_SCENE_OVERRIDE_H

#include "io/scene/scene.h"

#define MB_SET_ON_COMMAND_LINE " (set on the command line)"

// Applies `sets`, then `params`, to scene->resolved and notes their pointers in scene->overridden.
MbStatus mb_scene_override(MbScene *scene, const MbSceneOptions *options, MbReport *report);
// Whether the value at `pointer`, or something around it, is one of those.
bool mb_scene_overridden(char *const *overridden, size_t count, const char *pointer);

#endif
