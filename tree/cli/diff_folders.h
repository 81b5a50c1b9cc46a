// Comparing two files, and all trajectories of two folders.
#ifndef MB_CLI_DIFF_FOLDERS_H
#define MB_CLI_DIFF_FOLDERS_H

#include "cli/diff_wanted.h"

// Two trajectories and what came of comparing them; zero before use.
typedef struct MbDiffPair {
  MbTraj *traj[2];
  MbCompareResult result;
} MbDiffPair;

// As mb_compare; the result points into the files, so that both are freed together, whatever came.
MbStatus mb_diff_pair(const MbArgs *args, const MbDiffWanted *wanted, const char *a, const char *b,
                      MbDiffPair *pair, MbReport *report);
void mb_diff_pair_free(MbDiffPair *pair);

typedef enum MbDiffFolders { MB_DIFF_FILES, MB_DIFF_FOLDERS, MB_DIFF_MIXED } MbDiffFolders;
MbDiffFolders mb_diff_folders(const MbArgs *args); // what the first two operands are

// Compares the trajectories of two folders and tells what came of it; the worst status of all.
MbStatus mb_diff_all(const MbArgs *args, const MbDiffWanted *wanted, MbReport *report);

#endif
