// The sparse Cholesky factorisation against dense LAPACK, against its own residual, and against itself on more threads.
#include "core/base/alloc.h"
#include "core/sparse/elimination.h"
#include "tests/core/sparse/matrices.h"
#include "tests/support.h"

#include <lapacke.h>
#include <string.h>

Test(cholesky, random_systems_are_solved_for_any_number_of_right_hand_sides) {
  const double ROUNDING = 1e-12; // the systems are dominated by their diagonals
  uint64_t seed = 1;
  for (int round = 0; round < 300; round++) {
    const size_t n = 1 + (size_t)(test_random(&seed) * 120), k = 1 + (size_t)(test_random(&seed) * 7);
    TestMatrix A = test_matrix_random(n, test_random(&seed) * 0.2 * test_random(&seed), &seed);
    double *b = mb_calloc(n * k, sizeof *b), *x = mb_calloc(n * k, sizeof *x);
    for (size_t i = 0; i < n * k; i++) x[i] = b[i] = test_random(&seed) - 0.5;
    uint32_t *perm = mb_calloc(n, sizeof *perm);
    for (uint32_t i = 0; i < n; i++) perm[i] = i;
    for (size_t i = n; i-- > 1;) {
      const size_t j = (size_t)(test_random(&seed) * (double)(i + 1));
      const uint32_t t = perm[i];
      perm[i] = perm[j], perm[j] = t;
    }
    MbCholesky *cholesky = mb_cholesky_analyse(&A.pattern, round % 2 ? perm : NULL, 1 + round % 3);
    size_t blame;
    cr_assert(cholesky && mb_cholesky_factor(cholesky, A.value, &blame));
    mb_cholesky_solve(cholesky, x, k);
    const double error = test_matrix_residual(&A, x, b, k);
    cr_expect(error < ROUNDING, "round %d, n = %zu: residual %.3g", round, n, error);
    mb_cholesky_free(cholesky);
    mb_free(perm);
    mb_free(b);
    mb_free(x);
    test_matrix_free(&A);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(cholesky, entries_of_the_factor_are_those_of_dense_lapack) {
  uint64_t seed = 5;
  const size_t n = 60;
  TestMatrix A = test_matrix_random(n, 0.05, &seed);
  MbAdjacency graph;
  MbElimination e;
  uint32_t perm[60];
  cr_assert(mb_order_dissection(&A.pattern, perm) && mb_adjacency_make(&A.pattern, &graph) &&
            mb_elimination_make(&graph, perm, &e));
  double *dense = mb_calloc(n * n, sizeof *dense);
  for (size_t j = 0; j < n; j++)
    for (size_t p = A.pattern.start[j]; p < A.pattern.start[j + 1]; p++) {
      const size_t a = e.inverse[A.pattern.row[p]], b = e.inverse[j], i = a > b ? a : b, k = a > b ? b : a;
      dense[k * n + i] += A.value[p];
    }
  cr_assert_eq(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)n, dense, (int)n), 0);
  for (size_t j = 0; j < n; j++) {
    size_t count = 0, first = n;
    for (size_t i = n; i-- > j;)
      if (fabs(dense[j * n + i]) > 1e-15) count++, first = i > j ? i : first;
    cr_expect_eq(e.count[j], count, "column %zu has %zu entries, counted as %u", j, count, e.count[j]);
    cr_expect_eq(e.parent[j], first == n ? MB_NONE : (uint32_t)first, "parent of column %zu", j);
  }
  mb_elimination_free(&e);
  mb_adjacency_free(&graph);
  mb_free(dense);
  test_matrix_free(&A);
}

Test(cholesky, large_grids_are_solved_with_the_same_bits_on_any_number_of_threads_and_without_allocation) {
  const struct { size_t nx, ny, nz; } grids[] = {{60, 60, 1}, {16, 16, 16}, {500, 1, 1}};
  for (size_t g = 0; g < 3; g++) {
    TestMatrix A = test_matrix_grid(grids[g].nx, grids[g].ny, grids[g].nz);
    const size_t n = A.pattern.n;
    uint64_t seed = 2;
    double *b = mb_calloc(3 * n, sizeof *b), *x[3];
    for (size_t i = 0; i < 3 * n; i++) b[i] = test_random(&seed) - 0.5;
    for (int t = 0; t < 3; t++) {
      size_t blame;
      MbCholesky *cholesky = mb_cholesky_analyse(&A.pattern, NULL, 1 + t);
      x[t] = mb_calloc(3 * n, sizeof **x);
      memcpy(x[t], b, 3 * n * sizeof *b);
      const int64_t calls = mb_alloc_calls();
      cr_assert(cholesky && mb_cholesky_factor(cholesky, A.value, &blame));
      cr_assert(mb_cholesky_factor(cholesky, A.value, &blame), "a second time");
      mb_cholesky_solve(cholesky, x[t], 3);
      cr_expect_eq(mb_alloc_calls(), calls);
      mb_cholesky_free(cholesky);
      cr_expect_eq(memcmp(x[t], x[0], 3 * n * sizeof *b), 0, "%d threads give other bits", t + 1);
    }
    const double error = test_matrix_residual(&A, x[0], b, 3);
    cr_expect(error < 1e-13, "residual %.3g", error);
    for (int t = 0; t < 3; t++) mb_free(x[t]);
    mb_free(b);
    test_matrix_free(&A);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(cholesky, a_matrix_that_is_not_positive_definite_is_told_with_a_row) {
  TestMatrix A = test_matrix_grid(20, 20, 1);
  size_t blame = 0;
  MbCholesky *cholesky = mb_cholesky_analyse(&A.pattern, NULL, 2);
  cr_assert(cholesky);
  A.value[A.pattern.start[137]] = -5;
  cr_expect_not(mb_cholesky_factor(cholesky, A.value, &blame));
  cr_expect_eq(blame, 137);
  A.value[A.pattern.start[137]] = NAN;
  cr_expect_not(mb_cholesky_factor(cholesky, A.value, &blame));
  A.value[A.pattern.start[137]] = 7;
  cr_expect(mb_cholesky_factor(cholesky, A.value, &blame), "what failed can be filled again");
  mb_cholesky_free(cholesky);
  test_matrix_free(&A);
}

Test(cholesky, running_out_of_memory_anywhere_is_clean) {
  TestMatrix A = test_matrix_grid(9, 9, 1);
  for (int k = 0; k < 100; k++) {
    const int64_t live = mb_alloc_live();
    mb_alloc_fail_after(k);
    MbCholesky *cholesky = mb_cholesky_analyse(&A.pattern, NULL, 2);
    mb_alloc_fail_after(-1);
    const bool done = cholesky != NULL;
    mb_cholesky_free(cholesky);
    cr_assert_eq(mb_alloc_live(), live, "failing call %d leaks", k);
    if (done) {
      cr_expect_gt(k, 10);
      break;
    }
    cr_assert_lt(k, 99);
  }
  test_matrix_free(&A);
}
