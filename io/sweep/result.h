// What a run of a sweep came to: a small file of its own beside the run's others, and a row of the table.
#ifndef MB_IO_RESULT_H
#define MB_IO_RESULT_H

#include "core/mbsim.h"
#include <stdio.h>

typedef enum MbOutcome {
  MB_OUT_OK,
  MB_OUT_USAGE,   // a measure does not fit this run's scene
  MB_OUT_SCENE,   // the scene is invalid
  MB_OUT_NUMBERS, // the numbers failed
  MB_OUT_IO,
  MB_OUT_DEVICE,
  MB_OUT_CRASHED, // killed by a signal
  MB_OUT_TIMEOUT,
  MB_OUT_MEMORY,
  MB_OUT_MISSING, // no result is there
  MB_OUTCOMES
} MbOutcome;
extern const char *const mb_outcome_words[MB_OUTCOMES + 1];
MbOutcome mb_outcome_of(MbStatus status);

enum { MB_RESULT_MESSAGE = 512 };

typedef struct MbResult {
  MbOutcome outcome;
  int exit_code;
  char message[MB_RESULT_MESSAGE]; // the first error; of a run that came to its end what it warned of
  const char *const *defined;      // (nmeasures) what the measures are, as text
  double *values;                  // (nmeasures); NaN where there is none
  size_t nmeasures;
  double energy_drift, steps_per_second, wall; // NaN, NaN, s
  int64_t steps;
  char trajectory[33]; // hash of what the trajectory holds; empty where none was kept
} MbResult;

// The file's text (mb_free it); NULL when memory ran out.
char *mb_result_write(const MbResult *result);
// Reads it: `defined`, `values` and `nmeasures` must be set. False where it is no result; *lacks: some measure is not in it.
bool mb_result_read(const char *text, size_t length, MbResult *result, bool *lacks);
// Adds what was warned of to the message, as much as there is room for.
void mb_result_warn(MbResult *result, const MbReport *said);
// A result without numbers.
void mb_result_clear(MbResult *result, MbOutcome outcome);

#endif
