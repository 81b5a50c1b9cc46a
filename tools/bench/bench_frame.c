// Whole frames of the projective solver, five iterations each, as Zeng et al.'s table 3 has them: cloth that is drawn, bars that
// are twisted, by quasi-Newton steps, which scenes have that name no method, and by local-global iterations. Milliseconds by parts,
// medians over frames: of processor time with one thread, of wall time with two. The dual, where there is one, goes out of the engine and
// back as in a run.
//
// Wall time means little while others use the machine. So behind what two threads gain stands what they gain there, just then and by the
// same clocks, at a loop that leaves nothing to gain (bench.h): what both lose is the machine's, the rest is ours.
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "tools/bench/bench.h"
#include "tools/bench/pd_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS = 5, WARM = 12, FRAMES = 25 };

static const MbPdCase cases[] = {
    {"10.2k cloth, neo-Hookean", true, 71, MB_NEO_HOOKEAN, 1e5, 0.45},
    {"5.3k bar, arap", false, 13, MB_ARAP, 1e9, 0.45},
    {"5.3k bar, neo-Hookean", false, 13, MB_NEO_HOOKEAN, 1e6, 0.45},
    {"11.3k bar, arap", false, 17, MB_ARAP, 1e9, 0.45},
    {"11.3k bar, neo-Hookean", false, 17, MB_NEO_HOOKEAN, 1e6, 0.45},
    {"20.8k bar, arap", false, 21, MB_ARAP, 1e9, 0.45},
    {"20.8k bar, neo-Hookean", false, 21, MB_NEO_HOOKEAN, 1e6, 0.45},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef enum Part { LOCAL, COLLECT, GLOBAL, REST, ALL, PARTS } Part;

// Milliseconds of the parts of a frame: medians. `least`: of the shortest frame.
static bool measure(const MbPdCase *c, MbMethod method, int threads, size_t *elements, double part[PARTS],
                    double *least) {
  MbPdThing thing;
  if (!mb_pd_thing_make(c, &thing)) return false;
  double (*const clock)(void) = threads == 1 ? mb_bench_cpu : mb_bench_wall;
  const MbPdSpec spec = {.method = method, .iterations = ITERATIONS, .threads = threads, .clock = clock};
  MbPdEngine *engine = mb_pd_thing_engine(&thing, spec, 0.01);
  double *dual = mb_calloc(mb_pd_dual_size(&thing.part, method), sizeof *dual);
  double each[PARTS][FRAMES];
  bool ok = engine && dual;
  const bool has_dual = method == MB_METHOD_PROJECTIVE;
  if (ok && has_dual) mb_pd_dual_begin(engine, thing.q), mb_pd_dual_read(engine, dual);
  for (int k = -WARM; k < FRAMES && ok; k++) {
    const double moved = (k + WARM + 1) * 0.02;
    mb_pd_thing_aim(&thing, moved, moved / 2);
    const double began = clock();
    if (has_dual) mb_pd_dual_write(engine, dual);
    ok = mb_pd_thing_step(&thing, engine);
    if (has_dual) mb_pd_dual_read(engine, dual);
    const double all = clock() - began;
    const MbNodeStats stats = mb_pd_stats(engine);
    if (k < 0) continue;
    each[LOCAL][k] = 1e3 * stats.local, each[COLLECT][k] = 1e3 * stats.collect;
    each[GLOBAL][k] = 1e3 * stats.global, each[ALL][k] = 1e3 * all;
    each[REST][k] = 1e3 * (all - stats.local - stats.collect - stats.global);
  }
  for (int p = 0; p < PARTS && ok; p++) {
    qsort(each[p], FRAMES, sizeof *each[p], mb_bench_ascending);
    part[p] = each[p][FRAMES / 2];
  }
  *least = each[ALL][0];
  *elements = mb_pd_thing_elements(&thing);
  mb_pd_free(engine);
  mb_free(dual);
  mb_pd_thing_free(&thing);
  return ok;
}

// What two threads gain over one: of medians, of the shortest.
typedef struct Gain {
  double median, least;
} Gain;

static Gain best_of_machine(void) {
  enum { TURNS = 15 };
  double took[2][TURNS];
  for (int k = 0; k < TURNS; k++)
    for (int t = 0; t < 2; t++) took[t][k] = mb_bench_even_loop(1 + t, t ? mb_bench_wall : mb_bench_cpu);
  for (int t = 0; t < 2; t++) qsort(took[t], TURNS, sizeof *took[t], mb_bench_ascending);
  return (Gain){took[0][TURNS / 2] / took[1][TURNS / 2], took[0][0] / took[1][0]};
}

// Two lines of a case by one method, of one thread and of two. Returns nanoseconds an element and iteration of one thread, but for the
// global step; NaN: out of memory.
static double tell(const MbPdCase *c, MbMethod method, const char *word) {
  double one = NAN, all = 0, shortest = 0;
  for (int threads = 1; threads <= 2; threads++) {
    double part[PARTS], least;
    size_t n;
    const Gain before = threads == 2 ? best_of_machine() : (Gain){0};
    if (!measure(c, method, threads, &n, part, &least)) return NAN;
    const double ns = 1e6 * (part[LOCAL] + part[COLLECT] + part[REST]) / ((double)n * ITERATIONS);
    printf("  %-26s %-10s %8zu %7d %7.2f %7.2f %7.2f %7.2f %7.2f %7.2f %5.0f", c->name, word, n, threads,
           part[LOCAL], part[COLLECT], part[GLOBAL], part[REST], part[ALL], least, ns);
    if (threads == 1) {
      one = ns, all = part[ALL], shortest = least;
    } else {
      const Gain after = best_of_machine();
      printf("   %5.2f %5.2f %5.2f %5.2f", all / part[ALL], (before.median + after.median) / 2,
             shortest / least, fmax(before.least, after.least));
    }
    printf("\n");
    fflush(stdout);
  }
  return one;
}

bool mb_bench_frame(void) {
  double worst = 0;
  mb_blas_start(1);
  printf("  milliseconds of a frame of %d iterations, medians of %d\n", ITERATIONS, FRAMES);
  printf(
      "  ns: an element and iteration, but for the global step. gain: of two threads over one, medians and "
      "shortest frames; ideal: of an even loop\n");
  printf("  %-26s %-10s %8s %7s %7s %7s %7s %7s %7s %7s %5s   %5s %5s %5s %5s\n", "", "method", "elements",
         "threads", "local", "collect", "global", "rest", "all", "least", "ns", "gain", "ideal", "least",
         "ideal");
  for (int i = 0; i < CASES; i++) {
    const double downhill = tell(&cases[i], MB_METHOD_LBFGS, "lbfgs"),
                 local_global = tell(&cases[i], MB_METHOD_PROJECTIVE, "projective");
    if (!(downhill > 0 && local_global > 0)) return false;
    if (!cases[i].cloth) worst = fmax(worst, fmax(downhill, local_global));
  }
  return mb_bench_target("tetrahedra", worst, "ns", 250, false);
}
