// A backend that times every kernel of another, one at a time, and reckons what each reads and writes: for benchmarks by parts.
#ifndef MB_TOOLS_TIMED_BACKEND_H
#define MB_TOOLS_TIMED_BACKEND_H

#include "gpu/backend.h"

typedef struct MbTimed {
  double seconds, bytes; // bytes 0: not reckoned
  long calls;
} MbTimed;

// Of kernels, and behind them of copies there and of copies back.
enum { MB_TIMED_PUT = MB_KERNELS, MB_TIMED_GET, MB_TIMED };
extern MbTimed mb_timed[MB_TIMED];
// Bytes of the inverse's numbers, of which nobody tells it else.
extern double mb_timed_inverse;

// To be mb_backend_between.
const MbBackend *mb_timed_backend(const MbBackend *on);
void mb_timed_clear(void);
// Prints a line for each, of the time of so many frames (or steps), the longest first.
void mb_timed_print(double frames, const char *of);

#endif
