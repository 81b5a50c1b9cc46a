// The local step: the minimum of one element, the same by every kernel and in any company, and what iterations with a global step come to.
#include "core/base/alloc.h"
#include "core/deformables/element_mesh.h"
#include "core/deformables/gradient.h"
#include "core/deformables/local_step.h"
#include "core/math/svd3.h"
#include "tests/core/math/near.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"arap", "corotational", "neo_hookean", "linear"};

// ---- the minimum of one element ---------------------------------------------------------------------------

enum { COUNT = 1003 }; // not whole packs

typedef struct Batch {
  MbLocal local;
  double F[9 * COUNT], u[9 * COUNT], p[9 * COUNT], w[COUNT], a[9 * COUNT]; // a = F + u before the step
} Batch;

// Near rest and far from it: inverted, flat, crushed, stretched, all zero.
static void fill(Batch *b, MbElastic elastic, int rank, uint64_t seed) {
  static const double spread[] = {0, 1e-9, 0.1, 0.3, 1, 3};
  for (size_t e = 0; e < COUNT; e++) {
    const double size = spread[e % 6];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < rank; j++) {
        const size_t at = (size_t)(rank * i + j) * COUNT + e;
        b->F[at] = (i == j && e % 7 ? 1 : 0) + size * random_number(&seed);
        if (e % 11 == 0 && j == rank - 1) b->F[at] = e % 2 ? 0 : -b->F[at];
        b->u[at] = mb_local_has_dual(&elastic) ? 0.1 * random_number(&seed) : 0;
        b->a[at] = b->F[at] + b->u[at];
        b->p[at] = random_number(&seed);
      }
    b->w[e] = mb_local_weight(&elastic, rank) * (1 + 0.5 * random_number(&seed));
  }
  b->local = (MbLocal){elastic, rank, COUNT, b->F, b->w, b->u, b->p};
}

static double energy(const MbElastic *e, int rank, const double *p) {
  if (rank == 3) return mb_elastic_energy(e, p);
  if (rank == 2) return mb_elastic_sheet_energy(e, p);
  const double s = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  return mb_elastic_principal(e, 1, &s, NULL, NULL);
}

static double merit(const Batch *b, size_t e, const double *p) {
  const int n = 3 * b->local.rank;
  double sum = energy(&b->local.elastic, b->local.rank, p);
  for (int c = 0; c < n; c++) {
    const double d = p[c] - b->a[(size_t)c * COUNT + e];
    sum += 0.5 * b->w[e] * d * d;
  }
  return sum;
}

// What moves p by 1e-4 to 1e-2 in any direction costs energy.
static void check_minimum(const Batch *b, size_t e, uint64_t *seed) {
  static const double ROUNDED = 1e-13;
  const int n = 3 * b->local.rank;
  double p[9], q[9];
  for (int c = 0; c < n; c++) p[c] = b->p[(size_t)c * COUNT + e];
  const double least = merit(b, e, p);
  for (int k = 0; k < 20; k++) {
    const double size = k % 2 ? 1e-4 : 1e-2;
    for (int c = 0; c < n; c++) q[c] = p[c] + size * random_number(seed);
    const double other = merit(b, e, q);
    cr_assert(other >= least - ROUNDED * (1 + fabs(least)), "%s, rank %d, element %zu: %.17g beside %.17g",
              names[b->local.elastic.model], b->local.rank, e, other, least);
  }
}

Test(local_step, finds_a_minimum_wherever_it_begins) {
  static const double poisson[] = {0, 0.3, 0.4, 0.49, -0.3};
  Batch *const b = calloc(1, sizeof *b);
  uint64_t seed = 1;
  for (int model = MB_COROTATIONAL; model < MB_ELASTIC_MODELS; model++)
    for (int rank = 1; rank <= 3; rank++)
      for (int k = 0; k < 5; k++) {
        if (model == MB_NEO_HOOKEAN && poisson[k] < 0) continue; // its energy has no least value
        const MbElastic e = mb_elastic_from((MbElasticModel)model, 2, poisson[k], rank < 3);
        fill(b, e, rank, (uint64_t)k + 1);
        cr_assert(isfinite(mb_local_step(&b->local, 0, COUNT)));
        for (size_t i = 0; i < COUNT; i++) check_minimum(b, i, &seed);
      }
  free(b);
}

