// Where kernels run: a device's memory, copies, and launches. One table a kind of device; the engines know nothing else of one. Two rows:
// CUDA's (cuda_backend.cu), and one that runs every kernel as a loop on the processor, by which all that engines do is tested on every
// machine.
//
// A call that fails is noted, the first one alone, and those after it do nothing: who has asked for a result asks `fault` too.
#ifndef MB_GPU_BACKEND_H
#define MB_GPU_BACKEND_H

#include "gpu/cuda_probe.h"
#include "gpu/kernels/kernel_list.h"

#include <stddef.h>

typedef struct MbGpu MbGpu; // an opened device

enum { MB_GPU_PARCELS = 2 };

typedef struct MbBackend {
  const char *name;
  // Opens the device. NULL: it cannot be had, and `why` says so.
  MbGpu *(*open)(size_t size, char *why);
  void (*close)(MbGpu *gpu); // NULL is fine
  const char *(*device)(const MbGpu *gpu);
  // Tells how many bytes may be taken now.
  size_t (*room)(MbGpu *gpu);
  // Takes memory, zeroed; NULL: there is none. Gives it back.
  void *(*take)(MbGpu *gpu, size_t bytes);
  void (*give)(MbGpu *gpu, void *memory);
  // Copies from the processor's memory to the device's, behind all that was asked for before: `from` may be changed when it returns. And back:
  // that is done when it returns.
  void (*put)(MbGpu *gpu, void *to, const void *from, size_t bytes);
  void (*get)(MbGpu *gpu, void *to, const void *from, size_t bytes);
  // Parcels go to the processor while other work is done. Makes room for such as have so many bytes, on the processor. False: there is none.
  bool (*parcels)(MbGpu *gpu, size_t bytes);
  // What is asked for from now on waits until parcel k, if it has left, is on the processor: what it is packed in may be written to then.
  void (*clear)(MbGpu *gpu, int k);
  // Sends parcel k when all that was asked for before is done. What is asked for later does not wait for it.
  void (*leave)(MbGpu *gpu, int k, const void *from, size_t bytes);
  // Waits for parcel k, which has left, and for nothing else. Another thread may call it while this one asks for other work. NULL: it cannot be had.
  const void *(*arrive)(MbGpu *gpu, int k);
  // Runs a kernel for numbers 0 … n − 1, behind all that was asked for before.
  void (*run)(MbGpu *gpu, MbKernel kernel, size_t n, const void *args);
  // Waits until all that was asked for is done.
  void (*wait)(MbGpu *gpu);
  // Tells the first call that has failed, and how; NULL: none.
  const char *(*fault)(const MbGpu *gpu);
} MbBackend;

#ifdef __cplusplus
extern "C" {
#endif
// Tells what this mbsim was built with, and CUDA's row; NULL: it was built without.
MbCudaBuild mb_cuda_build(void);
const MbBackend *mb_cuda_backend(void);
#ifdef __cplusplus
}
#else
extern const MbBackend mb_loops_backend;
// For tests: how much memory loops have; the launch that fails, 0 = the next one, and all behind it, negative = none.
extern size_t mb_loops_room;
extern int64_t mb_loops_fail_after;

// For benchmarks: what is to stand between engines and a backend. NULL: nothing.
extern const MbBackend *(*mb_backend_between)(const MbBackend *on);
static inline const MbBackend *mb_backend_for(const MbBackend *on) {
  return mb_backend_between && on ? mb_backend_between(on) : on;
}
#endif

#endif
