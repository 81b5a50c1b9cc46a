// One run: what `mbsim run` holds from the scene to the closed file.
#ifndef MB_CLI_RUN_H
#define MB_CLI_RUN_H

#include "cli/dump_contact.h"
#include "cli/options.h"
#include "cli/page.h"
#include "cli/progress.h"
#include "cli/resume.h"
#include "cli/scene_input.h"
#include "cli/tally.h"

typedef struct MbRun MbRun;

// Who follows a run while it goes (a sweep does). Functions may be NULL.
typedef struct MbRunFollower {
  void *to;
  bool no_file; // no trajectory is written
  // The simulation is there and nothing has been stepped.
  MbStatus (*start)(void *to, MbRun *run, MbReport *report);
  // The run goes on from a checkpoint of its file.
  MbStatus (*resumed)(void *to, MbRun *run, MbReport *report);
  void (*frame)(void *to, double time, const double *frame);
  // run->checkpoint holds the simulation after `step` steps.
  MbStatus (*checkpoint)(void *to, MbRun *run, int64_t step, MbReport *report);
  // What the scene, its model, the simulation or a step has warned of.
  void (*said)(void *to, const MbReport *said);
  void (*end)(void *to, MbRun *run);
} MbRunFollower;

// A frame that is on its way from a device, and is written while the next step is taken.
typedef struct MbRunLate {
  bool waits;      // there is one
  int64_t step;    // its
  MbStatus status; // of writing it
  MbReport said, report;
} MbRunLate;

struct MbRun {
  const MbArgs *args;
  const MbRunFollower *follower; // NULL = nobody
  const char *scene_name;        // its file, or the trajectory that holds it
  char folder[MB_FOLDER];        // that the scene's meshes begin at
  MbLog log;
  MbScene *scene;
  MbModel *model;
  MbDevice device; // that is asked for
  const MbEngine *engine;
  MbSim *sim;
  MbPlan plan;
  char file[MB_FOLDER]; // to be written, as it was named
  MbOutput output;
  MbSources sources;     // with --resume
  MbTraj *old;           // of them, resumed from; NULL = from the start
  size_t old_checkpoint; // its
  bool done;             // the file holds all that this run would write
  MbTrajWriter *writer;
  double *frame;    // (frame size)
  void *checkpoint; // (checkpoint_room), of which checkpoint_size are the last one
  size_t checkpoint_size, checkpoint_room;
  int64_t last_frame, last_checkpoint; // steps written; -1 = none
  bool stays;                          // the state is with a device between frames
  int64_t kept; // `checkpoint` is the one of that step's frame, while no other is written; -1 = it is none
  MbRunLate late;
  int warnings; // of the steps, recorded so far
  double start; // clock
  bool placed;  // the file is where it was to be
  bool paged;   // its page is open
  MbPage page;
  MbTally tally;
  MbProgress progress;
  MbDumpContact dump;
};

// ---- cmd_run.c -----------------------------------------------------------------------------------

// `mbsim run` with these arguments. What it warns of goes to its log; its errors are left in the report.
MbStatus mb_run_scene_file(const MbArgs *args, const MbRunFollower *follower, MbReport *report);

// ---- run_output.c --------------------------------------------------------------------------------

// Names the file: --output, else the file resumed, else (with the scene loaded) the scene's.
MbStatus mb_run_name_output(MbRun *run, MbReport *report);
// MB_IO where the file is there and may not be replaced, MB_USAGE where the run reads it. The scene must be loaded.
MbStatus mb_run_allow_output(MbRun *run, bool replace, MbReport *report);

// The files that it reads.
typedef struct MbRunInputs {
  const char **files; // (count) the scene, then the paths of meshes, which are ours
  size_t count, given;
} MbRunInputs;

// The scene must be loaded. Free whatever came.
MbStatus mb_run_inputs(const MbRun *run, MbRunInputs *inputs, MbReport *report);
void mb_run_inputs_free(MbRunInputs *inputs);

// ---- run_page.c ---------------------------------------------------------------------------------

// Opens the page of --view, where there is that option. The output must be named and the scene loaded. MB_IO where it may not stand
// there, MB_USAGE where the run reads or writes that file.
MbStatus mb_run_open_page(MbRun *run, MbReport *report);
// Writes it, if the run's file is in place; nothing of it is left otherwise. `status` is how the run ended, which counts before
// what goes wrong here.
MbStatus mb_run_end_page(MbRun *run, MbStatus status);

// ---- run_loop.c ---------------------------------------------------------------------------------

// Seconds within which signals are one: who ends a process and its group, as timeout(1) does, or hands on what the terminal has sent to all,
// sends two.
#define MB_SAME_SIGNAL 0.5

// SIGINT, SIGTERM and SIGHUP from now on end the loop after the step; a second one kills.
void mb_run_catch_signals(void);
bool mb_run_stopped(void); // one of them has come
// Tells of warnings.
void mb_run_warn(MbRun *run, const MbReport *said);
MbStatus mb_run_write_frame(MbRun *run, int64_t step, double time, const double *frame, MbReport *report);
// Steps from the simulation's state to the end of the plan, then writes the last checkpoint. MB_OK,
// MB_INTERRUPTED, MB_NUMBERS (the file is sound after both), or MB_IO (it cannot be written further).
MbStatus mb_run_loop(MbRun *run, MbReport *report);

// ---- resume_find.c ------------------------------------------------------------------------------

// Opens the named file and what earlier attempts have left. The output must be named.
MbStatus mb_resume_open(MbRun *run, MbReport *report);
// The first of them that can be read, whose scene is run where the command line names none; NULL = none.
MbTraj *mb_resume_scene(const MbRun *run);
// Chooses what to go on from, by scene and simulation, and the part's name; or sets run->done.
MbStatus mb_resume_choose(MbRun *run, MbReport *report);
// Removes the parts of which a file of that many frames, which is in place, holds everything.
void mb_resume_tidy(MbRun *run, uint64_t frames);
void mb_resume_free(MbSources *sources);

// ---- resume.c -----------------------------------------------------------------------------------

// Copies everything up to the checkpoint that was chosen, and restores the simulation from it.
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
// The folder that the meshes of the trajectory's scene began at; "." where it does not say.
void mb_provenance_folder(const MbTraj *traj, char folder[MB_FOLDER]);
uint64_t mb_peak_memory(void);              // bytes
const char *mb_run_reason(MbStatus status); // "finished", "interrupted", ...

// ---- run_summary.c --------------------------------------------------------------------------------

int mb_run_threads(const MbRun *run); // the command line's, else the scene's
void mb_run_announce(MbRun *run);
// `from` is the step that the run started from.
void mb_run_summarize(MbRun *run, MbStatus status, const MbTrajCounts *counts, int64_t from);

#endif
