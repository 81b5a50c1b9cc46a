// Private to io/export*.c.
#ifndef MB_IO_EXPORT_PARTS_H
#define MB_IO_EXPORT_PARTS_H

#include "io/export/export.h"
#include "io/compare/walk.h"

// One export under way: what is written, and whether writing has failed.
typedef struct MbExporter {
  MbTraj *traj;
  FILE *out;
  MbReport *report;
  const MbChannel *channels; // (nchannels) of the trajectory
  size_t nchannels;
  const size_t *chosen; // (nchosen) indices of channels, in the order of the output
  size_t nchosen;
  uint64_t first, span; // frames first, first + stride, ...: so many, some of which may be missing
  uint64_t count;       // of them that are there
  int64_t stride;
  int failure; // errno of the first write that failed, 0 = none
} MbExporter;

// Nothing is written after a failure; mb_put_status reports it.
void mb_put(MbExporter *e, const void *bytes, size_t size);
void mb_put_text(MbExporter *e, const char *text);
void mb_put_number(MbExporter *e, double x); // shortest text
MbStatus mb_put_status(const MbExporter *e);
uint64_t mb_export_frame(const MbExporter *e, uint64_t i); // of the ith of the span
uint64_t mb_export_next(const MbExporter *e, uint64_t i);  // first of the span from i on that is there
bool mb_export_flat(const MbChannel *channel); // (frames, width) rather than (frames, items, width)

// Sets first, span, count and stride. MB_USAGE, or MB_IO where all of the frames are missing.
MbStatus mb_export_choose_frames(MbExporter *e, const MbExportOptions *options);

// The header object of json and npz as text, to be freed; NULL when memory ran out.
char *mb_export_header(const MbExporter *e);

MbStatus mb_export_csv(MbExporter *e);
MbStatus mb_export_json(MbExporter *e);
MbStatus mb_export_npz(MbExporter *e);
MbStatus mb_export_glb(MbExporter *e, size_t most_targets);

#endif
