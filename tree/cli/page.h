// A page to watch runs in, as a command's output: opened before its work begins, so that what is in the way is told at once, and
// written at the end.
#ifndef MB_CLI_PAGE_H
#define MB_CLI_PAGE_H

#include "cli/output_file.h"
#include "io/view/view.h"

typedef struct MbPage {
  MbOutput output;
  const MbTrajExcerpt *excerpt; // of every run; NULL: whole files
  const char *note;             // as in mb_view_write
} MbPage;

// MB_IO where the program was built without the page.
MbStatus mb_page_available(MbReport *report);
// As mb_output_open.
MbStatus mb_page_open(MbPage *page, const MbOutputAsk *ask, MbReport *report);
// Writes it with the trajectories at `paths` and puts it in place; warns where it becomes large. `compared` as in mb_view_write.
MbStatus mb_page_end(MbPage *page, const char *const *paths, size_t count, const char *compared,
                     MbReport *report);
// Nothing of it is left.
void mb_page_abandon(MbPage *page);
bool mb_page_is(const char *path);          // whether such a page is there
const char *mb_page_name(const char *path); // what a file is called in it

#endif
