// Files that a command makes: written under a temporary name, put in place whole, never over another by
// accident.
#ifndef MB_CLI_OUTPUT_FILE_H
#define MB_CLI_OUTPUT_FILE_H

#include "core/mbsim.h"
#include <stdio.h>

typedef struct MbOutput {
  char *file, *part;      // where it will be, and where it is written; mb_free both
  bool replace;           // an existing file may be replaced
  uint64_t device, inode; // of the part, so that another's is not renamed
  int lock;               // the part, open and locked while this program writes it; -1 = none
} MbOutput;

// MB_IO when something is at `path` and may not be replaced.
MbStatus mb_output_refuse(const char *path, bool replace, MbReport *report);
// Chooses the names. MB_IO when the file is there and `replace` is not given, or when a part is there and
// `discard` is not, or when another run is writing it or `source`. `source` is a file being read, or NULL: the part is
// never it.
MbStatus mb_output_plan(MbOutput *output, const char *file, const char *source, bool replace, bool discard,
                        MbReport *report);
// To be called when the part has been created.
MbStatus mb_output_created(MbOutput *output, MbReport *report);
// Puts the part in place.
MbStatus mb_output_place(const MbOutput *output, MbReport *report);
void mb_output_free(MbOutput *output);

// Opens `path` for writing, NULL = stdout. An existing file is refused unless `replace`. NULL with an error.
FILE *mb_output_stream(const char *path, bool replace, MbReport *report);
// Closes what mb_output_stream gave; MB_IO when something could not be written.
MbStatus mb_output_stream_close(FILE *stream, const char *path, MbReport *report);

bool mb_output_same_file(const char *a, const char *b); // both exist and are one
bool mb_path_ends(const char *path, const char *ending);

#endif
