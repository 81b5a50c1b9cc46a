// The page that shows trajectories: one HTML file that needs nothing else.
#ifndef MB_IO_VIEW_H
#define MB_IO_VIEW_H

#include "io/trajectory/trajectory.h"
#include <stdio.h>

// Whether the program was built with the page; without node it is not.
bool mb_view_available(void);

// One of the runs in a page.
typedef struct MbViewRun {
  const char *path, *name;      // the trajectory's file, and what it is called in the page
  const MbTrajExcerpt *excerpt; // the part that goes in; NULL: the file's own bytes
  const char *note;             // what the excerpt tells of itself, as in mb_traj_excerpt
} MbViewRun;

// Writes the page to `out` with `n` trajectories in it; with none it opens files that a person chooses. `compared` is the JSON text
// of what comparing them came to (io/README.md), or NULL. *size is what the data take in it.
MbStatus mb_view_write(FILE *out, const MbViewRun *runs, size_t n, const char *compared, uint64_t *size,
                       MbReport *report);

#endif