// w (p − F − u) + ∂ψ/∂p = 0, where that is smooth: of tetrahedra near rest or stretched.
Test(local_step, balances_its_spring_against_the_stress) {
  static const double BALANCED = 1e-12; // of w, and of what J's powers make of rounding
  Batch *const b = calloc(1, sizeof *b);
  for (int model = MB_COROTATIONAL; model < MB_ELASTIC_MODELS; model++)
    for (int rank = 2; rank <= 3; rank++) {
      const MbElastic e = mb_elastic_from((MbElasticModel)model, 2, 0.4, rank < 3);
      const int n = 3 * rank;
      fill(b, e, rank, 5);
      mb_local_step(&b->local, 0, COUNT);
      for (size_t i = 0; i < COUNT; i++) {
        double p[9], P[9], pull[9];
        if (i % 6 > 3 || i % 7 == 0 || i % 11 == 0) continue;
        for (int c = 0; c < n; c++) {
          p[c] = b->p[(size_t)c * COUNT + i];
          pull[c] = b->w[i] * b->u[(size_t)c * COUNT + i];
          cr_assert_float_eq(b->u[(size_t)c * COUNT + i], b->a[(size_t)c * COUNT + i] - p[c], 1e-15);
        }
        if (rank == 3)
          mb_elastic_stress(&e, p, P);
        else
          mb_elastic_sheet_stress(&e, p, P);
        check_near(names[model], pull, P, (size_t)n, BALANCED * b->w[i]);
      }
    }
  free(b);
}

Test(local_step, arap_goes_to_the_nearest_rotation_and_its_stress_needs_no_dual) {
  static const double ROUNDED = 2e-14;
  Batch *const b = calloc(1, sizeof *b);
  const MbElastic e = {MB_ARAP, 3, 0};
  fill(b, e, 3, 2);
  b->local.u = NULL;
  mb_local_step(&b->local, 0, COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    double F[9], P[9], pull[9];
    if (i % 7 == 0 || i % 11 == 0) continue; // where another rotation is as near
    for (size_t c = 0; c < 9; c++)
      F[c] = b->F[c * COUNT + i], pull[c] = b->w[i] * (F[c] - b->p[c * COUNT + i]);
    mb_elastic_stress(&e, F, P);
    check_near("stress", pull, P, 9, ROUNDED * b->w[i] * 10);
  }
  free(b);
}

// ---- the same in any company ------------------------------------------------------------------------------

Test(local_step, does_elements_alike_in_whatever_ranges_they_come) {
  Batch *const b = calloc(1, sizeof *b), *const c = calloc(1, sizeof *c);
  for (int model = 0; model < MB_ELASTIC_MODELS; model++)
    for (int rank = 1; rank <= 3; rank++)
      for (const MbLocalKernel *const *row = mb_local_kernels; *row; row++) {
        if (!mb_local_runs(*row)) continue;
        const MbElastic e = mb_elastic_from((MbElasticModel)model, 2, 0.45, rank < 3);
        double worst = 0;
        fill(b, e, rank, 3), fill(c, e, rank, 3);
        const double whole = (*row)->step(&b->local, 0, COUNT);
        for (size_t begin = 0, n = 1; begin < COUNT; begin += n, n = n * 3 % 17) {
          const size_t end = begin + n < COUNT ? begin + n : COUNT;
          worst = fmax(worst, (*row)->step(&c->local, begin, end));
        }
        cr_assert_eq(memcmp(b->p, c->p, sizeof b->p), 0, "p of %s, rank %d, %s", names[model], rank,
                     (*row)->name);
        cr_assert_eq(memcmp(b->u, c->u, sizeof b->u), 0, "u of %s, rank %d, %s", names[model], rank,
                     (*row)->name);
        cr_assert_eq(whole, worst);
      }
  free(b), free(c);
}

// The first that this machine runs.
static const MbLocalKernel *fastest(void) {
  const MbLocalKernel *const *row = mb_local_kernels;
  while (!mb_local_runs(*row)) row++;
  return *row;
}

