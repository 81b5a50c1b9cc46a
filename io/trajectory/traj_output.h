// A trajectory file while it is written: records one behind the other, the index kept along.
#ifndef MB_IO_TRAJ_OUTPUT_H
#define MB_IO_TRAJ_OUTPUT_H

#include "io/trajectory/traj_side.h"

typedef struct MbOutput {
  int fd;          // -1 = closed, or none
  MbTrajSink sink; // that takes the bytes where there is no file
  char *path;
  uint64_t offset; // of the next record
  MbIndex index;
} MbOutput;

// Creates the file, which must not exist, and writes the file header.
MbStatus mb_output_create(const char *path, uint32_t version, MbOutput *output, MbReport *report);
// The same with an empty file that is open for writing, which is taken; `path` is its name in messages.
MbStatus mb_output_begin(int fd, const char *path, uint32_t version, MbOutput *output, MbReport *report);
// The same into a sink.
MbStatus mb_output_begin_sink(MbTrajSink sink, const char *name, uint32_t version, MbOutput *output,
                              MbReport *report);
// Writes one record and adds it to the index; `chunk` (first, count, times set) for CHNK, NULL for others.
MbStatus mb_output_record(MbOutput *output, uint32_t tag, uint32_t flags, const void *payload, size_t length,
                          const MbTrajChunkInfo *chunk, MbReport *report);
// The same for text or bytes that are to be deflated.
MbStatus mb_output_deflated(MbOutput *output, uint32_t tag, const void *content, size_t size,
                            MbReport *report);
// Writes index and trailer and makes the file durable.
MbStatus mb_output_finish(MbOutput *output, MbReport *report);
// Closes and frees; an error of close counts only where nothing failed before.
MbStatus mb_output_close(MbOutput *output, MbReport *report);

#endif
