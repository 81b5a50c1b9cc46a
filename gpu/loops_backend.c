// The processor in a device's place: every kernel is a loop over its numbers, one after the other. Slower than the processor's own engine, and
// for tests of all that engines of devices do.
#include "core/base/alloc.h"
#include "gpu/backend.h"
#include "gpu/kernels/meet_kernels.h"
#include "gpu/kernels/tree_kernels.h"

#include <stdbool.h>
#include <string.h>

struct MbGpu {
  const char *fault;
  size_t taken;
  char *parcel[MB_GPU_PARCELS];
  bool left[MB_GPU_PARCELS];
};

// What stands before a piece of memory: how large it is, so that it is aligned as the piece would be.
typedef union Piece {
  size_t bytes;
  char line[64];
} Piece;

size_t mb_loops_room = SIZE_MAX;
int64_t mb_loops_fail_after = -1;
const MbBackend *(*mb_backend_between)(const MbBackend *on);

#define LANES(name, args)                                                                                    \
  static void name##_loop(size_t n, const void *a) {                                                         \
    for (size_t i = 0; i < n; i++) name((const args *)a, i);                                                 \
  }
MB_LANES_OF(LANES)
#undef LANES

// As a warp joins its lanes: with those 16, 8, 4, 2 places and one behind.
#define WARPS(name, args)                                                                                    \
  static void name##_loop(size_t n, const void *a) {                                                         \
    for (size_t i = 0; i < n; i++) {                                                                         \
      double sum[MB_WARP][name##_NUMBERS] = {{0}};                                                           \
      for (uint32_t lane = 0; lane < MB_WARP; lane++) name##_part((const args *)a, i, lane, sum[lane]);      \
      for (size_t step = MB_WARP / 2; step; step /= 2)                                                       \
        for (size_t lane = 0; lane < step; lane++)                                                           \
          for (size_t r = 0; r < name##_NUMBERS; r++)                                                        \
            sum[lane][r] = name##_join((const args *)a, i, sum[lane][r], sum[lane + step][r]);               \
      name##_end((const args *)a, i, sum[0]);                                                                \
    }                                                                                                        \
  }
MB_WARPS_OF(WARPS)
#undef WARPS

#define ENTRY(name, args) name##_loop,
static void (*const loop[MB_KERNELS])(size_t n, const void *args) = {MB_LANES_OF(ENTRY) MB_WARPS_OF(ENTRY)};
#undef ENTRY

static MbGpu *open_it(size_t size, char *why) {
  MbGpu *gpu = mb_calloc(1, sizeof *gpu);
  if (!gpu && size) why[0] = 0;
  return gpu;
}
static void close_it(MbGpu *gpu) {
  for (int k = 0; gpu && k < MB_GPU_PARCELS; k++) mb_free(gpu->parcel[k]);
  mb_free(gpu);
}
static const char *device(const MbGpu *gpu) {
  (void)gpu;
  return "loops on the processor";
}
static size_t room(MbGpu *gpu) { return mb_loops_room > gpu->taken ? mb_loops_room - gpu->taken : 0; }
static void *take(MbGpu *gpu, size_t bytes) {
  Piece *piece = mb_calloc(bytes + sizeof *piece, 1);
  if (!piece) return NULL;
  piece->bytes = bytes;
  gpu->taken += bytes;
  return piece + 1;
}
static void give(MbGpu *gpu, void *memory) {
  Piece *piece = memory;
  if (!piece) return;
  gpu->taken -= piece[-1].bytes;
  mb_free(piece - 1);
}
static void copy(MbGpu *gpu, void *to, const void *from, size_t bytes) {
  (void)gpu;
  if (bytes) memcpy(to, from, bytes);
}
static void run(MbGpu *gpu, MbKernel kernel, size_t n, const void *args) {
  if (mb_loops_fail_after >= 0 && mb_loops_fail_after-- == 0)
    gpu->fault = "a launch fails, as a test wants it";
  if (!gpu->fault) loop[kernel](n, args);
}
static void wait_for(MbGpu *gpu) { (void)gpu; }

// All is done when it is asked for.
static bool parcels(MbGpu *gpu, size_t bytes) {
  bool fine = true;
  for (int k = 0; k < MB_GPU_PARCELS; k++) fine = (gpu->parcel[k] = mb_calloc(bytes, 1)) && fine;
  return fine;
}
static void clear(MbGpu *gpu, int k) { gpu->left[k] = false; }
static void leave(MbGpu *gpu, int k, const void *from, size_t bytes) {
  gpu->left[k] = !gpu->fault;
  if (gpu->left[k]) memcpy(gpu->parcel[k], from, bytes);
}
static const void *arrive(MbGpu *gpu, int k) { return gpu->left[k] ? gpu->parcel[k] : NULL; }
static const char *fault(const MbGpu *gpu) { return gpu->fault; }

const MbBackend mb_loops_backend = {.name = "loops",
                                    .open = open_it,
                                    .close = close_it,
                                    .device = device,
                                    .room = room,
                                    .take = take,
                                    .give = give,
                                    .put = copy,
                                    .get = copy,
                                    .parcels = parcels,
                                    .clear = clear,
                                    .leave = leave,
                                    .arrive = arrive,
                                    .run = run,
                                    .wait = wait_for,
                                    .fault = fault};
