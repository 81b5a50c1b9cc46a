// What `mbsim diff` is asked to compare, and how closely.
#ifndef MB_CLI_DIFF_WANTED_H
#define MB_CLI_DIFF_WANTED_H

#include "cli/options.h"
#include "core/base/arena.h"
#include "io/compare/compare.h"

// Tolerances of the command line, then those of its file: the first that fits counts.
typedef struct MbDiffWanted {
  MbTolerances file;
  MbTolerance *items; // (count); the first `own` are the command line's
  size_t count, own;
  const char **only; // (nonly) channels to compare; 0 = all
  size_t nonly;
  MbArena names;
  MbCompareOptions options; // made of all of it
} MbDiffWanted;

// MB_USAGE, MB_IO: of the file. Free whatever came.
MbStatus mb_diff_wanted_read(const MbArgs *args, MbDiffWanted *wanted, MbReport *report);
void mb_diff_wanted_free(MbDiffWanted *wanted);
// The command line's names must be channels of one of the files at least.
MbStatus mb_diff_wanted_check(const MbArgs *args, MbTraj *const *traj, size_t count, MbReport *report);

#endif
