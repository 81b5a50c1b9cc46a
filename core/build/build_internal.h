// Parts of the build, each adding to one model.
#ifndef MB_BUILD_BUILD_INTERNAL_H
#define MB_BUILD_BUILD_INTERNAL_H

#include "core/model/model.h"

MbStatus mb_build_bodies(const MbSceneSpec *spec, MbModel *model, MbReport *report);
MbStatus mb_build_forces(const MbSceneSpec *spec, MbModel *model, MbReport *report);

#endif
