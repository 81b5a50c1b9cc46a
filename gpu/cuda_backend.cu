// CUDA's row of backends. The first device; one stream, in which everything is done in order, and one for what goes to the processor meanwhile.
// What a call returns is always looked at.
extern "C" {
#include "core/base/alloc.h"
}
#include "gpu/backend.h"

#include <cuda_runtime.h>

#include "gpu/cuda_parcels.h"
#include "gpu/cuda_queue.h"

#include <stdio.h>
#include <string.h>

// Memory that the device reads and writes by itself: what goes to and fro passes through it.
static const size_t STAGE = (size_t)8 << 20;

struct MbGpu {
  cudaStream_t stream;
  char *stage;  // (STAGE) NULL: there is none
  size_t taken; // of it, by what is on its way
  Parcels parcels;
  Queue queue;
  char name[MB_PROBE_NAME];
  char fault[256]; // the first; "": none
};

// Notes what failed. True: nothing did.
static bool went(MbGpu *gpu, cudaError_t error, const char *call) {
  if (error == cudaSuccess) return true;
  if (!gpu->fault[0])
    snprintf(gpu->fault, sizeof gpu->fault, "%s fails: %s", call, cudaGetErrorString(error));
  return false;
}

static bool sound(const MbGpu *gpu) { return !gpu->fault[0]; }
static const char *fault(const MbGpu *gpu) { return sound(gpu) ? NULL : gpu->fault; }
static const char *device(const MbGpu *gpu) { return gpu->name; }

static void close_device(MbGpu *gpu) {
  if (!gpu) return;
  forget_all(&gpu->queue);
  parcels_free(&gpu->parcels);
  if (gpu->stream) (void)went(gpu, cudaStreamDestroy(gpu->stream), "cudaStreamDestroy");
  if (gpu->stage) (void)went(gpu, cudaFreeHost(gpu->stage), "cudaFreeHost");
  mb_free(gpu);
}

static MbGpu *open_device(size_t size, char *why) {
  MbGpu *gpu = (MbGpu *)mb_calloc(1, sizeof *gpu);
  if (!gpu) {
    snprintf(why, size, "out of memory");
    return NULL;
  }
  cudaDeviceProp about;
  if (went(gpu, cudaSetDevice(0), "cudaSetDevice") &&
      went(gpu, cudaGetDeviceProperties(&about, 0), "cudaGetDeviceProperties") &&
      went(gpu, cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking), "cudaStreamCreate")) {
    snprintf(gpu->name, sizeof gpu->name, "%.*s", (int)sizeof gpu->name - 1, about.name);
    // without it copies are slower, and that is all
    if (cudaMallocHost(&gpu->stage, STAGE) != cudaSuccess) gpu->stage = NULL, (void)cudaGetLastError();
    return gpu;
  }
  snprintf(why, size, "%s", gpu->fault);
  close_device(gpu);
  return NULL;
}

// Sends what waits in the queue on its way.
static bool send(MbGpu *gpu) {
  return sound(gpu) && went(gpu, flush(&gpu->queue, gpu->stream), "a launch");
}

static size_t room(MbGpu *gpu) {
  size_t left = 0, all = 0;
  return sound(gpu) && went(gpu, cudaMemGetInfo(&left, &all), "cudaMemGetInfo") ? left : 0;
}

static void give(MbGpu *gpu, void *memory) {
  (void)send(gpu);
  if (memory) (void)went(gpu, cudaFree(memory), "cudaFree");
}

// What is too much is no fault: it is told by NULL, and the error that the runtime keeps is taken off it.
static void *take(MbGpu *gpu, size_t bytes) {
  void *memory = NULL;
  if (!send(gpu)) return NULL;
  if (cudaMalloc(&memory, bytes ? bytes : 1) != cudaSuccess) {
    (void)cudaGetLastError();
    return NULL;
  }
  if (went(gpu, cudaMemsetAsync(memory, 0, bytes, gpu->stream), "cudaMemset") &&
      went(gpu, cudaStreamSynchronize(gpu->stream), "cudaMemset"))
    return memory;
  give(gpu, memory);
  return NULL;
}

// Waits until all that was asked for is done. The stage is free then.
static void wait_for(MbGpu *gpu) {
  if (send(gpu)) (void)went(gpu, cudaStreamSynchronize(gpu->stream), "the device's work");
  gpu->taken = 0;
}

// Copies without the stage, and waits.
static void copy(MbGpu *gpu, void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  if (went(gpu, cudaMemcpyAsync(to, from, bytes, kind, gpu->stream), "cudaMemcpy")) wait_for(gpu);
}

// Nothing waits for what goes there by the stage, until it is full.
static void put(MbGpu *gpu, void *to, const void *from, size_t bytes) {
  static const size_t LINE = 256;
  if (!bytes || !send(gpu)) return;
  if (!gpu->stage || bytes > STAGE / 2) {
    copy(gpu, to, from, bytes, cudaMemcpyHostToDevice);
    return;
  }
  if (gpu->taken + bytes > STAGE) wait_for(gpu);
  char *const at = gpu->stage + gpu->taken;
  gpu->taken += (bytes + LINE - 1) / LINE * LINE;
  memcpy(at, from, bytes);
  (void)went(gpu, cudaMemcpyAsync(to, at, bytes, cudaMemcpyHostToDevice, gpu->stream), "cudaMemcpy");
}

// What comes back has the stage for itself.
static void get(MbGpu *gpu, void *to, const void *from, size_t bytes) {
  if (!bytes) return;
  if (send(gpu) && gpu->stage && bytes <= STAGE) {
    if (gpu->taken + bytes > STAGE) wait_for(gpu);
    char *const at = gpu->stage + gpu->taken;
    (void)went(gpu, cudaMemcpyAsync(at, from, bytes, cudaMemcpyDeviceToHost, gpu->stream), "cudaMemcpy");
    wait_for(gpu);
    if (sound(gpu)) memcpy(to, at, bytes);
  } else if (sound(gpu))
    copy(gpu, to, from, bytes, cudaMemcpyDeviceToHost);
  if (!sound(gpu)) memset(to, 0, bytes);
}

static bool parcels(MbGpu *gpu, size_t bytes) { return sound(gpu) && parcels_make(&gpu->parcels, bytes); }

// What is in the queue was asked for before.
static void clear(MbGpu *gpu, int k) {
  if (send(gpu)) (void)went(gpu, parcel_clear(&gpu->parcels.parcel[k], gpu->stream), "cudaStreamWaitEvent");
}

static void leave(MbGpu *gpu, int k, const void *from, size_t bytes) {
  gpu->parcels.parcel[k].left = false;
  if (send(gpu)) (void)went(gpu, parcel_leave(&gpu->parcels, k, gpu->stream, from, bytes), "cudaMemcpy");
}

static const void *arrive(MbGpu *gpu, int k) { return parcel_arrive(&gpu->parcels.parcel[k]); }

static void run(MbGpu *gpu, MbKernel kernel, size_t n, const void *args) {
  if (n && sound(gpu)) (void)went(gpu, enqueue(&gpu->queue, gpu->stream, kernel, n, args), "a launch");
}

static const MbBackend row = {"cuda", open_device, close_device, device, room,   take, give,     put,
                              get,    parcels,     clear,        leave,  arrive, run,  wait_for, fault};

extern "C" MbCudaBuild mb_cuda_build(void) {
  MbCudaBuild build = {CUDART_VERSION, MB_CUDA_ARCHS};
  return build;
}
extern "C" const MbBackend *mb_cuda_backend(void) { return &row; }
