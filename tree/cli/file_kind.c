#include "cli/file_kind.h"
#include "core/base/report.h"
#include "io/trajectory/trajectory.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool mb_file_is_trajectory(const void *bytes, size_t length) {
  return length >= 4 && !memcmp(bytes, "\x89MBT", 4);
}

MbFileKind mb_file_kind(const char *path) {
  char bytes[256];
  struct stat info;
  // a pipe would lose what is read here
  if (!stat(path, &info) && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return MB_FILE_OTHER;
  FILE *stream = fopen(path, "re");
  if (!stream) return MB_FILE_UNREADABLE;
  const size_t n = fread(bytes, 1, sizeof bytes - 1, stream);
  const bool broken = ferror(stream) != 0;
  fclose(stream);
  if (broken) return MB_FILE_UNREADABLE;
  if (mb_file_is_trajectory(bytes, n)) return MB_FILE_TRAJECTORY;
  bytes[n] = 0;
  return bytes[strspn(bytes, " \t\r\n")] == '{' ? MB_FILE_JSON : MB_FILE_OTHER;
}

MbStatus mb_file_want_whole(const MbTraj *traj, bool partial, MbReport *report) {
  if (partial || mb_traj_whole(traj)) return MB_OK;
  return mb_error(report, MB_IO, "", "%s is not whole: --partial takes what is there", mb_traj_path(traj));
}

MbStatus mb_file_want_trajectory(const char *path, MbReport *report) {
  if (mb_file_kind(path) != MB_FILE_JSON) return MB_OK;
  return mb_error(report, MB_IO, "", "%s looks like a scene, not a trajectory; did you mean mbsim run %s?",
                  path, path);
}
