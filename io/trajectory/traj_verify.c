#include "io/trajectory/traj_reader.h"
#include "core/base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

// One pass over a file that accepts nothing out of place.
typedef struct Verifier {
  const char *path;
  MbReport *report;
  MbStatus status;
  MbScan scan;
  MbHeadInfo head;
  MbChunkLayout layout;
  bool headed, indexed, ended;
  MbIndex index;     // of what was met
  uint64_t index_at; // where INDX was met
  MbCodec *codec;
  size_t codec_numbers;
  MbListWork *lists;
  uint32_t version;
} Verifier;

static void complain(Verifier *v, const char *what, uint64_t at, const char *why) {
  v->status = mb_error(v->report, MB_IO, "", "%s: the %s at byte %" PRIu64 " %s", v->path, what, at, why);
}

static bool check_head(Verifier *v, const char **why) {
  size_t size = 0;
  if (v->headed) return *why = "is a second one", false;
  if (v->scan.begin != MB_TRAJ_FILE_HEADER) return *why = "is not the first record", false;
  unsigned char *content = mb_record_content(&v->scan.record, v->scan.payload, MB_TRAJ_TEXT_MAX, &size, why);
  v->headed = content && mb_head_read((const char *)content, size, v->version, &v->head, why);
  mb_free(content);
  if (!v->headed) return false;
  *why = "does not fit in memory";
  v->lists = mb_list_work_create(false);
  return v->lists && mb_chunk_layout(v->head.channels, v->head.nchannels, v->head.frame_size, &v->layout);
}

static bool check_chunk(Verifier *v, const char **why) {
  MbChunk c;
  if (!v->headed) return *why = "comes without a head before it", false;
  if (v->scan.record.flags) return *why = "uses flags of a newer format", false;
  if (!mb_chunk_parse(&v->layout, v->scan.payload, (size_t)v->scan.record.length, &c, why)) return false;
  const size_t numbers = c.count * v->layout.most_cols;
  if (!v->codec || numbers > v->codec_numbers) {
    mb_codec_free(v->codec);
    v->codec = mb_codec_create(false, numbers, v->layout.most_cols);
    v->codec_numbers = numbers;
    if (!v->codec) return *why = "does not fit in memory", false;
  }
  if (!mb_chunk_check(v->codec, v->lists, &v->layout, &c, why)) return false;
  const MbTrajChunkInfo info = {.first = c.first,
                                .count = c.count,
                                .offset = v->scan.begin,
                                .length = mb_record_extent(&v->scan.record),
                                .t0 = mb_get_double(c.times),
                                .t1 = mb_get_double(c.times + 8 * (c.count - 1))};
  const MbTrajChunkInfo *last = v->index.nchunks ? &v->index.chunks[v->index.nchunks - 1] : NULL;
  const uint64_t expected = mb_index_frames(&v->index);
  if (!mb_index_add_chunk(&v->index, &info)) return *why = "does not fit in memory", false;
  *why = "holds frames that came before";
  if (c.first < expected) return false;
  if (c.first > expected) mb_gap_warn(v->path, (MbTrajGap){expected, c.first - expected}, v->report);
  *why = "has times that do not follow those before";
  return !last || info.t0 > v->index.chunks[v->index.nchunks - 2].t1;
}

static bool check_index(Verifier *v, const char **why) {
  size_t size = 0;
  if (v->indexed) return *why = "is a second one", false;
  v->indexed = true;
  v->index_at = v->scan.begin;
  if (v->scan.record.flags) return *why = "uses flags of a newer format", false;
  unsigned char *expected = mb_index_pack(&v->index, &size);
  if (!expected) return *why = "does not fit in memory", false;
  const bool same = size == v->scan.record.length && !memcmp(expected, v->scan.payload, size);
  mb_free(expected);
  *why = "does not list what the file holds";
  return same;
}

