#include "tools/bench/timed_backend.h"
#include "tools/bench/bench.h"

#include <stdio.h>
#include <string.h>

MbTimed mb_timed[MB_TIMED];
double mb_timed_inverse;

static const MbBackend *under;

#define NAME(name, args) #name,
static const char *const names[MB_TIMED] = {MB_LANES_OF(NAME) MB_WARPS_OF(NAME) "copies there",
                                            "copies back"};
#undef NAME

void mb_timed_clear(void) { memset(mb_timed, 0, sizeof mb_timed); }

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

static double bytes_of(MbKernel kernel, size_t n, const void *args) {
  switch (kernel) {
  case MB_RUN_mb_element_stress:
  case MB_RUN_mb_element_damp:
  case MB_RUN_mb_element_spring:
  case MB_RUN_mb_element_spring_local:
    return element_bytes(args, n, false);
  case MB_RUN_mb_element_local:
    return element_bytes(args, n, true);
  case MB_RUN_mb_inverse_multiply:
  case MB_RUN_mb_inverse_transposed:
    return mb_timed_inverse;
  case MB_RUN_mb_inverse_load:
  case MB_RUN_mb_inverse_store:
    return (double)n * 8 * 3 * (kernel == MB_RUN_mb_inverse_load ? 2 : 1 + ((const MbInverseArgs *)args)->slices);
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
  under->wait(gpu);
  const double began = mb_bench_wall();
  under->run(gpu, kernel, n, args);
  under->wait(gpu);
  if (n) note((int)kernel, began, bytes_of(kernel, n, args));
}
static void put(MbGpu *gpu, void *to, const void *from, size_t bytes) {
  const double began = mb_bench_wall();
  under->put(gpu, to, from, bytes);
  note(MB_TIMED_PUT, began, (double)bytes);
}
static void get(MbGpu *gpu, void *to, const void *from, size_t bytes) {
  under->wait(gpu);
  const double began = mb_bench_wall();
  under->get(gpu, to, from, bytes);
  note(MB_TIMED_GET, began, (double)bytes);
}

const MbBackend *mb_timed_backend(const MbBackend *on) {
  static MbBackend table;
  under = on;
  table = *on;
  table.run = run, table.put = put, table.get = get;
  return &table;
}

void mb_timed_print(double frames, const char *of) {
  bool told[MB_TIMED] = {false};
  double all = 0;
  for (int k = 0; k < MB_TIMED; k++) all += mb_timed[k].seconds;
  for (;;) {
    int next = -1;
    for (int k = 0; k < MB_TIMED; k++)
      if (!told[k] && mb_timed[k].calls && (next < 0 || mb_timed[k].seconds > mb_timed[next].seconds))
        next = k;
    if (next < 0 || mb_timed[next].seconds < 0.01 * all) break;
    const MbTimed *t = &mb_timed[next];
    told[next] = true;
    printf("      %-24s %8.2f calls %10.2f us %5.1f %%", names[next], (double)t->calls / frames,
           1e6 * t->seconds / frames, 100 * t->seconds / all);
    if (t->bytes > 0) printf(" %10.3f MB %8.1f GB/s", t->bytes / frames / 1e6, t->bytes / t->seconds / 1e9);
    printf("  a %s\n", of);
  }
}