// Kernels round differently; near kinks and ends of branches they may find other minima as good: those are left out.
Test(local_step, kernels_agree) {
  static const double AGREED = 1e-12;
  Batch *const b = calloc(1, sizeof *b), *const c = calloc(1, sizeof *c);
  for (int model = 0; model < MB_ELASTIC_MODELS; model++)
    for (int rank = 1; rank <= 3; rank++) {
      const MbElastic e = mb_elastic_from((MbElasticModel)model, 2, 0.4, rank < 3);
      fill(b, e, rank, 4);
      fastest()->step(&b->local, 0, COUNT);
      for (const MbLocalKernel *const *row = mb_local_kernels; *row; row++) {
        if (!mb_local_runs(*row)) continue;
        fill(c, e, rank, 4);
        (*row)->step(&c->local, 0, COUNT);
        for (size_t i = 0; i < COUNT; i++)
          for (size_t k = 0; k < 3 * (size_t)rank && i % 6 < 4 && i % 7 && i % 11; k++)
            cr_assert_float_eq(c->p[k * COUNT + i], b->p[k * COUNT + i], AGREED,
                               "%s, rank %d, %s, element %zu", names[model], rank, (*row)->name, i);
      }
    }
  free(b), free(c);
}

Test(local_step, singular_values_of_packs_are_those_of_one) {
  static const double ROUNDED = 4e-15;
  enum { N = 4096 };
  double *const all = calloc((size_t)30 * N, sizeof *all);
  double *const F = all, *const U = all + 9 * N, *const V = all + 18 * N, *const s = all + 27 * N;
  uint64_t seed = 6;
  random_numbers(&seed, F, (size_t)9 * N);
  for (size_t e = 0; e < N; e += 9)
    for (size_t c = 0; c < 9; c++) F[c * N + e] = e % 2 ? 0 : floor(2 * F[c * N + e]);
  for (const MbLocalKernel *const *row = mb_local_kernels; *row; row++) {
    if (!mb_local_runs(*row)) continue;
    (*row)->svd(N, N, F, U, s, V);
    for (size_t e = 0; e < N; e++) {
      double f[9], u[9], t[3], v[9], here[3], G[9] = {0};
      for (size_t c = 0; c < 9; c++) f[c] = F[c * N + e];
      for (size_t c = 0; c < 3; c++) here[c] = s[c * N + e];
      for (size_t i = 0; i < 9; i++)
        for (size_t k = 0; k < 3; k++)
          G[i] += U[(3 * (i / 3) + k) * N + e] * here[k] * V[(3 * (i % 3) + k) * N + e];
      mb_svd3(f, u, t, v);
      check_near((*row)->name, here, t, 3, ROUNDED);
      check_near((*row)->name, G, f, 9, ROUNDED);
    }
  }
  free(all);
}

Test(local_step, tells_of_numbers_that_are_none_and_of_what_is_left) {
  Batch *const b = calloc(1, sizeof *b);
  const MbElastic e = mb_elastic_from(MB_NEO_HOOKEAN, 2, 0.4, false);
  fill(b, e, 3, 7);
  b->F[4 * COUNT + 501] = NAN;
  cr_assert(isnan(mb_local_step(&b->local, 0, COUNT)));
  cr_assert(!isnan(mb_local_step(&b->local, 0, 501)) && !isnan(mb_local_step(&b->local, 502, COUNT)));
  // at rest nothing is left to do
  for (size_t c = 0; c < 9; c++)
    for (size_t i = 0; i < COUNT; i++)
      b->F[c * COUNT + i] = b->p[c * COUNT + i] = c % 4 == 0, b->u[c * COUNT + i] = 0;
  cr_assert_float_eq(mb_local_step(&b->local, 0, COUNT), 0, 1e-15);
  b->p[3 * COUNT + 700] = 0.25;
  cr_assert_float_eq(mb_local_step(&b->local, 0, COUNT), 0.25, 1e-14);
  free(b);
}

// ---- with a global step: one element, pulled along x, free across -----------------------------------------

typedef struct Pulled {
  double across, stress; // stretch across; nominal stress along x
  int iterations;
} Pulled;

