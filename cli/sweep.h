// A sweep: what `mbsim sweep` holds from the command line to the table. Its folder:
//   sweep.json, design.csv   what was asked, and which runs that makes
//   results.csv              the table
//   runs/ID/                 of each run: scene.json, log, run.mbt where it is kept, result.json when it is done; and while it goes
//                            run.mbt.part and state, what the measures were at the last checkpoints
#ifndef MB_CLI_SWEEP_H
#define MB_CLI_SWEEP_H

#include "cli/log.h"
#include "cli/run.h"
#include "io/sweep/finished.h"
#include "io/sweep/run_scene.h"
#include "io/sweep/study.h"
#include "io/sweep/table.h"

#include <signal.h>
#include <sys/types.h>

enum { MB_SWEEP_PATH = MB_FOLDER + 160 }; // room for the path of a file of a sweep

typedef enum MbKeep { MB_KEEP_ALL, MB_KEEP_FAILED, MB_KEEP_NONE } MbKeep;

typedef struct MbSweepRun {
  char id[MB_RUN_ID];
  bool done; // there already, or since
} MbSweepRun;

typedef struct MbBoard MbBoard;
typedef struct MbHerdBoard MbHerdBoard;

typedef struct MbSweep {
  const MbArgs *args;
  MbLog log;
  char out[MB_FOLDER];
  const char *title;      // the operand: a scene, or a study
  const char *scene_name; // the scene's file
  bool studied;
  MbStudy study;
  MbArgs merged; // the command line with the study under it, which `args` is then
  size_t study_params, study_sets, study_measures; // how many, of those lists' first, are the study's
  MbSceneSource source;
  MbRunScenes scenes;
  MbDesign design;
  MbMeasureAsk *measures; // (nmeasures)
  const char **defined;   // (nmeasures) what they are
  size_t nmeasures;
  MbArena arena;

  MbKeep keep;
  int jobs, retries;
  double timeout;  // s; 0 = none
  uint64_t memory; // bytes; 0 = no bound
  bool formats[MB_TABLE_FORMATS];
  uint64_t shard, shards; // this one does the runs shard, shard + shards, ...

  MbSweepRun *runs; // (design.runs)
  uint64_t there;   // of this shard's runs, how many were done before
  uint64_t todo;    // and how many are to do
  uint64_t done, failed;
  MbFinished *finished;      // runs that were done without a folder when it was looked last
  MbDevice device;           // that the first run asks for
  bool one_by_one_there;     // the device takes the first run's kind one by one, as `mbsim run` does
  const char *first_left;    // the first run cannot go in lockstep on a device, for this; NULL: it can
  const char *first_refused; // the first run cannot go in lockstep, for this; NULL: it can
  bool numbers_alone;        // nothing but numbers varies
  const char **parameters;   // (nparameters) the scene's, by name
  size_t nparameters;
  const char *why_alone;       // no run goes in lockstep, for this; NULL: some may
  MbBoard *board;              // of those that do (sweep_lanes.c)
  MbHerdBoard *herd;           // of those that do on a device (sweep_herd.c)
  _Atomic unsigned char *left; // (design.runs) 1: the device leaves it to the processor; NULL: there is none
  int64_t first_steps;         // that the first run has
  double start, told;          // clock
} MbSweep;

// ---- sweep_ask.c ---------------------------------------------------------------------------------

// What the command line asks for, checked by the first run: its scene, and the measures' names.
MbStatus mb_sweep_ask(MbSweep *sweep, MbReport *report);
void mb_sweep_free(MbSweep *sweep);

// ---- sweep_study.c -------------------------------------------------------------------------------

// Where the operand is a study: reads it, and lays it under the command line.
MbStatus mb_sweep_take_study(MbSweep *sweep, MbReport *report);
// Gives the issues from number `first` on their place in the study, where number i of a list of options, "name=...", is its.
void mb_sweep_locate(const MbSweep *sweep, size_t i, size_t from_study, const char *group, const char *text,
                     int first, MbReport *report);
// The same for issues whose texts begin with the name of something that varies.
void mb_sweep_locate_axes(const MbSweep *sweep, int first, MbReport *report);

// ---- sweep_folder.c ------------------------------------------------------------------------------

// Makes or takes over the folder.
MbStatus mb_sweep_folder(MbSweep *sweep, MbReport *report);
// Names all runs, finds which are done, and writes design.csv and sweep.json where `write` says so.
MbStatus mb_sweep_list(MbSweep *sweep, bool write, MbReport *report);
// The tables of a sweep's folder. `outcomes` may be NULL.
MbStatus mb_sweep_collect(const char *folder, const bool formats[MB_TABLE_FORMATS], MbOutcomes *outcomes,
                          MbReport *report);
// Looks anew at which runs have come to their end without folders of their own.
MbStatus mb_sweep_look(MbSweep *sweep, MbReport *report);
// Whether a run's result is there, and good.
bool mb_sweep_is_done(const MbSweep *sweep, const char *id);

// ---- sweep_child.c -------------------------------------------------------------------------------

