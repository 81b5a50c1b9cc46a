// A sweep as a page: one file that needs no network, with the table, pictures of it, and what matters.
#ifndef MB_IO_SWEEP_PAGE_H
#define MB_IO_SWEEP_PAGE_H

#include "io/sweep/table.h"

// Writes the page of the sweep in `folder` to `out`. Runs that have a page of their own, runs/ID/run.html, are linked to it, others to
// their folder, from the page's place in `folder`.
MbStatus mb_sweep_report(const char *folder, FILE *out, MbReport *report);

#endif
