#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/export_parts.h"
#include "io/export/npy.h"

#include <assert.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are written as they lie in memory");

enum { NAME_MOST = 1 << 12 };

static void put_to_exporter(void *to, const void *bytes, size_t size) { mb_put(to, bytes, size); }

// Begins the member `name`.npy with `bytes` of numbers to follow.
static MbStatus begin_array(MbExporter *e, MbZip *zip, const char *name, const char *type, const char *shape,
                            uint64_t bytes) {
  if (strlen(name) > NAME_MOST)
    return mb_error(e->report, MB_USAGE, "", "the name of channel %.40s... is too long", name);
  return mb_npy_begin(zip, name, type, shape, bytes) ? MB_OK : mb_no_memory(e->report, "the export");
}

static MbStatus put_header_array(MbExporter *e, MbZip *zip) {
  char *header = mb_export_header(e);
  if (!header) return mb_no_memory(e->report, "the export");
  const size_t length = strlen(header);
  char shape[32];
  snprintf(shape, sizeof shape, "(%zu,)", length);
  const MbStatus status = begin_array(e, zip, "header.json", "|u1", shape, length);
  if (status == MB_OK) {
    mb_zip_bytes(zip, header, length);
    mb_zip_end(zip);
  }
  mb_free(header);
  return status;
}

static MbStatus put_times(MbExporter *e, MbZip *zip, MbWalk *walk) {
  char shape[32];
  snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)e->frames.count);
  MbStatus status = begin_array(e, zip, "time", "<f8", shape, e->frames.count * sizeof(double));
  for (uint64_t i = mb_frames_next(&e->frames, 0); i < e->frames.span && status == MB_OK && !e->failure;
       i = mb_frames_next(&e->frames, i + 1)) {
    double time = 0;
    const double *frame = NULL;
    status = mb_walk_frame(walk, mb_frames_at(&e->frames, i), &time, &frame, e->report);
    if (status == MB_OK) mb_zip_bytes(zip, &time, sizeof time);
  }
  if (status == MB_OK) mb_zip_end(zip);
  return status;
}

static MbStatus put_channel(MbExporter *e, MbZip *zip, MbWalk *walk, const MbChannel *c) {
  const size_t n = c->items * c->width;
  const unsigned long long frames = (unsigned long long)e->frames.count;
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(e->frames.count, n * sizeof(double), &bytes))
    return mb_error(e->report, MB_USAGE, "", "%s is too large for an array", c->name);
  char shape[96];
  if (mb_export_flat(c))
    snprintf(shape, sizeof shape, "(%llu, %zu)", frames, c->width);
  else
    snprintf(shape, sizeof shape, "(%llu, %zu, %zu)", frames, c->items, c->width);
  MbStatus status = begin_array(e, zip, c->name, "<f8", shape, bytes);
  for (uint64_t i = mb_frames_next(&e->frames, 0); i < e->frames.span && status == MB_OK && !e->failure;
       i = mb_frames_next(&e->frames, i + 1)) {
    double time = 0;
    const double *frame = NULL;
    status = mb_walk_frame(walk, mb_frames_at(&e->frames, i), &time, &frame, e->report);
    if (status == MB_OK) mb_zip_bytes(zip, frame + c->offset, n * sizeof *frame);
  }
  if (status == MB_OK) mb_zip_end(zip);
  return status;
}

// How many entries the chosen frames have together.
static MbStatus count_entries(MbExporter *e, const MbChannel *c, uint64_t *sum) {
  MbStatus status = MB_OK;
  *sum = 0;
  for (uint64_t i = mb_frames_next(&e->frames, 0); i < e->frames.span && status == MB_OK;
       i = mb_frames_next(&e->frames, i + 1)) {
    const double *x = NULL;
    size_t count = 0;
    status = mb_traj_list(e->traj, mb_frames_at(&e->frames, i), c, &x, &count, e->report);
    *sum += count;
  }
  return status;
}

// The entries of a list, those of all frames one behind the other.
static MbStatus put_entries(MbExporter *e, MbZip *zip, const MbChannel *c) {
  static const char ending[] = ".entries";
  uint64_t sum = 0, bytes = 0;
  char shape[64], name[NAME_MOST + sizeof ending];
  MbStatus status = count_entries(e, c, &sum);
  if (status != MB_OK) return status;
  if (__builtin_mul_overflow(sum, c->list->width * sizeof(double), &bytes))
    return mb_error(e->report, MB_USAGE, "", "%s is too large for an array", c->name);
  snprintf(shape, sizeof shape, "(%llu, %zu)", (unsigned long long)sum, c->list->width);
  snprintf(name, sizeof name, "%.*s%s", (int)NAME_MOST, c->name, ending);
  status = begin_array(e, zip, name, "<f8", shape, bytes);
  for (uint64_t i = mb_frames_next(&e->frames, 0); i < e->frames.span && status == MB_OK && !e->failure;
       i = mb_frames_next(&e->frames, i + 1)) {
    const double *x = NULL;
    size_t count = 0;
    status = mb_traj_list(e->traj, mb_frames_at(&e->frames, i), c, &x, &count, e->report);
    if (status == MB_OK && count) mb_zip_bytes(zip, x, count * c->list->width * sizeof *x);
  }
  if (status == MB_OK) mb_zip_end(zip);
  return status;
}

MbStatus mb_export_npz(MbExporter *e) {
  MbZip zip = {.put = put_to_exporter, .to = e};
  bool *wanted = mb_calloc(e->nchannels, sizeof *wanted); // one channel at a time
  if (!wanted) return mb_no_memory(e->report, "the export");
  MbStatus status = put_header_array(e, &zip);

  // a walk of its own for each member: one array is one member, so all frames are read for each
  for (size_t i = 0; i <= e->nchosen && status == MB_OK && !e->failure; i++) {
    MbWalk walk = {0};
    if (i) wanted[e->chosen[i - 1]] = true;
    status = mb_walk_begin(&walk, e->traj, wanted, e->report);
    if (status == MB_OK)
      status = i ? put_channel(e, &zip, &walk, &e->channels[e->chosen[i - 1]]) : put_times(e, &zip, &walk);
    mb_walk_end(&walk);
    const MbChannel *c = i ? &e->channels[e->chosen[i - 1]] : NULL;
    if (status == MB_OK && c && c->list) status = put_entries(e, &zip, c);
    if (i) wanted[e->chosen[i - 1]] = false;
  }
  if (status == MB_OK) mb_zip_finish(&zip);
  mb_zip_free(&zip);
  mb_free(wanted);
  return status;
}
