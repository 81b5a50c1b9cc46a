// From a scene that was read to a model, with the build's errors placed in the source text.
#include "core/build/build.h"
#include "io/scene/scene.h"

MbStatus mb_model_create(const MbScene *scene, MbModel **model, MbReport *report) {
  const MbStatus status = mb_build(&scene->spec, model, report);
  mb_scene_locate(scene, report);
  return status;
}
