// Blocks that are pressed to a fifth, turned, twisted by a full turn, or pushed through themselves and back, of every material and up to a Poisson's
// ratio of 0.49: all methods come to the same places, step for step, at least until one of them leaves an element crushed or inside out. From there
// a step has more than one minimum, which sim/crushed.c tells. With TABLE in the environment the cases are printed.
#include "core/base/alloc.h"
#include "tests/runs.h"
#include "tests/soft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, METHODS = 3 };
static const double LENGTH = 0.6, H = 0.02;
static const double SAME =
    1e-5; // m: methods end by corrections of 1e-9 of the size, of which local-global ones make thousands
static const char *const method_words[METHODS] = {"lbfgs", "projective", "newton"};

typedef struct Way {
  const char *name;
  void (*at)(double t, double *press, double *turn); // of the far end, t from 0 to 1
} Way;

static void pressed(double t, double *press, double *turn) { *press = 0.8 * t, *turn = 0; }
static void twisted(double t, double *press, double *turn) { *press = 0, *turn = 2 * M_PI * t; }
static void turned(double t, double *press, double *turn) { *press = 0.5 * t, *turn = 1.5 * t; }
static void through(double t, double *press, double *turn) {
  *press = 1.5 * (1 - cos(2 * M_PI * t)) / 2, *turn = 0;
}
static const Way ways[] = {{"pressed to a fifth", pressed},
                           {"twisted by a full turn", twisted},
                           {"pressed and turned", turned},
                           {"through itself and back", through}};

typedef struct Material {
  const char *name;
  MbElasticModel model;
  double poisson, least; // J
} Material;
static const Material materials[] = {{"neo_hookean", MB_NEO_HOOKEAN, 0.3, MB_ELASTIC_LEAST_J},
                                     {"neo_hookean", MB_NEO_HOOKEAN, 0.45, MB_ELASTIC_LEAST_J},
                                     {"neo_hookean", MB_NEO_HOOKEAN, 0.49, MB_ELASTIC_LEAST_J},
                                     {"corotational", MB_COROTATIONAL, 0.3, 0},
                                     {"corotational", MB_COROTATIONAL, 0.45, 0},
                                     {"corotational", MB_COROTATIONAL, 0.49, 0},
                                     {"arap", MB_ARAP, 0, 0}};

// A block between two ends that are placed, of nodes inside that are a little out of line.
static void block(Soft *soft, const Material *m) {
  static const double size[3] = {0.6, 0.4, 0.4};
  const size_t counts[3] = {5, 4, 4};
  uint64_t seed = 7;
  cr_assert(mb_element_mesh_box(&soft->mesh, counts, size));
  for (size_t i = 0; i < soft->mesh.nodes; i++)
    for (size_t c = 0; c < 3; c++) {
      double *x = soft->mesh.x + 3 * i;
      const bool inside = x[0] > 1e-9 && x[0] < LENGTH - 1e-9;
      if (inside) x[c] += 0.02 * (test_random(&seed) - 0.5);
    }
  soft_begin(soft, 1000);
  soft_material(soft, m->model, 1e5, m->poisson);
  soft_hold(soft, 0, 0, 7);
  soft_hold(soft, 0, LENGTH, 7);
}

static void aim(Soft *soft, const Way *way, double t) {
  double press, turn;
  way->at(t, &press, &turn);
  const double c = cos(turn), s = sin(turn);
  for (size_t i = 0; i < soft->mesh.nodes; i++) {
    const double *x = soft->mesh.x + 3 * i;
    if (!(fabs(x[0] - LENGTH) < 1e-9)) continue;
    soft->target[3 * i] = LENGTH * (1 - press);
    soft->target[3 * i + 1] = 0.2 + c * (x[1] - 0.2) - s * (x[2] - 0.2);
    soft->target[3 * i + 2] = 0.2 + s * (x[1] - 0.2) + c * (x[2] - 0.2);
  }
}

static double volume(const double *q, const uint32_t *corner) {
  double e[3][3], normal[3];
  for (size_t k = 0; k < 3; k++) mb_vec3_sub(e[k], q + 3 * corner[k + 1], q + 3 * corner[0]);
  mb_vec3_cross(normal, e[0], e[1]);
  return mb_vec3_dot(normal, e[2]);
}

