// The processes of a sweep. The sweep waits for their ends and for signals in one place; nothing is shared but files.
#include "cli/sweep.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "io/sweep/small_file.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const double LOOK = 0.2; // s, at most, between looks at the clock

typedef struct Slot {
  pid_t pid; // 0 = free
  uint64_t run;
  int tries;
  double start; // clock
  bool late;    // killed for its time
} Slot;

typedef struct Pool {
  MbSweep *sweep;
  Slot *slots; // (sweep->jobs)
  int active;
  uint64_t next;    // run to look at
  bool stopping;    // no more runs are started
  bool interrupted; // by a signal
  double first_signal;
  MbStatus status;
  MbReport *report;
} Pool;

static void folder_of(const MbSweep *s, uint64_t run, char path[MB_SWEEP_PATH]) {
  snprintf(path, MB_SWEEP_PATH, "%s/runs/%s", s->out, s->runs[run].id);
}

// ---- starting ---------------------------------------------------------------------------------------------

static MbStatus launch(Pool *p, Slot *slot, uint64_t run, int tries) {
  char folder[MB_SWEEP_PATH];
  folder_of(p->sweep, run, folder);
  const pid_t pid = mb_sweep_start(p->sweep, run, folder, false);
  if (pid < 0) return mb_error(p->report, MB_IO, "", "cannot start a process: %s", strerror(errno));
  *slot = (Slot){.pid = pid, .run = run, .tries = tries, .start = mb_clock()};
  p->active++;
  return MB_OK;
}

// Whether the same run goes on now under another number.
static bool runs_now(const Pool *p, uint64_t run) {
  for (int i = 0; i < p->sweep->jobs; i++)
    if (p->slots[i].pid && !strcmp(p->sweep->runs[p->slots[i].run].id, p->sweep->runs[run].id)) return true;
  return false;
}

// Starts as many as there is room for.
static void start_more(Pool *p) {
  MbSweep *s = p->sweep;
  for (int i = 0; i < s->jobs && !p->stopping && !p->status; i++) {
    if (p->slots[i].pid) continue;
    for (; p->next < s->design.runs; p->next++) {
      if (p->next % s->shards != s->shard || s->runs[p->next].done) continue;
      if (runs_now(p, p->next)) return; // until that is done
      // the design has it twice
      if (p->next && mb_sweep_is_done(s, s->runs[p->next].id)) {
        s->runs[p->next].done = true;
        s->done++;
        continue;
      }
      break;
    }
    if (p->next >= s->design.runs) return;
    p->status = launch(p, &p->slots[i], p->next++, 0);
  }
}

// ---- ends -------------------------------------------------------------------------------------------------

// A process that could not write what it came to: the sweep does.
static void write_end(Pool *p, const Slot *slot, int how) {
  MbSweep *s = p->sweep;
  char folder[MB_SWEEP_PATH];
  const int number = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
  double *values = mb_calloc(s->nmeasures, sizeof *values);
  MbResult result = {.defined = s->defined, .values = values, .nmeasures = s->nmeasures};
  if (!values) return;
  mb_result_clear(&result, slot->late ? MB_OUT_TIMEOUT : MB_OUT_CRASHED);
  result.exit_code = number ? 128 + number : WEXITSTATUS(how);
  result.wall = mb_clock() - slot->start;
  if (slot->late)
    snprintf(result.message, sizeof result.message, "stopped after %g s (--timeout)", s->timeout);
  else if (number)
    snprintf(result.message, sizeof result.message, "killed by signal %d (%s)", number, strsignal(number));
  else
    snprintf(result.message, sizeof result.message, "its process has ended with exit code %d",
             result.exit_code);
  folder_of(s, slot->run, folder);
  mkdir(folder, 0777);
  if (mb_sweep_write_result(folder, &result, p->report)) p->status = MB_IO;
  mb_free(values);
}

static void tell_failure(Pool *p, const Slot *slot) {
  MbResult result = {0};
  char path[MB_SWEEP_PATH + 16], folder[MB_SWEEP_PATH];
  size_t length = 0;
  bool lacks = false;
  folder_of(p->sweep, slot->run, folder);
  snprintf(path, sizeof path, "%s/result.json", folder);
  char *text = mb_small_read(path, &length);
  if (text) mb_result_read(text, length, &result, &lacks);
  mb_free(text);
  mb_sweep_tell_failure(p->sweep, slot->run, &result);
}

