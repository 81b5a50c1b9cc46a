// Halves of solutions with a factor beside whole ones: their products are numbers of x A⁻¹ y.
#include "core/base/alloc.h"
#include "core/sparse/half.h"
#include "tests/core/sparse/matrices.h"
#include "tests/support.h"

#include <string.h>

enum { SIDES = 3, MOST = 5, GROUPS = 4 };

// Right-hand sides with numbers at the same few rows, and their halves.
typedef struct Group {
  size_t n, sides;
  uint32_t row[MOST];
  double x[SIDES][MOST];
  MbStretch *run;
  double *number;
  MbBranch half[SIDES];
} Group;

static void find(MbHalf *half, Group *g) {
  size_t length;
  const size_t runs = mb_half_runs(half, g->row, g->n, NULL, &length);
  const double *x[SIDES];
  double *s[SIDES];
  g->run = mb_calloc(runs, sizeof *g->run), g->number = mb_calloc(g->sides * length, sizeof *g->number);
  cr_assert_eq(mb_half_runs(half, g->row, g->n, g->run, &length), runs);
  for (size_t i = 1; i < runs; i++) cr_expect_gt(g->run[i].first, g->run[i - 1].first + g->run[i - 1].count);
  for (size_t r = 0; r < g->sides; r++) {
    x[r] = g->x[r], s[r] = g->number + r * length;
    g->half[r] = (MbBranch){g->run, s[r], (uint32_t)runs};
  }
  mb_half_find(half, g->row, g->n, x, g->sides, s);
}

static void compare(MbCholesky *factor, const Group *groups, size_t n) {
  double *y = mb_calloc(n, sizeof *y);
  for (size_t i = 0; i < GROUPS; i++)
    for (size_t r = 0; r < groups[i].sides; r++) {
      memset(y, 0, n * sizeof *y);
      for (size_t k = 0; k < groups[i].n; k++) y[groups[i].row[k]] = groups[i].x[r][k];
      mb_cholesky_solve(factor, y, 1);
      const double own = mb_branch_dot(&groups[i].half[r], &groups[i].half[r]);
      for (size_t j = 0; j < GROUPS; j++)
        for (size_t q = 0; q < groups[j].sides; q++) {
          double is = 0;
          for (size_t k = 0; k < groups[j].n; k++) is += groups[j].x[q][k] * y[groups[j].row[k]];
          const double dot = mb_branch_dot(&groups[i].half[r], &groups[j].half[q]);
          cr_expect(fabs(dot - is) < 1e-12 * own, "groups %zu and %zu of %zu: %.15g, %.15g", i, j, n, dot,
                    is);
        }
    }
  mb_free(y);
}

// The same sums as sweeps keep them.
static void keep(const Group *group, size_t n) {
  double *y = mb_calloc(n, sizeof *y);
  mb_branch_add_alone(&group->half[0], 2, y);
  const double rate = mb_branch_rate_alone(&group->half[group->sides - 1], y),
               is = 2 * mb_branch_dot(&group->half[0], &group->half[group->sides - 1]);
  cr_expect(fabs(rate - is) <= 1e-14 * fabs(is), "%.17g, %.17g", rate, is);
  mb_free(y);
}

static void look_at(const TestMatrix *A, uint64_t *seed) {
  const size_t n = A->pattern.n, sides[GROUPS] = {3, 3, 1, 2}, count[GROUPS] = {MOST, 1, 2, 3};
  Group groups[GROUPS] = {0};
  size_t blame;
  MbCholesky *factor = mb_cholesky_analyse(&A->pattern, NULL, 1);
  cr_assert(factor && mb_cholesky_factor(factor, A->value, &blame));
  MbHalf *half = mb_half_make(factor);
  for (size_t i = 0; i < GROUPS; i++) {
    groups[i].n = count[i], groups[i].sides = sides[i];
    for (size_t k = 0; k < count[i]; k++) {
      groups[i].row[k] = (uint32_t)((k * n / MOST + 7 * i) % n);
      for (size_t r = 0; r < sides[i]; r++) groups[i].x[r][k] = test_random(seed) - 0.5;
    }
    find(half, &groups[i]);
    keep(&groups[i], n);
  }
  compare(factor, groups, n);
  cr_expect_gt(mb_half_bytes(half), 8 * n);
  for (size_t i = 0; i < GROUPS; i++) mb_free(groups[i].run), mb_free(groups[i].number);
  mb_half_free(half);
  mb_cholesky_free(factor);
}

Test(half, their_products_are_those_of_a_solution) {
  uint64_t seed = 5;
  for (int round = 0; round < 4; round++) {
    TestMatrix A = round == 0   ? test_matrix_grid(40, 40, 1)
                   : round == 1 ? test_matrix_grid(9, 9, 9)
                   : round == 2 ? test_matrix_grid(900, 1, 1)
                                : test_matrix_random(200, 0.02, &seed);
    look_at(&A, &seed);
    test_matrix_free(&A);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}
