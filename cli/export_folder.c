#include "cli/export_folder.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

MbStatus mb_export_folder_open(MbExportFolder *folder, const char *path, bool replace, MbReport *report) {
  struct stat there;
  *folder = (MbExportFolder){.path = path, .replace = replace};
  if (stat(path, &there)) {
    if (errno == ENOENT && !mkdir(path, 0777)) return MB_OK;
    return mb_error(report, MB_IO, "", "cannot make the folder %s: %s", path, strerror(errno));
  }
  if (!S_ISDIR(there.st_mode))
    return mb_error(report, MB_IO, "", "%s is there already, and is no folder", path);
  if (!replace && !mb_folder_is_empty(path))
    return mb_error(report, MB_IO, "", "the folder %s holds files already (--force writes into it)", path);
  return MB_OK;
}

// Makes the folders of a name in ours.
static bool make_folders(char *path, size_t from) {
  for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    const bool made = !mkdir(path, 0777) || errno == EEXIST;
    *slash = '/';
    if (!made) return false;
  }
  return true;
}

static FILE *open_file(void *to, const char *name, MbReport *report) {
  MbExportFolder *folder = to;
  const size_t before = strlen(folder->path) + 1, size = before + strlen(name) + 1;
  folder->name = mb_calloc(size, 1);
  if (!folder->name) {
    mb_no_memory(report, "a name");
    return NULL;
  }
  snprintf(folder->name, size, "%s/%s", folder->path, name);
  const MbOutputAsk ask = {.path = folder->name, .replace = folder->replace};
  if (!make_folders(folder->name, before))
    mb_error(report, MB_IO, "", "cannot make the folder of %s: %s", folder->name, strerror(errno));
  else if (!mb_output_open(&folder->output, &ask, report))
    return folder->output.stream;
  mb_free(folder->name);
  folder->name = NULL;
  return NULL;
}

static MbStatus close_file(void *to, MbStatus status, MbReport *report) {
  MbExportFolder *folder = to;
  status = mb_output_end(&folder->output, status, report);
  mb_free(folder->name);
  folder->name = NULL;
  return status;
}

MbFolder mb_export_folder_access(MbExportFolder *folder) {
  return (MbFolder){.to = folder, .open = open_file, .close = close_file};
}
