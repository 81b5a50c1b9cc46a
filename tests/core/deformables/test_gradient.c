#include "core/base/alloc.h"
#include "core/deformables/gradient.h"
#include "tests/core/math/near.h"

#include <stdlib.h>
#include <string.h>

static const double ROUNDED = 1e-11; // sides are not shorter than 1e-2, and places of about 1

enum { NODES = 300, ELEMENTS = 5003 };

// Elements among random nodes, those left out that are nearly flat; tetrahedra the right way round.
static size_t elements(uint64_t *seed, int rank, const double *x, uint32_t *node) {
  size_t n = 0;
  while (n < ELEMENTS) {
    uint32_t at[4];
    double d[3][3] = {{0}};
    bool twice = false;
    for (int k = 0; k <= rank; k++) {
      at[k] = (uint32_t)((random_number(seed) + 1) / 2 * NODES);
      for (int l = 0; l < k; l++) twice |= at[l] == at[k];
      for (int i = 0; i < 3 && k > 0; i++)
        d[k - 1][i] = x[3 * at[k] + (uint32_t)i] - x[3 * at[0] + (uint32_t)i];
    }
    const double c[3] = {d[1][1] * d[2][2] - d[1][2] * d[2][1], d[1][2] * d[2][0] - d[1][0] * d[2][2],
                         d[1][0] * d[2][1] - d[1][1] * d[2][0]};
    const double det = d[0][0] * c[0] + d[0][1] * c[1] + d[0][2] * c[2];
    if (twice || (rank == 3 && fabs(det) < 0.02)) continue;
    if (det < 0) {
      const uint32_t other = at[1];
      at[1] = at[2], at[2] = other;
    }
    for (int k = 0; k <= rank; k++) node[(size_t)(rank + 1) * n + (size_t)k] = at[k];
    n++;
  }
  return n;
}

typedef struct Case {
  double x[3 * NODES];
  uint32_t node[4 * ELEMENTS];
  MbGradient g;
  double *F, *p, *u, *c;
} Case;

static Case *make(int rank) {
  Case *const it = calloc(1, sizeof *it);
  uint64_t seed = (uint64_t)rank;
  size_t flat;
  cr_assert(it);
  random_numbers(&seed, it->x, (size_t)3 * NODES);
  const size_t n = elements(&seed, rank, it->x, it->node);
  cr_assert(mb_gradient_create(&it->g, rank, it->node, n, it->x, NODES, &flat));
  cr_assert(it->g.stride >= n && it->g.stride % 8 == 0);
  const size_t size = 9 * it->g.stride;
  it->F = calloc(size, sizeof *it->F), it->p = calloc(size, sizeof *it->p);
  it->u = calloc(size, sizeof *it->u), it->c = calloc(size * 2, sizeof *it->c);
  cr_assert(it->F && it->p && it->u && it->c);
  random_numbers(&seed, it->p, size), random_numbers(&seed, it->u, size);
  return it;
}

static void drop(Case *it) {
  mb_gradient_free(&it->g);
  free(it->F), free(it->p), free(it->u), free(it->c), free(it);
}

static double of(const Case *it, const double *F, int component, size_t e) {
  return F[(size_t)component * it->g.stride + e];
}

Test(gradient, is_a_rotation_of_the_rest_frame_at_rest_and_follows_linear_maps) {
  for (int rank = 1; rank <= 3; rank++) {
    Case *const it = make(rank);
    uint64_t seed = 9;
    double A[9], b[3], y[3 * NODES];
    double *const G = calloc(9 * it->g.stride, sizeof *G);
    random_numbers(&seed, A, 9), random_numbers(&seed, b, 3);
    for (size_t i = 0; i < NODES; i++)
      for (size_t r = 0; r < 3; r++)
        y[3 * i + r] = b[r] + A[3 * r] * it->x[3 * i] + A[3 * r + 1] * it->x[3 * i + 1] +
                       A[3 * r + 2] * it->x[3 * i + 2];
    mb_gradient_gather_all(&it->g, 1, it->x, it->F);
    mb_gradient_gather_all(&it->g, 1, y, G);
    for (size_t e = 0; e < ELEMENTS; e++) {
      double square[9], one[9], mapped[9], wanted[9];
      int n = 0;
      for (int i = 0; i < rank; i++)
        for (int j = 0; j < rank; j++, n++) {
          square[n] = 0, one[n] = i == j;
          for (int r = 0; r < 3; r++)
            square[n] += of(it, it->F, rank * r + i, e) * of(it, it->F, rank * r + j, e);
        }
      check_near("FtF at rest", square, one, (size_t)n, ROUNDED);
      if (rank == 3)
        for (int c = 0; c < 9; c++) cr_assert_float_eq(of(it, it->F, c, e), c % 4 == 0, ROUNDED);
      for (int r = 0; r < 3; r++)
        for (int j = 0; j < rank; j++) {
          mapped[rank * r + j] = of(it, G, rank * r + j, e), wanted[rank * r + j] = 0;
          for (int k = 0; k < 3; k++) wanted[rank * r + j] += A[3 * r + k] * of(it, it->F, rank * k + j, e);
        }
      check_near("F of a map", mapped, wanted, (size_t)(3 * rank), ROUNDED);
    }
    free(G), drop(it);
  }
}