// All x are given, y and z of node 0 as well; those of the others come from the least squares A = Σ w V GᵀG.
static Pulled pull(MbElastic e, int rank, double stretch, double weight, bool dual) {
  static const double DONE = 1e-13;
  enum { MOST = 5000 };
  static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const uint32_t node[] = {0, 1, 2, 3};
  const size_t n = (size_t)rank;
  MbGradient g;
  size_t flat;
  double y[12], G[12], A[9], F[72] = {0}, u[72] = {0}, p[72] = {0}, c[96];
  cr_assert(mb_gradient_create(&g, rank, node, 1, x, 4, &flat));
  mb_gradient_of(&g, 0, G);
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      A[n * a + b] = 0;
      for (size_t k = 0; k < n; k++)
        A[n * a + b] += weight * g.size[0] * G[n * (a + 1) + k] * G[n * (b + 1) + k];
    }
  cr_assert_eq(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (int)n, A, (int)n), 0);
  memcpy(y, x, sizeof y);
  for (size_t i = 0; i < 4; i++) y[3 * i] *= stretch;
  const MbLocal local = {e, rank, g.stride, F, &weight, u, p};
  Pulled result = {NAN, NAN, MOST};
  for (int k = 0; k < MOST; k++) {
    mb_gradient_gather(&g, y, F, 0, 1);
    const double left = mb_local_step(&local, 0, 1);
    result.across = F[(n + 1) * g.stride];
    result.stress = weight * u[0];
    if (!dual || !mb_local_has_dual(&e)) {
      result.stress = weight * (F[0] - p[0]);
      memset(u, 0, sizeof u);
    }
    double b[12] = {0};
    mb_gradient_scatter_all(&g, 1, &weight, p, u, c, b);
    double moved = 0;
    for (size_t i = 1; i < 3; i++) {
      double z[3];
      for (size_t a = 0; a < n; a++) z[a] = b[3 * (a + 1) + i];
      cr_assert_eq(LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', (int)n, 1, A, (int)n, z, 1), 0);
      for (size_t a = 0; a < n; a++) {
        moved = fmax(moved, fabs(z[a] - y[3 * (a + 1) + i]));
        y[3 * (a + 1) + i] = z[a];
      }
    }
    if (moved < DONE && (left < DONE || !dual)) {
      result.iterations = k;
      break;
    }
  }
  mb_gradient_free(&g);
  return result;
}

// ψ = μ/2 (I₁ − 3) − μ ln J + λ/2 ln² J with E = 1e5, ν = 0.4, as worked out to these digits.
static const double stretch[] = {1.5, 0.8}, across[] = {0.846028, 1.091582}, stress[] = {36529.4, -24622.8};

Test(local_step, iterations_come_to_the_stress_of_the_material) {
  static const double DIGITS = 6e-7, PASCAL = 0.06; // half a unit in the last digit given
  const MbElastic e = mb_elastic_from(MB_NEO_HOOKEAN, 1e5, 0.4, false);
  for (int k = 0; k < 2; k++)
    for (double factor = 0.5; factor <= 2; factor *= 2) {
      const Pulled now = pull(e, 3, stretch[k], factor * mb_local_weight(&e, 3), true);
      cr_assert(now.iterations < 200, "%d iterations at %g w", now.iterations, factor);
      cr_assert_float_eq(now.across, across[k], DIGITS, "%.9g, wanted %.9g", now.across, across[k]);
      cr_assert_float_eq(now.stress, stress[k], PASCAL, "%.9g, wanted %.9g", now.stress, stress[k]);
    }
}

// What the dual is for.
Test(local_step, without_the_dual_the_material_would_be_softer) {
  const MbElastic e = mb_elastic_from(MB_NEO_HOOKEAN, 1e5, 0.4, false);
  for (int k = 0; k < 2; k++) {
    const Pulled now = pull(e, 3, stretch[k], mb_local_weight(&e, 3), false);
    cr_assert(fabs(now.stress) < 0.9 * fabs(stress[k]), "%g beside %g", now.stress, stress[k]);
  }
}

// The stress of the material where what is across is free, by bisection.
static Pulled bisect(MbElastic e, int rank, double along) {
  double low = 0.2, high = 2, P[9] = {0};
  for (int k = 0; k < 100; k++) {
    const double s = 0.5 * (low + high);
    if (rank == 3)
      mb_elastic_stress(&e, (double[9]){along, 0, 0, 0, s, 0, 0, 0, s}, P);
    else
      mb_elastic_sheet_stress(&e, (double[6]){along, 0, 0, s, 0, 0}, P);
    if (P[rank + 1] < 0)
      low = s;
    else
      high = s;
  }
  return (Pulled){low, P[0], 0};
}

