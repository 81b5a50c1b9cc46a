// A trial of one run, to tell what the others will take.
#include "cli/sweep.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "io/sweep/small_file.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const double LONGEST = 2; // s

// Waits for the process, and interrupts it when it takes long; true where it was.
static bool wait_for(pid_t pid, double start, uint64_t *memory) {
  struct rusage usage = {0};
  int how = 0;
  bool stopped = false;
  while (wait4(pid, &how, WNOHANG, &usage) == 0) {
    usleep(1000);
    if (stopped || mb_clock() - start < LONGEST) continue;
    kill(pid, SIGINT);
    stopped = true;
  }
  *memory = (uint64_t)usage.ru_maxrss * 1024;
  return stopped;
}

// Takes the folder of the trial away; how many bytes a run leaves there.
static uint64_t remove_folder(const char *folder) {
  static const char *const files[] = {"scene.json",   "log",   "run.mbt",  "result.json",
                                      "run.mbt.part", "state", "state.old"};
  enum { LEFT = 4 };
  char path[128];
  uint64_t bytes = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    if (!stat(path, &info) && i < LEFT) bytes += (uint64_t)info.st_size;
    unlink(path);
  }
  rmdir(folder);
  return bytes;
}

MbStatus mb_sweep_try(MbSweep *s, MbSweepTrial *trial, MbReport *report) {
  char folder[] = "/tmp/mbsim-sweep-XXXXXX", path[sizeof folder + 16];
  *trial = (MbSweepTrial){0};
  while (trial->run < s->design.runs && (trial->run % s->shards != s->shard || s->runs[trial->run].done))
    trial->run++;
  double *values = mb_calloc(s->nmeasures, sizeof *values);
  MbResult result = {.defined = s->defined, .values = values, .nmeasures = s->nmeasures};
  if (!values) return mb_no_memory(report, "a run");
  const double start = mb_clock();
  const pid_t pid = mkdtemp(folder) ? mb_sweep_start(s, trial->run, folder, true) : -1;
  const bool stopped = pid > 0 && wait_for(pid, start, &trial->memory);
  const double took = mb_clock() - start;
  size_t length = 0;
  bool lacks = false;
  snprintf(path, sizeof path, "%s/result.json", folder);
  char *text = mb_small_read(path, &length);
  const bool read = text && mb_result_read(text, length, &result, &lacks);
  mb_free(text);
  mb_free(values);
  trial->bytes = remove_folder(folder);
  if (!read)
    return mb_error(report, MB_IO, "", "a trial of run %llu has left no result",
                    (unsigned long long)trial->run);

  trial->fails = result.outcome != MB_OUT_OK && result.exit_code != MB_INTERRUPTED;
  snprintf(trial->message, sizeof trial->message, "%s: %s", mb_outcome_words[result.outcome], result.message);
  const double share =
      stopped && s->first_steps > 0 && result.steps > 0 ? (double)result.steps / (double)s->first_steps : 1;
  trial->seconds = took / share;
  trial->bytes = (uint64_t)((double)trial->bytes / share);
  return MB_OK;
}
