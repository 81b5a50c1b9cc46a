// One run of a sweep, in a process of its own: `mbsim run` of its scene, followed frame by frame.
#include "cli/sweep.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "io/sweep/small_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct Child {
  MbSweep *sweep;
  uint64_t run;
  const char *folder; // the run's
  MbMeasures *measures;
  MbResult result;
  bool followed; // the run has begun
  int64_t from;
  double begun; // clock
  char path[MB_SWEEP_PATH + 32];
} Child;

static const char *path_of(Child *c, const char *name) {
  snprintf(c->path, sizeof c->path, "%s/%s", c->folder, name);
  return c->path;
}

// ---- what the measures were at a checkpoint ---------------------------------------------------------------

// The file `state`: this, the measures' numbers, and where no trajectory is written the simulation's checkpoint.
typedef struct State {
  char magic[8];
  int64_t step;
  uint64_t measures, checkpoint; // bytes
  uint64_t asked[2];             // hash of the measures' texts
  MbTally tally;
  char said[MB_RESULT_MESSAGE]; // what the run has warned of
} State;

static State state_head(const Child *c, const MbRun *run, int64_t step) {
  State state = {.magic = "mbstat2", .step = step, .measures = mb_measures_state_size(c->measures)};
  if (!run->writer) state.checkpoint = run->checkpoint_size;
  MbHash hash;
  mb_hash_begin(&hash);
  for (size_t i = 0; i < c->sweep->nmeasures; i++) mb_hash_text(&hash, c->sweep->defined[i]);
  state.asked[0] = hash.a;
  state.asked[1] = hash.b;
  state.tally = run->tally;
  memcpy(state.said, c->result.message, sizeof state.said);
  return state;
}

// The last two are kept: a kill may come between this and the trajectory's checkpoint.
static MbStatus save_state(void *to, MbRun *run, int64_t step, MbReport *report) {
  Child *c = to;
  if (step >= run->plan.steps) return MB_OK;
  const State head = state_head(c, run, step);
  const size_t size = sizeof head + head.measures + head.checkpoint;
  char *bytes = mb_calloc(size, 1), old[sizeof c->path];
  if (!bytes) return mb_no_memory(report, "a checkpoint");
  memcpy(bytes, &head, sizeof head);
  mb_measures_save(c->measures, bytes + sizeof head);
  if (head.checkpoint) memcpy(bytes + sizeof head + head.measures, run->checkpoint, head.checkpoint);
  snprintf(old, sizeof old, "%s", path_of(c, "state.old"));
  rename(path_of(c, "state"), old);
  const MbStatus status = mb_small_write(path_of(c, "state"), bytes, size, report);
  mb_free(bytes);
  return status;
}

// Reads a state of this run; with `step` at least 0 that of this step only.
static bool load_state(Child *c, MbRun *run, const char *name, int64_t step) {
  const State wanted = state_head(c, run, step);
  size_t size = 0;
  char *bytes = mb_small_read(path_of(c, name), &size);
  State head;
  bool good = bytes && size >= sizeof head;
  if (good) memcpy(&head, bytes, sizeof head);
  good = good && !memcmp(head.magic, wanted.magic, sizeof head.magic) && head.measures == wanted.measures &&
         !head.checkpoint == (run->writer != NULL) && !memcmp(head.asked, wanted.asked, sizeof head.asked) &&
         size == sizeof head + head.measures + head.checkpoint && (step < 0 || head.step == step);
  if (good && head.checkpoint) {
    MbReport ignored = {0};
    good = !mb_sim_restore(run->sim, bytes + sizeof head + head.measures, head.checkpoint, &ignored) &&
           mb_sim_steps(run->sim) == head.step;
    if (good) run->last_frame = run->last_checkpoint = head.step;
    if (good)
      memcpy(c->result.message, head.said, sizeof head.said); // a trajectory's events tell it otherwise
  }
  if (good) {
    mb_measures_restore(c->measures, bytes + sizeof head);
    run->tally = head.tally;
  }
  mb_free(bytes);
  return good;
}

// ---- following --------------------------------------------------------------------------------------------

static MbStatus start(void *to, MbRun *run, MbReport *report) {
  Child *c = to;
  const MbSceneSpec *spec = &run->scene->spec;
  size_t nchannels = 0;
  const MbChannel *channels = mb_sim_channels(run->sim, &nchannels);
  MbConstant *constants = mb_calloc(spec->nparameters, sizeof *constants);
  if (!constants) return mb_no_memory(report, "measures");
  for (size_t i = 0; i < spec->nparameters; i++)
    constants[i] = (MbConstant){spec->parameters[i].name, spec->parameters[i].value};
  const MbStatus status =
      mb_measures_create(c->sweep->measures, c->sweep->nmeasures, channels, nchannels, constants,
                         spec->nparameters, (double)run->plan.steps * run->plan.step, &c->measures, report);
  mb_free(constants);
  if (status) return status;
  c->followed = true;
  if (!run->writer && !load_state(c, run, "state", -1)) load_state(c, run, "state.old", -1);
  c->begun = mb_clock();
  c->from = mb_sim_steps(run->sim);
  return MB_OK;
}

