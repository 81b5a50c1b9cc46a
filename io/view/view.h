// The page that shows trajectories: one HTML file that needs nothing else.
#ifndef MB_IO_VIEW_H
#define MB_IO_VIEW_H

#include "core/mbsim.h"
#include <stdio.h>

// Whether the program was built with the page; without node it is not.
bool mb_view_available(void);

// One of the runs in a page: the trajectory's file, and what it is called there.
typedef struct MbViewRun {
  const char *path, *name;
} MbViewRun;

// Writes the page to `out` with the bytes of `n` trajectories in it; with none it opens files that a person chooses. `compared` is
// the JSON text of what comparing them came to (io/README.md), or NULL.
MbStatus mb_view_write(FILE *out, const MbViewRun *runs, size_t n, const char *compared, MbReport *report);

#endif
