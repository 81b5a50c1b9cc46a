#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/export_parts.h"
#include "io/export/zip_stream.h"

#include <assert.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are written as they lie in memory");

enum { ALIGN = 64, HEADER = 256, NAME_MOST = 1 << 12 };

static void put_to_exporter(void *to, const void *bytes, size_t size) { mb_put(to, bytes, size); }

// The .npy header, padded so that the numbers begin at a multiple of 64 bytes. Returns its length.
static size_t array_header(char header[HEADER], const char *type, const char *shape) {
  static const char magic[] = "\x93NUMPY\x01"; // and a 0: version 1.0
  memcpy(header, magic, sizeof magic);
  const size_t start = sizeof magic + 2;
  const int n = snprintf(header + start, HEADER - start,
                         "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
  size_t length = start + (size_t)n;
  while ((length + 1) % ALIGN) header[length++] = ' ';
  header[length++] = '\n';
  header[sizeof magic] = (char)((length - start) & 0xff);
  header[sizeof magic + 1] = (char)((length - start) >> 8);
  return length;
}

// Begins the member `name`.npy with `bytes` of numbers to follow.
static MbStatus begin_array(MbExporter *e, MbZip *zip, const char *name, const char *type, const char *shape,
                            uint64_t bytes) {
  char header[HEADER];
  const size_t length = array_header(header, type, shape);
  const size_t n = strlen(name);
  if (n > NAME_MOST)
    return mb_error(e->report, MB_USAGE, "", "the name of channel %.40s... is too long", name);
  char *file = mb_calloc(n + sizeof ".npy", 1);
  if (!file) return mb_no_memory(e->report, "the export");
  memcpy(file, name, n);
  memcpy(file + n, ".npy", sizeof ".npy");
  const bool begun = mb_zip_begin(zip, file, length + bytes);
  mb_free(file);
  if (!begun) return mb_no_memory(e->report, "the export");
  mb_zip_bytes(zip, header, length);
  return MB_OK;
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
    if (i) wanted[e->chosen[i - 1]] = false;
  }
  if (status == MB_OK) mb_zip_finish(&zip);
  mb_zip_free(&zip);
  mb_free(wanted);
  return status;
}
