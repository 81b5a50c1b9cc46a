// Steps that are hard to come to the end of: blocks that are pressed to a fifth, turned, twisted by a full turn, or made to jump. Every
// method comes to the same places, and one that is to stop near them is near them when it stops.
#include "core/base/alloc.h"
#include "tests/soft.h"

#include <string.h>

static const double LENGTH = 0.6;

// A block between two ends that are placed, of nodes inside that are a little out of line.
static void block(Soft *soft, MbElasticModel model, double poisson) {
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
  soft_material(soft, model, 1e5, poisson);
  soft_hold(soft, 0, 0, 7);
  soft_hold(soft, 0, LENGTH, 7);
}

// The far end, pressed by a share of the length and turned about the block's axis.
static void aim(Soft *soft, double press, double turn) {
  const double c = cos(turn), s = sin(turn);
  for (size_t i = 0; i < soft->mesh.nodes; i++) {
    const double *x = soft->mesh.x + 3 * i;
    if (!(fabs(x[0] - LENGTH) < 1e-9)) continue;
    soft->target[3 * i] = LENGTH * (1 - press);
    soft->target[3 * i + 1] = 0.2 + c * (x[1] - 0.2) - s * (x[2] - 0.2);
    soft->target[3 * i + 2] = 0.2 + s * (x[1] - 0.2) + c * (x[2] - 0.2);
  }
}

typedef struct Case {
  const char *name;
  MbElasticModel model;
  double poisson, press, turn, step;
  int steps;
} Case;
static const Case cases[] = {{"pressed to half", MB_NEO_HOOKEAN, 0.3, 0.5, 0, 0.02, 10},
                             {"pressed to a fifth", MB_NEO_HOOKEAN, 0.45, 0.8, 0, 0.02, 20},
                             {"nearly incompressible", MB_NEO_HOOKEAN, 0.49, 0.5, 0, 0.02, 10},
                             {"pressed and turned", MB_COROTATIONAL, 0.3, 0.5, 1.5, 0.02, 20},
                             {"twisted by a full turn", MB_NEO_HOOKEAN, 0.3, 0, 2 * M_PI, 0.02, 20},
                             {"a third at once", MB_NEO_HOOKEAN, 0.45, 0.33, 0, 1, 1}};

static double *settle(const Case *c, MbMethod method, size_t *n) {
  Soft soft = {0};
  block(&soft, c->model, c->poisson);
  soft_create(&soft, c->step, method, 3000, method == MB_METHOD_NEWTON ? 0 : 1e-9);
  for (int k = 1; k <= c->steps; k++) {
    aim(&soft, c->press * k / c->steps, c->turn * k / c->steps);
    soft_step(&soft);
    const MbNodeStats stats = mb_pd_stats(soft.engine);
    cr_assert(stats.converged, "%s, method %d, step %d: %g after %d iterations", c->name, (int)method, k,
              stats.residual, stats.iterations);
    if (method == MB_METHOD_NEWTON)
      cr_expect(stats.iterations <= 30, "%s: Newton's method takes %d iterations", c->name, stats.iterations);
  }
  *n = 3 * soft.mesh.nodes;
  double *q = soft.q;
  soft.q = NULL;
  soft_end(&soft);
  return q;
}

Test(projective_settle, every_method_comes_to_the_same_places_however_hard_the_step, TEST_LONG) {
  const double TOLERANCE = 1e-6; // m; corrections of 1e-9 by the size, and there are many
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    size_t n;
    double *truth = settle(&cases[k], MB_METHOD_NEWTON, &n);
    for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHOD_NEWTON; method++) {
      double *q = settle(&cases[k], method, &n);
      test_near(cases[k].name, q, truth, n, TOLERANCE);
      mb_free(q);
    }
    mb_free(truth);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

// ---- inside out -----------------------------------------------------------------------------------------------

