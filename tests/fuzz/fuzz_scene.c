// Bytes as a scene: read, resolved, and what was resolved read again.
#include "core/base/alloc.h"
#include "io/scene/scene.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const params[] = {"length=2"}, *const sets[] = {"/time/step=0.5"};
  const MbSceneOptions options = {.params = params, .nparams = 1, .sets = sets, .nsets = 1};
  const bool overriding = size && data[0] == ' '; // JSON may begin with a space
  static MbReport report;
  memset(&report, 0, sizeof report);
  MbScene *scene = NULL;
  const MbStatus status = mb_scene_parse((const char *)data, size, "fuzz", "/nowhere",
                                         overriding ? &options : NULL, &scene, &report);
  if ((status == MB_OK) != (scene != NULL) || (status != MB_OK) != (report.errors > 0)) abort();
  if (scene) {
    // the resolved scene is a scene
    char *const text = mb_scene_resolved(scene);
    MbScene *again = NULL;
    if (mb_scene_parse(text, strlen(text), "again", "/nowhere", NULL, &again, &report)) abort();
    mb_scene_free(again);
    mb_free(text);
  }
  mb_scene_free(scene);
  if (mb_alloc_live()) abort();
  return 0;
}
