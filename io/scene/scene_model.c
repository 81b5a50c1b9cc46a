// From a scene that was read to a model, with core/compile's errors placed in the source text.
#include "core/compile/compile.h"
#include "io/scene/scene.h"

MbStatus mb_model_create(const MbScene *scene, MbModel **model, MbReport *report) {
  const MbStatus status = mb_compile(&scene->spec, model, report);
  mb_scene_locate(scene, report);
  return status;
}
