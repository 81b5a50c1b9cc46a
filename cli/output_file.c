#include "cli/output_file.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool mb_path_ends(const char *path, const char *ending) {
  const size_t n = strlen(path), m = strlen(ending);
  return n > m && !strcmp(path + n - m, ending);
}

bool mb_output_same_file(const char *a, const char *b) {
  struct stat p, q;
  return !stat(a, &p) && !stat(b, &q) && p.st_dev == q.st_dev && p.st_ino == q.st_ino;
}

static char *with_ending(const char *path, const char *ending) {
  char *text = mb_calloc(strlen(path) + strlen(ending) + 1, 1);
  if (text) strcat(strcpy(text, path), ending);
  return text;
}

MbStatus mb_output_refuse(const char *path, bool replace, MbReport *report) {
  struct stat info;
  if (replace || lstat(path, &info)) return MB_OK;
  return mb_error(report, MB_IO, "", "%s is there already (--force replaces it)", path);
}

// Whether a program that lives holds the lock of a part; where there are no locks, nobody does.
static bool is_being_written(const char *part) {
  const int file = open(part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  const bool busy = file >= 0 && flock(file, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
  if (file >= 0) close(file);
  return busy;
}

static MbStatus part_is_there(const char *part, MbReport *report) {
  return mb_error(report, MB_IO, "",
                  "%s is there, from a run that was killed; it may hold frames: `mbsim repair %s` makes a "
                  "whole file of them, `--resume %s` goes on from the last checkpoint, --force discards it",
                  part, part, part);
}

static MbStatus still_written(const char *part, MbReport *report) {
  return mb_error(report, MB_IO, "", "%s is being written by another run just now", part);
}

// Makes room for the part, or says what is there.
static MbStatus clear_part(const char *part, bool discard, MbReport *report) {
  struct stat info;
  if (lstat(part, &info)) return MB_OK;
  if (is_being_written(part)) return still_written(part, report);
  if (!discard || !S_ISREG(info.st_mode)) return part_is_there(part, report);
  if (unlink(part)) return mb_error(report, MB_IO, "", "%s cannot be removed: %s", part, strerror(errno));
  return MB_OK;
}

MbStatus mb_output_plan(MbOutput *output, const char *file, const char *source, bool replace, bool discard,
                        MbReport *report) {
  *output = (MbOutput){.replace = replace, .lock = -1};
  output->file = mb_strdup(file);
  output->part = with_ending(file, ".part");
  if (!output->file || !output->part) return mb_no_memory(report, "file names");
  if (source && mb_path_ends(source, ".part") && is_being_written(source))
    return still_written(source, report);
  struct stat info;
  if (!lstat(file, &info)) {
    if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode))
      return mb_error(report, MB_IO, "", "%s is there and no regular file", file);
    const MbStatus status = mb_output_refuse(file, replace, report);
    if (status) return status;
  }
  // continuing a killed run: its part is read while the new one is written
  if (source && mb_output_same_file(output->part, source)) {
    mb_free(output->part);
    output->part = with_ending(file, ".resume.part");
    if (!output->part) return mb_no_memory(report, "file names");
  }
  return clear_part(output->part, discard, report);
}

MbStatus mb_output_created(MbOutput *output, MbReport *report) {
  struct stat info;
  output->lock = open(output->part, O_RDONLY | O_CLOEXEC);
  if (output->lock < 0 || fstat(output->lock, &info))
    return mb_error(report, MB_IO, "", "%s: %s", output->part, strerror(errno));
  (void)flock(output->lock, LOCK_EX | LOCK_NB); // some file systems have none
  output->device = (uint64_t)info.st_dev;
  output->inode = (uint64_t)info.st_ino;
  return MB_OK;
}

// Renames without replacing, on file systems that know how and on others.
static int rename_new(const char *from, const char *to) {
  if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE)) return 0;
  if (errno != ENOSYS && errno != EINVAL) return -1;
  if (!link(from, to)) return unlink(from);
  if (errno != EPERM && errno != EOPNOTSUPP) return -1;
  if (!access(to, F_OK)) {
    errno = EEXIST;
    return -1;
  }
  return rename(from, to);
}

MbStatus mb_output_place(const MbOutput *output, MbReport *report) {
  struct stat info;
  if (stat(output->part, &info) || (uint64_t)info.st_dev != output->device ||
      (uint64_t)info.st_ino != output->inode)
    return mb_error(report, MB_IO, "", "%s has been removed or replaced by another program", output->part);
  const int failed =
      output->replace ? rename(output->part, output->file) : rename_new(output->part, output->file);
  if (failed)
    return mb_error(report, MB_IO, "", "%s is complete but cannot be renamed to %s: %s", output->part,
                    output->file, strerror(errno));
  return MB_OK;
}

void mb_output_free(MbOutput *output) {
  if (output->inode && output->lock >= 0) close(output->lock);
  mb_free(output->file);
  mb_free(output->part);
  *output = (MbOutput){.lock = -1};
}

FILE *mb_output_stream(const char *path, bool replace, MbReport *report) {
  if (!path) return stdout;
  if (mb_output_refuse(path, replace, report)) return NULL;
  FILE *stream = fopen(path, replace ? "we" : "wxe");
  if (!stream) mb_error(report, MB_IO, "", "%s cannot be written: %s", path, strerror(errno));
  return stream;
}

MbStatus mb_output_stream_close(FILE *stream, const char *path, MbReport *report) {
  if (!stream || stream == stdout) return MB_OK; // main flushes stdout
  const bool bad = ferror(stream) != 0;
  if (fclose(stream) || bad)
    return mb_error(report, MB_IO, "", "%s could not be written: %s", path, strerror(errno));
  return MB_OK;
}
