// Frames of the projective solver on a device beside the processor's, on Zeng et al.'s meshes (bench_frame.c): cloth that is drawn, bars
// that are twisted, five iterations each, by both methods. Milliseconds of wall time, medians over frames, which say something on a machine
// that does nothing else. Where there is no device loops on the processor stand in its place, of the smallest case alone: that shows
// that the benchmark runs, and nothing of a device.
#include "core/base/blas.h"
#include "core/sparse/inverse.h"
#include "gpu/gpu.h"
#include "gpu/moved.h"
#include "tools/bench/bench.h"
#include "tools/bench/pd_cases.h"
#include "tools/bench/timed_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ITERATIONS = 5, WARM = 12, FRAMES = 25 };

static const MbPdCase cases[] = {
    {"5.3k bar, arap", false, 13, MB_ARAP, 1e9, 0.45},
    {"5.3k bar, neo-Hookean", false, 13, MB_NEO_HOOKEAN, 1e6, 0.45},
    {"11.3k bar, neo-Hookean", false, 17, MB_NEO_HOOKEAN, 1e6, 0.45},
    {"20.8k bar, neo-Hookean", false, 21, MB_NEO_HOOKEAN, 1e6, 0.45},
    {"10.2k cloth, neo-Hookean", true, 71, MB_NEO_HOOKEAN, 1e5, 0.45},
    {"20.2k cloth, neo-Hookean", true, 100, MB_NEO_HOOKEAN, 1e5, 0.45},
};
enum { CASES = sizeof cases / sizeof *cases };

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// What a mover makes of a case: milliseconds of a frame, the median, and where the far end's middle has come to.
typedef struct Made {
  double ms, sum;
  size_t inverse, memory; // bytes of the inverse's numbers, and of all that a device has
} Made;

static bool measure(const MbPdCase *c, MbMethod method, const MbPdMover *mover, int threads, Made *made) {
  MbPdThing thing;
  double each[FRAMES];
  if (!mb_pd_thing_make(c, &thing)) return false;
  const MbPdSpec spec = {.method = method,
                         .iterations = ITERATIONS,
                         .threads = threads,
                         .mover = mover,
                         .global = mover ? MB_GLOBAL_SPARSE_INVERSE : MB_GLOBAL_AUTO};
  MbPdEngine *engine = mb_pd_thing_engine(&thing, spec, 0.01);
  bool ok = engine != NULL;
  if (ok && mover)
    mb_timed_inverse = (double)mb_global_inverse(engine->global.inverse)->entries * sizeof(double);
  for (int k = -WARM; k < FRAMES && ok; k++) {
    if (k == 0) mb_timed_clear();
    const double moved = (k + WARM + 1) * 0.02;
    mb_pd_thing_aim(&thing, moved, moved / 2);
    const double began = mb_bench_wall();
    ok = mb_pd_thing_step(&thing, engine);
    if (k >= 0) each[k] = 1e3 * (mb_bench_wall() - began);
  }
  *made = (Made){0};
  if (ok) {
    qsort(each, FRAMES, sizeof *each, ascending);
    made->ms = each[FRAMES / 2];
    for (size_t i = 0; i < 3 * thing.mesh.nodes; i++) made->sum += thing.q[i] * thing.q[i];
  }
  if (ok && mover) {
    made->inverse = mb_global_inverse(engine->global.inverse)->entries * sizeof(double);
    made->memory = mb_moved_bytes(engine);
  }
  mb_pd_free(engine);
  mb_pd_thing_free(&thing);
  return ok;
}

// By parts every kernel is waited for, so that a frame takes longer.
static bool by_parts(const MbPdCase *c, MbMethod method, const MbPdMover *mover, int threads) {
  Made made;
  mb_backend_between = mb_timed_backend;
  const bool ok = measure(c, method, mover, threads, &made);
  mb_backend_between = NULL;
  if (ok) mb_timed_print(FRAMES, "frame");
  return ok;
}

bool mb_bench_device(void) {
  static const double MB = 1048576;
  static const MbMethod methods[] = {MB_METHOD_PROJECTIVE, MB_METHOD_LBFGS};
  static const char *const words[] = {"projective", "lbfgs"};
  bool there = false;
  const char *text = mb_engine_text(mb_engine_cuda(), &there);
  const MbPdMover *mover = there ? &mb_moved_by_cuda : &mb_moved_by_loops;
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  const int threads = online > 1 ? (int)online : 1;
  mb_blas_start(threads);
  printf("  device: %s\n", text);
  if (!there)
    printf("  no device: loops on the processor, of the smallest case; these are no numbers of a device\n");
  printf("  milliseconds of a frame of %d iterations, medians of %d\n", ITERATIONS, FRAMES);
  printf("  %-26s %-11s %10s %10s %10s %4s %10s %7s %12s\n", "", "method", "inverse MB", "device MB",
         "processor", "on", there ? "device" : "loops", "times", "differ by");
  for (int i = 0; i < (there ? CASES : 1); i++)
    for (int k = 0; k < (there ? 2 : 1); k++) {
      Made own, other;
      if (!measure(&cases[i], methods[k], NULL, threads, &own) ||
          !measure(&cases[i], methods[k], mover, threads, &other))
        return false;
      printf("  %-26s %-11s %10.1f %10.1f %10.2f %4d %10.2f %7.2f %12.1e\n", cases[i].name, words[k],
             (double)other.inverse / MB, (double)other.memory / MB, own.ms, threads, other.ms,
             own.ms / other.ms, (other.sum - own.sum) / own.sum);
      if (!by_parts(&cases[i], methods[k], mover, threads)) return false;
      fflush(stdout);
    }
  return true;
}
