// One run: what `mbsim run` holds from the scene to the closed file.
#ifndef MB_CLI_RUN_H
#define MB_CLI_RUN_H

#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/tally.h"
#include "io/scene/scene.h"
#include "io/trajectory/trajectory.h"

typedef struct MbRun {
  const MbArgs *args;
  MbLog log;
  MbScene *scene;
  MbModel *model;
  MbSim *sim;
  MbPlan plan;
  MbOutput output;
  MbTraj *old; // resumed from; NULL = from the start
  MbTrajWriter *writer;
  double *frame;    // (frame size)
  void *checkpoint; // (checkpoint size)
  size_t checkpoint_size;
  int64_t last_frame, last_checkpoint; // steps written; -1 = none
  int warnings;                        // of the steps, recorded so far
  double start;                        // clock
  MbTally tally;
  MbProgress progress;
} MbRun;

// ---- run_loop.c ---------------------------------------------------------------------------------

// SIGINT, SIGTERM and SIGHUP from now on end the loop after the step; a second one kills.
void mb_run_catch_signals(void);
MbStatus mb_run_write_frame(MbRun *run, int64_t step, double time, const double *frame, MbReport *report);
// Steps from the simulation's state to the end of the plan, then writes the last checkpoint. MB_OK,
// MB_INTERRUPTED, MB_NUMBERS (the file is sound after both), or MB_IO (it cannot be written further).
MbStatus mb_run_loop(MbRun *run, MbReport *report);

// ---- resume.c -----------------------------------------------------------------------------------

// Opens run->old and checks that it is the same scene's.
MbStatus mb_resume_open(MbRun *run, const char *path, MbReport *report);
// Copies everything up to the last checkpoint that lies within the plan, and restores the simulation from it.
MbStatus mb_resume_replay(MbRun *run, MbReport *report);

// ---- run_meshes.c -------------------------------------------------------------------------------

// A MESH record for each shape of each body that has a surface of its own, and for each deformable.
MbStatus mb_run_write_meshes(MbRun *run, MbReport *report);

// ---- run_drawing.c ------------------------------------------------------------------------------

// The DRAW record: what pictures need besides meshes.
MbStatus mb_run_write_drawing(MbRun *run, MbReport *report);

// ---- provenance.c -------------------------------------------------------------------------------

MbStatus mb_provenance_start(MbRun *run, int threads, const char *device, MbReport *report);
MbStatus mb_provenance_end(MbRun *run, MbStatus status, MbReport *report);
uint64_t mb_peak_memory(void);              // bytes
const char *mb_run_reason(MbStatus status); // "finished", "interrupted", ...

// ---- run_summary.c --------------------------------------------------------------------------------

int mb_run_threads(const MbRun *run); // the command line's, else the scene's
void mb_run_announce(MbRun *run);
// `from` is the step that the run started from.
void mb_run_summarize(MbRun *run, MbStatus status, const MbTrajCounts *counts, int64_t from);

#endif
