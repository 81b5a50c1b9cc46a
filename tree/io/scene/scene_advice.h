// What is in order by the schema and yet not what its writer can have meant.
#ifndef MB_IO_SCENE_ADVICE_H
#define MB_IO_SCENE_ADVICE_H

#include "io/scene/scene.h"

// With rk45, whose steps are its own: the longest step (`step`) made a little shorter, so that a whole number of them is
// the interval of the frames. A number of steps becomes the time that they were to take.
void mb_scene_fit_step(MbSceneSpec *spec);
// Warns of numbers that come out otherwise than written and of keys without effect; MB_SCENE for those that contradict
// others.
MbStatus mb_scene_advise(const MbScene *scene, MbReport *report);

#endif