// The frames have been replayed; where the file rounds them, only what was saved at this step is exact.
static MbStatus resumed(void *to, MbRun *run, MbReport *report) {
  Child *c = to;
  const int64_t step = mb_sim_steps(run->sim);
  bool rounded = false;
  for (int i = 0; i < MB_QUANTITIES; i++) rounded |= run->scene->spec.output.error[i] > 0;
  c->begun = mb_clock();
  c->from = step;
  if (load_state(c, run, "state", step) || load_state(c, run, "state.old", step) || !rounded) return MB_OK;
  return mb_error(report, MB_IO, "", "what the measures were at step %lld is not there", (long long)step);
}

static void take_frame(void *to, double time, const double *frame) {
  mb_measures_frame(((Child *)to)->measures, time, frame);
}

static void take_warnings(void *to, const MbReport *said) { mb_result_warn(&((Child *)to)->result, said); }

static void end(void *to, MbRun *run) {
  Child *c = to;
  if (!c->followed) return;
  const double took = mb_clock() - c->begun;
  c->result.steps = mb_sim_steps(run->sim);
  c->result.energy_drift = mb_tally_drift(&run->tally);
  if (took > 0 && c->result.steps > c->from)
    c->result.steps_per_second = (double)(c->result.steps - c->from) / took;
}

// ---- running ----------------------------------------------------------------------------------------------

static bool is_there(Child *c, const char *name) { return !access(path_of(c, name), F_OK); }

// The word for a run's --device; NULL: its scene says it.
static const char *device_of(const Child *c) {
  const MbValue *given = mb_arg(c->sweep->args, "device");
  if (mb_sweep_left(c->sweep, c->run)) return mb_device_words[MB_CPU];
  return given->given ? mb_device_words[given->word] : NULL;
}

static MbStatus run_once(Child *c, const char *resume, MbReport *report) {
  char scene[sizeof c->path], file[sizeof c->path];
  snprintf(scene, sizeof scene, "%s", path_of(c, "scene.json"));
  static char program[] = "mbsim", command[] = "run", output[] = "--output", log[] = "--log", json[] = "json",
              progress[] = "--progress", never[] = "never", going_on[] = "--resume", force[] = "--force",
              device[] = "--device";
  const bool no_file = c->sweep->keep == MB_KEEP_NONE;
  char *argv[14] = {program, command, scene, log, json, progress, never}, word[16];
  int argc = 7;
  snprintf(file, sizeof file, "%s", path_of(c, resume ? resume : "run.mbt"));
  if (resume || !no_file) {
    argv[argc++] = resume ? going_on : output;
    argv[argc++] = file;
  }
  if (!resume && !no_file) argv[argc++] = force;
  if (device_of(c)) {
    snprintf(word, sizeof word, "%s", device_of(c));
    argv[argc++] = device, argv[argc++] = word;
  }
  const MbRunFollower follower = {.to = c,
                                  .no_file = no_file,
                                  .start = start,
                                  .resumed = resumed,
                                  .frame = take_frame,
                                  .checkpoint = save_state,
                                  .said = take_warnings,
                                  .end = end};
  MbArgs args;
  MbStatus status = mb_args_parse(&mb_command_run, argc, argv, &args, report);
  if (!status) status = mb_run_scene_file(&args, &follower, report);
  mb_args_free(&args);
  return status;
}

static void reset(Child *c) {
  mb_measures_free(c->measures);
  c->measures = NULL;
  c->followed = false;
  mb_result_clear(&c->result, MB_OUT_OK);
}

// Goes on from what an earlier attempt has left, where that can be done; else from the beginning.
static MbStatus run_scene(Child *c, MbReport *report) {
  const char *resume = c->sweep->keep == MB_KEEP_NONE ? NULL
                       : is_there(c, "run.mbt.part")  ? "run.mbt.part"
                       : is_there(c, "run.mbt")       ? "run.mbt"
                                                      : NULL;
  if (resume) {
    const MbStatus status = run_once(c, resume, report);
    const bool refused = status == MB_USAGE || status == MB_IO || status == MB_SCENE;
    if (c->followed && !refused) return status;
    *report = (MbReport){0};
    reset(c);
  }
  return run_once(c, NULL, report);
}

static void hash_trajectory(Child *c) {
  MbReport ignored = {0};
  MbTraj *traj = NULL;
  if (!mb_traj_open(path_of(c, "run.mbt"), &traj, &ignored) && mb_traj_whole(traj) &&
      mb_traj_hash(traj, c->result.trajectory, &ignored))
    c->result.trajectory[0] = 0;
  mb_traj_free(traj);
}

