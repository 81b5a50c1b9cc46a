// The CUDA engine: a row of the table of engines (core/solvers/engine.h), given to core from outside.
#ifndef MB_GPU_GPU_H
#define MB_GPU_GPU_H

#include "core/solvers/engine.h"

extern const MbEngine mb_cuda_engine;
// The same with loops on the processor in the device's place, for tests.
extern const MbEngine mb_loops_engine;

// What an engine's kernels run on (backend.h); NULL: this mbsim was built without.
const struct MbBackend *mb_engine_backend(const MbEngine *engine);

// What this mbsim was built with for CUDA, and what devices the machine has, a phrase each. They stay until the next call.
const char *mb_cuda_built_text(void);
const char *mb_cuda_devices_text(void);

#endif
