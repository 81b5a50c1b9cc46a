#include "io/trajectory/traj_record.h"
#include "core/base/alloc.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>
#include <zlib.h>

uint32_t mb_crc32(const void *bytes, size_t size) { return size ? (uint32_t)crc32_z(0, bytes, size) : 0; }

uint64_t mb_record_extent(const MbRecord *record) { return MB_TRAJ_RECORD_HEADER + mb_pad8(record->length); }

void mb_record_put_header(unsigned char out[MB_TRAJ_RECORD_HEADER], const MbRecord *record) {
  mb_put32(out, record->tag);
  mb_put32(out + 4, record->flags);
  mb_put64(out + 8, record->length);
  mb_put32(out + 16, record->crc);
  mb_put32(out + 20, mb_crc32(out, 20));
}

static bool tag_is_sane(const unsigned char *p) {
  for (int k = 0; k < 4; k++)
    if (!((p[k] >= 'A' && p[k] <= 'Z') || (p[k] >= '0' && p[k] <= '9'))) return false;
  return true;
}

bool mb_record_get_header(const unsigned char in[MB_TRAJ_RECORD_HEADER], MbRecord *record) {
  if (!tag_is_sane(in) || mb_get32(in + 20) != mb_crc32(in, 20)) return false;
  record->tag = mb_get32(in);
  record->flags = mb_get32(in + 4);
  record->length = mb_get64(in + 8);
  record->crc = mb_get32(in + 16);
  return record->length < (uint64_t)1 << 62;
}

void mb_record_name(uint32_t tag, char name[5]) {
  for (int k = 0; k < 4; k++) name[k] = (char)(tag >> 8 * k & 0x7f);
  name[4] = 0;
}

int mb_read_at(int fd, uint64_t offset, void *bytes, size_t size) {
  unsigned char *p = bytes;
  while (size) {
    const ssize_t n = pread(fd, p, size < INT_MAX ? size : INT_MAX, (off_t)offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return -1;
    p += n;
    offset += (uint64_t)n;
    size -= (size_t)n;
  }
  return 0;
}

int mb_write_all(int fd, const void *bytes, size_t size) {
  const unsigned char *p = bytes;
  while (size) {
    const ssize_t n = write(fd, p, size < INT_MAX ? size : INT_MAX);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return ENOSPC;
    p += n;
    size -= (size_t)n;
  }
  return 0;
}

static void *door_alloc(void *opaque, uInt count, uInt size) {
  (void)opaque;
  return mb_calloc(count, size);
}
static void door_free(void *opaque, void *block) {
  (void)opaque;
  mb_free(block);
}

unsigned char *mb_record_deflate(const void *content, size_t size, size_t *length) {
  if (size > MB_TRAJ_RAW_MAX) return NULL;
  z_stream z = {.zalloc = door_alloc, .zfree = door_free};
  if (deflateInit(&z, 6) != Z_OK) return NULL;
  const size_t room = deflateBound(&z, size);
  unsigned char *payload = mb_calloc(room + 8, 1);
  if (payload) {
    mb_put64(payload, size);
    z.next_in = (unsigned char *)(uintptr_t)content;
    z.avail_in = (uInt)size;
    z.next_out = payload + 8;
    z.avail_out = (uInt)room;
    deflate(&z, Z_FINISH); // cannot fail: the room is deflateBound's
    *length = 8 + (size_t)z.total_out;
  }
  deflateEnd(&z);
  return payload;
}

// Inflates exactly `size` bytes from a stream of exactly `length` bytes.
static bool inflate_whole(const unsigned char *stream, size_t length, unsigned char *out, size_t size) {
  z_stream z = {.zalloc = door_alloc, .zfree = door_free};
  if (inflateInit(&z) != Z_OK) return false;
  unsigned char none = 0;
  z.next_in = (unsigned char *)(uintptr_t)stream;
  z.avail_in = (uInt)length;
  z.next_out = size ? out : &none;
  z.avail_out = (uInt)size;
  const bool good = inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_in == 0 && z.avail_out == 0;
  inflateEnd(&z);
  return good;
}

unsigned char *mb_record_content(const MbRecord *record, const unsigned char *payload, uint64_t limit,
                                 size_t *size, const char **why) {
  enum { DEFLATE_RATIO = 1032 }; // no deflate stream grows by more
  const bool deflated = record->flags == MB_RECORD_DEFLATED;
  if (record->flags && !deflated) return *why = "has flags of a newer format", NULL;
  if (deflated && record->length < 8) return *why = "is too short", NULL;
  const uint64_t raw = deflated ? mb_get64(payload) : record->length;
  if (raw > limit) return *why = "is larger than the limit for its kind", NULL;
  if (deflated && (raw > (record->length - 8) * DEFLATE_RATIO || record->length > UINT_MAX))
    return *why = "claims a size that its data cannot have", NULL;

  unsigned char *content = mb_calloc(raw + 1, 1);
  if (!content) return *why = "does not fit in memory", NULL;
  if (!deflated) {
    if (raw) memcpy(content, payload, raw);
  } else if (!inflate_whole(payload + 8, (size_t)record->length - 8, content, (size_t)raw)) {
    mb_free(content);
    return *why = "does not inflate to the size it claims", NULL;
  }
  *size = (size_t)raw;
  return content;
}
