// The methods of the global step against dense LAPACK, against their residuals, against one another, and against themselves on
// more threads.
#include "core/sparse/global.h"
#include "core/base/alloc.h"
#include "core/sparse/inverse.h"
#include "core/sparse/sweeps.h"
#include "tests/core/sparse/matrices.h"
#include "tests/support.h"

#include <lapacke.h>
#include <string.h>

// The systems are well conditioned: their diagonals are within a factor of a hundred of what is beside them.
static const double ROUNDING = 1e-12;
static const double SOLVED =
    1e-10; // what is asked of a complete solve's residual, single precision corrected included

static const MbGlobalMethod complete[] = {MB_GLOBAL_CHOLESKY, MB_GLOBAL_SPARSE_INVERSE,
                                          MB_GLOBAL_PARTITIONED_INVERSE};
enum { COMPLETE = 3 };

static MbGlobal *make(const TestMatrix *A, MbGlobalOptions options) {
  MbReport report = {0};
  MbGlobal *g = NULL;
  test_ok(mb_global_create(&A->pattern, &options, &g, &report), &report);
  test_ok(mb_global_factor(g, A->value, NULL, &report), &report);
  return g;
}

static double *random_vector(size_t n, uint64_t *seed) {
  double *b = mb_calloc(n, sizeof *b);
  for (size_t i = 0; i < n; i++) b[i] = test_random(seed) - 0.5;
  return b;
}

// Dense and symmetric; rows in the order of `inverse`, or as they come.
static double *dense(const TestMatrix *A, const uint32_t *inverse) {
  const size_t n = A->pattern.n;
  double *D = mb_calloc(n * n, sizeof *D);
  for (size_t j = 0; j < n; j++)
    for (size_t p = A->pattern.start[j]; p < A->pattern.start[j + 1]; p++) {
      const size_t row = A->pattern.row[p], i = inverse ? inverse[row] : row, k = inverse ? inverse[j] : j;
      D[k * n + i] += A->value[p];
      if (i != k) D[i * n + k] += A->value[p];
    }
  return D;
}

