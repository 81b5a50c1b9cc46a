// Parcels of CUDA's backend: what goes to the processor by a second stream while the first one works. Two events each: the first stream has
// packed it, which its copy waits for; it has come, which whoever packs the next one into the same memory waits for, and whoever reads it.
//
// The runtime is that of who includes this: CUDA's in cuda_backend.cu, one that is made up in tests/gpu/test_parcels.c.
#ifndef MB_GPU_CUDA_PARCELS_H
#define MB_GPU_CUDA_PARCELS_H

#include "gpu/backend.h"

#include <string.h>

typedef struct Parcel {
  void *memory; // the processor's, which the device writes by itself
  cudaEvent_t packed, come;
  bool left;
} Parcel;

typedef struct Parcels {
  cudaStream_t stream;
  Parcel parcel[MB_GPU_PARCELS];
} Parcels;

static void parcels_free(Parcels *p) {
  if (p->stream) (void)cudaStreamSynchronize(p->stream), (void)cudaStreamDestroy(p->stream);
  for (int k = 0; k < MB_GPU_PARCELS; k++) {
    if (p->parcel[k].memory) (void)cudaFreeHost(p->parcel[k].memory);
    if (p->parcel[k].packed) (void)cudaEventDestroy(p->parcel[k].packed);
    if (p->parcel[k].come) (void)cudaEventDestroy(p->parcel[k].come);
  }
  memset(p, 0, sizeof *p);
}

// What is too much leaves nothing; the error that the runtime keeps is taken off it.
static bool parcels_make(Parcels *p, size_t bytes) {
  cudaError_t error = cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking);
  for (int k = 0; k < MB_GPU_PARCELS && error == cudaSuccess; k++) {
    error = cudaMallocHost(&p->parcel[k].memory, bytes);
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(&p->parcel[k].packed, cudaEventDisableTiming);
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(&p->parcel[k].come, cudaEventDisableTiming);
  }
  if (error == cudaSuccess) return true;
  parcels_free(p);
  (void)cudaGetLastError();
  return false;
}

// Has what is asked of `first` from now on wait until the parcel has come.
static cudaError_t parcel_clear(Parcel *parcel, cudaStream_t first) {
  if (!parcel->left) return cudaSuccess;
  parcel->left = false;
  return cudaStreamWaitEvent(first, parcel->come, 0);
}

// In pieces, so that sums which the first stream waits for come between them and not behind all of it.
static cudaError_t copy_in_pieces(cudaStream_t stream, void *to, const void *from, size_t bytes) {
  static const size_t PIECE = (size_t)1 << 19;
  cudaError_t error = cudaSuccess;
  for (size_t at = 0; at < bytes && error == cudaSuccess; at += PIECE)
    error = cudaMemcpyAsync((char *)to + at, (const char *)from + at, bytes - at < PIECE ? bytes - at : PIECE,
                            cudaMemcpyDeviceToHost, stream);
  return error;
}

static cudaError_t parcel_leave(Parcels *p, int k, cudaStream_t first, const void *from, size_t bytes) {
  Parcel *const parcel = &p->parcel[k];
  cudaError_t error = cudaEventRecord(parcel->packed, first);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(p->stream, parcel->packed, 0);
  if (error == cudaSuccess) error = copy_in_pieces(p->stream, parcel->memory, from, bytes);
  if (error == cudaSuccess) error = cudaEventRecord(parcel->come, p->stream);
  parcel->left = error == cudaSuccess;
  return error;
}

// Any thread may wait. NULL: it has not left, or the device has stopped.
static const void *parcel_arrive(const Parcel *parcel) {
  return parcel->left && cudaEventSynchronize(parcel->come) == cudaSuccess ? parcel->memory : NULL;
}

#endif
