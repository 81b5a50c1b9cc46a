#include "io/sweep/small_file.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *mb_small_read(const char *path, size_t *length) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (fd < 0) return NULL;
  size_t room = fstat(fd, &info) || info.st_size < 0 ? 0 : (size_t)info.st_size;
  char *text = mb_calloc(room + 1, 1);
  *length = 0;
  for (ssize_t n = 1; text && n > 0 && *length < room;) {
    n = read(fd, text + *length, room - *length);
    if (n < 0 && errno == EINTR)
      n = 1;
    else if (n > 0)
      *length += (size_t)n;
  }
  close(fd);
  return text;
}

static int write_all(int fd, const char *bytes, size_t size) {
  while (size) {
    const ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n ? errno : ENOSPC;
    bytes += n;
    size -= (size_t)n;
  }
  return 0;
}

MbStatus mb_small_write(const char *path, const void *bytes, size_t size, MbReport *report) {
  char part[PATH_MAX], host[64] = "";
  gethostname(host, sizeof host - 1); // several machines may write into a shared folder
  const int n = snprintf(part, sizeof part, "%s.%s.%ld.tmp", path, host, (long)getpid());
  if (n < 0 || (size_t)n >= sizeof part) return mb_error(report, MB_IO, "", "%s: the name is too long", path);
  const int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int error = fd < 0 ? errno : write_all(fd, bytes, size);
  if (fd >= 0 && close(fd) && !error) error = errno;
  if (!error && rename(part, path)) error = errno;
  if (!error) return MB_OK;
  if (fd >= 0) unlink(part);
  return mb_error(report, MB_IO, "", "cannot write %s: %s", path, strerror(error));
}
