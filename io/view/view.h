// The page that shows trajectories: one HTML file that needs nothing else.
#ifndef MB_IO_VIEW_H
#define MB_IO_VIEW_H

#include "core/mbsim.h"
#include <stdio.h>

// Whether the program was built with the page; without node it is not.
bool mb_view_available(void);

// Writes the page to `out` with the bytes of the `n` trajectories at `paths` in it, called `names` there; with none it opens files that a
// person chooses. `verdict` is a JSON array of sentences that stand beside the picture, or NULL.
MbStatus mb_view_write(FILE *out, const char *const *paths, const char *const *names, size_t n,
                       const char *verdict, MbReport *report);

#endif
