// CUDA's row of backends. The first device; one stream, in which everything is done in order. What a call returns is always looked at.
extern "C" {
#include "core/base/alloc.h"
}
#include "gpu/backend.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

struct MbGpu {
  cudaStream_t stream;
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
  if (gpu->stream) (void)went(gpu, cudaStreamDestroy(gpu->stream), "cudaStreamDestroy");
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
    return gpu;
  }
  snprintf(why, size, "%s", gpu->fault);
  close_device(gpu);
  return NULL;
}

static size_t room(MbGpu *gpu) {
  size_t left = 0, all = 0;
  return sound(gpu) && went(gpu, cudaMemGetInfo(&left, &all), "cudaMemGetInfo") ? left : 0;
}

static void give(MbGpu *gpu, void *memory) {
  if (memory) (void)went(gpu, cudaFree(memory), "cudaFree");
}

// What is too much is no fault: it is told by NULL, and the error that the runtime keeps is taken off it.
static void *take(MbGpu *gpu, size_t bytes) {
  void *memory = NULL;
  if (!sound(gpu)) return NULL;
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

static void copy(MbGpu *gpu, void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  if (!bytes || !sound(gpu)) return;
  if (went(gpu, cudaMemcpyAsync(to, from, bytes, kind, gpu->stream), "cudaMemcpy"))
    (void)went(gpu, cudaStreamSynchronize(gpu->stream), "the device's work");
}
static void put(MbGpu *gpu, void *to, const void *from, size_t bytes) {
  copy(gpu, to, from, bytes, cudaMemcpyHostToDevice);
}
static void get(MbGpu *gpu, void *to, const void *from, size_t bytes) {
  copy(gpu, to, from, bytes, cudaMemcpyDeviceToHost);
  if (!sound(gpu)) memset(to, 0, bytes);
}

static const MbBackend row = {"cuda", open_device, close_device, device, room,
                              take,   give,        put,          get,    fault};

extern "C" MbCudaBuild mb_cuda_build(void) {
  MbCudaBuild build = {CUDART_VERSION, MB_CUDA_ARCHS};
  return build;
}
extern "C" const MbBackend *mb_cuda_backend(void) { return &row; }
