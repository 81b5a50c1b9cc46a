// A zip archive of stored members, written forward only: sizes and checksums follow each member's bytes.
#ifndef MB_IO_ZIP_STREAM_H
#define MB_IO_ZIP_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

typedef struct MbZipMember {
  char *name;
  uint64_t offset, size;
  uint32_t crc;
  bool wide; // written with 64-bit sizes
} MbZipMember;

// Set `put`, `to` and, for tests, `limit`; zero the rest.
typedef struct MbZip {
  void (*put)(void *to, const void *bytes, size_t size);
  void *to;
  uint64_t limit;       // sizes, offsets and counts from here on take their 64-bit form; 0 = where they must
  uint64_t offset;      // bytes written
  MbZipMember *members; // (count)
  size_t count, room;
} MbZip;

// `size` is what the member will have (more, or fewer, bytes are our own bug). False when memory ran out.
bool mb_zip_begin(MbZip *zip, const char *name, uint64_t size);
void mb_zip_bytes(MbZip *zip, const void *bytes, size_t size);
void mb_zip_end(MbZip *zip);
// The directory. The archive is not whole without it.
void mb_zip_finish(MbZip *zip);
void mb_zip_free(MbZip *zip);

#endif
