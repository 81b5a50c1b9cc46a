#include "io/trajectory/traj_reader.h"
#include "io/trajectory/traj_output.h"
#include "core/base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

// A repair under way.
typedef struct Repair {
  MbTraj *traj;
  MbOutput *output;
  uint64_t listed; // numbers of lists in the chunks that were copied
} Repair;

static uint64_t count_listed(const MbTraj *t, const MbChunk *chunk) {
  uint64_t sum = 0;
  for (size_t i = 0; i < t->layout.nlists; i++) {
    MbListPlace place;
    const char *unused = NULL;
    if (mb_chunk_find_list(&t->layout, chunk, i, &place, &unused))
      sum += place.entries * t->layout.list[i].width;
  }
  return sum;
}

// Copies one whole record; a chunk only where it follows the frames before.
static MbStatus copy_record(Repair *repair, const MbScan *scan, MbReport *report) {
  const MbTraj *t = repair->traj;
  MbOutput *output = repair->output;
  const MbRecord *r = &scan->record;
  if (r->tag == MB_TAG_INDX || (r->tag == MB_TAG_HEAD && scan->begin != MB_TRAJ_FILE_HEADER)) return MB_OK;
  MbTrajChunkInfo info = {0};
  if (r->tag == MB_TAG_CHNK) {
    MbChunk c;
    const char *why = "uses flags of a newer format";
    bool good = !r->flags && mb_chunk_parse(&t->layout, scan->payload, (size_t)r->length, &c, &why);
    if (good && c.first < mb_index_frames(&output->index)) {
      good = false;
      why = "holds frames that came before";
    }
    if (!good && t->indexed) // else opening has warned of it
      mb_warning(report, "", "%s: the chunk at byte %" PRIu64 " %s; it is left out", t->path, r->offset, why);
    if (!good) return MB_OK;
    repair->listed += count_listed(t, &c);
    info = (MbTrajChunkInfo){.first = c.first,
                             .count = c.count,
                             .t0 = mb_get_double(c.times),
                             .t1 = mb_get_double(c.times + 8 * (c.count - 1))};
  }
  return mb_output_record(output, r->tag, r->flags, scan->payload, (size_t)r->length,
                          r->tag == MB_TAG_CHNK ? &info : NULL, report);
}

static MbStatus copy_all(Repair *repair, MbReport *report) {
  const MbTraj *t = repair->traj;
  MbScan scan = mb_scan_begin(t->fd, t->file_bytes);
  MbStatus status = MB_OK;
  MbScanStep step = MB_SCAN_END;
  while (!status && (step = mb_scan_next(&scan)) != MB_SCAN_END && step != MB_SCAN_FAILED) {
    if (step == MB_SCAN_RECORD) status = copy_record(repair, &scan, report);
    if (t->indexed) mb_scan_warn(&scan, step, t->path, report);
  }
  if (!status && step == MB_SCAN_FAILED)
    status = mb_error(report, MB_IO, "", "cannot read %s: %s", t->path,
                      scan.error > 0 ? strerror(scan.error) : "it became shorter meanwhile");
  mb_scan_end(&scan);
  return status ? status : mb_output_finish(repair->output, report);
}

// Frames that the source's index promised and its chunks did not hold.
static MbStatus warn_of_gaps(const MbTraj *t, const MbOutput *output, MbReport *report) {
  MbTrajGap *gaps = NULL;
  size_t count = 0;
  if (!t->indexed) return MB_OK; // opening has warned of them
  if (!mb_index_gaps(&output->index, &gaps, &count)) return mb_no_memory(report, "the gaps of a trajectory");
  size_t k = 0;
  for (size_t i = 0; i < count; i++) {
    while (k < t->ngaps && t->gaps[k].first < gaps[i].first) k++;
    const bool known = k < t->ngaps && t->gaps[k].first == gaps[i].first && t->gaps[k].count == gaps[i].count;
    if (!known) mb_gap_warn(t->path, gaps[i], report);
  }
  mb_free(gaps);
  const uint64_t end = mb_index_frames(&output->index), promised = mb_traj_frames(t);
  if (end < promised) mb_gap_warn(t->path, (MbTrajGap){end, promised - end}, report);
  return MB_OK;
}

static void count(const Repair *repair, MbTrajCounts *counts) {
  const MbOutput *output = repair->output;
  *counts = (MbTrajCounts){.chunks = output->index.nchunks, .file_bytes = output->offset};
  for (size_t i = 0; i < output->index.nchunks; i++) counts->frames += output->index.chunks[i].count;
  counts->raw_bytes = 8 * (counts->frames * (repair->traj->head.frame_size + 1) + repair->listed);
}

static MbStatus repair_into(MbTraj *t, MbOutput *output, MbTrajCounts *counts, MbReport *report) {
  Repair repair = {.traj = t, .output = output};
  MbStatus status = copy_all(&repair, report);
  if (!status) status = warn_of_gaps(t, output, report);
  if (!status && counts) count(&repair, counts);
  return status;
}

MbStatus mb_traj_repair(const char *source, const char *target, MbTrajCounts *counts, MbReport *report) {
  MbTraj *t = NULL;
  MbOutput output = {.fd = -1};
  MbStatus status = mb_traj_open(source, &t, report);
  if (status) return status;
  status = mb_output_create(target, t->version, &output, report);
  const bool created = output.fd >= 0;
  if (!status) status = repair_into(t, &output, counts, report);
  const MbStatus closed = mb_output_close(&output, status ? NULL : report);
  if (!status) status = closed;
  if (status && created) unlink(target); // half a repair is of no use
  mb_traj_free(t);
  return status;
}

MbStatus mb_traj_repair_into(const char *source, int fd, const char *name, MbTrajCounts *counts,
                             MbReport *report) {
  MbTraj *t = NULL;
  MbOutput output = {.fd = -1};
  MbStatus status = mb_traj_open(source, &t, report);
  if (status) return status;
  const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  status = own < 0 ? mb_error(report, MB_IO, "", "cannot write %s: %s", name, strerror(errno))
                   : mb_output_begin(own, name, t->version, &output, report);
  if (!status) status = repair_into(t, &output, counts, report);
  const MbStatus closed = mb_output_close(&output, status ? NULL : report);
  mb_traj_free(t);
  return status ? status : closed;
}