// MESH, EVNT, CKPT, PROV, DRAW and unknown ones.
static bool check_other(Verifier *v, const char **why) {
  const MbRecord *r = &v->scan.record;
  if (!mb_index_add_other(&v->index, r)) return *why = "does not fit in memory", false;
  const bool text = r->tag == MB_TAG_PROV || r->tag == MB_TAG_EVNT || r->tag == MB_TAG_DRAW;
  if (!text && r->tag != MB_TAG_MESH && r->tag != MB_TAG_CKPT) return true;
  size_t size = 0;
  unsigned char *content =
      mb_record_content(r, v->scan.payload, text ? MB_TRAJ_TEXT_MAX : MB_TRAJ_RAW_MAX, &size, why);
  if (!content) return false;
  bool good = true;
  *why = "has a content that makes no sense";
  if (r->tag == MB_TAG_EVNT) {
    MbTrajEvent event;
    good = mb_event_unpack(content, size, &event);
  } else if (r->tag == MB_TAG_CKPT) {
    good = size >= MB_TRAJ_CHECKPOINT_HEADER;
  } else if (r->tag == MB_TAG_MESH) {
    MbTrajMesh mesh;
    void *block = NULL;
    good = mb_mesh_unpack(content, size, &mesh, &block, why);
    mb_free(block);
  }
  mb_free(content);
  return good;
}

static void check_record(Verifier *v) {
  char name[16];
  const char *why = "is not followed by zeros up to the next multiple of 8";
  const uint32_t tag = v->scan.record.tag;
  mb_record_name(tag, name);
  memcpy(name + 4, " record", 8);
  if (!v->scan.padding) complain(v, name, v->scan.begin, why);
  if (v->indexed) complain(v, name, v->scan.begin, "stands behind the index");
  const bool good = tag == MB_TAG_HEAD   ? check_head(v, &why)
                    : tag == MB_TAG_CHNK ? check_chunk(v, &why)
                    : tag == MB_TAG_INDX ? check_index(v, &why)
                                         : check_other(v, &why);
  if (!good) complain(v, name, v->scan.begin, why);
}

static void check_trailer(Verifier *v) {
  v->ended = true;
  if (!v->indexed || v->scan.index_at != v->index_at)
    complain(v, "trailer", v->scan.begin, "does not name the place of the index");
  if (v->scan.frames != mb_index_frames(&v->index))
    complain(v, "trailer", v->scan.begin, "does not give the number of frames that are there");
}

static void walk(Verifier *v) {
  for (;;) {
    char name[16];
    const MbScanStep step = mb_scan_next(&v->scan);
    if (step == MB_SCAN_END) return;
    if (step == MB_SCAN_FAILED) {
      const int error = v->scan.error;
      v->status = mb_error(v->report, MB_IO, "", "cannot read %s: %s", v->path,
                           error > 0 ? strerror(error) : "it became shorter meanwhile");
      return;
    }
    if (step == MB_SCAN_RECORD) check_record(v);
    if (step == MB_SCAN_TRAILER) check_trailer(v);
    if (step == MB_SCAN_DAMAGED || step == MB_SCAN_CUT) {
      mb_record_name(v->scan.record.tag, name);
      memcpy(name + 4, " record", 8);
      complain(v, name, v->scan.begin,
               step == MB_SCAN_CUT ? "is cut off" : "is damaged: its checksum is wrong");
    }
    if (step == MB_SCAN_GAP) complain(v, "bytes", v->scan.begin, "are no whole record");
  }
}

MbStatus mb_traj_verify(const char *path, MbReport *report) {
  Verifier v = {.path = path, .report = report};
  struct stat stat = {0};
  const char *why = NULL;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &stat) || !S_ISREG(stat.st_mode)) {
    const int error = fd < 0 ? errno : EINVAL;
    if (fd >= 0) close(fd);
    return mb_error(report, MB_IO, "", "cannot open %s: %s", path, strerror(error));
  }
  v.scan = mb_scan_begin(fd, (uint64_t)stat.st_size);
  if (!mb_file_header_check(fd, v.scan.size, &v.version, &why)) {
    v.status = mb_error(report, MB_IO, "", "%s %s", path, why);
  } else {
    walk(&v);
    if (!v.headed) v.status = mb_error(report, MB_IO, "", "%s has no head", path);
    if (!v.ended)
      v.status = mb_error(report, MB_IO, "", "%s has no trailer: it was cut off or not closed", path);
  }
  mb_scan_end(&v.scan);
  mb_index_free(&v.index);
  mb_chunk_layout_free(&v.layout);
  mb_head_free(&v.head);
  mb_codec_free(v.codec);
  mb_list_work_free(v.lists);
  close(fd);
  return v.status;
}
