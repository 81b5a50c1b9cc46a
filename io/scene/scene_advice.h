// What is in order by the schema and yet not what its writer can have meant.
#ifndef MB_IO_SCENE_ADVICE_H
#define MB_IO_SCENE_ADVICE_H

#include "io/scene/scene.h"

// Warns of numbers that come out otherwise than written and of keys without effect; MB_SCENE for those that contradict
// others.
MbStatus mb_scene_advise(const MbScene *scene, MbReport *report);

#endif