// The far end goes through the near one and back. At the worst of it there is more than one minimum, and nobody may end in another than the
// others do.
static double *go_through(MbElasticModel model, double poisson, MbMethod method, size_t *n) {
  enum { STEPS = 50 };
  Soft soft = {0};
  block(&soft, model, poisson);
  soft_create(&soft, 0.04, method, 3000, method == MB_METHOD_NEWTON ? 0 : 1e-10);
  for (int k = 1; k <= STEPS; k++) {
    aim(&soft, 0.75 * (1 - cos(2 * M_PI * k / STEPS)), 0);
    soft_step(&soft);
    cr_assert(mb_pd_stats(soft.engine).converged, "model %d, method %d, step %d", (int)model, (int)method, k);
  }
  *n = 3 * soft.mesh.nodes;
  double *q = soft.q;
  soft.q = NULL;
  soft_end(&soft);
  return q;
}

Test(projective_settle_long, pushed_through_itself_and_back_a_block_is_the_same_under_every_method,
     TEST_LONG) {
  static const struct {
    MbElasticModel model;
    double poisson;
  } materials[] = {{MB_NEO_HOOKEAN, 0.3}, {MB_COROTATIONAL, 0.3}, {MB_ARAP, 0.3}};
  for (size_t k = 0; k < 3; k++) {
    size_t n;
    double *truth = go_through(materials[k].model, materials[k].poisson, MB_METHOD_NEWTON, &n);
    for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHOD_NEWTON; method++) {
      double *q = go_through(materials[k].model, materials[k].poisson, method, &n);
      test_near("pushed through itself and back", q, truth, n, 1e-6);
      mb_free(q);
    }
    mb_free(truth);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

// ---- ending by what is left of the energy -----------------------------------------------------------------------

typedef struct First {
  MbPdEngine *engine;
  bool there;
  double energy;
} First;

static void note(void *context, const double *q) {
  First *first = context;
  if (!first->there) first->energy = mb_pd_objective(first->engine, q), first->there = true;
}

// The energy that a step from the state of `soft` comes to, and the one that it begins with.
static double energy_of(Soft *soft, MbMethod method, double share, double *first, double *q1) {
  First watch = {0};
  soft->spec.share = share, soft->spec.watch = note, soft->spec.context = &watch;
  const size_t n = 3 * soft->mesh.nodes;
  double *v1 = mb_calloc(n, sizeof *v1);
  soft_create(soft, 0.02, method, 500, share > 0 ? 0 : 1e-13);
  watch.engine = soft->engine;
  const MbNodeStart start = {soft->q, soft->v, soft->target, soft->gravity, soft->force, NULL};
  cr_assert(mb_pd_step(soft->engine, &start, q1, v1));
  cr_assert(mb_pd_stats(soft->engine).converged);
  const double energy = mb_pd_objective(soft->engine, q1);
  *first = watch.energy;
  if (!(share > 0)) memcpy(soft->v, v1, n * sizeof *v1);
  mb_pd_free(soft->engine), soft->engine = NULL;
  mb_free(v1);
  return energy;
}

Test(projective_settle, iterations_that_end_by_a_share_of_the_energy_leave_about_that_share) {
  const double SHARE = 1e-3, AT_MOST = 3e-3; // it is estimated
  static const MbElasticModel models[] = {MB_NEO_HOOKEAN, MB_COROTATIONAL, MB_ARAP};
  for (size_t m = 0; m < 3; m++) {
    Soft soft = {0};
    block(&soft, models[m], 0.4);
    double *q1 = mb_calloc(3 * soft.mesh.nodes, sizeof *q1);
    for (int k = 1; k <= 12; k++) {
      double first = 0, unused, left[MB_METHODS] = {0};
      aim(&soft, 0.02 * k, 0.15 * k);
      for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHOD_NEWTON; method++)
        left[method] = energy_of(&soft, method, SHARE, &unused, q1);
      const double least = energy_of(&soft, MB_METHOD_LBFGS, 0, &first, q1);
      memcpy(soft.q, q1, 3 * soft.mesh.nodes * sizeof *q1);
      for (MbMethod method = MB_METHOD_LBFGS; method < MB_METHOD_NEWTON; method++) {
        const double share = (left[method] - least) / (first - least);
        cr_expect(share <= AT_MOST, "model %d, method %d, step %d: %g is left", (int)models[m], (int)method,
                  k, share);
      }
    }
    mb_free(q1);
    soft_end(&soft);
  }
}
