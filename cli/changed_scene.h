// A scene that a command reads again and again with some of its numbers changed.
#ifndef MB_CLI_CHANGED_SCENE_H
#define MB_CLI_CHANGED_SCENE_H

#include "cli/scene_input.h"

// A number of the scene: the name of a parameter, or a JSON pointer.
typedef struct MbChange {
  const char *name;
  double value;
} MbChange;

// Reads the source with what the command line sets and then the changes, and makes its model. Free whatever came.
MbStatus mb_changed_scene(const MbArgs *args, const MbSceneSource *source, const MbChange *changes,
                          size_t nchanges, MbScene **scene, MbModel **model, MbReport *report);
// The same as JSON for people (mb_free it). `rooted`: meshes' files are named from the root.
MbStatus mb_changed_text(const MbArgs *args, const MbSceneSource *source, const MbChange *changes,
                         size_t nchanges, bool rooted, char **text, MbReport *report);
// Finds the number that a name stands for. MB_USAGE where it stands for none; `option` begins the message.
MbStatus mb_scene_number(const MbScene *scene, const char *option, const char *name, double *value,
                         MbReport *report);

#endif
