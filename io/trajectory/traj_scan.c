#include "io/trajectory/traj_scan.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <errno.h>
#include <inttypes.h>

bool mb_file_header_check(int fd, uint64_t size, uint32_t *version, const char **why) {
  unsigned char header[MB_TRAJ_FILE_HEADER];
  *why = "is not a trajectory (it does not begin with the signature of .mbt files)";
  if (size < sizeof header || mb_read_at(fd, 0, header, sizeof header)) return false;
  if (memcmp(header, MB_TRAJ_MAGIC, 8) != 0) return false;
  *why = "is of a version of the format that this program does not know";
  *version = mb_get32(header + 8);
  if (*version != MB_TRAJ_VERSION && *version != MB_TRAJ_VERSION_LISTS) return false;
  *why = "has flags in its file header, which this version of the format does not know";
  return mb_get32(header + 12) == 0;
}

bool mb_trailer_parse(const unsigned char p[MB_TRAJ_TRAILER], uint64_t *index_at, uint64_t *frames) {
  if (mb_get32(p + 20) != MB_TAG_END || mb_get32(p + 16) != mb_crc32(p, 16)) return false;
  *index_at = mb_get64(p);
  *frames = mb_get64(p + 8);
  return true;
}

int mb_payload_load(int fd, const MbRecord *record, unsigned char **block, size_t *room) {
  if (record->length >= *room) {
    const size_t more = (size_t)record->length + (size_t)record->length / 8 + 256;
    unsigned char *grown = mb_realloc(*block, more, 1);
    if (!grown) return ENOMEM;
    *block = grown;
    *room = more;
  }
  return mb_read_at(fd, record->offset + MB_TRAJ_RECORD_HEADER, *block, (size_t)record->length);
}

MbScan mb_scan_begin(int fd, uint64_t size) {
  return (MbScan){.fd = fd, .size = size, .at = MB_TRAJ_FILE_HEADER};
}

void mb_scan_end(MbScan *scan) {
  mb_free(scan->payload);
  scan->payload = NULL;
  scan->room = 0;
}

void mb_scan_warn(const MbScan *scan, MbScanStep step, const char *path, MbReport *report) {
  char name[5];
  if (step == MB_SCAN_DAMAGED || step == MB_SCAN_CUT) {
    mb_record_name(scan->record.tag, name);
    mb_warning(report, "", "%s: the %s record at byte %" PRIu64 " is %s; it is left out", path, name,
               scan->begin, step == MB_SCAN_CUT ? "cut off" : "damaged");
  }
  if (step == MB_SCAN_GAP)
    mb_warning(report, "", "%s: bytes %" PRIu64 " to %" PRIu64 " are no whole record; they are left out",
               path, scan->begin, scan->at - 1);
}

static bool fits(const MbScan *scan, uint64_t at, const MbRecord *record) {
  return record->length <= scan->size - at - MB_TRAJ_RECORD_HEADER;
}

// Whether a record that fits, or the trailer, or the end of the file stands at `at`.
static bool good_place(const MbScan *scan, uint64_t at) {
  unsigned char bytes[MB_TRAJ_RECORD_HEADER];
  MbRecord record;
  uint64_t unused = 0;
  if (at >= scan->size) return at == scan->size;
  if (scan->size - at < sizeof bytes || mb_read_at(scan->fd, at, bytes, sizeof bytes)) return false;
  if (scan->size - at == MB_TRAJ_TRAILER && mb_trailer_parse(bytes, &unused, &unused)) return true;
  return mb_record_get_header(bytes, &record) && fits(scan, at, &record);
}

// The first good place from `from` on, in steps of 8.
static uint64_t resync(const MbScan *scan, uint64_t from) {
  enum { WINDOW = 1 << 16 };
  unsigned char window[WINDOW];
  while (from < scan->size && scan->size - from >= MB_TRAJ_RECORD_HEADER) {
    const uint64_t left = scan->size - from;
    const size_t n = left < WINDOW ? (size_t)left : WINDOW;
    if (mb_read_at(scan->fd, from, window, n)) return scan->size;
    size_t i = 0;
    for (; i + MB_TRAJ_RECORD_HEADER <= n; i += 8) {
      MbRecord record;
      uint64_t unused = 0;
      if (mb_record_get_header(window + i, &record) && fits(scan, from + i, &record)) return from + i;
      if (left - i == MB_TRAJ_TRAILER && mb_trailer_parse(window + i, &unused, &unused)) return from + i;
    }
    from += i;
  }
  return scan->size;
}

static bool is_padded(const MbScan *scan, uint64_t at, uint64_t length) {
  unsigned char pad[8] = {0};
  const uint64_t n = mb_pad8(length) - length, end = at + MB_TRAJ_RECORD_HEADER + length;
  if (scan->size - end < n || mb_read_at(scan->fd, end, pad, (size_t)n)) return false;
  return mb_get64(pad) == 0;
}

MbScanStep mb_scan_next(MbScan *scan) {
  unsigned char bytes[MB_TRAJ_RECORD_HEADER];
  const uint64_t at = scan->begin = scan->at, left = scan->size - at;
  if (!left) return MB_SCAN_END;
  if (left < sizeof bytes) {
    scan->at = scan->size;
    return MB_SCAN_GAP;
  }
  scan->error = mb_read_at(scan->fd, at, bytes, sizeof bytes);
  if (scan->error) return MB_SCAN_FAILED;
  if (left == MB_TRAJ_TRAILER && mb_trailer_parse(bytes, &scan->index_at, &scan->frames)) {
    scan->at = scan->size;
    return MB_SCAN_TRAILER;
  }
  if (!mb_record_get_header(bytes, &scan->record)) {
    scan->at = resync(scan, at + 8);
    return MB_SCAN_GAP;
  }
  scan->record.offset = at;
  if (!fits(scan, at, &scan->record)) {
    scan->at = resync(scan, at + MB_TRAJ_RECORD_HEADER);
    return MB_SCAN_CUT;
  }
  scan->error = mb_payload_load(scan->fd, &scan->record, &scan->payload, &scan->room);
  if (scan->error) return MB_SCAN_FAILED;
  const uint64_t next = at + mb_record_extent(&scan->record);
  if (mb_crc32(scan->payload, (size_t)scan->record.length) != scan->record.crc) {
    scan->at = good_place(scan, next) ? next : resync(scan, at + MB_TRAJ_RECORD_HEADER);
    return MB_SCAN_DAMAGED;
  }
  scan->padding = is_padded(scan, at, scan->record.length);
  scan->at = next < scan->size ? next : scan->size;
  return MB_SCAN_RECORD;
}
