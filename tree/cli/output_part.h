// A run's file while it is written: it has a name beside its place, so that what a killed run has written can be read
// and gone on from, and a lock, so that no other command takes it away.
#ifndef MB_CLI_OUTPUT_PART_H
#define MB_CLI_OUTPUT_PART_H

#include "cli/output_file.h"

// FILE.part, and two more for a run that goes on from one of them.
enum { MB_OUTPUT_PARTS = 3 };
// The k-th name for the part of `file`; mb_free it. NULL when memory ran out.
char *mb_output_part_name(const char *file, int k);
// Cuts the endings of parts off: the name of the file that `name` is a part of.
void mb_output_strip_part(char *name);

// Whether there is a regular file that begins as trajectories do, be it as short as nothing.
bool mb_output_is_part(const char *path);
// MB_IO when `path` is a part that another run is writing.
MbStatus mb_output_unwritten(const char *path, MbReport *report);
// Takes the k-th name. MB_IO when something is there and `discard` is not given, when that is no part, or is being
// written.
MbStatus mb_output_take_part(MbOutput *output, int k, bool discard, MbReport *report);
// To be called when the part has been created.
MbStatus mb_output_created(MbOutput *output, MbReport *report);
// Puts the part in place.
MbStatus mb_output_place(const MbOutput *output, MbReport *report);

#endif
