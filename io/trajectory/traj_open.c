// Opening a trajectory: its head, then the index at its end, or, where that is missing or damaged, a scan of all records.
#include "io/trajectory/traj_reader.h"
#include "core/base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

bool mb_record_load(int fd, uint64_t file_bytes, uint64_t offset, uint64_t length, MbRecord *record,
                    unsigned char **block, size_t *room, const char **why) {
  unsigned char header[MB_TRAJ_RECORD_HEADER];
  *why = "lies beyond the end of the file";
  if (offset > file_bytes || file_bytes - offset < sizeof header) return false;
  *why = "cannot be read";
  if (mb_read_at(fd, offset, header, sizeof header)) return false;
  *why = "has a damaged header";
  if (!mb_record_get_header(header, record)) return false;
  record->offset = offset;
  *why = "is not the one that the index means";
  if (length && mb_record_extent(record) != length) return false;
  *why = "is cut off";
  if (record->length > file_bytes - offset - sizeof header) return false;
  const int error = mb_payload_load(fd, record, block, room);
  *why = error == ENOMEM ? "does not fit in memory" : "cannot be read";
  if (error) return false;
  *why = "is damaged: its checksum is wrong";
  return mb_crc32(*block, (size_t)record->length) == record->crc;
}

// ---- the head ---------------------------------------------------------------------------------------------

static MbStatus open_file(MbTraj *t, const char *path, MbReport *report) {
  struct stat stat = {0};
  t->fd = open(path, O_RDONLY | O_CLOEXEC);
  if (t->fd < 0 || fstat(t->fd, &stat))
    return mb_error(report, MB_IO, "", "cannot open %s: %s", path, strerror(errno));
  if (!S_ISREG(stat.st_mode))
    return mb_error(report, MB_IO, "", "cannot open %s: it is not a regular file", path);
  t->file_bytes = (uint64_t)stat.st_size;
  const char *why = NULL;
  if (!mb_file_header_check(t->fd, t->file_bytes, &t->version, &why))
    return mb_error(report, MB_IO, "", "%s %s", path, why);
  return MB_OK;
}

static MbStatus read_head(MbTraj *t, MbReport *report) {
  MbRecord record;
  const char *why = NULL;
  size_t size = 0;
  unsigned char *content = NULL;
  bool good = mb_record_load(t->fd, t->file_bytes, MB_TRAJ_FILE_HEADER, 0, &record, &t->payload,
                             &t->payload_room, &why);
  if (good && record.tag != MB_TAG_HEAD) {
    why = "is missing";
    good = false;
  }
  if (good) content = mb_record_content(&record, t->payload, MB_TRAJ_TEXT_MAX, &size, &why);
  good = content && mb_head_read((const char *)content, size, t->version, &t->head, &why);
  mb_free(content);
  if (!good) return mb_error(report, MB_IO, "", "the head of %s %s", t->path, why);
  t->decoded = mb_calloc(t->head.nchannels, sizeof *t->decoded);
  if (!t->decoded || !mb_chunk_layout(t->head.channels, t->head.nchannels, t->head.frame_size, &t->layout))
    return mb_no_memory(report, "the channels of a trajectory");
  t->lists = mb_calloc(t->layout.nlists, sizeof *t->lists);
  t->list_work = mb_list_work_create(false);
  return t->lists && t->list_work ? MB_OK : mb_no_memory(report, "the channels of a trajectory");
}

// ---- the index --------------------------------------------------------------------------------------------

// The index by way of the trailer; false when either is missing or damaged.
static bool read_index(MbTraj *t, const char **why) {
  unsigned char trailer[MB_TRAJ_TRAILER];
  uint64_t at = 0, frames = 0;
  *why = "has no trailer: it was cut off or not closed";
  if (t->file_bytes < MB_TRAJ_FILE_HEADER + sizeof trailer ||
      mb_read_at(t->fd, t->file_bytes - sizeof trailer, trailer, sizeof trailer) ||
      !mb_trailer_parse(trailer, &at, &frames))
    return false;
  MbRecord record;
  const char *unused = NULL;
  *why = "has a damaged index";
  if (!mb_record_load(t->fd, t->file_bytes, at, 0, &record, &t->payload, &t->payload_room, &unused))
    return false;
  if (record.tag != MB_TAG_INDX || record.flags ||
      at + mb_record_extent(&record) + sizeof trailer != t->file_bytes)
    return false;
  if (!mb_index_unpack(t->payload, (size_t)record.length, at, &t->index, &unused)) return false;
  if (mb_index_frames(&t->index) == frames) return true;
  mb_index_free(&t->index);
  return false;
}

// Takes one whole record into the index that the scan makes.
static bool take_record(MbTraj *t, const MbScan *scan, MbReport *report) {
  const MbRecord *r = &scan->record;
  if (r->tag == MB_TAG_HEAD || r->tag == MB_TAG_INDX) return true;
  if (r->tag != MB_TAG_CHNK) return mb_index_add_other(&t->index, r);
  MbChunk c;
  const char *why = "uses flags of a newer format";
  if (r->flags || !mb_chunk_parse(&t->layout, scan->payload, (size_t)r->length, &c, &why)) {
    mb_warning(report, "", "%s: the chunk at byte %" PRIu64 " %s; it is left out", t->path, r->offset, why);
    return true;
  }
  if (c.first < mb_index_frames(&t->index)) {
    mb_warning(report, "", "%s: the chunk at byte %" PRIu64 " holds frames that came before; it is left out",
               t->path, r->offset);
    return true;
  }
  const MbTrajChunkInfo info = {.first = c.first,
                                .count = c.count,
                                .offset = r->offset,
                                .length = mb_record_extent(r),
                                .t0 = mb_get_double(c.times),
                                .t1 = mb_get_double(c.times + 8 * (c.count - 1))};
  return mb_index_add_chunk(&t->index, &info);
}

