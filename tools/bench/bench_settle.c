// Steps that are hard to come to the end of: a bar of 0.5 m x 0.5 m x 1 m that is pressed to a fifth, pressed and turned, twisted by a full
// turn, or pushed through itself and back. Of every material, Poisson's ratio and method: whether all steps came to their end, iterations,
// and how far, by the bar's length, places of any step are from those of the same run by quasi-Newton steps.
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/math/vec3.h"
#include "tools/bench/bench.h"
#include "tools/bench/pd_cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 3, MOST = 3000, STEPS = 100 };
static const double STEP = 0.02, TOLERANCE = 1e-10, CLOSE = 1e-6; // s; corrections by the size; m

typedef struct Hard {
  const char *name;
  int steps;
  double press, turn; // of the length; at the last step, or half way where it goes back
  bool back;
} Hard;
static const Hard hard[] = {{"pressed to a fifth", 20, 0.8, 0, false},
                            {"pressed to half, turned by 90 degrees", 20, 0.5, 1.5707963267948966, false},
                            {"twisted by a full turn", 20, 0, 6.283185307179586, false},
                            {"pushed through itself and back", STEPS, 1.5, 0, true}};
static const MbElasticModel models[] = {MB_NEO_HOOKEAN, MB_COROTATIONAL, MB_ARAP};
static const char *const model_names[] = {"neo-Hookean", "corotational", "arap"};
static const double poisson[] = {0.3, 0.45, 0.49};
static const MbMethod methods[] = {MB_METHOD_LBFGS, MB_METHOD_PROJECTIVE, MB_METHOD_NEWTON};
static const char *const method_names[] = {"lbfgs", "projective", "newton"};

// Nodes between the ends, a little out of line at rest, so that nothing is decided by rounding alone.
static void disturb(MbPdThing *thing) {
  uint64_t seed = 7;
  for (size_t i = 0; i < thing->mesh.nodes; i++)
    for (size_t c = 0; c < 3; c++) {
      seed = 6364136223846793005u * seed + 1442695040888963407u;
      if (!thing->placed[i]) thing->mesh.x[3 * i + c] += 0.03 * ((double)(seed >> 11) * 0x1p-53 - 0.5);
    }
  memcpy(thing->q, thing->mesh.x, 3 * thing->mesh.nodes * sizeof *thing->q);
}

static void aim(MbPdThing *thing, const Hard *of, int k) {
  const double share =
      of->back ? (1 - cos(2 * 3.141592653589793 * k / of->steps)) / 2 : (double)k / of->steps;
  mb_pd_thing_aim(thing, of->turn * share, 0);
  for (size_t i = 0; i < thing->mesh.nodes; i++)
    if (thing->mesh.x[3 * i + 2] > 1 - 1e-9) thing->target[3 * i + 2] = 1 - of->press * share;
}

typedef struct Outcome {
  int failed, iterations; // the first step that did not end, 0: none; of all steps
  double worst;           // m from the first method's places, in any step
} Outcome;

// The run's places after each step, or, if there are some, how far from them it is.
static Outcome run(const Hard *of, const MbPdCase *c, MbMethod method, double *places, bool keep) {
  Outcome out = {0};
  MbPdThing thing;
  if (!mb_pd_thing_make(c, &thing)) return (Outcome){.failed = -1};
  const size_t n = 3 * thing.mesh.nodes;
  disturb(&thing);
  MbPdEngine *engine = mb_pd_thing_engine(&thing,
                                          (MbPdSpec){.method = method,
                                                     .iterations = method == MB_METHOD_NEWTON ? 1000 : MOST,
                                                     .tolerance = TOLERANCE,
                                                     .threads = 1},
                                          STEP);
  if (!engine) out.failed = -1;
  for (int k = 1; k <= of->steps && !out.failed; k++) {
    aim(&thing, of, k);
    if (!mb_pd_thing_step(&thing, engine) || !mb_pd_stats(engine).converged) out.failed = k;
    out.iterations += mb_pd_stats(engine).iterations;
    double *to = places + n * (size_t)(k - 1);
    if (keep) memcpy(to, thing.q, n * sizeof *to);
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(to[i] - thing.q[i]));
    if (!out.failed && !(most <= out.worst)) out.worst = most;
  }
  mb_pd_free(engine);
  mb_pd_thing_free(&thing);
  return out;
}

bool mb_bench_settle(void) {
  mb_blas_start(1);
  const size_t nodes = (CELLS + 1) * (CELLS + 1) * (2 * CELLS + 1);
  double *places = mb_calloc(STEPS * nodes, 3 * sizeof *places);
  bool fine = places != NULL;
  for (size_t h = 0; h < sizeof hard / sizeof *hard && places; h++) {
    printf("  %s, %d steps\n", hard[h].name, hard[h].steps);
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
      for (size_t p = 0; p < sizeof poisson / sizeof *poisson; p++) {
        const MbPdCase c = {"", false, CELLS, models[m], 1e5, poisson[p]};
        if (models[m] == MB_ARAP && p > 0) continue;
        printf("    %-14s %4.2f", model_names[m], poisson[p]);
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
          const Outcome o = run(&hard[h], &c, methods[k], places, k == 0);
          printf("   %-10s %6d", method_names[k], o.iterations);
          if (o.failed) printf(" error at %2d", o.failed);
          if (!o.failed && k) printf(" %9.1e", o.worst);
          fine = fine && (o.failed || o.worst <= CLOSE);
        }
        printf("\n");
        fflush(stdout);
      }
  }
  mb_free(places);
  return fine;
}
