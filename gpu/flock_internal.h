// What a flock holds, shared by flock*.c. What is copied has a mirror on the processor, laid out as on the device.
#ifndef MB_GPU_FLOCK_INTERNAL_H
#define MB_GPU_FLOCK_INTERNAL_H

#include "core/sim/sim_internal.h"
#include "gpu/backend.h"
#include "gpu/flock.h"

enum { MB_FLOCK_CHUNK = 32, MB_FLOCK_MOST = 256 }; // steps of a launch whose signals differ; of any

typedef struct MbFlockSize {
  size_t nb, nq, nv, nturns, columns, squares, slots, nlimits, nsignals;
  bool varies, flies; // some signal with time; some body (model/flight.h)
} MbFlockSize;

typedef struct MbRows { // that are to be copied: `count` from `from` on
  const double *from;   // on the device
  double *to;
  size_t count;
} MbRows;

struct MbFlock {
  const MbBackend *on;
  MbGpu *gpu;
  const MbLane *like;
  MbFlockSize size;
  size_t stride, count; // from row to row; scenes
  char *memory, *mirror;
  size_t bytes, mirrored; // of both
  MbTreeArgs there, here; // the same arrays on the device and in the mirror
  const MbLane **lane;    // (stride)
  bool *gone;             // (stride)
  MbReport **said;        // (stride) of those who have said something
  int64_t step;
  const MbChannel *channels;
  size_t nchannels, frame_size;
  bool *wanted; // (nchannels)
  bool *body;   // (nb) some channel tells of it
  bool bodies;  // of any
  MbRows *rows; // (nrows) of a look
  size_t nrows;
  char fault[512];
};

// Gives arrays for `stride` scenes their places behind `memory`, which may be NULL: how many bytes that takes, and how many of them first
// have a mirror.
size_t mb_flock_lay_out(const MbFlockSize *size, size_t stride, MbTreeArgs *args, char *memory,
                        size_t *mirrored);
MbFlockSize mb_flock_size(const MbLane *lane);
// Notes what a device is at fault with.
MbStatus mb_flock_fault(MbFlock *flock, MbReport *report);

// Puts how the tree hangs together into the mirror; the numbers of one scene.
void mb_flock_describe(MbFlock *flock);
void mb_flock_put(MbFlock *flock, size_t scene);
// The signals of so many steps from the present one on.
void mb_flock_signals(MbFlock *flock, size_t steps);

static inline double *mb_row(double *rows, size_t stride, size_t i) { return rows + i * stride; }

#endif
