// Runs in lockstep, before all others: which sweeps they are for, and the processes that do them. A process that crashes loses the runs
// that it was about to do, which then go one by one; another takes its place.
#include "cli/sweep.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/sim/lockstep.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const double LOOK = 0.2; // s, at most, between looks at the clock

// ---- whether ------------------------------------------------------------------------------------------------

const char *mb_sweep_lane_refused(const MbScene *scene, const MbModel *model) {
  enum { MOST_BODIES = 5000 }; // beyond which lanes do not fit a processor's cache
  if (!isnan(scene->spec.output.checkpoint)) return "has checkpoints";
  if (mb_model_bodies(model) > MOST_BODIES) return "has more than 5000 bodies";
  return mb_lane_refused(model);
}

MbDevice mb_sweep_device_of(const MbSweep *s, const MbScene *scene) {
  const MbValue *given = mb_arg(s->args, "device");
  return given->given ? (MbDevice)given->word : scene->spec.solver.device;
}

static const char *refused(const MbSweep *s) {
  const MbValue *lanes = mb_arg(s->args, "lanes");
  if (lanes->given && lanes->word == 1) return "--lanes off";
  if (s->keep == MB_KEEP_ALL) return "trajectories are kept";
  if (s->memory) return "--memory bounds each process";
  if (s->first_refused && s->numbers_alone) return s->first_refused;
  if (s->numbers_alone && s->device == MB_CUDA && !s->left) return "asks for another device";
  return NULL;
}

// How many runs go in one vector: as many as it holds, but every process has some.
static size_t group_size(const MbSweep *s) {
  const uint64_t each = s->todo / (uint64_t)s->jobs + (s->todo % (uint64_t)s->jobs != 0);
  return each < 8 ? (size_t)each : 8;
}

// ---- the processes ------------------------------------------------------------------------------------------

typedef struct Crew {
  MbSweep *sweep;
  pid_t *workers; // (sweep->jobs); 0: none
  int active, lost;
  bool interrupted;
  MbStatus status;
  MbReport *report;
} Crew;

static pid_t start_worker(Crew *c) {
  const pid_t parent = getpid();
  fflush(NULL);
  const pid_t pid = fork();
  if (pid) return pid;
  mb_sweep_set_up(c->sweep, parent);
  MbReport report = {0};
  const MbStatus status = mb_sweep_lane_worker(c->sweep, &report);
  mb_log_report(&c->sweep->log, &report);
  fflush(NULL);
  _exit(status ? MB_CHILD_LOST : MB_CHILD_OK);
}

static void start_some(Crew *c) {
  enum { MOST_LOST = 16 }; // processes, beyond which the rest go one by one
  const MbSweep *s = c->sweep;
  const uint64_t claim = s->board->group * s->shards;
  for (int i = 0; i < s->jobs && !c->interrupted && !c->status && c->lost < MOST_LOST; i++) {
    const uint64_t next = s->board->next;
    if (c->workers[i] || next >= s->design.runs || (uint64_t)c->active * claim >= s->design.runs - next)
      continue;
    const pid_t pid = start_worker(c);
    if (pid < 0) c->status = mb_error(c->report, MB_IO, "", "cannot start a process: %s", strerror(errno));
    if (pid < 0) return;
    c->workers[i] = pid;
    c->active++;
  }
}

static void reap(Crew *c) {
  int how = 0;
  for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;)
    for (int i = 0; i < c->sweep->jobs; i++) {
      if (c->workers[i] != pid) continue;
      c->workers[i] = 0;
      c->active--;
      if (!WIFEXITED(how)) c->lost++;
      if (WIFEXITED(how) && WEXITSTATUS(how) != MB_CHILD_OK && !c->status && !c->interrupted)
        c->status = mb_error(c->report, MB_IO, "", "cannot write into %s", c->sweep->out);
    }
}

static void stop(Crew *c) {
  for (int i = 0; i < c->sweep->jobs; i++)
    if (c->workers[i]) kill(c->workers[i], SIGKILL);
}

// The signals are blocked.
static void wait_for_all(Crew *c) {
  MbSweep *s = c->sweep;
  const uint64_t before = s->done;
  sigset_t signals;
  mb_sweep_choose_signals(&signals);
  start_some(c);
  while (c->active) {
    const struct timespec time = {.tv_nsec = (long)(LOOK * 1e9)};
    const int number = sigtimedwait(&signals, NULL, &time);
    if (number > 0 && number != SIGCHLD) {
      c->interrupted = true;
      stop(c); // what is in flight is lost, all that is done is written
    }
    reap(c);
    if (c->status) stop(c);
    start_some(c);
    s->done = before + s->board->done;
    mb_sweep_progress(s, mb_clock(), (int)s->board->group * c->active);
  }
}

// Which runs have come to their end, as the folder tells.
MbStatus mb_sweep_note_done(MbSweep *s, MbReport *report) {
  const MbStatus status = mb_sweep_look(s, report);
  for (uint64_t i = s->shard; i < s->design.runs && !status; i += s->shards) {
    if (s->runs[i].done || !mb_sweep_is_done(s, s->runs[i].id)) continue;
    s->runs[i].done = true;
    s->done++;
  }
  return status;
}

MbStatus mb_sweep_lanes(MbSweep *s, MbReport *report) {
  s->why_alone = refused(s);
  if (s->why_alone || !s->todo) return MB_OK;
  if (group_size(s) < 2) {
    s->why_alone = "each has a processor for itself";
    return MB_OK;
  }
  void *const board = mmap(NULL, sizeof *s->board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Crew c = {.sweep = s, .report = report, .workers = mb_calloc((size_t)s->jobs, sizeof *c.workers)};
  if (board == MAP_FAILED || !c.workers) return mb_no_memory(report, "a sweep");
  const uint64_t before = s->done;
  s->board = board;
  s->board->group = group_size(s);
  wait_for_all(&c);
  s->done = before;
  mb_free(c.workers);
  const MbStatus status = mb_sweep_note_done(s, report);
  return c.interrupted ? MB_INTERRUPTED : c.status ? c.status : status;
}

// ---- what went which way --------------------------------------------------------------------------------------

uint64_t mb_sweep_in_lanes(const MbSweep *s) { return s->board ? (uint64_t)s->board->done : 0; }

const char *mb_sweep_why_alone(const MbSweep *s, size_t i, uint64_t *runs) {
  *runs = 0;
  if (s->why_alone && i == 0) {
    *runs = s->todo;
    return s->why_alone;
  }
  if (!s->board || i >= MB_BOARD_REASONS) return NULL;
  *runs = s->board->alone[i].runs;
  return s->board->alone[i].why;
}
