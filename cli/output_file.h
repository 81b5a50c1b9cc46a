// Files that a command makes: written under another name beside their place, and put there whole. Until then an older
// file is as it was; a failure removes only what was made here; an input is never the output.
#ifndef MB_CLI_OUTPUT_FILE_H
#define MB_CLI_OUTPUT_FILE_H

#include "cli/output_target.h"
#include <stdio.h>

// What a command wants to write.
typedef struct MbOutputAsk {
  const char *path;          // of mb_output_open: NULL and "-" mean stdout
  bool replace;              // an older file may be replaced
  const char *const *inputs; // (ninputs) files that the command reads; NULLs are skipped
  size_t ninputs;
} MbOutputAsk;

typedef struct MbOutput {
  const char *file; // as the user said it; it must last
  MbTarget target;  // what that means
  char *part;       // where it is written meanwhile; NULL = in a file without a name
  bool replace;
  FILE *stream;           // of mb_output_open
  uint64_t device, inode; // of a run's part, so that another's is not renamed
  int lock;               // a run's part, open and locked while this program writes it; -1 = none
} MbOutput;

// ---- a file that is of no use before it is whole --------------------------------------------------------------------

// Opens output->stream. MB_IO when the file is there and `replace` is not given, or cannot be one; MB_USAGE when it is
// an input.
MbStatus mb_output_open(MbOutput *output, const MbOutputAsk *ask, MbReport *report);
// Puts the file in place when `status` is MB_OK and everything could be written; else nothing of it is left. Returns
// `status`, or what went wrong here. Frees in any case.
MbStatus mb_output_end(MbOutput *output, MbStatus status, MbReport *report);

// ---- a run's file: what a killed run has written stays readable -----------------------------------------------------

// MB_IO when `path` is a part that another run is writing.
MbStatus mb_output_unwritten(const char *path, MbReport *report);
// Chooses the names. MB_IO as above, or when a part is there and `discard` is not given, or when another run is writing
// it or `source`. `source` is a file being read, or NULL: the part is never it.
MbStatus mb_output_plan(MbOutput *output, const MbOutputAsk *ask, const char *source, bool discard,
                        MbReport *report);
// To be called when the part has been created.
MbStatus mb_output_created(MbOutput *output, MbReport *report);
// Puts the part in place.
MbStatus mb_output_place(const MbOutput *output, MbReport *report);
void mb_output_free(MbOutput *output);

bool mb_output_same_file(const char *a, const char *b); // both exist and are one
bool mb_path_ends(const char *path, const char *ending);

#endif
