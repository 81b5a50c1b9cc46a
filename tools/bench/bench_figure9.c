// Zeng et al.'s figure 9: a bar far twisted; of one more step how near its energy ε is to the least, (ε − ε*)/(ε₀ − ε*), by
// iterations and by time, for the complete global step and for Jacobi's and Chebyshev's methods in its place. ε* is where
// Newton's method ends. All begin with the same places, velocities and dual, on one thread; time is the processor's. Writes
// figure9.csv and figure9.svg.
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "io/plot/plot.h"
#include "tools/bench/bench.h"
#include "tools/bench/pd_cases.h"

#include <math.h>
#include <stdio.h>

enum { FRAMES = 100, SETTLING = 10, MOST = 1000, POINTS = 128, METHODS = 3, STIFFNESSES = 3, MATERIALS = 2 };
static const double STEP = 0.01, TURN = 2 * M_PI / 3; // s; of the far end before the step
#define GOAL 1e-3                                     // of the energy
static const double WITHIN = 30;                      // of the complete step, in iterations
static const double REACHED = 1e-8;                   // energies' digits end a little below

static const struct {
  const char *word, *name;
  MbGlobalMethod global;
  int iterations;
} methods[METHODS] = {{"complete", "complete", MB_GLOBAL_CHOLESKY, 200},
                      {"jacobi", "Jacobi, a sweep", MB_GLOBAL_JACOBI, MOST},
                      {"chebyshev", "Chebyshev, ten sweeps", MB_GLOBAL_CHEBYSHEV, 200}};
static const struct {
  const char *word, *name;
  MbElasticModel model;
} materials[MATERIALS] = {{"arap", "ARAP", MB_ARAP}, {"neo_hookean", "neo-Hookean", MB_NEO_HOOKEAN}};
static const double young[STIFFNESSES] = {1e5, 1e7, 1e9}; // Pa

// Iterates' energies as they come, without the time that they take.
typedef struct Watch {
  MbPdEngine *engine;
  int iterates, count;
  double began, away;
  double number[POINTS], ms[POINTS], energy[POINTS], error[POINTS];
} Watch;

static void note(void *context, const double *q) {
  Watch *watch = context;
  const double now = mb_bench_cpu();
  const int k = watch->iterates++, last = watch->count - 1;
  if (k == 0) watch->began = now;
  // all of the first, then ever fewer
  if ((k <= 40 || k >= 1.06 * watch->number[last]) && watch->count < POINTS) {
    watch->number[watch->count] = k;
    watch->ms[watch->count] = 1e3 * (now - watch->began - watch->away);
    watch->energy[watch->count++] = mb_pd_objective(watch->engine, q);
  }
  watch->away += mb_bench_cpu() - now;
}

// One step by a method. The thing stays as it is. `dual`: NULL for none.
static bool watch_step(const MbPdThing *thing, MbPdSpec spec, const double *dual, Watch *watch) {
  const size_t n = 3 * thing->mesh.nodes;
  double *q1 = mb_calloc(n, sizeof *q1), *v1 = mb_calloc(n, sizeof *v1);
  *watch = (Watch){0};
  spec.watch = note, spec.context = watch, spec.threads = 1;
  watch->engine = mb_pd_thing_engine(thing, spec, STEP);
  bool ok = watch->engine && q1 && v1;
  if (ok) {
    const MbNodeStart start = {thing->q, thing->v, thing->target, thing->gravity, NULL, NULL};
    if (dual) mb_pd_dual_write(watch->engine, dual);
    ok = mb_pd_step(watch->engine, &start, q1, v1);
    if (spec.method == MB_METHOD_NEWTON) ok = ok && mb_pd_stats(watch->engine).converged;
  }
  mb_pd_free(watch->engine);
  mb_free(q1);
  mb_free(v1);
  return ok;
}

// Twisted frame by frame; then ready for one more, with the dual that belongs to it.
static bool twist(MbPdThing *thing, double **dual) {
  MbPdEngine *engine = mb_pd_thing_engine(
      thing, (MbPdSpec){.method = MB_METHOD_PROJECTIVE, .iterations = SETTLING, .threads = 1}, STEP);
  *dual = mb_calloc(mb_pd_dual_size(&thing->part, MB_METHOD_PROJECTIVE), sizeof **dual);
  bool ok = engine && *dual;
  for (int k = 1; ok && k <= FRAMES; k++) {
    mb_pd_thing_aim(thing, TURN * k / FRAMES, 0);
    ok = mb_pd_thing_step(thing, engine);
  }
  if (ok) mb_pd_dual_read(engine, *dual);
  mb_pd_free(engine);
  mb_pd_thing_aim(thing, TURN * (FRAMES + 1) / FRAMES, 0);
  return ok;
}

// What of GOAL was reached at: a place in the watch's lists, or `count`.
static int reached(const Watch *watch) {
  int k = 0;
  while (k < watch->count && !(watch->error[k] <= GOAL)) k++;
  return k;
}