static double least_J(const Soft *soft) {
  double least = INFINITY;
  for (size_t e = 0; e < soft->mesh.tets; e++) {
    const uint32_t *const corner = soft->mesh.tet + 4 * e;
    least = fmin(least, volume(soft->q, corner) / volume(soft->mesh.x, corner));
  }
  return least;
}

// A method's places and its most crushed element after each step.
typedef struct Run {
  size_t n;
  double *q; // (STEPS x n)
  double J[STEPS];
  bool came[STEPS]; // to the tolerance
  int most;         // iterations
} Run;

static Run run_of(const Material *m, const Way *way, MbMethod method) {
  Soft soft = {0};
  Run run = {0};
  block(&soft, m);
  soft_create(&soft, H, method, 3000, method == MB_METHOD_NEWTON ? 0 : 1e-9);
  run.n = 3 * soft.mesh.nodes;
  run.q = mb_calloc(STEPS * run.n, sizeof *run.q);
  for (size_t k = 0; k < STEPS; k++) {
    aim(&soft, way, (double)(k + 1) / STEPS);
    soft_step(&soft);
    const MbNodeStats stats = mb_pd_stats(soft.engine);
    memcpy(run.q + run.n * k, soft.q, run.n * sizeof *run.q);
    run.came[k] = stats.converged, run.J[k] = least_J(&soft);
    run.most = stats.iterations > run.most ? stats.iterations : run.most;
  }
  soft_end(&soft);
  return run;
}

// In how many steps, from the first, two runs come to the same places; how far they are apart at most in these.
static size_t together(const Run *a, const Run *b, double *apart) {
  *apart = 0;
  for (size_t k = 0; k < STEPS; k++) {
    const double d = test_distance(a->q + a->n * k, b->q + b->n * k, a->n);
    if (!(d <= SAME)) return k;
    *apart = fmax(*apart, d);
  }
  return STEPS;
}

static void compare(const Material *m, const Way *way) {
  Run run[METHODS];
  const bool table = getenv("TABLE") != NULL;
  for (int k = 0; k < METHODS; k++) run[k] = run_of(m, way, (MbMethod)(MB_METHOD_LBFGS + k));
  const Run *truth = &run[METHODS - 1];
  double J = INFINITY;
  for (size_t k = 0; k < STEPS; k++) J = fmin(J, truth->J[k]);
  if (table) printf("%-12s %-4g %-24s J %6.2f  newton %3d", m->name, m->poisson, way->name, J, truth->most);
  for (int k = 0; k < METHODS - 1; k++) {
    double apart;
    const size_t steps = together(&run[k], truth, &apart);
    if (table) printf("  %s %4d, %2zu steps to %.0e m", method_words[k], run[k].most, steps, apart);
    const bool crushed = steps < STEPS && (run[k].J[steps] < m->least || truth->J[steps] < m->least);
    cr_expect(steps == STEPS || crushed, "%s, %g, %s: %s and newton part in step %zu, where J is %g and %g",
              m->name, m->poisson, way->name, method_words[k], steps + 1, run[k].J[steps % STEPS],
              truth->J[steps % STEPS]);
    for (size_t s = 0; s < steps; s++)
      cr_expect(run[k].came[s] || run[k].J[s] < m->least,
                "%s, %g, %s: %s does not end step %zu, where J is %g", m->name, m->poisson, way->name,
                method_words[k], s + 1, run[k].J[s]);
  }
  if (table) printf("\n");
  for (size_t s = 0; s < STEPS; s++)
    cr_expect(truth->came[s] || truth->J[s] < m->least, "%s, %g, %s: newton does not end step %zu", m->name,
              m->poisson, way->name, s + 1);
  for (int k = 0; k < METHODS; k++) mb_free(run[k].q);
}

Test(projective_places_long, methods_come_to_the_same_places_until_an_element_is_crushed_or_inside_out,
     TEST_LONG) {
  for (size_t m = 0; m < sizeof materials / sizeof *materials; m++)
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) compare(&materials[m], &ways[w]);
  cr_expect_eq(mb_alloc_live(), 0);
}
