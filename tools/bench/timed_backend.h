// A backend that times every kernel of another, one at a time, and reckons what each reads and writes: for benchmarks by parts.
#ifndef MB_TOOLS_TIMED_BACKEND_H
#define MB_TOOLS_TIMED_BACKEND_H

#include "gpu/backend.h"
#include "gpu/moved.h"
#include "tools/bench/timed_counts.h"

typedef struct MbTimed {
  double seconds, bytes; // bytes 0: not reckoned
  long calls;
} MbTimed;

// Of kernels, and behind them of copies there and of copies back.
enum { MB_TIMED_PUT = MB_KERNELS, MB_TIMED_GET, MB_TIMED };

// What an idle launch that is waited for takes, and how many bytes a second a launch reads and writes that adds one long vector to another.
typedef struct MbTimedDevice {
  double idle, speed;
} MbTimedDevice;

// To be mb_backend_between. It times nothing until it is told to (timed_counts.h): then every kernel is waited for, so that all together take longer.
const MbBackend *mb_timed_backend(const MbBackend *on);
// Reckons the bytes of solutions by this inverse from here on; NULL: not at all.
void mb_timed_inverse(const MbMoved *moved, size_t entries, size_t coupled);
// Measures the device that all later tables are about. False: it cannot be had.
bool mb_timed_device(const MbBackend *on, MbTimedDevice *device);
// Prints a line for each, of the time of so many frames (or steps), the longest first, without what an idle launch takes.
void mb_timed_print(double frames, const char *of);

#endif