static bool race(int material, int stiffness, Watch watch[METHODS], FILE *csv) {
  const MbPdCase c = {"", false, 13, materials[material].model, young[stiffness], 0.45};
  static Watch newton;
  MbPdThing thing;
  double *dual = NULL;
  if (!mb_pd_thing_make(&c, &thing)) return false;
  bool ok = twist(&thing, &dual) &&
            watch_step(&thing, (MbPdSpec){.method = MB_METHOD_NEWTON, .iterations = 100}, NULL, &newton);
  const double least = newton.energy[newton.count > 0 ? newton.count - 1 : 0], most = newton.energy[0];
  printf("  %-12s E = %g Pa, Newton's method: %d iterations\n", materials[material].name, young[stiffness],
         newton.iterates - 1);
  for (int m = 0; m < METHODS && ok; m++) {
    const MbPdSpec spec = {
        .method = MB_METHOD_PROJECTIVE, .global = methods[m].global, .iterations = methods[m].iterations};
    ok = watch_step(&thing, spec, dual, &watch[m]);
    for (int k = 0; k < watch[m].count && ok; k++) {
      watch[m].error[k] = (watch[m].energy[k] - least) / (most - least);
      fprintf(csv, "%s,%g,%s,%g,%.6g,%.6g\n", materials[material].word, young[stiffness], methods[m].word,
              watch[m].number[k], watch[m].ms[k], watch[m].error[k]);
    }
    const int k = reached(&watch[m]);
    if (k < watch[m].count)
      printf("    %-24s %g after %4g iterations, %8.1f ms\n", methods[m].name, GOAL, watch[m].number[k],
             watch[m].ms[k]);
    else
      printf("    %-24s %.3g after %d iterations\n", methods[m].name, watch[m].error[watch[m].count - 1],
             watch[m].iterates - 1);
  }
  fflush(stdout);
  mb_free(dual);
  mb_pd_thing_free(&thing);
  return ok;
}

static Watch watches[MATERIALS][STIFFNESSES][METHODS];

enum { ROWS = 2 * MATERIALS, PANELS = ROWS * STIFFNESSES };

// Energies of one case by iterations or by time.
static void make_panel(int row, int e, MbPanel *panel, MbCurve curves[METHODS], char title[64]) {
  static const MbGuide goal = {.at = GOAL};
  const bool time = row % 2;
  snprintf(title, 64, "%s, E = 1e%.0f Pa", materials[row / 2].name, log10(young[e]));
  *panel = (MbPanel){.title = title,
                     .x = {time ? "milliseconds" : "iterations", true, 1, time ? 1e4 : 1e3},
                     .y = {"relative error of the energy", true, REACHED, 10},
                     .ncurves = METHODS,
                     .curves = curves,
                     .nguides = 1,
                     .guides = &goal};
  for (size_t m = 0; m < METHODS; m++) {
    const Watch *watch = &watches[row / 2][e][m];
    curves[m] = (MbCurve){.name = methods[m].name,
                          .n = (size_t)watch->count,
                          .x = time ? watch->ms : watch->number,
                          .y = watch->error,
                          .hue = m,
                          .dash = m};
  }
}

static bool draw(const char *path) {
  static MbCurve curves[PANELS][METHODS];
  static MbPanel panels[PANELS];
  static char titles[PANELS][64];
  MbReport report = {0};
  for (int i = 0; i < PANELS; i++)
    make_panel(i / STIFFNESSES, i % STIFFNESSES, &panels[i], curves[i], titles[i]);
  const MbPlot plot = {.title = "One step of a twisted bar of 5,292 nodes, h = 0.01 s",
                       .columns = STIFFNESSES,
                       .npanels = PANELS,
                       .panels = panels,
                       .width = 300,
                       .height = 190,
                       .one_legend = true};
  FILE *file = fopen(path, "w");
  if (!file) return false;
  const bool written = !mb_plot_svg(file, &plot, &report);
  return !fclose(file) && written;
}

bool mb_bench_figure9(void) {
  char path[1024];
  double slowest = 0;
  mb_blas_start(1);
  snprintf(path, sizeof path, "%s/figure9.csv", mb_bench_folder());
  FILE *csv = fopen(path, "w");
  if (!csv) {
    printf("  %s cannot be written\n", path);
    return false;
  }
  fprintf(csv, "material,young,method,iteration,ms,error\n");
  bool ok = true;
  for (int material = 0; material < MATERIALS && ok; material++)
    for (int e = 0; e < STIFFNESSES && ok; e++) {
      Watch *watch = watches[material][e];
      ok = race(material, e, watch, csv);
      const int k = reached(&watch[0]);
      slowest = fmax(slowest, k < watch[0].count ? watch[0].number[k] : INFINITY);
    }
  ok = fclose(csv) == 0 && ok;
  if (ok) printf("  %s\n", path);
  snprintf(path, sizeof path, "%s/figure9.svg", mb_bench_folder());
  if (ok) ok = draw(path);
  if (ok) printf("  %s\n", path);
  return mb_bench_target("complete", slowest, "iter.", WITHIN, false) && ok;
}