static MbStatus scan_file(MbTraj *t, MbReport *report) {
  MbScan scan = mb_scan_begin(t->fd, t->file_bytes);
  bool memory = true;
  MbScanStep step = MB_SCAN_END;
  while (memory && (step = mb_scan_next(&scan)) != MB_SCAN_END && step != MB_SCAN_FAILED) {
    if (step == MB_SCAN_RECORD) memory = take_record(t, &scan, report);
    mb_scan_warn(&scan, step, t->path, report);
  }
  mb_scan_end(&scan);
  if (!memory || scan.error == ENOMEM) return mb_no_memory(report, "the index of a trajectory");
  if (step == MB_SCAN_FAILED)
    return mb_error(report, MB_IO, "", "cannot read %s: %s", t->path,
                    scan.error > 0 ? strerror(scan.error) : "it became shorter meanwhile");
  return MB_OK;
}

static MbStatus find_records(MbTraj *t, MbReport *report) {
  const char *why = NULL;
  t->whole = t->indexed = read_index(t, &why);
  if (!t->whole) {
    const MbStatus status = scan_file(t, report);
    if (status) return status;
    uint64_t there = 0;
    for (size_t i = 0; i < t->index.nchunks; i++) there += t->index.chunks[i].count;
    mb_warning(report, "", "%s %s; %" PRIu64 " frames in %zu chunk%s are there", t->path, why, there,
               t->index.nchunks, t->index.nchunks == 1 ? "" : "s");
  }
  if (!mb_index_gaps(&t->index, &t->gaps, &t->ngaps)) return mb_no_memory(report, "the gaps of a trajectory");
  if (t->ngaps) t->whole = false;
  for (size_t i = 0; i < t->ngaps; i++) mb_gap_warn(t->path, t->gaps[i], report);
  return MB_OK;
}

// ---- open and free ----------------------------------------------------------------------------------------

MbStatus mb_traj_open(const char *path, MbTraj **traj, MbReport *report) {
  *traj = NULL;
  MbTraj *t = mb_calloc(1, sizeof *t);
  if (!t) return mb_no_memory(report, "a trajectory");
  t->fd = -1;
  t->chunk_at = SIZE_MAX;
  t->path = mb_strdup(path);
  MbStatus status = t->path ? open_file(t, path, report) : mb_no_memory(report, "a trajectory");
  if (!status) status = read_head(t, report);
  if (!status) status = find_records(t, report);
  if (!status) status = mb_traj_load_sides(t, report);
  if (status) {
    mb_traj_free(t);
    return status;
  }
  *traj = t;
  return MB_OK;
}

void mb_traj_free(MbTraj *t) {
  if (!t) return;
  if (t->fd >= 0) close(t->fd);
  mb_traj_free_sides(t);
  mb_index_free(&t->index);
  for (size_t i = 0; t->lists && i < t->layout.nlists; i++) {
    mb_free(t->lists[i].entries);
    mb_free(t->lists[i].start);
  }
  mb_free(t->lists);
  mb_list_work_free(t->list_work);
  mb_chunk_layout_free(&t->layout);
  mb_head_free(&t->head);
  mb_codec_free(t->codec);
  mb_free(t->payload);
  mb_free(t->frames);
  mb_free(t->decoded);
  mb_free(t->sizes);
  mb_free(t->gaps);
  mb_free(t->path);
  mb_free(t);
}

bool mb_traj_whole(const MbTraj *t) { return t->whole; }
const char *mb_traj_path(const MbTraj *t) { return t->path; }
uint64_t mb_traj_file_bytes(const MbTraj *t) { return t->file_bytes; }
const char *mb_traj_head_json(const MbTraj *t) { return t->head.text; }
const char *mb_traj_scene_json(const MbTraj *t) { return t->head.scene; }
double mb_traj_step(const MbTraj *t) { return t->head.step; }
double mb_traj_constraint_bound(const MbTraj *t, double *patience) {
  *patience = t->head.constraint_patience;
  return t->head.constraint_bound;
}
const MbChannel *mb_traj_channels(const MbTraj *t, size_t *count) {
  *count = t->head.nchannels;
  return t->head.channels;
}
double mb_traj_bound(const MbTraj *t, size_t channel) { return t->head.bound[channel]; }
double mb_traj_field_bound(const MbTraj *t, size_t channel, size_t field) {
  return t->head.fields[channel][field];
}
size_t mb_traj_frame_size(const MbTraj *t) { return t->head.frame_size; }
uint64_t mb_traj_frames(const MbTraj *t) { return mb_index_frames(&t->index); }
size_t mb_traj_chunks(const MbTraj *t) { return t->index.nchunks; }
MbTrajChunkInfo mb_traj_chunk(const MbTraj *t, size_t i) { return t->index.chunks[i]; }
