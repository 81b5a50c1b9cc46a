#include "io/export/zip_stream.h"
#include "core/base/alloc.h"

#include <string.h>
#include <zlib.h>

enum {
  LOCAL = 0x04034b50,
  DESCRIPTOR = 0x08074b50,
  ENTRY = 0x02014b50,
  END = 0x06054b50,
  END64 = 0x06064b50,
  LOCATOR64 = 0x07064b50,
  WIDE_FIELDS = 1, // tag of the extra field with 64-bit sizes
  VERSION = 20,
  VERSION64 = 45,
  SIZE_FOLLOWS = 1 << 3,                  // flag: checksum and size stand behind the bytes
  UTF8 = 1 << 11,                         // flag: of the name
  DATE = (1980 - 1980) << 9 | 1 << 5 | 1, // the first day there is: the archive depends on its content alone
};

// Fields of one record, little endian.
typedef struct Record {
  unsigned char bytes[128];
  size_t used;
} Record;

static void add(Record *r, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) r->bytes[r->used++] = (unsigned char)(value >> 8 * i);
}

static void add2(Record *r, uint64_t value) { add(r, value, 2); }
static void add4(Record *r, uint64_t value) { add(r, value, 4); }
static void add8(Record *r, uint64_t value) { add(r, value, 8); }

static void put(MbZip *zip, const void *bytes, size_t size) {
  zip->put(zip->to, bytes, size);
  zip->offset += size;
}

static bool is_wide(const MbZip *zip, uint64_t value) {
  return value >= (zip->limit ? zip->limit : UINT32_MAX);
}

bool mb_zip_begin(MbZip *zip, const char *name, uint64_t size) {
  if (zip->count == zip->room) {
    const size_t room = zip->room ? 2 * zip->room : 16;
    MbZipMember *grown = mb_realloc(zip->members, room, sizeof *grown);
    if (!grown) return false;
    zip->members = grown;
    zip->room = room;
  }
  MbZipMember *m = &zip->members[zip->count];
  *m = (MbZipMember){.offset = zip->offset, .crc = (uint32_t)crc32(0, NULL, 0), .wide = is_wide(zip, size)};
  m->name = mb_strdup(name);
  if (!m->name) return false;
  zip->count++;

  Record r = {0};
  add4(&r, LOCAL);
  add2(&r, m->wide ? VERSION64 : VERSION);
  add2(&r, SIZE_FOLLOWS | UTF8);
  add2(&r, 0); // stored
  add2(&r, 0); // time
  add2(&r, DATE);
  add4(&r, 0); // checksum and sizes follow
  add4(&r, m->wide ? UINT32_MAX : 0);
  add4(&r, m->wide ? UINT32_MAX : 0);
  add2(&r, strlen(name));
  add2(&r, m->wide ? 20 : 0);
  put(zip, r.bytes, r.used);
  put(zip, name, strlen(name));
  if (!m->wide) return true;
  r.used = 0;
  add2(&r, WIDE_FIELDS);
  add2(&r, 16);
  add8(&r, 0);
  add8(&r, 0);
  put(zip, r.bytes, r.used);
  return true;
}

void mb_zip_bytes(MbZip *zip, const void *bytes, size_t size) {
  MbZipMember *m = &zip->members[zip->count - 1];
  m->crc = (uint32_t)crc32_z(m->crc, bytes, size);
  m->size += size;
  put(zip, bytes, size);
}

void mb_zip_end(MbZip *zip) {
  const MbZipMember *m = &zip->members[zip->count - 1];
  const size_t bytes = m->wide ? 8 : 4;
  Record r = {0};
  add4(&r, DESCRIPTOR);
  add4(&r, m->crc);
  add(&r, m->size, bytes);
  add(&r, m->size, bytes);
  put(zip, r.bytes, r.used);
}

static void put_entry(MbZip *zip, const MbZipMember *m) {
  const bool far = is_wide(zip, m->offset);
  Record extra = {0};
  if (m->wide || far) {
    add2(&extra, WIDE_FIELDS);
    add2(&extra, (m->wide ? 16u : 0u) + (far ? 8u : 0u));
  }
  if (m->wide) add8(&extra, m->size);
  if (m->wide) add8(&extra, m->size);
  if (far) add8(&extra, m->offset);

  const int version = m->wide || far ? VERSION64 : VERSION;
  Record r = {0};
  add4(&r, ENTRY);
  add2(&r, (uint64_t)version);
  add2(&r, (uint64_t)version);
  add2(&r, SIZE_FOLLOWS | UTF8);
  add2(&r, 0); // stored
  add2(&r, 0); // time
  add2(&r, DATE);
  add4(&r, m->crc);
  add4(&r, m->wide ? UINT32_MAX : m->size);
  add4(&r, m->wide ? UINT32_MAX : m->size);
  add2(&r, strlen(m->name));
  add2(&r, extra.used);
  add2(&r, 0); // comment
  add2(&r, 0); // disk
  add2(&r, 0); // attributes
  add4(&r, 0);
  add4(&r, far ? UINT32_MAX : m->offset);
  put(zip, r.bytes, r.used);
  put(zip, m->name, strlen(m->name));
  put(zip, extra.bytes, extra.used);
}

// The end of the directory with 64-bit fields, and where it is.
static void put_end64(MbZip *zip, uint64_t start, uint64_t size) {
  const uint64_t here = zip->offset;
  Record r = {0};
  add4(&r, END64);
  add8(&r, 44); // bytes that follow
  add2(&r, VERSION64);
  add2(&r, VERSION64);
  add4(&r, 0);
  add4(&r, 0);
  add8(&r, zip->count);
  add8(&r, zip->count);
  add8(&r, size);
  add8(&r, start);
  add4(&r, LOCATOR64);
  add4(&r, 0);
  add8(&r, here);
  add4(&r, 1);
  put(zip, r.bytes, r.used);
}

void mb_zip_finish(MbZip *zip) {
  const uint64_t start = zip->offset;
  for (size_t i = 0; i < zip->count; i++) put_entry(zip, &zip->members[i]);
  const uint64_t size = zip->offset - start;
  const bool many = zip->count >= UINT16_MAX, wide = many || is_wide(zip, start) || is_wide(zip, size);
  if (wide) put_end64(zip, start, size);
  Record r = {0};
  add4(&r, END);
  add2(&r, 0);
  add2(&r, 0);
  add2(&r, many ? UINT16_MAX : zip->count);
  add2(&r, many ? UINT16_MAX : zip->count);
  add4(&r, wide ? UINT32_MAX : size);
  add4(&r, wide ? UINT32_MAX : start);
  add2(&r, 0);
  put(zip, r.bytes, r.used);
}

void mb_zip_free(MbZip *zip) {
  for (size_t i = 0; i < zip->count; i++) mb_free(zip->members[i].name);
  mb_free(zip->members);
  zip->members = NULL;
  zip->count = zip->room = 0;
}
