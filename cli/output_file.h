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

// ---- the steps of it, for output_part.c ------------------------------------------------------------------------------

// Finds what `name` means, which must last.
MbStatus mb_output_plan(MbOutput *output, const char *name, MbReport *report);
// MB_IO and MB_USAGE as above, by all of `ask` but its path.
MbStatus mb_output_allow(MbOutput *output, const MbOutputAsk *ask, MbReport *report);
// Gives output->part, open as `file`, the name of its place. NULL, or why that could not be.
const char *mb_output_rename(const MbOutput *output, int file);
// Makes the new name last, to be called before something goes that the file stands for.
void mb_output_sync(const MbOutput *output);
void mb_output_free(MbOutput *output);

bool mb_output_same_file(const char *a, const char *b); // both exist and are one
bool mb_path_ends(const char *path, const char *ending);

// Whether a folder holds nothing, or cannot be looked into.
bool mb_folder_is_empty(const char *path);

#endif
