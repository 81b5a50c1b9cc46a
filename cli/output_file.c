#include "cli/output_file.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
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

// ---- what may be written ------------------------------------------------------------------------------------------

static bool is_target(const MbTarget *target, const char *path) {
  struct stat info;
  return target->there && path && !stat(path, &info) && (uint64_t)info.st_dev == target->device &&
         (uint64_t)info.st_ino == target->inode;
}

MbStatus mb_output_plan(MbOutput *output, const char *name, MbReport *report) {
  *output = (MbOutput){.file = name, .lock = -1};
  return mb_target_find(name, &output->target, report);
}

MbStatus mb_output_allow(MbOutput *output, const MbOutputAsk *ask, MbReport *report) {
  const char *name = output->file, *file = output->target.file;
  output->replace = ask->replace;
  for (size_t i = 0; i < ask->ninputs; i++)
    if (is_target(&output->target, ask->inputs[i]))
      return mb_error(report, MB_USAGE, "", "%s is an input%s%s: name another output", name,
                      strcmp(name, ask->inputs[i]) ? ", being " : "",
                      strcmp(name, ask->inputs[i]) ? ask->inputs[i] : "");
  if (!output->target.there || ask->replace) return MB_OK;
  if (strcmp(name, file) != 0)
    return mb_error(report, MB_IO, "", "%s leads to %s, which is there already (--force replaces it)", name,
                    file);
  return mb_error(report, MB_IO, "", "%s is there already (--force replaces it)", name);
}

// ---- putting it there -----------------------------------------------------------------------------------------------

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

// The new file has the permissions of the one that it replaces, and its owners where this program may give files away;
// where it may not, nobody reads it by a group that the older one did not have.
static void take_over(int file, const MbTarget *target) {
  if (!target->there) return;
  const bool given = !fchown(file, target->user, target->group);
  (void)fchmod(file, given ? target->mode : target->mode & ~070u);
}

void mb_output_sync(const MbOutput *output) {
  const int folder = open(output->target.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) (void)fsync(folder);
  if (folder >= 0) close(folder);
}

const char *mb_output_rename(const MbOutput *output, int file) {
  const MbTarget *target = &output->target;
  const char *other = output->replace ? mb_target_became(target) : NULL;
  if (other) return other;
  if (output->replace) take_over(file, target);
  if (output->replace ? rename(output->part, target->file) : rename_new(output->part, target->file))
    return strerror(errno);
  if (target->there) mb_output_sync(output);
  return NULL;
}

// ---- a file that is of no use before it is whole ----------------------------------------------------------------------

// A file without a name, which vanishes with this program however that ends; -1 where there are none, or no way to name
// it later.
static int open_nameless(const char *folder) {
  return access("/proc/self/fd", X_OK) ? -1 : open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

// A name beside the target that is free: the first for which `make` succeeds, in output->part.
static bool take_name(MbOutput *output, bool (*make)(MbOutput *output, int *file), int *file) {
  const size_t size = strlen(output->target.folder) + 64;
  output->part = mb_calloc(size, 1);
  errno = ENOMEM;
  for (int k = 0; output->part && k < 100; k++) {
    snprintf(output->part, size, "%s/.mbsim-%ld-%d.part", output->target.folder, (long)getpid(), k);
    if (make(output, file)) return true;
    if (errno != EEXIST) break;
  }
  const int error = errno;
  mb_free(output->part);
  output->part = NULL;
  errno = error;
  return false;
}

static bool make_file(MbOutput *output, int *file) {
  *file = open(output->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  return *file >= 0;
}

static bool make_link(MbOutput *output, int *file) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", *file);
  return !linkat(AT_FDCWD, path, AT_FDCWD, output->part, AT_SYMLINK_FOLLOW);
}

MbStatus mb_output_open(MbOutput *output, const MbOutputAsk *ask, MbReport *report) {
  *output = (MbOutput){.lock = -1};
  if (!ask->path || !strcmp(ask->path, "-")) {
    output->stream = stdout;
    return MB_OK;
  }
  MbStatus status = mb_output_plan(output, ask->path, report);
  if (!status) status = mb_output_allow(output, ask, report);
  int file = status ? -1 : open_nameless(output->target.folder);
  if (!status && file < 0 && !take_name(output, make_file, &file))
    status = mb_error(report, MB_IO, "", "%s cannot be written: %s", ask->path, strerror(errno));
  if (!status && !(output->stream = fdopen(file, "w"))) status = mb_no_memory(report, "an output");
  if (status && file >= 0) close(file);
  if (status && output->part) unlink(output->part);
  if (status) mb_output_free(output);
  return status;
}

// Everything is on the disk: some file systems tell of a full one only then.
static bool is_written(const MbOutput *output) {
  if (fflush(output->stream) || ferror(output->stream)) return false;
  return !fsync(fileno(output->stream)) || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

static MbStatus place(MbOutput *output, MbReport *report) {
  int file = fileno(output->stream);
  const bool named = is_written(output) && (output->part || take_name(output, make_link, &file));
  const char *why = named ? mb_output_rename(output, file) : strerror(errno);
  return why ? mb_error(report, MB_IO, "", "%s could not be written: %s", output->file, why) : MB_OK;
}

MbStatus mb_output_end(MbOutput *output, MbStatus status, MbReport *report) {
  if (!output->stream || output->stream == stdout) return status; // main flushes stdout
  if (!status) status = place(output, report);
  fclose(output->stream);
  if (status && output->part) unlink(output->part);
  mb_output_free(output);
  return status;
}

void mb_output_free(MbOutput *output) {
  if (output->inode && output->lock >= 0) close(output->lock);
  mb_target_free(&output->target);
  mb_free(output->part);
  *output = (MbOutput){.lock = -1};
}

bool mb_folder_is_empty(const char *path) {
  DIR *dir = opendir(path);
  int entries = 0;
  while (dir && readdir(dir)) entries++;
  if (dir) closedir(dir);
  return entries <= 2; // . and ..
}
