#include "io/export/export.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/export_parts.h"
#include "io/json/number_text.h"

#include <errno.h>
#include <string.h>

const char *const mb_export_words[MB_EXPORTS + 1] = {"csv", "npz", "json", "glb", "vtk", NULL};

void mb_put(MbExporter *e, const void *bytes, size_t size) {
  if (e->failure || !size) return;
  errno = 0;
  if (fwrite(bytes, 1, size, e->out) != size) e->failure = errno ? errno : EIO;
}

void mb_put_text(MbExporter *e, const char *text) { mb_put(e, text, strlen(text)); }

void mb_put_number(MbExporter *e, double x) {
  char text[MB_NUMBER_TEXT];
  mb_put_text(e, mb_number_text(x, text));
}

MbStatus mb_put_status(const MbExporter *e) {
  if (!e->failure) return MB_OK;
  return mb_error(e->report, MB_IO, "", "cannot write the export: %s", strerror(e->failure));
}

bool mb_export_flat(const MbChannel *channel) { return channel->items == 1 && !channel->items_names; }

MbStatus mb_export_choose_frames(MbExporter *e, const MbExportOptions *options) {
  const MbTrajSlice slice = {options->first, options->last, options->stride};
  return mb_traj_slice(e->traj, slice, &e->frames, e->report);
}

static MbStatus unknown_channel(const MbExporter *e, const char *name) {
  const char **names = mb_calloc(e->nchannels + 1, sizeof *names);
  if (!names) return mb_no_memory(e->report, "the export");
  for (size_t i = 0; i < e->nchannels; i++) names[i] = e->channels[i].name;
  const char *near = mb_nearest_word(name, names);
  const MbStatus status =
      mb_error(e->report, MB_USAGE, "", "%s has no channel '%s'%s%s%s", mb_traj_path(e->traj), name,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  mb_free(names);
  return status;
}

// In the caller's order, each channel once; all where the caller names none. All unknown names are reported.
static MbStatus choose_channels(MbExporter *e, const MbExportOptions *options, size_t *chosen) {
  MbStatus status = MB_OK;
  if (!options->channels)
    for (size_t i = 0; i < e->nchannels; i++) chosen[e->nchosen++] = i;
  for (size_t k = 0; options->channels && k < options->nchannels; k++) {
    size_t i = 0;
    while (i < e->nchannels && strcmp(e->channels[i].name, options->channels[k]) != 0) i++;
    bool again = false;
    for (size_t j = 0; j < e->nchosen; j++) again = again || chosen[j] == i;
    if (i == e->nchannels)
      status = unknown_channel(e, options->channels[k]);
    else if (!again)
      chosen[e->nchosen++] = i;
  }
  return status;
}

MbStatus mb_export(MbTraj *traj, const MbExportOptions *options, FILE *out, MbReport *report) {
  MbExporter e = {.traj = traj, .out = out, .report = report};
  e.channels = mb_traj_channels(traj, &e.nchannels);
  size_t *chosen = mb_calloc(e.nchannels, sizeof *chosen);
  if (!chosen) return mb_no_memory(report, "the export");
  e.chosen = chosen;
  MbStatus status = choose_channels(&e, options, chosen);
  if (status == MB_OK) status = mb_export_choose_frames(&e, options);
  if (status == MB_OK) {
    switch (options->format) {
    case MB_EXPORT_CSV:
      status = mb_export_csv(&e);
      break;
    case MB_EXPORT_NPZ:
      status = mb_export_npz(&e);
      break;
    case MB_EXPORT_JSON:
      status = mb_export_json(&e);
      break;
    case MB_EXPORT_GLB:
      status = mb_export_glb(&e, options->most_targets);
      break;
    default:
      status = mb_error(report, MB_USAGE, "", "no such format");
      break;
    }
  }
  if (status == MB_OK) {
    errno = 0;
    if (!e.failure && fflush(out) != 0) e.failure = errno ? errno : EIO;
    status = mb_put_status(&e);
  }
  mb_free(chosen);
  return status;
}
