// A sweep: what `mbsim sweep` holds from the command line to the table. Its folder:
//   sweep.json, design.csv   what was asked, and which runs that makes
//   results.csv              the table
//   runs/ID/                 of each run: scene.json, log, run.mbt where it is kept, result.json when it is done; and while it goes
//                            run.mbt.part and state, what the measures were at the last checkpoints
#ifndef MB_CLI_SWEEP_H
#define MB_CLI_SWEEP_H

#include "cli/log.h"
#include "cli/run.h"
#include "io/sweep/run_scene.h"
#include "io/sweep/study.h"
#include "io/sweep/table.h"

#include <sys/types.h>

enum { MB_SWEEP_PATH = MB_FOLDER + 160 }; // room for the path of a file of a sweep

typedef enum MbKeep { MB_KEEP_ALL, MB_KEEP_FAILED, MB_KEEP_NONE } MbKeep;

typedef struct MbSweepRun {
  char id[MB_RUN_ID];
  bool done; // there already, or since
} MbSweepRun;

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
  int64_t first_steps; // that the first run has
  double start, told;  // clock
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
