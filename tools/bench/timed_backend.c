#include "tools/bench/timed_backend.h"
#include "tools/bench/bench.h"

#include <stdio.h>
#include <string.h>

static MbTimed mb_timed[MB_TIMED];
static const MbBackend *under;
static bool times;
static MbTimedDevice measured;
static const MbMovedLevels *levels; // of the inverse that is reckoned
static double of_entries, of_coupled;

#define NAME(name, args) #name,
static const char *const names[MB_TIMED] = {MB_LANES_OF(NAME) MB_WARPS_OF(NAME) "copies there",
                                            "copies back"};
#undef NAME

void mb_timed_start(void) {
  memset(mb_timed, 0, sizeof mb_timed);
  times = true;
}
void mb_timed_stop(void) { times = false; }

void mb_timed_inverse(const MbMoved *moved, size_t entries, size_t coupled) {
  static const double NUMBER = sizeof(double);
  levels = moved ? moved->levels : NULL;
  of_entries = NUMBER * (double)entries, of_coupled = NUMBER * (double)coupled;
}

// ---- bytes ------------------------------------------------------------------------------------------------

// Of n elements: nodes, B, size, places, corners, an energy; the dual, twice.
static double element_bytes(const MbElementArgs *a, size_t n, bool dual) {
  const double rank = a->gradient.rank, corners = rank + 1;
  return (double)n * (4 * corners + 8 * (rank * rank + 1 + 6 * corners + 1 + (dual ? 6 * rank : 0)));
}

// Of all passes of a step: what each body's records are read and written.
static double tree_bytes(const MbTreeArgs *a, size_t n) {
  const double forward = MB_TREE_LINK + 6 + MB_RIGID + 2 * MB_FRAME,
               backward = MB_RIGID + 6 + 1 + 8 + 3 * MB_ARTICULATED, outward = MB_STAND + 2 * MB_SCREW;
  const double joint = a->nv / (double)a->nb * (2 + 2 + 3);
  return 8.0 * (double)n * a->nb * (forward + backward + outward + joint);
}

// Of all numbers of the inverse the share that a launch over n of so many takes.
static double share(double bytes, size_t n, size_t of) { return of ? bytes * (double)n / (double)of : 0; }

static double bytes_of(MbKernel kernel, size_t n, const void *args) {
  switch (kernel) {
  case MB_RUN_mb_inverse_multiply:
    return levels ? share(of_entries, n, levels->pieces) : 0;
  case MB_RUN_mb_inverse_transposed:
    return levels ? share(of_entries, n, levels->tiles * levels->slices * MB_WARP) : 0;
  case MB_RUN_mb_couple:
    return levels ? share(of_coupled, n, levels->coupled) : 0;
  case MB_RUN_mb_uncouple:
    return levels ? share(of_coupled, n, levels->across * levels->slices) : 0;
  case MB_RUN_mb_element_stress:
  case MB_RUN_mb_element_damp:
  case MB_RUN_mb_element_spring:
  case MB_RUN_mb_element_spring_local:
    return element_bytes(args, n, false);
  case MB_RUN_mb_element_local:
    return element_bytes(args, n, true);
  case MB_RUN_mb_inverse_load: // a thread a node
    return (double)n * 8 * 6;
  case MB_RUN_mb_inverse_store: // a thread a number
    return (double)n * 8 * (2 + ((const MbInverseArgs *)args)->slices);
  case MB_RUN_mb_hit_product: // a warp a point, of which it has a row
  case MB_RUN_mb_hit_image:
    return 8 * (double)n * (double)((const MbTouchArgs *)args)->points;
  case MB_RUN_mb_tree_steps:
    return tree_bytes(args, n) * (double)((const MbTreeArgs *)args)->steps;
  default:
    return 0;
  }
}

// ---- the table --------------------------------------------------------------------------------------------

static void note(int k, double began, double bytes) {
  mb_timed[k].seconds += mb_bench_wall() - began;
  mb_timed[k].bytes += bytes;
  mb_timed[k].calls++;
}

