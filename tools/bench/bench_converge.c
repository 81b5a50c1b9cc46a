// How near one more step of a bar far twisted, or of a cloth far drawn, is to its solution, by iterations and by time: for every
// method, (E − E*)/(E₀ − E*) of the energy E that the step minimises, E* being the least that any method comes to and E₀ that of
// the places that local-global iterations begin with. Processor time of a step from its first evaluation on, the least of a few
// runs, with what looking at the iterates takes left out.
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "tools/bench/bench.h"
#include "tools/bench/pd_cases.h"

#include <math.h>
#include <stdio.h>

enum { FRAMES = 40, SETTLING = 10, MOST = 60, RUNS = 2 };
static const double STEP = 0.01; // s

static const MbPdCase cases[] = {
    {"10.2k cloth, neo-Hookean", true, 71, MB_NEO_HOOKEAN, 1e5, 0.45},
    {"5.3k bar, neo-Hookean", false, 13, MB_NEO_HOOKEAN, 1e6, 0.45},
    {"5.3k bar, neo-Hookean, stiff", false, 13, MB_NEO_HOOKEAN, 1e9, 0.45},
    {"5.3k bar, arap", false, 13, MB_ARAP, 1e9, 0.45},
    {"5.3k bar, corotational", false, 13, MB_COROTATIONAL, 1e6, 0.45},
    {"20.8k bar, neo-Hookean", false, 21, MB_NEO_HOOKEAN, 1e6, 0.45},
};
enum { CASES = sizeof cases / sizeof *cases, GOALS = 4, METHODS = 2 };
static const double goals[GOALS] = {1e-1, 1e-2, 1e-3, 1e-4};
static const struct {
  const char *name;
  MbMethod method;
} methods[METHODS] = {{"lbfgs", MB_METHOD_LBFGS}, {"projective", MB_METHOD_PROJECTIVE}};

// Energies of a step's iterates, and when they were there.
typedef struct Watch {
  const MbPdEngine *engine;
  int count;
  double began, away, energy[MOST + 1], ms[MOST + 1];
} Watch;

static void note(void *context, const double *q) {
  Watch *watch = context;
  const double now = mb_bench_cpu();
  if (watch->count == 0) watch->began = now;
  watch->ms[watch->count] = 1e3 * (now - watch->began - watch->away);
  watch->energy[watch->count++] = mb_pd_objective(watch->engine, q);
  watch->away += mb_bench_cpu() - now;
}

// The times of a step are the least of those of several runs, which have the same iterates.
static bool run(const MbPdThing *thing, MbMethod method, const double *dual, Watch *best) {
  const size_t n = 3 * thing->mesh.nodes;
  double *q1 = mb_calloc(n, sizeof *q1), *v1 = mb_calloc(n, sizeof *v1);
  Watch watch = {0};
  MbPdEngine *engine = mb_pd_thing_engine(
      thing, (MbPdSpec){.method = method, .iterations = MOST, .threads = 1, .watch = note, .context = &watch},
      STEP);
  bool ok = q1 && v1 && engine;
  for (int k = 0; k < RUNS && ok; k++) {
    const MbNodeStart start = {thing->q, thing->v, thing->target, thing->gravity, NULL, NULL};
    watch = (Watch){.engine = engine};
    if (method == MB_METHOD_PROJECTIVE) mb_pd_dual_write(engine, dual);
    ok = mb_pd_step(engine, &start, q1, v1);
    if (k == 0) *best = watch;
    for (int i = 0; i < watch.count && ok; i++) best->ms[i] = fmin(best->ms[i], watch.ms[i]);
  }
  mb_pd_free(engine);
  mb_free(q1);
  mb_free(v1);
  return ok;
}

// Moved frame by frame; then ready for one more, with the dual that belongs to it.
static bool approach(MbPdThing *thing, double **dual) {
  MbPdEngine *engine = mb_pd_thing_engine(
      thing, (MbPdSpec){.method = MB_METHOD_PROJECTIVE, .iterations = SETTLING, .threads = 1}, STEP);
  *dual = mb_calloc(mb_pd_dual_size(&thing->part, MB_METHOD_PROJECTIVE), sizeof **dual);
  bool ok = engine && *dual;
  for (int k = 1; ok && k <= FRAMES; k++) {
    mb_pd_thing_aim(thing, 0.02 * k, 0.01 * k);
    ok = mb_pd_thing_step(thing, engine);
  }
  if (ok) mb_pd_dual_read(engine, *dual);
  mb_pd_free(engine);
  mb_pd_thing_aim(thing, 0.02 * (FRAMES + 1), 0.01 * (FRAMES + 1));
  return ok;
}

static void tell(const char *name, const Watch *watch, double first, double least) {
  printf("    %-12s", name);
  for (int g = 0; g < GOALS; g++) {
    int k = 0;
    while (k < watch->count && !(watch->energy[k] - least <= goals[g] * (first - least))) k++;
    if (k < watch->count)
      printf("  %4d %8.2f", k, watch->ms[k]);
    else
      printf("  %4s %8s", "-", "-");
  }
  const int five = watch->count > 5 ? 5 : watch->count - 1;
  printf("  %9.2g\n", (watch->energy[five] - least) / (first - least));
}

bool mb_bench_converge(void) {
  mb_blas_start(1);
  printf("  iterations and milliseconds to (E - E*)/(E0 - E*) of\n  %-14s", "");
  for (int g = 0; g < GOALS; g++) printf("  %13g", goals[g]);
  printf("    after 5\n");
  for (int i = 0; i < CASES; i++) {
    static Watch watch[METHODS];
    MbPdThing thing;
    double *dual = NULL, least = INFINITY;
    if (!mb_pd_thing_make(&cases[i], &thing)) return false;
    bool ok = approach(&thing, &dual);
    for (int m = 0; m < METHODS && ok; m++) {
      ok = run(&thing, methods[m].method, dual, &watch[m]);
      for (int k = 0; k < watch[m].count; k++) least = fmin(least, watch[m].energy[k]);
    }
    mb_free(dual);
    mb_pd_thing_free(&thing);
    if (!ok) return false;
    printf("  %s\n", cases[i].name);
    for (int m = 0; m < METHODS; m++) tell(methods[m].name, &watch[m], watch[METHODS - 1].energy[0], least);
    fflush(stdout);
  }
  return true;
}
