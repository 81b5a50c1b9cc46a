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
  MbTrajFrames frames; // that were chosen
  int failure;         // errno of the first write that failed, 0 = none
} MbExporter;

// Nothing is written after a failure; mb_put_status reports it.
void mb_put(MbExporter *e, const void *bytes, size_t size);
void mb_put_text(MbExporter *e, const char *text);
void mb_put_number(MbExporter *e, double x); // shortest text
MbStatus mb_put_status(const MbExporter *e);
bool mb_export_flat(const MbChannel *channel); // (frames, width) rather than (frames, items, width)

// Sets frames. MB_USAGE, or MB_IO where all of them are missing.
MbStatus mb_export_choose_frames(MbExporter *e, const MbExportOptions *options);

// The header object of json and npz as text, to be freed; NULL when memory ran out.
char *mb_export_header(const MbExporter *e);

MbStatus mb_export_csv(MbExporter *e);
MbStatus mb_export_json(MbExporter *e);
MbStatus mb_export_npz(MbExporter *e);
MbStatus mb_export_glb(MbExporter *e, size_t most_targets);

#endif
