#include "cli/page.h"
#include "cli/console.h"

#include <string.h>
#include <sys/stat.h>

enum { MOST_RUNS = 2 };
static const uint64_t LARGE = 200u << 20; // bytes that browsers take long to open

const char *mb_page_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

MbStatus mb_page_available(MbReport *report) {
  if (mb_view_available()) return MB_OK;
  return mb_error(report, MB_IO, "",
                  "this mbsim was built without the page: node or its packages were missing. `make deps` "
                  "installs them; then build again");
}

MbStatus mb_page_open(MbPage *page, const MbOutputAsk *ask, MbReport *report) {
  const MbStatus status = mb_page_available(report);
  return status ? status : mb_output_open(&page->output, ask, report);
}

static void warn_if_large(const char *const *paths, size_t count, MbReport *report) {
  uint64_t bytes = 0;
  char text[32];
  struct stat info;
  for (size_t i = 0; i < count; i++)
    if (!stat(paths[i], &info)) bytes += (uint64_t)info.st_size / 3 * 4;
  if (bytes > LARGE)
    mb_warning(report, "",
               "the page holds %s: browsers take long to open it. A page without data "
               "(`mbsim view -o viewer.html`) opens files of any size",
               mb_console_bytes(bytes, text));
}

MbStatus mb_page_end(MbPage *page, const char *const *paths, size_t count, const char *compared,
                     MbReport *report) {
  MbViewRun runs[MOST_RUNS] = {0};
  for (size_t i = 0; i < count && i < MOST_RUNS; i++)
    runs[i] = (MbViewRun){.path = paths[i], .name = mb_page_name(paths[i])};
  const MbStatus status = mb_view_write(page->output.stream, runs, count, compared, report);
  if (!status) warn_if_large(paths, count, report);
  return mb_output_end(&page->output, status, report);
}

void mb_page_abandon(MbPage *page) {
  MbReport ignored = {0};
  mb_output_end(&page->output, MB_IO, &ignored);
}
