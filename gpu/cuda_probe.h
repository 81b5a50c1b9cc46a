// What a machine has for CUDA, as its driver tells: libcuda is loaded and asked when somebody wants to know, so that no toolkit is needed
// to look, and a program that was built with one runs where there is no driver.
#ifndef MB_GPU_CUDA_PROBE_H
#define MB_GPU_CUDA_PROBE_H

#include <stddef.h>

#define MB_CUDA_LIBRARY "libcuda.so.1"

typedef enum MbProbeState {
  MB_PROBE_NO_DRIVER, // the library cannot be loaded
  MB_PROBE_FAULTY,    // a call fails: `call` and `error` say which
  MB_PROBE_NO_DEVICE,
  MB_PROBE_DEVICES,
} MbProbeState;

enum { MB_PROBE_MOST = 16, MB_PROBE_NAME = 96 };

typedef struct MbProbedDevice {
  char name[MB_PROBE_NAME];
  int capability; // 90 is 9.0
  size_t bytes;   // of memory, all of it
} MbProbedDevice;

typedef struct MbProbe {
  MbProbeState state;
  int version; // of CUDA that the driver knows, 13000 is 13.0; 0: it has not told
  int error;
  const char *call;
  int count; // devices, of which the first MB_PROBE_MOST are described
  MbProbedDevice device[MB_PROBE_MOST];
} MbProbe;

// Asks the driver in a library of that name.
void mb_cuda_probe(const char *library, MbProbe *probe);

// What an mbsim was built with. `archs`: what it has code for, "75 80 90", ascending, with code to be translated for what is later than
// the last. "": it was built without CUDA.
typedef struct MbCudaBuild {
  int version; // of the toolkit, 13000 is 13.0
  const char *archs;
} MbCudaBuild;

// Says in `text` what was found on the machine: its devices, or why there are none.
const char *mb_cuda_found(const MbProbe *probe, size_t size, char *text);
// Says in `text` what an mbsim was built with.
const char *mb_cuda_built(const MbCudaBuild *build, size_t size, char *text);
// Says in `text` why the first device cannot be used by an mbsim that was built so: what was found, and what is needed. NULL: it can.
const char *mb_cuda_lacks(const MbProbe *probe, const MbCudaBuild *build, size_t size, char *text);

#endif
