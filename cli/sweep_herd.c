// Runs in lockstep on a device, before all others: whether they can go there, and the one process that has the device. It is a process of its
// own since a driver that was asked in this one serves none of those that come of it.
#include "cli/sweep.h"
#include "core/base/clock.h"
#include "core/base/report.h"
#include "gpu/flock.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- whether ------------------------------------------------------------------------------------------------

static const char *options_refuse(const MbSweep *s) {
  const MbValue *lanes = mb_arg(s->args, "lanes");
  if (lanes->given && lanes->word == 1) return "--lanes off leaves out";
  if (s->keep == MB_KEEP_ALL) return "--keep failed or none is wanted for";
  if (s->memory) return "--memory leaves out, as it bounds each process";
  return NULL;
}

// `auto` says once what it did not take.
static void stay_here(MbSweep *s, const char *why) {
  mb_log_say(&s->log, "device auto: %s; computed on %s", why, mb_engine_text(mb_engine_cpu(), NULL));
}

MbStatus mb_sweep_herd_ask(MbSweep *s, MbReport *report) {
  const char *name = mb_engine_name(mb_engine_cuda());
  char why[300] = "";
  if (s->device == MB_CPU || s->one_by_one_there) return MB_OK;
  const char *option = options_refuse(s), *scene = s->numbers_alone ? s->first_left : NULL;
  if (option)
    snprintf(why, sizeof why, "trees go there in lockstep, which %s", option);
  else if (scene)
    snprintf(why, sizeof why, "the scene's runs cannot go there: it %s", scene);
  if (!*why) return MB_OK;
  s->first_left = why[0] ? "stays here" : NULL;
  if (s->device == MB_AUTO) {
    stay_here(s, why);
    return MB_OK;
  }
  return mb_error(report, option ? MB_USAGE : MB_DEVICE, "", "device %s: %s", name, why);
}

bool mb_sweep_left(const MbSweep *s, uint64_t run) { return s->left && s->left[run]; }

// ---- the process --------------------------------------------------------------------------------------------

static void *shared(size_t bytes) {
  void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static pid_t start(MbSweep *s) {
  const pid_t parent = getpid();
  fflush(NULL);
  const pid_t pid = fork();
  if (pid) return pid;
  mb_sweep_set_up(s, parent);
  MbReport report = {0};
  const MbStatus status = mb_sweep_herd_worker(s, &report);
  mb_log_report(&s->log, &report);
  fflush(NULL);
  _exit(status ? MB_CHILD_LOST : MB_CHILD_OK);
}

// The signals are blocked. How the process ended; *interrupted: by one of them.
static int wait_for(MbSweep *s, pid_t pid, bool *interrupted) {
  static const struct timespec look = {.tv_nsec = 200000000};
  const uint64_t before = s->done;
  sigset_t signals;
  int how = 0;
  mb_sweep_choose_signals(&signals);
  while (waitpid(pid, &how, WNOHANG) == 0) {
    const int number = sigtimedwait(&signals, NULL, &look);
    if (number > 0 && number != SIGCHLD) *interrupted = true;
    if (*interrupted) kill(pid, SIGKILL); // what is in flight is lost, all that is done is written
    s->done = before + s->herd->done;
    mb_sweep_progress(s, mb_clock(), 1);
  }
  s->done = before;
  return how;
}

MbStatus mb_sweep_herd(MbSweep *s, MbReport *report) {
  const bool wanted = s->device != MB_CPU && !s->one_by_one_there && !(s->first_left && s->numbers_alone);
  if (!wanted || !s->todo || options_refuse(s)) return MB_OK;
  s->herd = shared(sizeof *s->herd);
  s->left = shared(s->design.runs * sizeof *s->left);
  if (!s->herd || !s->left) return mb_no_memory(report, "a sweep");
  const pid_t pid = start(s);
  if (pid < 0) return mb_error(report, MB_IO, "", "cannot start a process: %s", strerror(errno));
  bool interrupted = false;
  const int how = wait_for(s, pid, &interrupted);
  const MbStatus noted = mb_sweep_note_done(s, report);
  if (interrupted) return MB_INTERRUPTED;
  if (noted) return noted;
  if (WIFEXITED(how) && WEXITSTATUS(how) != MB_CHILD_OK)
    return mb_error(report, MB_IO, "", "cannot write into %s", s->out);
  if (!WIFEXITED(how)) {
    s->herd->status = MB_DEVICE;
    snprintf(s->herd->why, sizeof s->herd->why, "the process that had the device was lost");
  }
  if (!s->herd->status) return MB_OK;
  if (s->device == MB_CUDA)
    return mb_error(report, MB_DEVICE, "", "device %s: %s", mb_engine_name(mb_engine_cuda()), s->herd->why);
  stay_here(s, s->herd->why);
  return MB_OK;
}
