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
#include <string.h>
#include <unistd.h>

enum { ITERATIONS = 5, WARM = 12, FRAMES = 25 };

typedef struct Case {
  MbPdCase of;
  double target;          // milliseconds of a frame on an H100 or H200
  size_t frames;          // that are measured; 0: FRAMES
  const char *only;       // method; NULL: both
  MbGlobalMethod instead; // measured too, to see which is faster; 0: none
} Case;

static const Case cases[] = {
    {{"5.3k bar, arap", false, 13, MB_ARAP, 1e9, 0.45}, 1, 0, NULL, MB_GLOBAL_AUTO},
    {{"5.3k bar, neo-Hookean", false, 13, MB_NEO_HOOKEAN, 1e6, 0.45},
     1,
     0,
     NULL,
     MB_GLOBAL_PARTITIONED_INVERSE},
    {{"11.3k bar, neo-Hookean", false, 17, MB_NEO_HOOKEAN, 1e6, 0.45},
     2.5,
     0,
     NULL,
     MB_GLOBAL_PARTITIONED_INVERSE},
    {{"20.8k bar, neo-Hookean", false, 21, MB_NEO_HOOKEAN, 1e6, 0.45},
     6,
     0,
     NULL,
     MB_GLOBAL_PARTITIONED_INVERSE},
    {{"10.2k cloth, neo-Hookean", true, 71, MB_NEO_HOOKEAN, 1e5, 0.45},
     1.2,
     0,
     NULL,
     MB_GLOBAL_PARTITIONED_INVERSE},
    {{"20.2k cloth, neo-Hookean", true, 100, MB_NEO_HOOKEAN, 1e5, 0.45},
     2.5,
     0,
     NULL,
     MB_GLOBAL_PARTITIONED_INVERSE},
    {{"a million tetrahedra, arap", false, 44, MB_ARAP, 1e6, 0.45}, 60, 5, "projective", MB_GLOBAL_AUTO},
};
enum { CASES = sizeof cases / sizeof *cases };

// What a mover makes of a case.
typedef struct Made {
  double ms, sum;         // milliseconds of a frame, the median; of all places, squared
  size_t numbers, memory; // bytes of the inverse's numbers, and of all that a device has
  MbGlobalMethod global;
} Made;

// A case on its way: frames go on from where the last ones ended.
typedef struct Going {
  MbPdThing thing;
  MbPdEngine *engine;
  int frame;
} Going;

static bool go(Going *going, size_t frames, double *each) {
  bool ok = true;
  for (size_t k = 0; k < frames && ok; k++) {
    const double moved = ++going->frame * 0.02;
    mb_pd_thing_aim(&going->thing, moved, moved / 2);
    const double began = mb_bench_wall();
    ok = mb_pd_thing_step(&going->thing, going->engine);
    if (each) each[k] = 1e3 * (mb_bench_wall() - began);
  }
  return ok;
}

static size_t frames_of(const Case *c) { return c->frames ? c->frames : FRAMES; }

static void look_at(const Going *going, bool elsewhere, Made *made) {
  const MbInverse *S = mb_global_inverse(going->engine->global.inverse);
  for (size_t i = 0; i < 3 * going->thing.mesh.nodes; i++) made->sum += going->thing.q[i] * going->thing.q[i];
  if (!elsewhere) return;
  made->numbers = (S->entries + S->coupled) * (S->single ? sizeof(float) : sizeof(double));
  made->memory = mb_moved_bytes(going->engine);
  mb_timed_inverse(going->engine->moved, S->entries, S->coupled);
}

// Measures, and behind that prints a table by parts of as many frames, where the mover is a device's.
static bool measure(const Case *c, MbPdSpec spec, bool parts, Made *made) {
  Going going = {0};
  double each[FRAMES];
  const size_t frames = frames_of(c);
  if (!mb_pd_thing_make(&c->of, &going.thing)) return false;
  going.engine = mb_pd_thing_engine(&going.thing, spec, 0.01);
  *made = (Made){0};
  bool ok = going.engine && go(&going, c->frames ? 2 : WARM, NULL) && go(&going, frames, each);
  if (ok) {
    qsort(each, frames, sizeof *each, mb_bench_ascending);
    made->ms = each[frames / 2];
    made->global = mb_global_size(going.engine->global.inverse).method;
    look_at(&going, spec.mover, made);
  }
  if (ok && parts) {
    mb_timed_start();
    ok = go(&going, frames, NULL);
    mb_timed_stop();
    if (ok) mb_timed_print((double)frames, "frame");
  }
  mb_timed_inverse(NULL, 0, 0);
  mb_pd_free(going.engine);
  mb_pd_thing_free(&going.thing);
  return ok;
}

