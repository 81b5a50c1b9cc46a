// What a run may go on from: the file that --resume names, and what earlier attempts at the same file have left.
#ifndef MB_CLI_RESUME_H
#define MB_CLI_RESUME_H

#include "cli/output_part.h"
#include "io/trajectory/trajectory.h"

typedef struct MbSource {
  char *path;
  MbTraj *traj;      // NULL: no trajectory, or a part that was killed before it held anything
  bool there;        // a file is
  bool named;        // by --resume
  bool target;       // the file to be written itself
  int part;          // which of its parts; -1 = none
  bool same;         // as far as it goes, what this run will write is what it holds
  bool found;        // a checkpoint within the plan, and all frames before it; the last such:
  size_t checkpoint; // which
  uint64_t step;     // and where
  double first;      // s, its first checkpoint that no frame is missing before; 0 = none
} MbSource;

enum { MB_SOURCES = 2 + MB_OUTPUT_PARTS };

typedef struct MbSources {
  MbSource at[MB_SOURCES]; // the named one first
  int count;
} MbSources;

// MB_USAGE, with the place, when `scene` (JSON text) is not what the trajectory at `path` holds as `old`.
MbStatus mb_resume_same_scene(const char *path, const char *old, const char *scene, MbReport *report);

#endif
