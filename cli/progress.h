// The progress of a run. The step loop pays one decrement a step; the clock is read about twenty times a
// second.
#ifndef MB_CLI_PROGRESS_H
#define MB_CLI_PROGRESS_H

#include "cli/log.h"
#include "core/sim/plan.h"

extern const char *const mb_progress_words[]; // auto, always, never

typedef struct MbProgress {
  MbLog *log;
  const MbPlan *plan;
  bool line;                   // drawn over itself; else one below the other
  double period;               // s between two shows; 0 = never
  double start, shown, looked; // clock
  int64_t first;               // step that the run started from
  int64_t looked_step;
  int64_t countdown, batch; // steps to the next look, and from look to look
} MbProgress;

enum { MB_PROGRESS_AUTO, MB_PROGRESS_ALWAYS, MB_PROGRESS_NEVER };

void mb_progress_start(MbProgress *progress, MbLog *log, const MbPlan *plan, int64_t first, size_t mode);
void mb_progress_look(MbProgress *progress, int64_t step);

static inline void mb_progress_step(MbProgress *progress, int64_t step) {
  if (--progress->countdown <= 0) mb_progress_look(progress, step);
}

// How much a command that runs scenes says, and how; the words are mb_log_words' and these.
#define MB_TALK_OPTIONS                                                                                      \
  {.name = "quiet", .letter = 'q', .help = "say warnings and errors only"},                                  \
      {.name = "log",                                                                                        \
       .type = MB_OPTION_WORD,                                                                               \
       .argument = "FORM",                                                                                   \
       .words = mb_log_words,                                                                                \
       .help = "form of what is said on stderr",                                                             \
       .fallback = "text"},                                                                                  \
  {                                                                                                          \
    .name = "progress", .type = MB_OPTION_WORD, .argument = "WHEN", .words = mb_progress_words,              \
    .help = "show progress: a line on a terminal, else a line every 10 s", .fallback = "auto"                \
  }

#endif
