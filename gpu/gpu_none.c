// The engine of an mbsim that was built without CUDA: it cannot be had, and has no solver for any model.
#include "gpu/gpu.h"

static const char *text(bool *available) {
  *available = false;
  return "this mbsim has no CUDA engine";
}

static const char *refuses(const MbModel *model) {
  bool available;
  (void)model;
  return text(&available);
}

static const MbSolverOps *solver(const MbModel *model, MbArena *arena) {
  (void)model, (void)arena;
  return NULL;
}

const MbEngine mb_cuda_engine = {.name = "cuda", .text = text, .refuses = refuses, .solver = solver};

const MbEngine *mb_engine_cuda(void) { return &mb_cuda_engine; }
