// What a device is asked for, counted (timed_backend.h).
#ifndef MB_TOOLS_TIMED_COUNTS_H
#define MB_TOOLS_TIMED_COUNTS_H

#include <stdbool.h>

// Launches, times that something has to come back, bytes there and back.
typedef struct MbTimedCounts {
  double launches, waits, there, back;
} MbTimedCounts;

// Puts what counts and times between engines and every device that is opened from here on, or takes it away.
void mb_timed_between(bool between);
void mb_timed_start(void);
void mb_timed_stop(void);
MbTimedCounts mb_timed_counts(void); // since the start

#endif