Test(local_step, iterations_come_to_the_stress_of_every_material) {
  static const double CLOSE = 1e-10;
  for (int model = 0; model < MB_ELASTIC_MODELS; model++)
    for (int rank = 2; rank <= 3; rank++)
      for (int k = 0; k < 3; k++) {
        const double along = 0.75 + 0.25 * k;
        const MbElastic e = mb_elastic_from((MbElasticModel)model, 1e5, 0.4, rank < 3);
        const Pulled wanted = bisect(e, rank, along),
                     now = pull(e, rank, along, mb_local_weight(&e, rank), true);
        cr_assert_float_eq(now.across, wanted.across, CLOSE, "%s, rank %d at %g: %.12g, wanted %.12g",
                           names[model], rank, along, now.across, wanted.across);
        cr_assert_float_eq(now.stress, wanted.stress, CLOSE * 1e5, "%s, rank %d at %g: %.12g, wanted %.12g",
                           names[model], rank, along, now.stress, wanted.stress);
      }
}

// ---- all of an iteration in one pass ----------------------------------------------------------------------

enum { SIDE = 4 }; // nodes along the edge of a block of 162 tetrahedra, of which the last pack is not full

// A block that is bent, with some elements inside out.
static void bend(const MbElementMesh *mesh, double *x) {
  uint64_t seed = 3;
  for (size_t i = 0; i < 3 * mesh->nodes; i++) x[i] = mesh->x[i] + 0.25 * random_number(&seed);
}

static void check_sweep(MbElasticModel model, const MbLocalKernel *kernel) {
  const double TOLERANCE = 1e-12; // rounding, of stresses of about 1
  static const size_t counts[3] = {SIDE, SIDE, SIDE};
  static const double size[3] = {SIDE - 1, SIDE - 1, SIDE - 1};
  const MbElastic elastic = {model, 0.5, model == MB_ARAP ? 0 : 0.7};
  MbElementMesh mesh = {0};
  MbGradient g;
  size_t flat;
  cr_assert(mb_element_mesh_box(&mesh, counts, size));
  cr_assert(mb_gradient_create(&g, 3, mesh.tet, mesh.tets, mesh.x, mesh.nodes, &flat));
  const size_t n = g.stride, nb = 3 * mesh.nodes;
  double *x = calloc(nb, sizeof *x), *w = calloc(n, sizeof *w), *c = calloc(12 * n, sizeof *c);
  double *F = calloc(9 * n, sizeof *F), *p = calloc(9 * n, sizeof *p);
  double *u = calloc(18 * n, sizeof *u), *b = calloc(2 * nb, sizeof *b);
  cr_assert(x && w && c && F && p && u && b);
  bend(&mesh, x);
  for (size_t e = 0; e < n; e++) w[e] = 2;
  const MbLocal local = {elastic, 3, n, F, w, u, p};
  const MbLocalSweep sweep = {elastic, &g, x, w, w, u + 9 * n, c};
  for (int k = 0; k < 3; k++) { // the dual grows
    mb_gradient_gather(&g, x, F, 0, g.n);
    kernel->step(&local, 0, g.n);
    for (size_t i = 0; i < 9 * n; i++) F[i] = p[i] - F[i];
    memset(b, 0, 2 * nb * sizeof *b);
    mb_gradient_scatter_all(&g, 1, w, F, u, c, b);
    kernel->sweep(&sweep, 0, 7);
    kernel->sweep(&sweep, 7, (g.n + 7) / 8);
    mb_gradient_collect(&g, c, b + nb, 0, mesh.nodes);
    for (size_t i = 0; i < nb; i++)
      cr_assert(fabs(b[nb + i] - b[i]) < TOLERANCE, "%s, model %d: number %zu is %.17g, not %.17g",
                kernel->name, (int)model, i, b[nb + i], b[i]);
  }
  free(x), free(w), free(c), free(F), free(p), free(u), free(b);
  mb_gradient_free(&g);
  mb_element_mesh_free(&mesh);
}

Test(local_step, one_pass_does_as_its_parts_do) {
  for (const MbLocalKernel *const *kernel = mb_local_kernels; *kernel; kernel++)
    for (int model = 0; model < MB_ELASTIC_MODELS; model++)
      if (mb_local_runs(*kernel)) check_sweep((MbElasticModel)model, *kernel);
}
