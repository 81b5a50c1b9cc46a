// What leaves by CUDA's second stream, with a runtime that is made up: its streams do what they are asked for at once, or when somebody waits for it,
// as devices may do it in any order that streams and events allow.
#include "core/base/alloc.h"
#include "tests/support.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// ---- the runtime --------------------------------------------------------------------------------------------

typedef enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation, cudaErrorLaunchFailure } cudaError_t;
enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2, cudaMemcpyDeviceToHost = 2 };
enum { MOST = 512 };

typedef struct Event Event;
typedef struct Op {
  enum { COPY, WRITE, RECORD, WAIT } kind;
  void *to;
  const void *from;
  size_t bytes;
  double value;
  Event *event;
  size_t place; // of the record that is waited for
} Op;
typedef struct Stream {
  Op op[MOST];
  size_t count, done;
  bool eager;
} Stream;
struct Event {
  Stream *stream; // NULL: it was never recorded
  size_t place;
};
typedef Stream *cudaStream_t;
typedef Event *cudaEvent_t;

static size_t taken, refuses_after, waited_for_streams;
static bool stopped;

static void work(Stream *s, size_t until, bool forced) {
  while (s->done < until) {
    const Op *op = &s->op[s->done];
    Stream *const other = op->kind == WAIT ? op->event->stream : NULL;
    if (other && other->done <= op->place) {
      if (!forced) return;
      work(other, op->place + 1, true);
    }
    s->done++;
    if (op->kind == COPY) memcpy(op->to, op->from, op->bytes);
    if (op->kind == WRITE) *(double *)op->to = op->value;
  }
}

static Stream *working; // the first one
static void ask(Stream *s, Op op) {
  cr_assert_lt(s->count, MOST);
  s->op[s->count++] = op;
  if (s->eager) work(s, s->count, false);
  if (working && working != s && working->eager) work(working, working->count, false);
}

static cudaError_t take_one(void **out, size_t bytes) {
  if (!refuses_after) return cudaErrorMemoryAllocation;
  refuses_after--, taken++;
  *out = mb_calloc(1, bytes);
  return cudaSuccess;
}
static cudaError_t give_one(void *memory) {
  taken--;
  mb_free(memory);
  return cudaSuccess;
}
static cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  cr_expect_eq(flags, (unsigned)cudaStreamNonBlocking);
  return take_one((void **)stream, sizeof **stream);
}
static cudaError_t cudaStreamDestroy(cudaStream_t stream) { return give_one(stream); }
static cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  waited_for_streams++;
  work(stream, stream->count, true);
  return cudaSuccess;
}
static cudaError_t cudaMallocHost(void **memory, size_t bytes) { return take_one(memory, bytes); }
static cudaError_t cudaFreeHost(void *memory) { return give_one(memory); }
static cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  cr_expect_eq(flags, (unsigned)cudaEventDisableTiming);
  return take_one((void **)event, sizeof **event);
}
static cudaError_t cudaEventDestroy(cudaEvent_t event) { return give_one(event); }
static cudaError_t cudaGetLastError(void) { return cudaSuccess; }
static cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  *event = (Event){stream, stream->count};
  ask(stream, (Op){.kind = RECORD});
  return cudaSuccess;
}
static cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  cr_expect_eq(flags, 0);
  cr_assert(event->stream, "an event is waited for that was never recorded");
  ask(stream, (Op){.kind = WAIT, .event = event, .place = event->place});
  return cudaSuccess;
}
static cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t stream) {
  cr_expect_eq(kind, (int)cudaMemcpyDeviceToHost);
  ask(stream, (Op){.kind = COPY, .to = to, .from = from, .bytes = bytes});
  return cudaSuccess;
}
static cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (stopped) return cudaErrorLaunchFailure;
  work(event->stream, event->place + 1, true);
  return cudaSuccess;
}

#include "gpu/cuda_parcels.h"

// ---- tests --------------------------------------------------------------------------------------------------

static Parcels parcels;
static double there[MB_GPU_PARCELS]; // what parcels are packed in

