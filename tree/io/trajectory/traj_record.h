// Records: framing, CRCs, inflating, and the file calls below them.
#ifndef MB_IO_TRAJ_RECORD_H
#define MB_IO_TRAJ_RECORD_H

#include "core/mbsim.h"
#include "io/trajectory/traj_format.h"

typedef struct MbRecord {
  uint32_t tag, flags, crc; // crc: of the payload
  uint64_t offset;          // of the record's header in the file
  uint64_t length;          // of the payload
} MbRecord;

uint32_t mb_crc32(const void *bytes, size_t size);
// Bytes of the whole record, header and padding included.
uint64_t mb_record_extent(const MbRecord *record);
void mb_record_put_header(unsigned char out[MB_TRAJ_RECORD_HEADER], const MbRecord *record);
// False when the header's CRC fails or the tag is not four of A-Z and 0-9. `offset` is the caller's.
bool mb_record_get_header(const unsigned char in[MB_TRAJ_RECORD_HEADER], MbRecord *record);
// "CHNK" and a 0.
void mb_record_name(uint32_t tag, char name[5]);

// The whole of `size` bytes at `offset`; 0, or errno, or -1 when the file ends before.
int mb_read_at(int fd, uint64_t offset, void *bytes, size_t size);
// 0 or errno. Goes on after interruption and short writes.
int mb_write_all(int fd, const void *bytes, size_t size);

// Payload of a deflated record for `content`: u64 size and a zlib stream. NULL when memory ran out.
unsigned char *mb_record_deflate(const void *content, size_t size, size_t *length);
// Content of a record's payload, inflated if the flags say so; with a 0 behind it that does not count. On
// failure NULL and *why says what is wrong.
unsigned char *mb_record_content(const MbRecord *record, const unsigned char *payload, uint64_t limit,
                                 size_t *size, const char **why);

#endif
