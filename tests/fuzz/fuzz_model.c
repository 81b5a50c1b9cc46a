// Bytes as a model in another's format; what becomes a scene is read as one.
#include "core/base/alloc.h"
#include "io/json/json.h"
#include "io/models/models.h"
#include "io/scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_model(const char *path, const MbImportOptions *options) {
  static MbReport report;
  memset(&report, 0, sizeof report);
  MbModelNotes notes = {0};
  char *text = NULL;
  const MbStatus status = mb_model_import(path, options, &notes, &text, &report);
  if ((status == MB_OK) != (text != NULL) || (status != MB_OK) != (report.errors > 0)) abort();
  MbScene *scene = NULL;
  MbModel *model = NULL;
  cJSON *tree = NULL;
  if (text && mb_json_parse(text, strlen(text), &tree, &report)) abort(); // it is JSON, whatever it says
  cJSON_Delete(tree);
  memset(&report, 0, sizeof report);
  if (text && mb_scene_parse(text, strlen(text), "fuzz", "/nowhere", NULL, &scene, &report) == MB_OK)
    mb_model_create(scene, &model, &report);
  for (int format = 0; scene && format < MB_MODEL_FORMATS; format++) {
    char *again = NULL;
    MbReport other = {0};
    const MbStatus written = mb_model_export(scene, (MbModelFormat)format, "/nowhere", ".", &again, &other);
    if (!again == !written) abort(); // a text or an error
    mb_free(again);
  }
  mb_model_free(model);
  mb_scene_free(scene);
  mb_model_notes_free(&notes);
  mb_free(text);
  if (mb_alloc_live()) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *base = getenv("TMPDIR");
  char path[300];
  snprintf(path, sizeof path, "%s/mbsim-fuzz-XXXXXX.xml", base ? base : "/tmp");
  const int file = mkstemps(path, 4);
  if (file < 0) return 0;
  const bool whole = write(file, data, size) == (ssize_t)size;
  close(file);
  // the first byte chooses, among what may begin a file
  const bool other = size && data[0] == '\n';
  const MbImportOptions options = {.key = other ? "a" : NULL, .merge_fixed = other, .free_base = other};
  if (whole) read_model(path, &options);
  unlink(path);
  return 0;
}
