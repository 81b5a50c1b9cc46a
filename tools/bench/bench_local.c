// Local steps of projective dynamics: time of an element and iteration on one core, by material, kind of element and kernel; the
// singular values alone beside them. Elements are within some 30 % of rest and turned at random, one in fifty is inverted.
#include "core/base/alloc.h"
#include "core/deformables/local_step.h"
#include "tools/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The stride is an odd number of cache lines, as gradients have it.
enum { ELEMENTS = 16384, STRIDE = ELEMENTS + 8, TIMES = 9, ARRAYS = 9 * STRIDE };

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

// (1 + A) R by a rotation about a random axis
static void fill(int rank, double *F) {
  uint64_t seed = 1;
  for (size_t e = 0; e < ELEMENTS; e++) {
    double q[4], n = 0, S[9];
    for (int i = 0; i < 4; i++) q[i] = uniform(&seed), n += q[i] * q[i];
    for (int i = 0; i < 9; i++) S[i] = 0.3 * uniform(&seed) + (i % 4 == 0);
    if (e % 50 == 0) S[0] = -0.5, S[1] = S[2] = 0;
    const double w = q[0], x = q[1], y = q[2], z = q[3], h = 2 / n;
    const double R[9] = {1 - h * (y * y + z * z), h * (x * y - w * z),     h * (x * z + w * y),
                         h * (x * y + w * z),     1 - h * (x * x + z * z), h * (y * z - w * x),
                         h * (x * z - w * y),     h * (y * z + w * x),     1 - h * (x * x + y * y)};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < rank; j++)
        F[(size_t)(rank * i + j) * STRIDE + e] =
            S[3 * i] * R[j] + S[3 * i + 1] * R[3 + j] + S[3 * i + 2] * R[6 + j];
  }
}

typedef struct Arrays {
  double *F, *u, *p, *w;
} Arrays;

// Nanoseconds an element: the median over repetitions.
static double measure(const MbLocalKernel *kernel, const MbLocal *local) {
  double each[TIMES];
  for (int i = -1; i < TIMES; i++) {
    if (local->u) memset(local->u, 0, ARRAYS * sizeof *local->u);
    const double start = mb_bench_cpu();
    kernel->step(local, 0, ELEMENTS);
    if (i >= 0) each[i] = 1e9 * (mb_bench_cpu() - start) / ELEMENTS;
  }
  qsort(each, TIMES, sizeof *each, mb_bench_ascending);
  return each[TIMES / 2];
}

static double measure_svd(const MbLocalKernel *kernel, const double *F, double *U, double *V) {
  double each[TIMES];
  for (int i = -1; i < TIMES; i++) {
    const double start = mb_bench_cpu();
    kernel->svd(ELEMENTS, STRIDE, F, U, V, U);
    if (i >= 0) each[i] = 1e9 * (mb_bench_cpu() - start) / ELEMENTS;
  }
  qsort(each, TIMES, sizeof *each, mb_bench_ascending);
  return each[TIMES / 2];
}

static bool compare(Arrays at) {
  static const char *const models[] = {"arap", "corotational", "neo_hookean", "linear"};
  static const char *const kinds[] = {"springs", "triangles", "tetrahedra"};
  bool met = true;
  double fastest = NAN;
  printf("  nanoseconds an element; in brackets how many times the fastest kernel's\n");
  for (int rank = 3; rank >= 1; rank--)
    for (int model = rank == 3 ? -1 : 0; model < (rank == 3 ? MB_ELASTIC_MODELS : MB_LINEAR); model++) {
      fill(rank, at.F);
      printf("  %-11s %-13s", kinds[rank - 1], model < 0 ? "svd alone" : models[model]);
      const MbElastic elastic =
          mb_elastic_from(model < 0 ? MB_ARAP : (MbElasticModel)model, 1e5, 0.4, rank < 3);
      for (size_t e = 0; e < ELEMENTS; e++) at.w[e] = mb_local_weight(&elastic, rank);
      const MbLocal local = {elastic, rank, STRIDE, at.F, at.w, at.u, at.p};
      double first = NAN;
      for (const MbLocalKernel *const *row = mb_local_kernels; *row; row++) {
        if (!mb_local_runs(*row)) continue;
        const double ns = model < 0 ? measure_svd(*row, at.F, at.u, at.p) : measure(*row, &local);
        if (isnan(first)) first = ns;
        printf("  %s %6.1f (%4.2f)", (*row)->name, ns, ns / first);
      }
      printf("\n");
      if (rank == 3 && model == MB_NEO_HOOKEAN) fastest = first;
    }
  met &= mb_bench_target("neo_hookean", fastest, "ns", 250, false);
  return met;
}

bool mb_bench_local(void) {
  Arrays at = {mb_calloc(ARRAYS, sizeof(double)), mb_calloc(ARRAYS, sizeof(double)),
               mb_calloc(ARRAYS, sizeof(double)), mb_calloc(ELEMENTS, sizeof(double))};
  const bool met = at.F && at.u && at.p && at.w && compare(at);
  mb_free(at.F), mb_free(at.u), mb_free(at.p), mb_free(at.w);
  return met;
}
