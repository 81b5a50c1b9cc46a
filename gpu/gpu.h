// The CUDA engine: a row of the table of engines (core/solvers/engine.h), given to core from outside. This version has none, and the
// row says so.
#ifndef MB_GPU_GPU_H
#define MB_GPU_GPU_H

#include "core/solvers/engine.h"

extern const MbEngine mb_cuda_engine;

#endif
