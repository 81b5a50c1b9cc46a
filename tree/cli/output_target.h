// Where a file that a command is asked to make will stand: links followed, and nothing there but a file.
#ifndef MB_CLI_OUTPUT_TARGET_H
#define MB_CLI_OUTPUT_TARGET_H

#include "core/mbsim.h"

typedef struct MbTarget {
  char *file, *folder; // the file itself and the folder that it stands in, links followed; mb_free both
  bool there;          // a regular file is there
  uint32_t mode, user, group; // its permissions and owners
  uint64_t device, inode;     // which it is
} MbTarget;

// Follows links to the file that `path` means. A link to a place where nothing is leads to that place, as in a shell's
// redirection. MB_IO where a directory, pipe, socket or device is there, a file that has no name any more, or where the
// folder is not.
MbStatus mb_target_find(const char *path, MbTarget *target, MbReport *report);
// Looks again, right before an older file is replaced: NULL, or what is there now that must not be.
const char *mb_target_became(const MbTarget *target);
void mb_target_free(MbTarget *target);

#endif
