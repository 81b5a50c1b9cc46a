// The CUDA engine's row: whether it can be had on this machine, and for which models.
#include "gpu/backend.h"
#include "gpu/gpu.h"

enum { TEXT = 1024 };

static const char *text(bool *available) {
  static char phrase[TEXT];
  MbProbe probe;
  const MbCudaBuild build = mb_cuda_build();
  *available = false;
  if (!*build.archs) return "this mbsim was built without CUDA";
  mb_cuda_probe(MB_CUDA_LIBRARY, &probe);
  const char *lacks = mb_cuda_lacks(&probe, &build, sizeof phrase, phrase);
  *available = !lacks;
  return lacks ? lacks : mb_cuda_found(&probe, sizeof phrase, phrase);
}

static const char *refuses(const MbModel *model) {
  (void)model;
  return "the CUDA engine has no solver yet";
}

static const MbSolverOps *solver(const MbModel *model, MbArena *arena) {
  (void)model, (void)arena;
  return NULL;
}

const MbEngine mb_cuda_engine = {.name = "cuda", .text = text, .refuses = refuses, .solver = solver};

const MbEngine *mb_engine_cuda(void) { return &mb_cuda_engine; }

const char *mb_cuda_built_text(void) {
  static char phrase[TEXT];
  const MbCudaBuild build = mb_cuda_build();
  return mb_cuda_built(&build, sizeof phrase, phrase);
}

const char *mb_cuda_devices_text(void) {
  static char phrase[TEXT];
  MbProbe probe;
  mb_cuda_probe(MB_CUDA_LIBRARY, &probe);
  return mb_cuda_found(&probe, sizeof phrase, phrase);
}
