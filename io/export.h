// Exporting frames of a trajectory to formats that other programs read.
#ifndef MB_IO_EXPORT_H
#define MB_IO_EXPORT_H

#include "io/trajectory.h"
#include <stdio.h>

typedef enum MbExportFormat { MB_EXPORT_CSV, MB_EXPORT_NPZ, MB_EXPORT_JSON, MB_EXPORTS } MbExportFormat;
extern const char *const mb_export_words[MB_EXPORTS + 1];

typedef struct MbExportOptions {
  MbExportFormat format;
  const char *const *channels; // (nchannels) names; NULL = all
  size_t nchannels;
  int64_t first, last, stride; // frames a:b:c as in Python (negative counts from the end); last exclusive,
                               // INT64_MAX = to the end
} MbExportOptions;

// Writes to `out`, which may be a pipe for csv and json; npz needs no seeking either.
MbStatus mb_export(MbTraj *traj, const MbExportOptions *options, FILE *out, MbReport *report);

#endif