// How the process of a run ends.
enum { MB_CHILD_OK = 0, MB_CHILD_FAILED = 40, MB_CHILD_LOST = 41, MB_CHILD_INTERRUPTED = 130 };
// Does a run in this process, which must be one of its own, and writes what it came to into `folder`. With `always`, also what an
// interrupted run came to. Returns how the process is to end.
int mb_sweep_child(MbSweep *sweep, uint64_t run, const char *folder, bool always);
MbStatus mb_sweep_write_result(const char *folder, const MbResult *result, MbReport *report);

// Whether a page of a sweep is there.
bool mb_sweep_is_report(const char *path);

// ---- sweep_pool.c --------------------------------------------------------------------------------

// Runs what is to do, several processes at a time. MB_INTERRUPTED, or MB_IO where results cannot be written.
MbStatus mb_sweep_work(MbSweep *sweep, MbReport *report);
// Starts the process of one run; -1 where the system refuses.
pid_t mb_sweep_start(MbSweep *sweep, uint64_t run, const char *folder, bool always);

// What to wait for: ends of processes, and signals to stop that the parent has not told to ignore.
void mb_sweep_choose_signals(sigset_t *set);
// What a process of the sweep does first: it is a group of its own, so that Ctrl-C reaches the sweep alone, and does not outlive it.
void mb_sweep_set_up(const MbSweep *sweep, pid_t parent);

// ---- sweep_lanes.c -------------------------------------------------------------------------------

// Does the runs that can go in lockstep, by several processes. What does not come to its end there is left to be done one by one.
// MB_INTERRUPTED by a signal.
MbStatus mb_sweep_lanes(MbSweep *sweep, MbReport *report);
// Tells why runs went one by one: number i of the reasons and how many runs; NULL behind the last.
const char *mb_sweep_why_alone(const MbSweep *sweep, size_t i, uint64_t *runs);
uint64_t mb_sweep_in_lanes(const MbSweep *sweep); // how many went in lockstep

// Tells why a run cannot go in lockstep, as words that fit behind "it "; NULL: it can.
const char *mb_sweep_lane_refused(const MbScene *scene, const MbModel *model);

// Tells what device a run asks for.
MbDevice mb_sweep_device_of(const MbSweep *sweep, const MbScene *scene);

// ---- sweep_herd.c --------------------------------------------------------------------------------

// What the process that has the device writes for the sweep.
struct MbHerdBoard {
  _Atomic uint64_t done, left; // runs that came to their end there, and that did not
  MbStatus status;             // of the device, and why
  char why[512], device[256];
};
// Before any run: refuses what can go on no device, where a device is asked for and nothing else.
MbStatus mb_sweep_herd_ask(MbSweep *sweep, MbReport *report);
// Does the runs that can go in lockstep on a device, where one is asked for, by one process. MB_INTERRUPTED by a signal; MB_DEVICE: it cannot
// be had.
MbStatus mb_sweep_herd(MbSweep *sweep, MbReport *report);
bool mb_sweep_left(const MbSweep *sweep, uint64_t run);
// Of runs that are done, which are so in the folder.
MbStatus mb_sweep_note_done(MbSweep *sweep, MbReport *report);

// ---- sweep_herd_worker.c -------------------------------------------------------------------------

// Does runs until there are no more; what became of the device is on the board. MB_IO where results cannot be written.
MbStatus mb_sweep_herd_worker(MbSweep *sweep, MbReport *report);

// ---- sweep_lane_worker.c -------------------------------------------------------------------------

// What the processes write on for each other and for the sweep.
enum { MB_BOARD_REASONS = 24 };
struct MbBoard {
  _Atomic uint64_t next, done; // the run to look at next; runs that came to their end
  struct {
    _Atomic(const char *) why; // the same address in all processes
    _Atomic uint64_t runs;
  } alone[MB_BOARD_REASONS];
  size_t group; // runs that go in one vector at most
};
void mb_board_note(MbBoard *board, const char *why, uint64_t runs);
// Does runs until there are no more; MB_IO where results cannot be written.
MbStatus mb_sweep_lane_worker(MbSweep *sweep, MbReport *report);

// ---- sweep_trial.c -------------------------------------------------------------------------------

// What a run takes, as the first that is to do tells within two seconds.
typedef struct MbSweepTrial {
  uint64_t run, bytes, memory; // which; left in its folder; at most
  double seconds;
  bool fails;
  char message[MB_RESULT_MESSAGE + 32]; // why
} MbSweepTrial;
MbStatus mb_sweep_try(MbSweep *sweep, MbSweepTrial *trial, MbReport *report);

// ---- sweep_emit.c --------------------------------------------------------------------------------

extern const char *const mb_sweep_emit_words[]; // slurm, parallel
// Prints what does the sweep elsewhere: a batch script, or lines of commands.
MbStatus mb_sweep_emit(MbSweep *sweep, MbReport *report);

// ---- sweep_tell.c --------------------------------------------------------------------------------

void mb_sweep_announce(MbSweep *sweep);
void mb_sweep_progress(MbSweep *sweep, double now, int active);
void mb_sweep_tell_failure(MbSweep *sweep, uint64_t run, const MbResult *result);
void mb_sweep_summarize(MbSweep *sweep, MbStatus status, const MbOutcomes *outcomes);
// `--status FOLDER`, `--dry-run`
MbStatus mb_sweep_status(const char *folder, MbReport *report);
MbStatus mb_sweep_dry_run(MbSweep *sweep, MbReport *report);

#endif