static void begin(bool first_eager, bool second_eager) {
  taken = waited_for_streams = 0, refuses_after = 100, stopped = false;
  working = mb_calloc(1, sizeof *working);
  working->eager = first_eager;
  memset(&parcels, 0, sizeof parcels);
  memset(there, 0, sizeof there);
  cr_assert(parcels_make(&parcels, sizeof *there));
  parcels.stream->eager = second_eager;
}

static void end(void) {
  parcels_free(&parcels);
  mb_free(working), working = NULL;
  cr_expect_eq(taken, 0);
}

static void pack(int k, double value) {
  cr_assert_eq(parcel_clear(&parcels.parcel[k], working), cudaSuccess);
  ask(working, (Op){.kind = WRITE, .to = &there[k], .value = value});
}
static void leave(int k) {
  cr_assert_eq(parcel_leave(&parcels, k, working, &there[k], sizeof *there), cudaSuccess);
}
static double arrived(int k) {
  const double *const parcel = parcel_arrive(&parcels.parcel[k]);
  return parcel ? *parcel : NAN;
}

Test(parcels, what_leaves_was_packed_before) {
  begin(false, true);
  pack(0, 7), leave(0);
  cr_expect_eq(arrived(0), 7, "the copy ran before what it copies was there: %g", arrived(0));
  end();
}

Test(parcels, what_is_packed_in_is_not_written_to_before_it_has_come) {
  begin(true, false);
  pack(0, 7), leave(0);
  pack(0, 8);
  work(parcels.stream, parcels.stream->count, true);
  cr_expect_eq(*(double *)parcels.parcel[0].memory, 7, "the next one has come in its place");
  end();
}

Test(parcels, two_take_turns_whatever_the_order) {
  for (int way = 0; way < 4; way++) {
    begin(way & 1, way & 2);
    for (int i = 0; i < 40; i++) {
      pack(i % 2, i), leave(i % 2);
      if (i % 3) cr_expect_eq(arrived(i % 2), i, "way %d, parcel %d has %g", way, i, arrived(i % 2));
    }
    end();
  }
}

Test(parcels, who_waits_for_one_waits_for_nothing_behind_it) {
  begin(false, false);
  pack(0, 7), leave(0);
  const size_t packed = working->count;
  double step = 0;
  ask(working, (Op){.kind = WRITE, .to = &step, .value = 1});
  cr_expect_eq(arrived(0), 7);
  cr_expect_eq(working->done, packed, "the first stream was to come to %zu, not to %zu", packed,
               working->done);
  cr_expect_eq(step, 0);
  cr_expect_eq(waited_for_streams, 0);
  end();
}

Test(parcels, large_ones_come_whole) {
  enum { NUMBERS = 200001 };
  begin(false, false);
  double *from = mb_calloc(2 * NUMBERS, sizeof *from), *to = from + NUMBERS,
         *memory = parcels.parcel[1].memory;
  for (size_t i = 0; i < NUMBERS; i++) from[i] = (double)i + 1;
  parcels.parcel[1].memory = to;
  cr_assert_eq(parcel_leave(&parcels, 1, working, from, NUMBERS * sizeof *from), cudaSuccess);
  cr_assert_not_null(parcel_arrive(&parcels.parcel[1]));
  cr_expect_arr_eq(from, to, NUMBERS * sizeof *from);
  parcels.parcel[1].memory = memory;
  mb_free(from);
  end();
}

Test(parcels, without_room_for_them_there_are_none) {
  for (size_t k = 0; k < 1 + 3 * MB_GPU_PARCELS; k++) {
    taken = 0, refuses_after = k;
    memset(&parcels, 0, sizeof parcels);
    cr_expect_not(parcels_make(&parcels, 8));
    cr_expect_eq(taken, 0, "what was made before call %zu failed is left", k);
  }
}

Test(parcels, of_a_device_that_stops_nothing_comes) {
  begin(true, true);
  cr_expect(isnan(arrived(0)), "it has not left");
  pack(0, 7), leave(0);
  stopped = true;
  cr_expect(isnan(arrived(0)));
  end();
}
