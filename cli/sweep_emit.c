// What does a sweep elsewhere: a batch script for Slurm, or lines for GNU parallel.
#include "cli/sweep.h"
#include "core/base/alloc.h"
#include "io/json/json_text.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const mb_sweep_emit_words[] = {"slurm", "parallel", NULL};

// A word as the shell reads it.
static void add_word(MbText *t, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+-@%";
  if (*word && strspn(word, plain) == strlen(word)) {
    mb_text_add(t, word);
    return;
  }
  mb_text_add(t, "'");
  for (; *word; word++) mb_text_add_n(t, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
  mb_text_add(t, "'");
}

// The command line as it came, but for what asks for this.
static void add_command(MbText *t, const MbSweep *s) {
  static const char *const ours[] = {"--emit", "--parts"};
  char program[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  program[n > 0 ? n : 0] = 0;
  add_word(t, n > 0 ? program : "mbsim");
  for (int i = 1; i < s->args->argc; i++) {
    const char *word = s->args->argv[i];
    bool skip = false, two = false;
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) {
      const size_t length = strlen(ours[k]);
      two |= !strcmp(word, ours[k]);
      skip |= !strncmp(word, ours[k], length) && (word[length] == '=' || !word[length]);
    }
    i += two;
    if (skip) continue;
    mb_text_add(t, " ");
    add_word(t, word);
  }
}

// How many parts: what was asked for, else such that each takes about ten minutes.
static uint64_t choose_parts(const MbSweep *s, const MbSweepTrial *trial, int jobs) {
  static const double PART = 600; // s
  enum { FEW = 8, MANY = 1000 };
  const MbValue *given = mb_arg(s->args, "parts");
  if (given->given) return (uint64_t)given->count;
  const double wanted = fmin(fmax(ceil(trial->seconds * (double)s->todo / jobs / PART), FEW), MANY);
  return wanted < (double)s->todo ? (uint64_t)wanted : s->todo;
}

static void print_slurm(const MbSweep *s, const MbSweepTrial *trial, int jobs, uint64_t parts,
                        const char *command, const char *folder) {
  // twice what the runs took here, and two minutes; half more memory than the trial had
  const uint64_t runs = (s->todo + parts - 1) / parts, rounds = (runs + (uint64_t)jobs - 1) / (uint64_t)jobs;
  const unsigned long long minutes =
      (unsigned long long)ceil((2 * trial->seconds * (double)rounds + 120) / 60);
  const uint64_t each = s->memory ? s->memory : trial->memory * 3 / 2;
  const unsigned long long mebibytes = ((each * (uint64_t)jobs) >> 20) + 100;
  const char *slash = strrchr(s->title, '/');
  char name[61]; // a word
  snprintf(name, sizeof name, "%s", slash ? slash + 1 : s->title);
  for (char *c = name; *c; c++)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", *c)) *c = '_';
  printf("#!/bin/sh\n"
         "#SBATCH --job-name=sweep-%s\n"
         "#SBATCH --array=1-%llu\n"
         "#SBATCH --ntasks=1\n"
         "#SBATCH --cpus-per-task=%d\n"
         "#SBATCH --time=%llu:%02llu:00\n"
         "#SBATCH --mem=%lluM\n"
         "#SBATCH --requeue\n"
         "#SBATCH --open-mode=append\n"
         "#SBATCH --signal=B:USR1@60\n"
         "#SBATCH --output=sweep-%%A_%%a.log\n",
         name, (unsigned long long)parts, jobs, minutes / 60, minutes % 60, mebibytes);
  printf("\n"
         "# Each task of the array does its part of the runs, and makes the table of all that is there; the "
         "last one's is whole.\n"
         "cd %s || exit 5\n"
         "%s &\n"
         "sweep=$! again=\n"
         "\n"
         "# A minute before its time is up, runs end after their step with a checkpoint, and the task goes "
         "into the queue again.\n"
         "trap 'again=yes; kill -USR1 \"$sweep\" 2>/dev/null' USR1\n"
         "trap 'kill -TERM \"$sweep\" 2>/dev/null' TERM\n"
         "while :; do\n"
         "  wait \"$sweep\"\n"
         "  status=$?\n"
         "  kill -0 \"$sweep\" 2>/dev/null || break\n"
         "done\n"
         "if [ -n \"$again\" ] && [ \"$status\" -gt 1 ]; then\n"
         "  scontrol requeue \"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\"\n"
         "fi\n"
         "exit \"$status\"\n",
         folder, command);
}

MbStatus mb_sweep_emit(MbSweep *s, MbReport *report) {
  if (s->shards > 1)
    return mb_error(report, MB_USAGE, "", "--emit is for the whole sweep, not for a shard of it");
  if (!strcmp(s->title, "-"))
    return mb_error(report, MB_USAGE, "", "--emit wants the scene in a file, not from stdin");
  if (!s->todo)
    return mb_error(report, MB_USAGE, "", "nothing is to do: %llu runs are done",
                    (unsigned long long)s->there);
  MbSweepTrial trial;
  MbStatus status = mb_sweep_try(s, &trial, report);
  if (!status && trial.fails)
    return mb_error(report, MB_USAGE, "", "run %llu, which was tried, fails: %s",
                    (unsigned long long)trial.run, trial.message);
  if (status) return status;
  const bool slurm = !strcmp(mb_arg(s->args, "emit")->text, "slurm"), given = mb_arg_given(s->args, "jobs");
  const int jobs = given ? s->jobs : 1;
  const uint64_t parts = choose_parts(s, &trial, jobs);
  char here[PATH_MAX];
  MbText command = {0}, folder = {0};
  add_command(&command, s);
  if (!given) mb_text_add(&command, " -j 1");
  add_word(&folder, getcwd(here, sizeof here) ? here : ".");
  char *text = mb_text_take(&command), *place = mb_text_take(&folder);
  if (!text || !place)
    status = mb_no_memory(report, "a script");
  else if (slurm)
    print_slurm(s, &trial, jobs, parts, text, place);
  for (uint64_t i = 1; !slurm && !status && i <= parts; i++)
    printf("cd %s && %s --shard %llu/%llu\n", place, text, (unsigned long long)i, (unsigned long long)parts);
  mb_free(text);
  mb_free(place);
  return status;
}