static void ended(Pool *p, Slot *slot, int how) {
  MbSweep *s = p->sweep;
  const int code = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
  const Slot was = *slot;
  slot->pid = 0;
  p->active--;
  if (code == MB_CHILD_OK) {
    s->runs[was.run].done = true;
    s->done++;
    return;
  }
  if (code == MB_CHILD_INTERRUPTED || (p->interrupted && code < 0 && !was.late)) return;
  if (code == MB_CHILD_LOST) {
    char folder[MB_SWEEP_PATH];
    folder_of(s, was.run, folder);
    p->stopping = true;
    if (!p->status) p->status = mb_error(p->report, MB_IO, "", "cannot write into %s", folder);
    return;
  }
  if (code != MB_CHILD_FAILED) write_end(p, &was, how);
  if (was.tries < s->retries && !p->stopping) {
    p->status = p->status ? p->status : launch(p, slot, was.run, was.tries + 1);
    return;
  }
  s->failed++;
  tell_failure(p, &was);
  if (mb_arg_given(s->args, "fail-fast")) p->stopping = true;
}

static void reap(Pool *p) {
  int how = 0;
  for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;)
    for (int i = 0; i < p->sweep->jobs; i++)
      if (p->slots[i].pid == pid) {
        ended(p, &p->slots[i], how);
        break;
      }
}

// ---- waiting ----------------------------------------------------------------------------------------------

static void kill_all(const Pool *p, int number) {
  for (int i = 0; i < p->sweep->jobs; i++)
    if (p->slots[i].pid) kill(p->slots[i].pid, number);
}

// Kills what is late; how long the next wait may be.
static double mind_time(Pool *p, double now) {
  double wait = LOOK;
  for (int i = 0; i < p->sweep->jobs && p->sweep->timeout > 0; i++) {
    Slot *slot = &p->slots[i];
    if (!slot->pid || slot->late) continue;
    const double left = slot->start + p->sweep->timeout - now;
    if (left <= 0) {
      slot->late = true;
      kill(slot->pid, SIGKILL);
    } else if (left < wait) {
      wait = left;
    }
  }
  return wait;
}

// Which signals the sweep waits for: those that its parent has not told it to ignore.
void mb_sweep_choose_signals(sigset_t *set) {
  static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
  sigemptyset(set);
  sigaddset(set, SIGCHLD);
  for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
    struct sigaction action;
    if (!sigaction(stops[i], NULL, &action) && action.sa_handler != SIG_IGN) sigaddset(set, stops[i]);
  }
}

static void on_signal(Pool *p, int number) {
  if (number == SIGCHLD || number < 0) return;
  const double now = mb_clock();
  if (p->interrupted && now - p->first_signal < MB_SAME_SIGNAL) return;
  kill_all(p, p->interrupted ? SIGKILL : SIGTERM); // the second one kills
  if (!p->interrupted) p->first_signal = now;
  p->interrupted = p->stopping = true;
}

static void wait_once(Pool *p, const sigset_t *signals) {
  const double now = mb_clock(), wait = mind_time(p, now);
  const struct timespec time = {.tv_nsec = (long)(wait * 1e9)};
  mb_sweep_progress(p->sweep, now, p->active);
  on_signal(p, sigtimedwait(signals, NULL, &time));
  reap(p);
}

MbStatus mb_sweep_work(MbSweep *s, MbReport *report) {
  Pool p = {.sweep = s, .report = report};
  p.slots = mb_calloc((size_t)s->jobs, sizeof *p.slots);
  if (!p.slots) return mb_no_memory(report, "a sweep");
  sigset_t signals, before;
  mb_sweep_choose_signals(&signals);
  sigprocmask(SIG_BLOCK, &signals, &before);
  s->start = mb_clock();
  p.status = mb_sweep_herd(s, report);
  if (!p.status) p.status = mb_sweep_lanes(s, report);
  mb_finished_free(s->finished); // runs that stand there are marked; from now on there are folders
  s->finished = NULL;
  p.interrupted = p.status == MB_INTERRUPTED;
  p.stopping = p.status != MB_OK;
  for (;;) {
    start_more(&p);
    if (p.status && !p.stopping) {
      p.stopping = true;
      kill_all(&p, SIGTERM);
    }
    if (!p.active && (p.stopping || p.next >= s->design.runs)) break;
    wait_once(&p, &signals);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  mb_free(p.slots);
  return p.interrupted ? MB_INTERRUPTED : p.status;
}
