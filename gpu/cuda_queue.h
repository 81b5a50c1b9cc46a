// Launches of CUDA's backend (cuda_backend.cu alone includes this). A launch waits in a queue until something has to come back, or the queue
// is full. What is in the queue then is one graph, if the same kernels have come one after the other before: where kernels are short, a
// launch of its own for each takes longer than they do. A graph is made once for each sequence of kernels; of a node whose numbers
// are not those of the last time they are changed.
#ifndef MB_GPU_CUDA_QUEUE_H
#define MB_GPU_CUDA_QUEUE_H

#include "gpu/kernels/meet_kernels.h"
#include "gpu/kernels/tree_kernels.h"

#include <cuda_runtime.h>
#include <string.h>

enum {
  THREADS = 128,
  QUEUE = 48,
  GRAPHS = 64,
  FEWEST = 3
}; // of a block; launches; sequences; launches of a graph

// ---- kernels ----------------------------------------------------------------------------------------------

#define LANES(name, args)                                                                                    \
  static __global__ void __launch_bounds__(THREADS)                                                          \
      name##_kernel(const __grid_constant__ args a, size_t n) {                                              \
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;                                             \
    if (i < n) name(&a, i);                                                                                  \
  }
MB_LANES_OF(LANES)
#undef LANES

// Whole warps: of the lanes with those 16, 8, 4, 2 places and one behind the first one has the sum at last, in an order that loops have too.
#define WARPS(name, args)                                                                                    \
  static __global__ void __launch_bounds__(THREADS)                                                          \
      name##_kernel(const __grid_constant__ args a, size_t n) {                                              \
    const size_t i = ((size_t)blockIdx.x * THREADS + threadIdx.x) / MB_WARP;                                 \
    const uint32_t lane = threadIdx.x % MB_WARP;                                                             \
    double sum[name##_NUMBERS] = {0};                                                                        \
    if (i >= n) return;                                                                                      \
    name##_part(&a, i, lane, sum);                                                                           \
    for (int step = MB_WARP / 2; step; step /= 2)                                                            \
      for (int r = 0; r < name##_NUMBERS; r++)                                                               \
        sum[r] = name##_join(&a, i, sum[r], __shfl_down_sync(0xffffffffu, sum[r], (unsigned)step));          \
    if (lane == 0) name##_end(&a, i, sum);                                                                   \
  }
MB_WARPS_OF(WARPS)
#undef WARPS

typedef struct Kernel {
  const void *function;
  size_t args;    // bytes
  size_t threads; // for each number
} Kernel;

#define LANES(name, args) {(const void *)name##_kernel, sizeof(args), 1},
#define WARPS(name, args) {(const void *)name##_kernel, sizeof(args), MB_WARP},
static const Kernel kernels[MB_KERNELS] = {MB_LANES_OF(LANES) MB_WARPS_OF(WARPS)};
#undef LANES
#undef WARPS

// As large as the largest arguments.
typedef union AnyArgs {
#define MEMBER(name, args) args name;
  MB_LANES_OF(MEMBER) MB_WARPS_OF(MEMBER)
#undef MEMBER
} AnyArgs;

// ---- queue ------------------------------------------------------------------------------------------------

typedef struct Launch {
  MbKernel kernel;
  size_t n;
  alignas(16) char args[sizeof(AnyArgs)];
} Launch;

// A sequence of kernels that has come.
typedef struct Sequence {
  size_t count;  // 0: none
  uint64_t used; // when last
  cudaGraph_t graph;
  cudaGraphExec_t made; // NULL: it has come once
  cudaGraphNode_t node[QUEUE];
  Launch last[QUEUE]; // what the nodes have
} Sequence;

typedef struct Queue {
  size_t count;
  uint64_t flushes;
  Launch launch[QUEUE];
  Sequence sequence[GRAPHS];
} Queue;

static unsigned blocks_of(size_t threads) { return (unsigned)((threads + THREADS - 1) / THREADS); }

static cudaKernelNodeParams params_of(Launch *launch, void *at[2]) {
  const Kernel *const kernel = &kernels[launch->kernel];
  cudaKernelNodeParams params = {};
  at[0] = launch->args, at[1] = &launch->n;
  params.func = (void *)kernel->function;
  params.gridDim = dim3(blocks_of(launch->n * kernel->threads));
  params.blockDim = dim3(THREADS);
  params.kernelParams = at;
  return params;
}

static cudaError_t launch_each(Queue *queue, cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  for (size_t k = 0; k < queue->count && error == cudaSuccess; k++) {
    void *at[2];
    const cudaKernelNodeParams params = params_of(&queue->launch[k], at);
    error = cudaLaunchKernel(params.func, params.gridDim, params.blockDim, at, 0, stream);
  }
  return error;
}

static bool is_sequence(const Sequence *s, const Queue *queue) {
  if (s->count != queue->count) return false;
  for (size_t k = 0; k < s->count; k++)
    if (s->last[k].kernel != queue->launch[k].kernel) return false;
  return true;
}

static void forget(Sequence *s) {
  if (s->made) (void)cudaGraphExecDestroy(s->made);
  if (s->graph) (void)cudaGraphDestroy(s->graph);
  s->made = NULL, s->graph = NULL, s->count = 0;
}

// Finds the queue's sequence; where it has not come before it takes the place of the one that was used longest ago.
static Sequence *sequence_of(Queue *queue, bool *known) {
  Sequence *oldest = &queue->sequence[0];
  for (size_t k = 0; k < GRAPHS; k++) {
    Sequence *const s = &queue->sequence[k];
    if ((*known = is_sequence(s, queue))) return s;
    if (s->used < oldest->used) oldest = s;
  }
  forget(oldest);
  oldest->count = queue->count;
  memcpy(oldest->last, queue->launch, queue->count * sizeof *queue->launch);
  return oldest;
}

static cudaError_t make_graph(Sequence *s) {
  cudaError_t error = cudaGraphCreate(&s->graph, 0);
  for (size_t k = 0; k < s->count && error == cudaSuccess; k++) {
    void *at[2];
    const cudaKernelNodeParams params = params_of(&s->last[k], at);
    error = cudaGraphAddKernelNode(&s->node[k], s->graph, k ? &s->node[k - 1] : NULL, k ? 1 : 0, &params);
  }
  return error == cudaSuccess ? cudaGraphInstantiate(&s->made, s->graph, 0) : error;
}

// Changes what is another since the last time; what is under way does not see it.
static cudaError_t change_nodes(Sequence *s, const Queue *queue) {
  cudaError_t error = cudaSuccess;
  for (size_t k = 0; k < s->count && error == cudaSuccess; k++) {
    const Launch *const now = &queue->launch[k];
    Launch *const last = &s->last[k];
    if (now->n == last->n && !memcmp(now->args, last->args, kernels[now->kernel].args)) continue;
    void *at[2];
    *last = *now;
    const cudaKernelNodeParams params = params_of(last, at);
    error = cudaGraphExecKernelNodeSetParams(s->made, s->node[k], &params);
  }
  return error;
}

// Sends what is in the queue on its way.
static cudaError_t flush(Queue *queue, cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  if (queue->count < FEWEST) {
    error = launch_each(queue, stream);
    queue->count = 0;
    return error;
  }
  bool known;
  Sequence *const s = sequence_of(queue, &known);
  s->used = ++queue->flushes;
  if (!known)
    error = launch_each(queue, stream);
  else {
    if (!s->made) error = make_graph(s);
    if (error == cudaSuccess) error = change_nodes(s, queue);
    if (error == cudaSuccess) error = cudaGraphLaunch(s->made, stream);
  }
  queue->count = 0;
  return error;
}

static cudaError_t enqueue(Queue *queue, cudaStream_t stream, MbKernel kernel, size_t n, const void *args) {
  static const size_t MOST = (size_t)1 << 31; // blocks of a launch
  if (n >= MOST * THREADS / MB_WARP) return cudaErrorInvalidConfiguration;
  Launch *const launch = &queue->launch[queue->count++];
  launch->kernel = kernel, launch->n = n;
  memcpy(launch->args, args, kernels[kernel].args);
  return queue->count == QUEUE ? flush(queue, stream) : cudaSuccess;
}

static void forget_all(Queue *queue) {
  for (size_t k = 0; k < GRAPHS; k++) forget(&queue->sequence[k]);
}

#endif