static void take_message(MbResult *result, const MbReport *report) {
  for (int i = 0; i < report->kept; i++) {
    const MbIssue *issue = &report->issues[i];
    if (issue->warning) continue;
    snprintf(result->message, sizeof result->message, "%s%s%s", issue->where, issue->where[0] ? ": " : "",
             issue->text);
    for (char *at = result->message; *at; at++)
      if ((unsigned char)*at < ' ') *at = ' ';
    break;
  }
  if (strstr(result->message, "out of memory")) result->outcome = MB_OUT_MEMORY;
}

MbStatus mb_sweep_write_result(const char *folder, const MbResult *result, MbReport *report) {
  char path[MB_SWEEP_PATH];
  snprintf(path, sizeof path, "%s/result.json", folder);
  char *text = mb_result_write(result);
  const MbStatus status =
      text ? mb_small_write(path, text, strlen(text), report) : mb_no_memory(report, "a result");
  mb_free(text);
  return status;
}

void mb_sweep_set_up(const MbSweep *sweep, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(MB_CHILD_INTERRUPTED);
  const struct rlimit none = {0, 0}, memory = {sweep->memory, sweep->memory};
  setrlimit(RLIMIT_CORE, &none);
#ifdef MB_SANITIZED // whose own maps are no data of the run's
  (void)memory;
#else
  if (sweep->memory) setrlimit(RLIMIT_DATA, &memory);
#endif
  mb_alloc_bound(sweep->memory); // which counts from here, though the heap has room that the sweep gave back
  sigset_t all;
  sigemptyset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
}

// The processes of a sweep that was killed end after it: one of them may still be at this run. Waits for it, a while.
static void wait_for_others(int log) {
  static const double LONGEST = 10; // s
  static const struct timespec nap = {.tv_nsec = 5000000};
  const double began = mb_clock();
  while (flock(log, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK && mb_clock() - began < LONGEST)
    nanosleep(&nap, NULL);
}

static MbStatus prepare(Child *c, uint64_t run, MbReport *report) {
  char *text = NULL, id[MB_RUN_ID];
  if (mkdir(c->folder, 0777) && errno != EEXIST)
    return mb_error(report, MB_IO, "", "cannot make the folder %s: %s", c->folder, strerror(errno));
  const int log = open(path_of(c, "log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (log < 0) return mb_error(report, MB_IO, "", "cannot write %s: %s", c->path, strerror(errno));
  wait_for_others(log);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  MbStatus status = mb_run_scene(&c->sweep->scenes, run, &text, id, report);
  if (!status) status = mb_small_write(path_of(c, "scene.json"), text, strlen(text), report);
  mb_free(text);
  return status;
}

// Takes away what is of no use once the result is there: states, and files that killed attempts had begun.
static void tidy(Child *c) {
  DIR *dir = opendir(c->folder);
  for (const struct dirent *entry; dir && (entry = readdir(dir));)
    if (!strncmp(entry->d_name, "state", 5) || mb_path_ends(entry->d_name, ".tmp"))
      unlink(path_of(c, entry->d_name));
  if (dir) closedir(dir);
}

int mb_sweep_child(MbSweep *sweep, uint64_t run, const char *folder, bool always) {
  MbReport report = {0};
  Child c = {.sweep = sweep, .run = run, .folder = folder};
  const double began = mb_clock();
  c.result = (MbResult){.defined = sweep->defined, .nmeasures = sweep->nmeasures};
  c.result.values = mb_calloc(sweep->nmeasures, sizeof *c.result.values);
  if (!c.result.values) return MB_CHILD_LOST;
  mb_result_clear(&c.result, MB_OUT_OK);
  if (prepare(&c, run, &report)) return MB_CHILD_LOST;

  MbStatus status = run_scene(&c, &report);
  if (status == MB_INTERRUPTED && !always) return MB_CHILD_INTERRUPTED;
  if (status == MB_OK) status = mb_measures_values(c.measures, c.result.values, &report);
  c.result.outcome = mb_outcome_of(status);
  c.result.exit_code = (int)status;
  take_message(&c.result, &report);
  if (status == MB_OK && sweep->keep == MB_KEEP_FAILED) unlink(path_of(&c, "run.mbt"));
  if (sweep->keep != MB_KEEP_NONE && is_there(&c, "run.mbt")) hash_trajectory(&c);
  c.result.wall = mb_clock() - began;
  MbReport last = {0};
  tidy(&c);
  if (mb_sweep_write_result(folder, &c.result, &last)) return MB_CHILD_LOST;
  mb_measures_free(c.measures);
  mb_free(c.result.values);
  return status ? MB_CHILD_FAILED : MB_CHILD_OK;
}

pid_t mb_sweep_start(MbSweep *sweep, uint64_t run, const char *folder, bool always) {
  const pid_t parent = getpid();
  fflush(NULL);
  const pid_t pid = fork();
  if (pid) return pid;
  mb_sweep_set_up(sweep, parent);
  const int code = mb_sweep_child(sweep, run, folder, always);
  fflush(NULL);
  _exit(code);
}
