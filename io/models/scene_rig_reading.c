// Texts, errors and constants for what makes a rig of a scene.
#include "io/models/scene_rig_reading.h"

#include <stdarg.h>
#include <stdio.h>

const char *mb_reading_format(MbReading *r, const char *how, ...) {
  char text[512];
  va_list list;
  va_start(list, how);
  vsnprintf(text, sizeof text, how, list);
  va_end(list);
  const char *copy = mb_arena_strdup(&r->rig->arena, text);
  if (!copy && !r->status) r->status = mb_no_memory(r->report, "a model");
  return copy ? copy : "";
}

bool mb_reading_no_memory(MbReading *r) {
  if (!r->status) r->status = mb_no_memory(r->report, "a model");
  return false;
}

void mb_reading_unfit(MbReading *r, const char *where, const char *what) {
  const MbStatus status = mb_error(r->report, MB_SCENE, where, "%s", what);
  if (!r->status) r->status = status;
}

double mb_reading_constant(MbReading *r, const MbSignalSpec *signal, const char *where) {
  if (signal->kind == MB_SIGNAL_CONSTANT) return signal->value;
  mb_reading_unfit(r, where, "a model has no values that change over time: a constant is wanted");
  return NAN;
}