Test(gradient, knows_volumes_areas_and_lengths) {
  static const double x[] = {0, 0, 0, 3, 0, 0, 1, 2, 0, 0, 1, 4};
  static const uint32_t node[] = {0, 1, 2, 3};
  static const double size[] = {3, 3, 4};
  for (int rank = 1; rank <= 3; rank++) {
    MbGradient g;
    size_t flat;
    cr_assert(mb_gradient_create(&g, rank, node, 1, x, 4, &flat));
    cr_assert_float_eq(g.size[0], size[rank - 1], ROUNDED);
    mb_gradient_free(&g);
  }
}

// y · Gᵀ(s (p − u)) = s size (p − u) : G y
Test(gradient, scatters_by_the_transpose_of_what_it_gathers) {
  for (int rank = 1; rank <= 3; rank++) {
    Case *const it = make(rank);
    uint64_t seed = 3;
    double y[3 * NODES], b[3 * NODES] = {0}, scale[ELEMENTS], there = 0, back = 0, size = 0;
    random_numbers(&seed, y, (size_t)3 * NODES), random_numbers(&seed, scale, ELEMENTS);
    mb_gradient_gather_all(&it->g, 1, y, it->F);
    for (int with = 0; with < 2; with++) {
      memset(b, 0, sizeof b), there = back = size = 0;
      mb_gradient_scatter_all(&it->g, 1, with ? scale : NULL, it->p, with ? it->u : NULL, it->c, b);
      for (size_t e = 0; e < ELEMENTS; e++)
        for (int c = 0; c < 3 * rank; c++) {
          const double p = of(it, it->p, c, e) - (with ? of(it, it->u, c, e) : 0);
          const double part = (with ? scale[e] : 1) * it->g.size[e] * p * of(it, it->F, c, e);
          there += part, size += fabs(part);
        }
      for (size_t i = 0; i < (size_t)3 * NODES; i++) back += y[i] * b[i];
      cr_assert_float_eq(there, back, 1e-13 * size, "rank %d: %.17g, wanted %.17g", rank, back, there);
    }
    drop(it);
  }
}

Test(gradient, of_one_element_is_what_all_are_gathered_by) {
  for (int rank = 1; rank <= 3; rank++) {
    Case *const it = make(rank);
    mb_gradient_gather(&it->g, it->x, it->F, 0, 50);
    for (size_t e = 0; e < 50; e++) {
      double g[12], F[9], G[9];
      mb_gradient_of(&it->g, e, g);
      for (int r = 0; r < 3; r++)
        for (int j = 0; j < rank; j++) {
          F[rank * r + j] = of(it, it->F, rank * r + j, e), G[rank * r + j] = 0;
          for (int a = 0; a <= rank; a++)
            G[rank * r + j] +=
                it->x[3 * it->node[(size_t)(rank + 1) * e + (size_t)a] + (uint32_t)r] * g[rank * a + j];
        }
      check_near("F", G, F, (size_t)(3 * rank), ROUNDED);
    }
    drop(it);
  }
}

Test(gradient, gives_the_same_bits_on_any_number_of_threads) {
  Case *const it = make(3);
  double b[5][3 * NODES];
  double *const G = calloc(9 * it->g.stride, sizeof *G);
  for (int threads = 1; threads <= 5; threads++) {
    memset(b[threads - 1], 0, sizeof b[0]);
    mb_gradient_gather_all(&it->g, threads, it->x, threads > 1 ? G : it->F);
    if (threads > 1) cr_assert_eq(memcmp(G, it->F, 9 * it->g.stride * sizeof *G), 0);
    mb_gradient_scatter_all(&it->g, threads, NULL, it->p, it->u, it->c, b[threads - 1]);
    cr_assert_eq(memcmp(b[threads - 1], b[0], sizeof b[0]), 0, "%d threads", threads);
  }
  free(G), drop(it);
}

Test(gradient, elements_without_size_are_named_and_lack_of_memory_leaves_nothing) {
  static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0};
  static const uint32_t tets[] = {0, 1, 2, 3, 0, 2, 1, 3}, triangles[] = {0, 1, 2, 0, 1, 4},
                        edges[] = {0, 1, 2, 2};
  static const uint32_t *const node[] = {edges, triangles, tets};
  MbGradient g;
  size_t flat;
  for (int rank = 1; rank <= 3; rank++) {
    cr_assert_not(mb_gradient_create(&g, rank, node[rank - 1], 2, x, 5, &flat));
    cr_assert_eq(flat, 1, "rank %d", rank);
    for (int64_t k = 0;; k++) {
      mb_alloc_fail_after(k);
      const bool ok = mb_gradient_create(&g, rank, node[rank - 1], 1, x, 5, &flat);
      mb_alloc_fail_after(-1);
      if (ok) break;
      cr_assert(k < 10 && flat == SIZE_MAX);
    }
    mb_gradient_free(&g);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}
