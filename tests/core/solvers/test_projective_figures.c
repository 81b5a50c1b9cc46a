// Zeng et al.'s figures 9 and 10 on coarse bars: how fast a step converges, and what volume materials keep. `mbsim-bench figure9`
// draws the first on the mesh that is in print.
#include "core/base/alloc.h"
#include "tests/soft.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

// ---- a bar far twisted, and one more step -----------------------------------------------------------------

static void aim(Soft *soft, double angle) {
  const double c = cos(angle), s = sin(angle);
  for (size_t i = 0; i < soft->mesh.nodes; i++) {
    const double *x = soft->mesh.x + 3 * i;
    double *to = soft->target + 3 * i;
    if (x[2] < 0.5) continue;
    to[0] = 0.25 + c * (x[0] - 0.25) - s * (x[1] - 0.25);
    to[1] = 0.25 + s * (x[0] - 0.25) + c * (x[1] - 0.25);
  }
}

static void bar(Soft *soft, MbElasticModel model, double young) {
  static const double size[3] = {0.5, 0.5, 1};
  const size_t counts[3] = {5, 5, 9};
  *soft = (Soft){0};
  cr_assert(mb_element_mesh_box(&soft->mesh, counts, size));
  soft_begin(soft, 1000);
  soft_material(soft, model, young, 0.45);
  soft_hold(soft, 2, 0, 7), soft_hold(soft, 2, 1, 7);
}

// What a step begins with: the same for all methods.
typedef struct Begin {
  size_t n; // numbers of places
  double *q, *v, *dual;
} Begin;

static Begin twist(MbElasticModel model, double young) {
  Soft soft;
  bar(&soft, model, young);
  soft_create(&soft, 0.01, MB_METHOD_PROJECTIVE, 10, 0);
  for (int k = 1; k <= 100; k++) aim(&soft, k * 2 * M_PI / 300), soft_step(&soft);
  Begin begin = {.n = 3 * soft.mesh.nodes, .q = soft.q, .v = soft.v};
  begin.dual = mb_calloc(mb_pd_dual_size(&soft.part, MB_METHOD_PROJECTIVE), sizeof *begin.dual);
  cr_assert(begin.dual);
  mb_pd_dual_read(soft.engine, begin.dual);
  soft.q = soft.v = NULL;
  soft_end(&soft);
  return begin;
}

static void end(Begin *begin) { mb_free(begin->q), mb_free(begin->v), mb_free(begin->dual); }

typedef struct Iterates {
  Soft soft;
  size_t count;
  double energy[MOST + 1];
  double *q; // (count x numbers of places)
} Iterates;

static void note(void *context, const double *q) {
  Iterates *to = context;
  const size_t n = 3 * to->soft.mesh.nodes;
  cr_assert(to->count <= MOST);
  memcpy(to->q + to->count * n, q, n * sizeof *q);
  to->energy[to->count++] = mb_pd_objective(to->soft.engine, q);
}

// The iterates of a step by a method; q for the caller to free.
static void iterate(MbElasticModel model, double young, const Begin *begin, MbPdSpec spec, int iterations,
                    Iterates *to) {
  *to = (Iterates){0};
  bar(&to->soft, model, young);
  to->q = mb_calloc((MOST + 1) * begin->n, sizeof *to->q);
  cr_assert(to->q);
  to->soft.spec = spec;
  to->soft.spec.watch = note, to->soft.spec.context = to;
  memcpy(to->soft.q, begin->q, begin->n * sizeof *begin->q);
  memcpy(to->soft.v, begin->v, begin->n * sizeof *begin->v);
  soft_create(&to->soft, 0.01, spec.method ? spec.method : MB_METHOD_PROJECTIVE, iterations, 0);
  if (spec.method != MB_METHOD_NEWTON) mb_pd_dual_write(to->soft.engine, begin->dual);
  aim(&to->soft, 101 * 2 * M_PI / 300);
  soft_step(&to->soft);
  soft_end(&to->soft);
}

static const double young[3] = {1e5, 1e7, 1e9};
static const struct {
  MbElasticModel model;
  const char *name;
} materials[] = {{MB_ARAP, "arap"}, {MB_NEO_HOOKEAN, "neo-Hookean"}};

// Iterations to an error, or MOST + 1
static size_t iterations_to(const Iterates *it, double least, double error) {
  size_t k = 0;
  while (k < it->count && !(it->energy[k] - least <= error * (it->energy[0] - least))) k++;
  return k < it->count ? k : MOST + 1;
}

