// SceneSpec → Model. Every error that needs more than one value of the scene is found here.
#ifndef MB_COMPILE_COMPILE_H
#define MB_COMPILE_COMPILE_H

#include "core/model/model.h"

// On failure *model is NULL and the report lists what is wrong, each with its JSON pointer. The model copies
// what it needs: the specification may go.
MbStatus mb_compile(const MbSceneSpec *spec, MbModel **model, MbReport *report);

#endif