static const char *const method_words[] = {"projective", "lbfgs"};

static void print_line(const Case *c, const char *method, const Made *own, const Made *made, int threads) {
  static const double MB = 1048576;
  printf("  %-26s %-10s %-19s %8.1f %8.1f %9.2f %3d %9.3f %6.2f %9.1e", c->of.name, method,
         mb_global_words[made->global], (double)made->numbers / MB, (double)made->memory / MB, own->ms,
         threads, made->ms, own->ms / made->ms, (made->sum - own->sum) / own->sum);
}

static bool run_case(const Case *c, int k, const MbPdMover *mover, int threads, bool there) {
  static const MbMethod methods[] = {MB_METHOD_PROJECTIVE, MB_METHOD_LBFGS};
  Made own, made, other = {0};
  MbPdSpec spec = {
      .method = methods[k], .iterations = ITERATIONS, .threads = threads, .global = MB_GLOBAL_AUTO};
  if (!measure(c, spec, false, &own)) return false;
  spec.mover = mover;
  if (c->instead != MB_GLOBAL_AUTO && there) {
    spec.global = c->instead;
    if (!measure(c, spec, false, &other)) return false;
    print_line(c, method_words[k], &own, &other, threads);
    printf("\n");
    spec.global =
        c->instead == MB_GLOBAL_SPARSE_INVERSE ? MB_GLOBAL_PARTITIONED_INVERSE : MB_GLOBAL_SPARSE_INVERSE;
    if (!measure(c, spec, false, &other)) return false;
    print_line(c, method_words[k], &own, &other, threads);
    printf("\n");
    spec.global = MB_GLOBAL_AUTO;
  }
  printf("   by parts, every kernel by itself:\n");
  if (!measure(c, spec, true, &made)) return false;
  print_line(c, method_words[k], &own, &made, threads);
  const bool met = !there || made.ms <= c->target;
  printf("  target %4.1f %s\n", c->target, !there ? "(no device)" : met ? "ok" : "MISSED");
  fflush(stdout);
  return met;
}

bool mb_bench_device(void) {
  bool there = false, met = true;
  const char *text = mb_engine_text(mb_engine_cuda(), &there);
  const MbPdMover *mover = there ? &mb_moved_by_cuda : &mb_moved_by_loops;
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  const int threads = online > 1 ? (int)online : 1;
  const char *only = getenv("MBSIM_BENCH_CASE"); // the number of one case
  MbTimedDevice device;
  mb_blas_start(threads);
  printf("  device: %s\n", text);
  if (!there)
    printf("  no device: loops on the processor, of the smallest case; these are no numbers of a device\n");
  else if (mb_timed_device(mb_cuda_backend(), &device))
    printf("  a launch that does nothing, waited for, takes %.1f us, which tables by parts leave out; long "
           "vectors go "
           "at %.0f GB/s, the shares are of that\n",
           1e6 * device.idle, 1e-9 * device.speed);
  printf("  milliseconds of a frame of %d iterations, medians of %d\n", ITERATIONS, FRAMES);
  printf("  %-26s %-10s %-19s %8s %8s %9s %3s %9s %6s %9s\n", "", "method", "global", "its MB", "all MB",
         "processor", "on", there ? "device" : "loops", "times", "differ by");
  mb_backend_between = mb_timed_backend;
  for (int i = 0; i < (there ? CASES : 1); i++)
    for (int k = 0; k < (there ? 2 : 1); k++) {
      if (only && atoi(only) != i) continue;
      if (cases[i].only && strcmp(cases[i].only, method_words[k]) != 0) continue;
      met &= run_case(&cases[i], k, mover, threads, there);
    }
  mb_backend_between = NULL;
  return met;
}