Test(projective_figures, complete_steps_come_near_the_least_energy_in_a_few_iterations_at_any_stiffness,
     TEST_LONG) {
  const double NEAR = 1e-3; // of the energy that the step takes off, as in print
  const size_t WITHIN = 30,
               LONGER = 2; // "within a few tens"; one sweep of Jacobi's method takes so many times as long
  Iterates newton, complete, jacobi;
  for (size_t m = 0; m < 2; m++)
    for (size_t e = 0; e < 3; e++) {
      Begin begin = twist(materials[m].model, young[e]);
      iterate(materials[m].model, young[e], &begin, (MbPdSpec){.method = MB_METHOD_NEWTON}, MOST, &newton);
      iterate(materials[m].model, young[e], &begin, (MbPdSpec){0}, MOST, &complete);
      iterate(materials[m].model, young[e], &begin, (MbPdSpec){.global = MB_GLOBAL_JACOBI}, MOST, &jacobi);
      const double least = newton.energy[newton.count - 1];
      const size_t k = iterations_to(&complete, least, NEAR), j = iterations_to(&jacobi, least, NEAR);
      printf("  %-12s E = %g Pa: to %g in %zu iterations; with Jacobi's method in %zu%s\n", materials[m].name,
             young[e], NEAR, k, j, j > MOST ? " at least" : "");
      cr_expect(k <= WITHIN, "%s, E = %g: %zu iterations", materials[m].name, young[e], k);
      cr_expect(j >= LONGER * k, "%s, E = %g: Jacobi's method takes %zu, the complete step %zu",
                materials[m].name, young[e], j, k);
      mb_free(newton.q), mb_free(complete.q), mb_free(jacobi.q);
      end(&begin);
    }
  cr_expect(mb_alloc_live() == 0, "%lld blocks left", (long long)mb_alloc_live());
}

Test(projective_figures, all_complete_steps_have_the_same_iterates) {
  const double TOLERANCE = 1e-10; // m, of a bar of 1 m; factors' rounding
  enum { ITERATIONS = 20 };
  static const MbPdSpec others[] = {{.global = MB_GLOBAL_SPARSE_INVERSE},
                                    {.global = MB_GLOBAL_PARTITIONED_INVERSE},
                                    {.global = MB_GLOBAL_CHOLESKY, .threads = 2}};
  for (size_t m = 0; m < 2; m++)
    for (size_t e = 0; e < 3; e++) {
      Begin begin = twist(materials[m].model, young[e]);
      Iterates first, other;
      iterate(materials[m].model, young[e], &begin, (MbPdSpec){.global = MB_GLOBAL_CHOLESKY}, ITERATIONS,
              &first);
      for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        char what[100];
        iterate(materials[m].model, young[e], &begin, others[k], ITERATIONS, &other);
        cr_assert(other.count == first.count && first.count == ITERATIONS + 1);
        snprintf(what, sizeof what, "%s, E = %g, method %zu: iterates", materials[m].name, young[e], k);
        test_near(what, other.q, first.q, first.count * begin.n, TOLERANCE);
        mb_free(other.q);
      }
      mb_free(first.q);
      end(&begin);
    }
}

// ---- volume -----------------------------------------------------------------------------------------------

// A bar placed at both ends and drawn to half as long again, at ν = 0.45: its volume beside that at rest.
static double drawn(MbElasticModel model) {
  Soft soft;
  bar(&soft, model, 1e5);
  soft_create(&soft, 0.1, MB_METHOD_PROJECTIVE, 3000, 1e-10);
  for (int k = 1; k <= 12; k++) {
    for (size_t i = 0; i < soft.mesh.nodes; i++)
      soft.target[3 * i + 2] = soft.mesh.x[3 * i + 2] * (1 + 0.5 * (k < 5 ? k / 5.0 : 1));
    soft_step(&soft);
  }
  double volume, strain;
  mb_pd_measure(soft.engine, 0, soft.q, &volume, &strain);
  soft_end(&soft);
  return volume / (0.5 * 0.5 * 1);
}

// As in figure 10: corotational loses volume, neo-Hookean nearly keeps it, arap, which does not contract across, has half as
// much again. Far from the ends corotational is at 1.5 (1 − ν/2)² = 0.901, neo-Hookean above 1, arap at 1.5.
Test(projective_figures, a_bar_half_as_long_again_keeps_volume_as_its_material_does) {
  const double SAME = 1e-6; // arap by nothing but iterations
  const double corotational = drawn(MB_COROTATIONAL), neo_hookean = drawn(MB_NEO_HOOKEAN),
               arap = drawn(MB_ARAP);
  printf("  volume beside that at rest: corotational %.6f, neo-Hookean %.6f, arap %.6f\n", corotational,
         neo_hookean, arap);
  cr_expect(corotational < 1 && corotational > 0.9, "corotational %.9g", corotational);
  cr_expect(neo_hookean > corotational && fabs(neo_hookean - 1) < 0.1, "neo-Hookean %.9g", neo_hookean);
  cr_expect(fabs(neo_hookean - 1) < fabs(arap - 1) && fabs(arap - 1.5) < SAME, "arap %.9g", arap);
}
