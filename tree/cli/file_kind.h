// What a file is by its first bytes, so that the wrong kind of file can be told from a damaged one.
#ifndef MB_CLI_FILE_KIND_H
#define MB_CLI_FILE_KIND_H

#include "core/base/report.h"

typedef enum MbFileKind {
  MB_FILE_UNREADABLE, // errno tells why
  MB_FILE_TRAJECTORY,
  MB_FILE_JSON, // begins as an object does
  MB_FILE_OTHER,
} MbFileKind;

MbFileKind mb_file_kind(const char *path);
bool mb_file_is_trajectory(const void *bytes, size_t length); // by what it begins with
// MB_IO with a hint when the file looks like a scene; opening it tells about everything else.
MbStatus mb_file_want_trajectory(const char *path, MbReport *report);

struct MbTraj;
// MB_IO where frames are missing or it was cut off, unless `partial` says that what is there will do.
MbStatus mb_file_want_whole(const struct MbTraj *traj, bool partial, MbReport *report);

// The option that says so.
#define MB_PARTIAL_OPTION                                                                                    \
  { .name = "partial", .help = "take what is there of a file that was cut off or lacks frames, and exit 0" }

#endif
