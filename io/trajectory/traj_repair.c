#include "io/trajectory/traj_reader.h"
#include "io/trajectory/traj_output.h"
#include "core/base/alloc.h"

#include <inttypes.h>
#include <unistd.h>

// Copies one whole record; a chunk only where it follows the frames before.
static MbStatus copy_record(MbTraj *t, const MbScan *scan, MbOutput *output, MbReport *report) {
  const MbRecord *r = &scan->record;
  if (r->tag == MB_TAG_INDX || (r->tag == MB_TAG_HEAD && scan->begin != MB_TRAJ_FILE_HEADER)) return MB_OK;
  MbTrajChunkInfo info = {0};
  if (r->tag == MB_TAG_CHNK) {
    MbChunk c;
    const char *why = NULL;
    if (r->flags || !mb_chunk_parse(&t->layout, scan->payload, (size_t)r->length, &c, &why) ||
        c.first < mb_index_frames(&output->index))
      return MB_OK; // opening has warned of it
    info = (MbTrajChunkInfo){.first = c.first,
                             .count = c.count,
                             .t0 = mb_get_double(c.times),
                             .t1 = mb_get_double(c.times + 8 * (c.count - 1))};
  }
  return mb_output_record(output, r->tag, r->flags, scan->payload, (size_t)r->length,
                          r->tag == MB_TAG_CHNK ? &info : NULL, report);
}

static MbStatus copy_all(MbTraj *t, MbOutput *output, MbReport *report) {
  MbScan scan = mb_scan_begin(t->fd, t->file_bytes);
  MbStatus status = MB_OK;
  MbScanStep step = MB_SCAN_END;
  while (!status && (step = mb_scan_next(&scan)) != MB_SCAN_END && step != MB_SCAN_FAILED)
    if (step == MB_SCAN_RECORD) status = copy_record(t, &scan, output, report);
  if (!status && step == MB_SCAN_FAILED)
    status = mb_error(report, MB_IO, "", "cannot read %s: %s", t->path,
                      scan.error > 0 ? strerror(scan.error) : "it became shorter meanwhile");
  mb_scan_end(&scan);
  return status ? status : mb_output_finish(output, report);
}

static void count(const MbTraj *t, const MbOutput *output, MbTrajCounts *counts) {
  *counts = (MbTrajCounts){.chunks = output->index.nchunks, .file_bytes = output->offset};
  for (size_t i = 0; i < output->index.nchunks; i++) counts->frames += output->index.chunks[i].count;
  counts->raw_bytes = 8 * counts->frames * (t->head.frame_size + 1);
}

MbStatus mb_traj_repair(const char *source, const char *target, MbTrajCounts *counts, MbReport *report) {
  MbTraj *t = NULL;
  MbOutput output = {.fd = -1};
  MbStatus status = mb_traj_open(source, &t, report);
  if (status) return status;
  status = mb_output_create(target, &output, report);
  const bool created = output.fd >= 0;
  if (!status) status = copy_all(t, &output, report);
  if (!status && counts) count(t, &output, counts);
  const MbStatus closed = mb_output_close(&output, status ? NULL : report);
  if (!status) status = closed;
  if (status && created) unlink(target); // half a repair is of no use
  mb_traj_free(t);
  return status;
}
