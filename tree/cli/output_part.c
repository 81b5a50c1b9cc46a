#include "cli/output_part.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- names ------------------------------------------------------------------------------------------------------------

static const char *const endings[MB_OUTPUT_PARTS] = {".part", ".resume.part", ".resume-2.part"};

char *mb_output_part_name(const char *file, int k) {
  char *name = mb_calloc(strlen(file) + strlen(endings[k]) + 1, 1);
  return name ? strcat(strcpy(name, file), endings[k]) : NULL;
}

static bool cut(char *name, const char *ending) {
  const bool there = mb_path_ends(name, ending);
  if (there) name[strlen(name) - strlen(ending)] = 0;
  return there;
}

void mb_output_strip_part(char *name) {
  if (!cut(name, ".part")) return;
  while (cut(name, ".resume") || cut(name, ".resume-2")) continue;
}

// ---- what is there ----------------------------------------------------------------------------------------------------

bool mb_output_is_part(const char *path) {
  static const char magic[8] = "\x89MBT\r\n\x1a\n";
  char bytes[sizeof magic];
  struct stat info;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  const bool regular = file >= 0 && !fstat(file, &info) && S_ISREG(info.st_mode);
  const ssize_t n = regular ? read(file, bytes, sizeof bytes) : -1;
  if (file >= 0) close(file);
  return n >= 0 && !memcmp(bytes, magic, (size_t)n);
}

static MbStatus still_written(const char *part, MbReport *report) {
  return mb_error(report, MB_IO, "", "%s is being written by another run just now", part);
}

// The part open and locked; -1 where a program that lives holds the lock. Where there are no locks, nobody does.
static int lock_part(const char *part, int how) {
  const int file = open(part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0 || !flock(file, how | LOCK_NB) || errno != EWOULDBLOCK) return file;
  close(file);
  errno = EWOULDBLOCK;
  return -1;
}

MbStatus mb_output_unwritten(const char *path, MbReport *report) {
  if (!mb_path_ends(path, ".part")) return MB_OK;
  const int file = lock_part(path, LOCK_SH);
  if (file < 0 && errno == EWOULDBLOCK) return still_written(path, report);
  if (file >= 0) close(file);
  return MB_OK;
}

// ---- taking a name ----------------------------------------------------------------------------------------------------

static MbStatus part_is_there(const char *part, MbReport *report) {
  return mb_error(report, MB_IO, "",
                  "%s is there, from a run that was killed; it may hold frames: `mbsim repair %s` makes a "
                  "whole file of them, `--resume %s` goes on from the last checkpoint, --force discards it",
                  part, part, part);
}

// The lock is held while the part is removed, so that the run that has just made it and has not locked it yet finds
// out.
static MbStatus remove_part(const char *part, MbReport *report) {
  const int file = lock_part(part, LOCK_EX);
  if (file < 0 && errno == EWOULDBLOCK) return still_written(part, report);
  const int failed = unlink(part) ? errno : 0;
  if (file >= 0) close(file);
  return failed ? mb_error(report, MB_IO, "", "%s cannot be removed: %s", part, strerror(failed)) : MB_OK;
}

MbStatus mb_output_take_part(MbOutput *output, int k, bool discard, MbReport *report) {
  struct stat info;
  mb_free(output->part);
  const char *part = output->part = mb_output_part_name(output->target.file, k);
  if (!part) return mb_no_memory(report, "file names");
  if (lstat(part, &info)) return MB_OK;
  if (!mb_output_is_part(part))
    return mb_error(report, MB_IO, "", "%s is there and no part of a run: it is in the way", part);
  const MbStatus busy = mb_output_unwritten(part, report);
  if (busy) return busy;
  return discard ? remove_part(part, report) : part_is_there(part, report);
}

// ---- writing ----------------------------------------------------------------------------------------------------------

static bool is_ours(const MbOutput *output) {
  struct stat info;
  return !stat(output->part, &info) && (uint64_t)info.st_dev == output->device &&
         (uint64_t)info.st_ino == output->inode;
}

MbStatus mb_output_created(MbOutput *output, MbReport *report) {
  struct stat info;
  output->lock = open(output->part, O_RDONLY | O_CLOEXEC);
  if (output->lock < 0 || fstat(output->lock, &info))
    return mb_error(report, MB_IO, "", "%s: %s", output->part, strerror(errno));
  output->device = (uint64_t)info.st_dev;
  output->inode = (uint64_t)info.st_ino;
  const bool taken =
      flock(output->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK; // some file systems have none
  if (!taken && is_ours(output)) return MB_OK;
  output->inode = 0; // another's now
  close(output->lock);
  output->lock = -1;
  return still_written(output->part, report);
}

MbStatus mb_output_place(const MbOutput *output, MbReport *report) {
  if (!is_ours(output))
    return mb_error(report, MB_IO, "", "%s has been removed or replaced by another program", output->part);
  const char *why = mb_output_rename(output, output->lock);
  if (!why) return MB_OK;
  return mb_error(report, MB_IO, "", "%s is complete but cannot be renamed to %s: %s", output->part,
                  output->target.file, why);
}
