#include "cli/output_target.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 }; // as the kernel follows

// What something is that is no regular file.
static const char *kind_of(mode_t mode) {
  return S_ISDIR(mode)    ? "a directory"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
         : S_ISCHR(mode)  ? "a character device"
         : S_ISBLK(mode)  ? "a block device"
                          : "no regular file";
}

// The folder part of a path: "." where it has none, "/" where that is all.
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = mb_strdup(slash ? path : ".");
  if (folder && slash) folder[slash == path ? 1 : slash - path] = 0;
  return folder;
}

// What the link at `path` means, seen from here; NULL with errno.
static char *read_link(const char *path) {
  char to[PATH_MAX];
  const ssize_t n = readlink(path, to, sizeof to - 1);
  if (n < 0) return NULL;
  to[n] = 0;
  const char *slash = strrchr(path, '/');
  const size_t folder = to[0] == '/' || !slash ? 0 : (size_t)(slash - path) + 1;
  char *next = mb_calloc(folder + (size_t)n + 1, 1);
  errno = ENOMEM;
  if (next) strcpy((char *)memcpy(next, path, folder) + folder, to);
  return next;
}

// Follows the links that the last component is, by hand, so that it is known where a link to nothing leads. The kernel
// follows those in front of it.
static MbStatus follow(const char *path, char **file, MbReport *report) {
  *file = mb_strdup(path);
  struct stat info;
  int links = 0;
  for (; *file && !lstat(*file, &info) && S_ISLNK(info.st_mode); links++) {
    char *next = links < MOST_LINKS ? read_link(*file) : NULL;
    if (!next)
      return mb_error(report, MB_IO, "", "%s cannot be written: %s", path,
                      links < MOST_LINKS ? strerror(errno) : "its links lead in a circle");
    mb_free(*file);
    *file = next;
  }
  return *file ? MB_OK : mb_no_memory(report, "file names");
}

static MbStatus refuse_kind(const char *path, const char *file, mode_t mode, MbReport *report) {
  struct stat info;
  if (!strcmp(path, file) || lstat(file, &info)) // what links of /proc say is no name
    return mb_error(report, MB_IO, "", "%s is %s, and only a file is written", path, kind_of(mode));
  return mb_error(report, MB_IO, "", "%s leads to %s, which is %s, and only a file is written", path, file,
                  kind_of(mode));
}

// What the path leads to by the kernel's rules must be what it leads to by name: a link of /proc may lead to a pipe, or
// to a file that has been removed.
static MbStatus look(const char *path, MbTarget *target, MbReport *report) {
  struct stat meant, named;
  const bool there = !stat(path, &meant);
  if (there && !S_ISREG(meant.st_mode)) return refuse_kind(path, target->file, meant.st_mode, report);
  if (!there && errno != ENOENT)
    return mb_error(report, MB_IO, "", "%s cannot be written: %s", path, strerror(errno));
  const bool found = !lstat(target->file, &named);
  if (there != found || (found && (named.st_dev != meant.st_dev || named.st_ino != meant.st_ino)))
    return mb_error(report, MB_IO, "", "%s leads to a file that has no name in any folder", path);
  target->there = there;
  if (!there) return MB_OK;
  target->mode = meant.st_mode & 0777;
  target->user = meant.st_uid;
  target->group = meant.st_gid;
  target->device = (uint64_t)meant.st_dev;
  target->inode = (uint64_t)meant.st_ino;
  return MB_OK;
}

static MbStatus find(const char *path, MbTarget *target, MbReport *report) {
  if (!*path) return mb_error(report, MB_USAGE, "", "the output's name is empty");
  MbStatus status = follow(path, &target->file, report);
  if (status) return status;
  target->folder = folder_of(target->file);
  if (!target->folder) return mb_no_memory(report, "file names");
  struct stat folder;
  errno = ENOTDIR;
  if (stat(target->folder, &folder) || !S_ISDIR(folder.st_mode))
    return mb_error(report, MB_IO, "", "%s cannot be written: folder %s: %s", path, target->folder,
                    strerror(errno));
  if (target->file[strlen(target->file) - 1] == '/')
    return mb_error(report, MB_IO, "", "%s names a folder, and only a file is written", path);
  return look(path, target, report);
}

MbStatus mb_target_find(const char *path, MbTarget *target, MbReport *report) {
  *target = (MbTarget){0};
  const MbStatus status = find(path, target, report);
  if (status) mb_target_free(target);
  return status;
}

const char *mb_target_became(const MbTarget *target) {
  struct stat now;
  if (lstat(target->file, &now) || S_ISREG(now.st_mode)) return NULL;
  return S_ISLNK(now.st_mode)   ? "it has become a link meanwhile"
         : S_ISDIR(now.st_mode) ? "it has become a directory meanwhile"
                                : "it has become something that is no file meanwhile";
}

void mb_target_free(MbTarget *target) {
  mb_free(target->file);
  mb_free(target->folder);
  *target = (MbTarget){0};
}
