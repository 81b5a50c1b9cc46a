#include "cli/page.h"
#include "cli/console.h"

#include <string.h>

enum { MOST_RUNS = 2 };
static const uint64_t LARGE = 200u << 20; // bytes that browsers take long to open

const char *mb_page_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// Every page has the same title, behind the licences of what it is made of.
bool mb_page_is(const char *path) {
  static char head[1 << 14];
  FILE *file = fopen(path, "re");
  const size_t n = file ? fread(head, 1, sizeof head - 1, file) : 0;
  if (file) fclose(file);
  head[n] = 0;
  return !strncmp(head, "<!doctype html>", 15) && strstr(head, "<title>mbsim</title>");
}

MbStatus mb_page_available(MbReport *report) {
  if (mb_view_available()) return MB_OK;
  return mb_error(report, MB_IO, "",
                  "this mbsim was built without the page: node or its packages were missing. `make deps` "
                  "installs them; then build again");
}

MbStatus mb_page_open(MbPage *page, const MbOutputAsk *ask, MbReport *report) {
  *page = (MbPage){0};
  const MbStatus status = mb_page_available(report);
  return status ? status : mb_output_open(&page->output, ask, report);
}

MbStatus mb_page_end(MbPage *page, const char *const *paths, size_t count, const char *compared,
                     MbReport *report) {
  MbViewRun runs[MOST_RUNS] = {0};
  uint64_t size = 0;
  char text[32];
  for (size_t i = 0; i < count && i < MOST_RUNS; i++)
    runs[i] = (MbViewRun){paths[i], mb_page_name(paths[i]), page->excerpt, page->note};
  const MbStatus status = mb_view_write(page->output.stream, runs, count, compared, &size, report);
  if (!status && size > LARGE)
    mb_warning(report, "",
               "the page holds %s: browsers take long to open it. `mbsim view` makes a smaller one with "
               "--frames (::10 is every tenth) and --error (view); a page without data (`mbsim view -o "
               "viewer.html`) opens files of any size",
               mb_console_bytes(size, text));
  return mb_output_end(&page->output, status, report);
}

void mb_page_abandon(MbPage *page) {
  MbReport ignored = {0};
  mb_output_end(&page->output, MB_IO, &ignored);
}
