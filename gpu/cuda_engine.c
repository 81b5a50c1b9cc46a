// The CUDA engine's row: whether it can be had on this machine, and for which models.
#include "core/solvers/projective/pd_model.h"
#include "core/solvers/solvers.h"
#include "gpu/backend.h"
#include "gpu/flock.h"
#include "gpu/gpu.h"
#include "gpu/moved.h"

#include <stdlib.h>
#include <string.h>

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

// ---- which models -----------------------------------------------------------------------------------------

static const char *refuses_part(const MbDeformable *part) {
  const MbElements *e = part->elements;
  if (!part->points) return NULL; // nodes that are bodies are the processor's
  if (e->mesh.middle) return "the CUDA engine has no tetrahedra of ten nodes";
  if (e->rod.points) return "the CUDA engine has no rods";
  return NULL;
}

// Why it does not take a model, whatever the device.
static const char *refuses(const MbModel *model) {
  const MbSolverSpec *solver = &model->solver;
  const MbMethod method = mb_pd_model_method(model);
  if (!mb_model_points(model))
    return mb_lane_refused(model) || mb_flock_refused(model)
               ? "the CUDA engine is for deformables under solver \"projective\", and for sweeps of trees of "
                 "joints"
               : "the CUDA engine takes trees of joints in sweeps, in lockstep, and no run by itself";
  if (model->integrator.kind == MB_STATIC) return "the CUDA engine has no integrator \"static\"";
  if (method == MB_METHOD_NEWTON) return "the CUDA engine has no method \"newton\"";
  if (solver->global != MB_GLOBAL_AUTO && solver->global != MB_GLOBAL_SPARSE_INVERSE &&
      solver->global != MB_GLOBAL_PARTITIONED_INVERSE)
    return "the CUDA engine solves its global step by \"sparse_inverse\" or \"partitioned_inverse\" alone";
  for (size_t i = 0; i < model->ndeformables; i++) {
    const char *why = refuses_part(&model->deformables[i]);
    if (why) return why;
  }
  return NULL;
}

// ---- the solver: the processor's for bodies, with nodes that the device moves ----------------------------------

static MbSolverWork *by_cuda(const MbModel *model, int threads) {
  return mb_projective_create(model, threads, &mb_moved_by_cuda);
}
static MbSolverWork *by_loops(const MbModel *model, int threads) {
  return mb_projective_create(model, threads, &mb_moved_by_loops);
}

static const MbSolverOps *with(const MbModel *model, MbArena *arena,
                               MbSolverWork *(*create)(const MbModel *model, int threads)) {
  const MbSolverOps *of = mb_projective_solver(model, arena);
  MbSolverOps *ops = of ? mb_arena_alloc(arena, 1, sizeof *ops) : NULL;
  if (!ops) return NULL;
  *ops = *of;
  ops->create = create;
  return ops;
}

static const MbSolverOps *solver(const MbModel *model, MbArena *arena) { return with(model, arena, by_cuda); }
static const MbSolverOps *loops(const MbModel *model, MbArena *arena) { return with(model, arena, by_loops); }

static MbStatus memory(const MbModel *model, size_t *bytes, MbReport *report) {
  MbPdEngine *engine = NULL;
  size_t near = 0;
  MbStatus status = mb_pd_model_engine(model, model->solver.threads, 0, &mb_moved_by_none, &engine, report);
  if (status == MB_OK && mb_moved_finds(engine)) status = mb_moved_near_bytes(model, &near, report);
  if (status == MB_OK) *bytes = mb_moved_bytes(engine) + near;
  mb_pd_free(engine);
  return status;
}

static const char *here(bool *available) {
  *available = true;
  return "loops on this machine's processor, in the place of a device";
}

const MbEngine mb_loops_engine = {
    .name = "loops", .text = here, .refuses = refuses, .solver = loops, .memory = memory};
const MbEngine mb_cuda_engine = {
    .name = "cuda", .text = text, .refuses = refuses, .solver = solver, .memory = memory};

const MbBackend *mb_engine_backend(const MbEngine *engine) {
  return engine == &mb_loops_engine ? &mb_loops_backend : mb_cuda_backend();
}

// Has the launch of that number fail, and all behind it: once, as this is asked for more than once.
static void fail_after(const char *launches) {
  static bool told;
  if (!told && *launches == ':') mb_loops_fail_after = strtoll(launches + 1, NULL, 10);
  told = true;
}

// For tests of what devices do, on machines that have none: MBSIM_DEVICE=loops, or loops:N for a device that stops at launch N. Its name, which is told
// everywhere, is another.
const MbEngine *mb_engine_cuda(void) {
  const char *instead = getenv("MBSIM_DEVICE");
  const size_t n = strlen(mb_loops_engine.name);
  if (!instead || strncmp(instead, mb_loops_engine.name, n) != 0 || (instead[n] && instead[n] != ':'))
    return &mb_cuda_engine;
  fail_after(instead + n);
  return &mb_loops_engine;
}

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