static void run(MbGpu *gpu, MbKernel kernel, size_t n, const void *args) {
  if (!times) {
    under->run(gpu, kernel, n, args);
    return;
  }
  under->wait(gpu);
  const double began = mb_bench_wall();
  under->run(gpu, kernel, n, args);
  under->wait(gpu);
  if (n) note((int)kernel, began, bytes_of(kernel, n, args));
}
static void put(MbGpu *gpu, void *to, const void *from, size_t bytes) {
  const double began = mb_bench_wall();
  under->put(gpu, to, from, bytes);
  if (times) note(MB_TIMED_PUT, began, (double)bytes);
}
static void get(MbGpu *gpu, void *to, const void *from, size_t bytes) {
  if (times) under->wait(gpu);
  const double began = mb_bench_wall();
  under->get(gpu, to, from, bytes);
  if (times) note(MB_TIMED_GET, began, (double)bytes);
}

const MbBackend *mb_timed_backend(const MbBackend *on) {
  static MbBackend table;
  under = on;
  table = *on;
  table.run = run, table.put = put, table.get = get;
  return &table;
}

void mb_timed_between(bool between) { mb_backend_between = between ? mb_timed_backend : NULL; }

// The middle one of so many times of a launch.
static double middle(const MbBackend *on, MbGpu *gpu, MbKernel kernel, size_t n, const void *args) {
  enum { TIMES = 15 };
  double each[TIMES];
  for (int k = 0; k < TIMES; k++) {
    on->wait(gpu);
    const double began = mb_bench_wall();
    on->run(gpu, kernel, n, args);
    on->wait(gpu);
    each[k] = mb_bench_wall() - began;
    for (int i = k; i > 0 && each[i] < each[i - 1]; i--) {
      const double other = each[i];
      each[i] = each[i - 1], each[i - 1] = other;
    }
  }
  return each[TIMES / 2];
}

bool mb_timed_device(const MbBackend *on, MbTimedDevice *device) {
  static const size_t NUMBERS = (size_t)1 << 26; // of a vector
  char why[256];
  MbGpu *gpu = on->open(sizeof why, why);
  double *vectors = gpu ? on->take(gpu, 2 * NUMBERS * sizeof *vectors) : NULL;
  if (vectors) {
    const MbPortArgs idle = {.one = {MB_PORT_NONE, MB_PORT_NONE, MB_PORT_NONE}};
    const MbPortArgs add = {.to = vectors, .solution = vectors + NUMBERS};
    measured.idle = middle(on, gpu, MB_RUN_mb_port_one, 3, &idle);
    measured.speed = 3 * (double)(NUMBERS * sizeof *vectors) /
                     (middle(on, gpu, MB_RUN_mb_port_add, NUMBERS, &add) - measured.idle);
    on->give(gpu, vectors);
  }
  on->close(gpu);
  *device = measured;
  return vectors != NULL;
}

MbTimedCounts mb_timed_counts(void) {
  MbTimedCounts sum = {.waits = (double)mb_timed[MB_TIMED_GET].calls,
                       .there = mb_timed[MB_TIMED_PUT].bytes,
                       .back = mb_timed[MB_TIMED_GET].bytes};
  for (int k = 0; k < MB_KERNELS; k++) sum.launches += (double)mb_timed[k].calls;
  return sum;
}

void mb_timed_print(double frames, const char *of) {
  bool told[MB_TIMED] = {false};
  double all = 0, net[MB_TIMED];
  for (int k = 0; k < MB_TIMED; k++) {
    net[k] = mb_timed[k].seconds - (k < MB_KERNELS ? (double)mb_timed[k].calls * measured.idle : 0);
    net[k] = net[k] > 1e-7 * (double)mb_timed[k].calls ? net[k] : 1e-7 * (double)mb_timed[k].calls;
    all += net[k];
  }
  for (;;) {
    int next = -1;
    for (int k = 0; k < MB_TIMED; k++)
      if (!told[k] && mb_timed[k].calls && (next < 0 || net[k] > net[next])) next = k;
    if (next < 0 || net[next] < 0.02 * all) break;
    const MbTimed *t = &mb_timed[next];
    told[next] = true;
    printf("      %-24s %8.2f calls %10.2f us %5.1f %%", names[next], (double)t->calls / frames,
           1e6 * net[next] / frames, 100 * net[next] / all);
    if (t->bytes > 0) printf(" %10.3f MB %8.1f GB/s", t->bytes / frames / 1e6, t->bytes / net[next] / 1e9);
    if (t->bytes > 0 && next < MB_KERNELS && measured.speed > 0)
      printf(" %5.0f %%", 100 * t->bytes / net[next] / measured.speed);
    printf("  a %s\n", of);
  }
}