Test(global, complete_methods_solve_random_systems_as_dense_lapack_does) {
  uint64_t seed = 3;
  for (int round = 0; round < 150; round++) {
    const size_t n = 1 + (size_t)(test_random(&seed) * 150);
    TestMatrix A = test_matrix_random(n, test_random(&seed) * 0.2 * test_random(&seed), &seed);
    double *b = random_vector(3 * n, &seed), *D = dense(&A, NULL), *y = mb_calloc(3 * n, sizeof *y),
           *x = mb_calloc(3 * n, sizeof *x);
    memcpy(y, b, 3 * n * sizeof *b);
    cr_assert_eq(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', (int)n, 3, D, (int)n, y, 3), 0);
    double largest = 0;
    for (size_t i = 0; i < 3 * n; i++) largest = fmax(largest, fabs(y[i]));
    for (size_t k = 0; k < 2 * COMPLETE; k++) {
      const MbGlobalOptions options = {
          .method = complete[k / 2], .single = k % 2 == 1, .threads = 1 + round % 30 / 29};
      MbGlobal *g = make(&A, options);
      memcpy(x, b, 3 * n * sizeof *b);
      mb_global_solve(g, round % 2 ? x : b, x, 1 + round % 2);
      test_near(mb_global_words[options.method], x, y, 3 * n, (options.single ? SOLVED : ROUNDING) * largest);
      mb_global_free(g);
    }
    mb_free(b);
    mb_free(D);
    mb_free(x);
    mb_free(y);
    test_matrix_free(&A);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

// Several boxes side by side, not connected.
static TestMatrix boxes(size_t count, size_t size) {
  TestMatrix one = test_matrix_grid(size, size, size);
  const size_t n = one.pattern.n, entries = one.pattern.start[n];
  size_t *start = mb_calloc(count * n + 1, sizeof *start);
  uint32_t *row = mb_calloc(count * entries, sizeof *row);
  double *value = mb_calloc(count * entries, sizeof *value);
  for (size_t k = 0; k < count; k++) {
    for (size_t j = 0; j <= n; j++) start[k * n + j] = k * entries + one.pattern.start[j];
    for (size_t p = 0; p < entries; p++)
      row[k * entries + p] = (uint32_t)(k * n + one.pattern.row[p]), value[k * entries + p] = one.value[p];
  }
  test_matrix_free(&one);
  return (TestMatrix){{count * n, start, row}, value};
}

Test(global,
     large_systems_are_solved_the_same_by_all_complete_methods_with_the_same_bits_on_any_number_of_threads) {
  uint64_t seed = 4;
  for (int round = 0; round < 5; round++) {
    TestMatrix A = round == 0   ? test_matrix_grid(90, 90, 1)
                   : round == 1 ? test_matrix_grid(16, 16, 20)
                   : round == 2 ? test_matrix_grid(3000, 1, 1)
                   : round == 3 ? boxes(40, 5)
                                : test_matrix_grid(20, 20, 1);
    const size_t n = 3 * A.pattern.n;
    double *b = random_vector(n, &seed), *first = mb_calloc(n, sizeof *first), *x = mb_calloc(n, sizeof *x),
           *one = mb_calloc(n, sizeof *one);
    for (size_t k = 0; k < 2 * COMPLETE; k++) {
      const bool single = k % 2 == 1;
      MbGlobal *g = make(&A, (MbGlobalOptions){.method = complete[k / 2], .single = single, .threads = 2});
      const int64_t calls = mb_alloc_calls();
      for (int threads = 1; threads <= 3; threads++) {
        mb_global_solve(g, b, x, threads);
        if (threads == 1) memcpy(one, x, n * sizeof *x);
        cr_expect_eq(memcmp(x, one, n * sizeof *x), 0, "%s, %d threads give other bits",
                     mb_global_words[complete[k / 2]], threads);
      }
      cr_expect_eq(mb_alloc_calls(), calls, "a solve allocates");
      const double error = test_matrix_residual(&A, x, b, 3), told = mb_global_residual(g, b, x);
      cr_expect(error < (single ? SOLVED : ROUNDING), "%s: residual %.3g", mb_global_words[complete[k / 2]],
                error);
      cr_expect_lt(fabs(told - error), ROUNDING);
      if (k == 0) memcpy(first, x, n * sizeof *x);
      test_near(mb_global_words[complete[k / 2]], x, first, n, SOLVED);
      mb_global_free(g);
    }
    mb_free(b);
    mb_free(first);
    mb_free(one);
    mb_free(x);
    test_matrix_free(&A);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(global, every_kind_of_processor_gives_the_same_but_for_rounding) {
  TestMatrix A = test_matrix_grid(12, 13, 14);
  uint64_t seed = 9;
  const size_t n = A.pattern.n;
  double *b = random_vector(3 * n, &seed), *x = mb_calloc(3 * n, sizeof *x);
  size_t blame;
  MbCholesky *c = mb_cholesky_analyse_as(&A.pattern, NULL, MB_JOIN_NEIGHBOURS, 1);
  cr_assert(c && mb_cholesky_hold(c) && mb_cholesky_factor(c, A.value, &blame));
  for (int k = 0; k < 4; k++) {
    MbInverse *S = mb_inverse_make(c, k / 2 ? 3 : 1, k % 2);
    cr_assert(S && mb_inverse_fill(S, c, 1));
    for (int p = 0; mb_inverse_passes_list[p]; p++) {
      if (!mb_inverse_passes_run(mb_inverse_passes_list[p])) continue;
      mb_inverse_solve(S, mb_inverse_passes_list[p], b, x, 1);
      const double error = test_matrix_residual(&A, x, b, 3);
      cr_expect(error < (k % 2 ? 1e-5 : ROUNDING), "%s: residual %.3g", mb_inverse_passes_list[p]->name,
                error);
    }
    mb_inverse_free(S);
  }
  MbSweeps *s = mb_sweeps_make(c);
  cr_assert(s);
  mb_sweeps_fill(s, c, 1);
  for (int p = 0; mb_sweep_passes_list[p]; p++) {
    if (!mb_sweep_passes_run(mb_sweep_passes_list[p])) continue;
    mb_sweeps_solve(s, mb_sweep_passes_list[p], b, x, 1);
    const double error = test_matrix_residual(&A, x, b, 3);
    cr_expect(error < ROUNDING, "%s: residual %.3g", mb_sweep_passes_list[p]->name, error);
  }
  mb_sweeps_free(s);
  mb_cholesky_free(c);
  mb_free(b);
  mb_free(x);
  test_matrix_free(&A);
}

// Of the nodes above the tasks; one that has rows below, in groups of eight and a rest, if there is such a node.
static const MbSweepNode *shared_node(const MbSweeps *s, bool below) {
  for (size_t i = 0; i < s->ntop; i++) {
    const MbSweepNode *node = &s->node[s->top[i]];
    if (mb_sweep_shared(node) && node->columns % MB_TILE && (node->below % 8 > 0) == below) return node;
  }
  return NULL;
}

Test(global, nodes_that_threads_share_give_the_same_bits_on_every_kind_of_processor) {
  TestMatrix A = test_matrix_grid(16, 17, 26);
  uint64_t seed = 12;
  const size_t n = 3 * A.pattern.n;
  double *b = random_vector(n, &seed), *x = mb_calloc(n, sizeof *x), *one = mb_calloc(n, sizeof *one);
  size_t blame;
  MbCholesky *c = mb_cholesky_analyse_as(&A.pattern, NULL, MB_JOIN_ANY, 1);
  cr_assert(c && mb_cholesky_hold(c) && mb_cholesky_factor(c, A.value, &blame));
  MbSweeps *s = mb_sweeps_make(c);
  cr_assert(s);
  cr_expect_gt(s->widest, 2 * MB_TILE);
  cr_expect(shared_node(s, true) && shared_node(s, false), "the grid has no such nodes");
  mb_sweeps_fill(s, c, 1);
  for (int p = 0; mb_sweep_passes_list[p]; p++) {
    if (!mb_sweep_passes_run(mb_sweep_passes_list[p])) continue;
    const char *name = mb_sweep_passes_list[p]->name;
    for (int threads = 1; threads <= 8; threads *= 2) {
      mb_sweeps_solve(s, mb_sweep_passes_list[p], b, x, threads);
      if (threads == 1) memcpy(one, x, n * sizeof *x);
      cr_expect_eq(memcmp(x, one, n * sizeof *x), 0, "%s: %d threads give other bits", name, threads);
    }
    cr_expect_lt(test_matrix_residual(&A, x, b, 3), ROUNDING, "%s", name);
  }
  mb_sweeps_free(s);
  mb_cholesky_free(c);
  mb_free(b);
  mb_free(x);
  mb_free(one);
  test_matrix_free(&A);
}

Test(global, an_inverse_has_the_entries_of_the_elimination_tree_and_their_numbers) {
  uint64_t seed = 11;
  for (int round = 0; round < 40; round++) {
    const size_t n = 20 + (size_t)(test_random(&seed) * 80);
    TestMatrix A = test_matrix_random(n, 1.5 / (double)n, &seed);
    MbGlobal *g = make(&A, (MbGlobalOptions){.method = MB_GLOBAL_SPARSE_INVERSE});
    const MbInverse *S = mb_global_inverse(g);
    uint32_t *inverse = mb_calloc(n, sizeof *inverse);
    for (uint32_t k = 0; k < n; k++) inverse[S->perm[k]] = k;
    double *D = dense(&A, inverse);
    cr_assert_eq(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)n, D, (int)n), 0);
    cr_assert_eq(LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'L', 'N', (int)n, D, (int)n), 0);
    size_t entries = 0;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j <= i; j++) {
        const bool stored = j >= S->from[i];
        const double truth = D[j * n + i],
                     ours = stored ? ((double *)S->numbers)[S->at[i] + j - S->from[i]] : 0;
        entries += stored;
        cr_expect_eq(stored, fabs(truth) > 1e-15, "entry %zu, %zu of %zu is %.3g", i, j, n, truth);
        cr_expect(fabs(truth - ours) < ROUNDING, "entry %zu, %zu: %.17g, not %.17g", i, j, ours, truth);
      }
    cr_expect_eq(entries, S->entries);
    mb_free(D);
    mb_free(inverse);
    mb_global_free(g);
    test_matrix_free(&A);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(global, a_partition_has_at_most_half_as_many_entries_again_as_the_factor) {
  const struct { size_t nx, ny, nz; } grids[] = {{60, 60, 1}, {16, 16, 16}, {3000, 1, 1}, {200, 30, 1}};
  for (int k = 0; k < 4; k++) {
    TestMatrix A = test_matrix_grid(grids[k].nx, grids[k].ny, grids[k].nz);
    MbGlobal *g = make(&A, (MbGlobalOptions){.method = MB_GLOBAL_PARTITIONED_INVERSE});
    const MbGlobalSize size = mb_global_size(g);
    cr_expect(2 * size.entries <= 3 * size.factor, "%zu entries, L has %zu", size.entries, size.factor);
    mb_global_free(g);
    test_matrix_free(&A);
  }
}

Test(global, jacobi_and_chebyshev_come_nearer_and_chebyshev_much_faster) {
  TestMatrix A = test_matrix_grid(40, 40, 1);
  const size_t n = A.pattern.n;
  uint64_t seed = 7;
  double *b = random_vector(3 * n, &seed), *x = mb_calloc(3 * n, sizeof *x),
         *one = mb_calloc(3 * n, sizeof *one);
  double left[2][2];
  for (int k = 0; k < 2; k++) {
    MbGlobal *g =
        make(&A, (MbGlobalOptions){.method = k ? MB_GLOBAL_CHEBYSHEV : MB_GLOBAL_JACOBI, .sweeps = 30});
    // of a grid of 7s with −1s to its neighbours the eigenvalues are known
    const double most = 2 * cos(acos(-1) / 41) * 2 / 7, low = 1 - most, high = 1 + most;
    const MbGlobalSize size = mb_global_size(g);
    cr_expect(size.low > 0.8 * low && size.low < 1.2 * low, "%g, not %g", size.low, low);
    cr_expect(size.high > 0.99 * high && size.high < 1.05 * high, "%g, not %g", size.high, high);
    memset(x, 0, 3 * n * sizeof *x);
    mb_global_solve(g, b, x, 2);
    left[k][0] = mb_global_residual(g, b, x);
    memcpy(one, x, 3 * n * sizeof *x);
    mb_global_sweep(g, b, x, 30, 1);
    left[k][1] = mb_global_residual(g, b, x);
    memset(x, 0, 3 * n * sizeof *x);
    const int64_t calls = mb_alloc_calls();
    mb_global_sweep(g, b, x, 30, 1);
    cr_expect_eq(mb_alloc_calls(), calls);
    cr_expect_eq(memcmp(x, one, 3 * n * sizeof *x), 0, "threads give other bits");
    mb_global_free(g);
  }
  cr_expect(left[0][1] < 1e-2 * left[0][0], "%.3g, then %.3g", left[0][0], left[0][1]);
  cr_expect(left[1][0] < 1e-3 * left[0][0], "Chebyshev %.3g, Jacobi %.3g", left[1][0], left[0][0]);
  mb_free(b);
  mb_free(x);
  mb_free(one);
  test_matrix_free(&A);
}

Test(global, jacobi_converges_where_the_diagonal_is_not_dominant) {
  // 1 on the diagonal, 0.9 elsewhere: D⁻¹ A has the eigenvalue 0.1 + 0.9 n, at which plain sweeps grow
  const size_t n = 12;
  TestMatrix A = {{n, mb_calloc(n + 1, sizeof(size_t)), mb_calloc(n * n, sizeof(uint32_t))}, NULL};
  A.value = mb_calloc(n * n, sizeof *A.value);
  size_t count = 0;
  for (size_t j = 0; j < n; j++) {
    for (size_t i = j; i < n; i++) {
      ((uint32_t *)A.pattern.row)[count] = (uint32_t)i;
      A.value[count++] = i == j ? 1 : 0.9;
    }
    ((size_t *)A.pattern.start)[j + 1] = count;
  }
  uint64_t seed = 1;
  double *b = random_vector(3 * n, &seed), *x = mb_calloc(3 * n, sizeof *x);
  for (int k = 0; k < 2; k++) {
    MbGlobal *g =
        make(&A, (MbGlobalOptions){.method = k ? MB_GLOBAL_CHEBYSHEV : MB_GLOBAL_JACOBI, .sweeps = 2000});
    memset(x, 0, 3 * n * sizeof *x);
    mb_global_solve(g, b, x, 1);
    const double error = mb_global_residual(g, b, x);
    cr_expect(error < SOLVED, "residual %.3g", error);
    mb_global_free(g);
  }
  mb_free(b);
  mb_free(x);
  test_matrix_free(&A);
}

Test(global, numbers_may_change_and_bad_ones_leave_the_old) {
  TestMatrix A = test_matrix_grid(20, 20, 2);
  const size_t n = A.pattern.n;
  uint64_t seed = 5;
  double *b = random_vector(3 * n, &seed), *x = mb_calloc(3 * n, sizeof *x),
         *before = mb_calloc(3 * n, sizeof *x);
  for (int m = MB_GLOBAL_CHOLESKY; m < MB_GLOBAL_METHODS; m++) {
    MbReport report = {0};
    MbGlobal *g = make(&A, (MbGlobalOptions){.method = (MbGlobalMethod)m});
    for (size_t p = 0; p < A.pattern.start[n]; p++) A.value[p] *= 2;
    test_ok(mb_global_factor(g, A.value, NULL, &report), &report);
    memset(before, 0, 3 * n * sizeof *x);
    mb_global_solve(g, b, before, 1);
    if (m <= MB_GLOBAL_PARTITIONED_INVERSE) {
      const double error = test_matrix_residual(&A, before, b, 3);
      cr_expect(error < ROUNDING, "%s: residual %.3g", mb_global_words[m], error);
    }
    const double kept = A.value[A.pattern.start[137]];
    size_t blame = 0;
    A.value[A.pattern.start[137]] = -5;
    cr_expect_eq(mb_global_factor(g, A.value, &blame, &report), MB_NUMBERS);
    cr_expect_eq(blame, 137);
    A.value[A.pattern.start[137]] = kept;
    memset(x, 0, 3 * n * sizeof *x);
    mb_global_solve(g, b, x, 1);
    cr_expect_eq(memcmp(x, before, 3 * n * sizeof *x), 0, "%s", mb_global_words[m]);
    for (size_t p = 0; p < A.pattern.start[n]; p++) A.value[p] /= 2;
    mb_global_free(g);
  }
  mb_free(b);
  mb_free(x);
  mb_free(before);
  test_matrix_free(&A);
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(global, what_does_not_fit_is_refused_with_its_size_and_auto_takes_what_fits) {
  TestMatrix A = test_matrix_grid(50, 50, 1);
  MbGlobal *g = NULL;
  MbReport report = {0};
  MbGlobalOptions options = {.method = MB_GLOBAL_SPARSE_INVERSE};
  g = make(&A, options);
  const size_t whole = mb_global_size(g).bytes;
  mb_global_free(g);
  options.memory = whole - 1;
  cr_expect_eq(mb_global_create(&A.pattern, &options, &g, &report), MB_SCENE);
  cr_expect_null(g);
  cr_expect(strstr(report.issues[0].text, "partitioned_inverse"), "%s", report.issues[0].text);

  const struct {
    bool device;
    size_t memory;
    MbGlobalMethod wanted;
  } rows[] = {{false, 0, MB_GLOBAL_CHOLESKY},
              {true, 0, MB_GLOBAL_SPARSE_INVERSE},
              {true, whole - 1, MB_GLOBAL_PARTITIONED_INVERSE}};
  for (int k = 0; k < 3; k++) {
    g = make(&A, (MbGlobalOptions){.device = rows[k].device, .memory = rows[k].memory});
    cr_expect_eq(mb_global_size(g).method, rows[k].wanted);
    cr_expect(!rows[k].memory || mb_global_size(g).bytes <= rows[k].memory);
    mb_global_free(g);
  }
  options = (MbGlobalOptions){.device = true, .memory = 1000};
  cr_expect_eq(mb_global_create(&A.pattern, &options, &g, &report), MB_SCENE);
  test_matrix_free(&A);
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(global, running_out_of_memory_anywhere_is_clean) {
  TestMatrix A = test_matrix_grid(9, 9, 2);
  for (int m = 0; m < 2 * MB_GLOBAL_METHODS; m++) {
    const MbGlobalOptions options = {.method = (MbGlobalMethod)(m / 2), .single = m % 2, .device = true};
    for (int k = 0;; k++) {
      const int64_t live = mb_alloc_live();
      MbReport report = {0};
      MbGlobal *g = NULL;
      mb_alloc_fail_after(k);
      MbStatus status = mb_global_create(&A.pattern, &options, &g, &report);
      if (status == MB_OK) status = mb_global_factor(g, A.value, NULL, &report);
      mb_alloc_fail_after(-1);
      cr_expect(status == MB_OK || (status == MB_IO && report.errors == 1));
      if (status != MB_OK && g) { // what failed can be done again
        cr_expect_eq(mb_global_factor(g, A.value, NULL, &report), MB_OK);
      }
      mb_global_free(g);
      cr_assert_eq(mb_alloc_live(), live, "failing call %d leaks", k);
      if (status == MB_OK) {
        cr_expect_gt(k, 8);
        break;
      }
      cr_assert_lt(k, 2000);
    }
  }
  test_matrix_free(&A);
}
