#include "cli/export_model.h"
#include "cli/model_text.h"
#include "core/base/alloc.h"
#include "io/scene/scene.h"

// Options that choose among a trajectory's frames mean nothing here.
static MbStatus check_options(const MbArgs *args, MbReport *report) {
  static const char *const names[] = {"channel", "frames", "max-targets", "partial"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (mb_arg_given(args, names[i]))
      return mb_error(report, MB_USAGE, "", "--%s is of trajectories; a model is made of a scene", names[i]);
  return MB_OK;
}

MbStatus mb_export_model(const MbArgs *args, MbModelFormat format, MbReport *report) {
  const char *path = args->operands[0];
  char from[MB_FOLDER], folder[MB_FOLDER], *text = NULL;
  MbScene *scene = NULL;
  MbStatus status = check_options(args, report);
  if (!status) status = mb_scene_folder(path, from, report);
  if (!status) status = mb_model_text_folder(args, folder, report);
  if (!status) status = mb_scene_load(path, NULL, &scene, report);
  if (!status) status = mb_model_export(scene, format, from, folder, &text, report);
  mb_scene_free(scene);
  if (!status) status = mb_model_text_write(args, text, report);
  mb_free(text);
  return status;
}
