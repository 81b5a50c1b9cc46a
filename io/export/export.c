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

uint64_t mb_export_frame(const MbExporter *e, uint64_t i) {
  return e->first + i * (uint64_t)e->stride; // wraps to the right frame for negative strides
}

uint64_t mb_export_next(const MbExporter *e, uint64_t i) {
  const uint64_t step = e->stride < 0 ? 0 - (uint64_t)e->stride : (uint64_t)e->stride;
  while (i < e->span) {
    const uint64_t k = mb_export_frame(e, i);
    const uint64_t there = e->stride < 0 ? mb_traj_frame_until(e->traj, k) : mb_traj_frame_from(e->traj, k);
    if (there == k) return i;
    if (there == UINT64_MAX) return e->span; // backwards, and none is left
    const uint64_t leap = e->stride < 0 ? k - there : there - k;
    i += (leap - 1) / step + 1;
  }
  return e->span;
}

bool mb_export_flat(const MbChannel *channel) { return channel->items == 1 && !channel->items_names; }

// An index as Python understands it, between `low` and `high`.
static int64_t clamp_index(int64_t k, int64_t n, int64_t low, int64_t high) {
  if (k < 0) k += n;
  return k < low ? low : k > high ? high : k;
}

static MbStatus choose_frames(MbExporter *e, const MbExportOptions *options) {
  const uint64_t frames = mb_traj_frames(e->traj);
  const int64_t n = frames < INT64_MAX ? (int64_t)frames : INT64_MAX;
  const int64_t stride = options->stride == INT64_MIN ? -INT64_MAX : options->stride;
  if (!stride) return mb_error(e->report, MB_USAGE, "", "frames cannot be taken in strides of 0");
  e->stride = stride;
  e->span = 0;
  if (stride > 0) {
    const int64_t first = clamp_index(options->first, n, 0, n), last = clamp_index(options->last, n, 0, n);
    e->first = (uint64_t)first;
    if (last > first) e->span = (uint64_t)(last - first - 1) / (uint64_t)stride + 1;
    return MB_OK;
  }
  const bool open = options->last == INT64_MAX;
  const int64_t first = clamp_index(options->first, n, -1, n - 1);
  const int64_t last = open ? -1 : clamp_index(options->last, n, -1, n - 1);
  if (first > last) {
    e->first = (uint64_t)first;
    e->span = (uint64_t)(first - last - 1) / (uint64_t)-stride + 1;
  }
  return MB_OK;
}

// Those of the chosen frames that are there.
static MbStatus count_frames(MbExporter *e) {
  e->count = e->span;
  if (!mb_traj_gaps(e->traj)) return MB_OK;
  e->count = 0;
  for (uint64_t i = mb_export_next(e, 0); i < e->span; i = mb_export_next(e, i + 1)) e->count++;
  if (e->count || !e->span) return MB_OK;
  return mb_error(e->report, MB_IO, "", "%s lacks all of the frames to export", mb_traj_path(e->traj));
}

MbStatus mb_export_choose_frames(MbExporter *e, const MbExportOptions *options) {
  const MbStatus status = choose_frames(e, options);
  return status ? status : count_frames(e);
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
