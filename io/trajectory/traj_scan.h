// Going through a file record by record without its index, over damage and up to where it was cut off.
#ifndef MB_IO_TRAJ_SCAN_H
#define MB_IO_TRAJ_SCAN_H

#include "io/trajectory/traj_record.h"

typedef enum MbScanStep {
  MB_SCAN_RECORD,  // a record whose CRCs hold; its payload is loaded
  MB_SCAN_DAMAGED, // a record whose header holds and whose payload does not
  MB_SCAN_CUT,     // a record that the file ends within
  MB_SCAN_GAP,     // bytes that are no record
  MB_SCAN_TRAILER,
  MB_SCAN_END,
  MB_SCAN_FAILED, // reading failed or memory ran out: `error` says
} MbScanStep;

typedef struct MbScan {
  int fd;
  uint64_t size; // of the file
  uint64_t at;   // where the next step begins
  // of the last step
  uint64_t begin;            // where it began (it ended at `at`)
  MbRecord record;           // record, damaged, cut
  unsigned char *payload;    // record
  bool padding;              // record: the padding is there and zero
  uint64_t index_at, frames; // trailer
  int error;                 // errno, -1 = the file became shorter
  size_t room;               // of payload
} MbScan;

MbScan mb_scan_begin(int fd, uint64_t size);
MbScanStep mb_scan_next(MbScan *scan);
void mb_scan_end(MbScan *scan);
// Says what the step left out, where it did.
void mb_scan_warn(const MbScan *scan, MbScanStep step, const char *path, MbReport *report);

// Checks magic, version and flags. False: *why.
bool mb_file_header_check(int fd, uint64_t size, uint32_t *version, const char **why);
bool mb_trailer_parse(const unsigned char bytes[MB_TRAJ_TRAILER], uint64_t *index_at, uint64_t *frames);
// Loads the payload of `record` into a block of *room bytes, growing it. 0, errno, or -1 when the file ends.
int mb_payload_load(int fd, const MbRecord *record, unsigned char **block, size_t *room);

#endif
