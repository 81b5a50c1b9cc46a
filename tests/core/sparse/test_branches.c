// Columns of a factor's inverse beside solutions with unit vectors: products of branches are numbers of A⁻¹.
#include "core/base/alloc.h"
#include "core/sparse/branches.h"
#include "core/sparse/global.h"
#include "tests/core/sparse/matrices.h"
#include "tests/support.h"

#include <string.h>

static MbGlobal *make(const TestMatrix *A, MbGlobalMethod method, bool single) {
  const MbGlobalOptions options = {.method = method, .single = single, .threads = 1};
  MbReport report = {0};
  MbGlobal *g = NULL;
  test_ok(mb_global_create(&A->pattern, &options, &g, &report), &report);
  test_ok(mb_global_factor(g, A->value, NULL, &report), &report);
  return g;
}

static MbBranch branch_of(MbBranches *branches, size_t row) {
  size_t length;
  MbStretch *run = mb_calloc(mb_branch_runs(branches, row, NULL, &length), sizeof *run);
  double *s = mb_calloc(length, sizeof *s);
  return (MbBranch){run, s, (uint32_t)mb_branch_runs(branches, row, run, &length)};
}

static void free_branch(MbBranch *branch) {
  mb_free((void *)branch->run);
  mb_free((void *)branch->s);
}

// Some rows, the last in twos: neighbours and what is far apart, by three, two and one at a time.
enum { ROWS = 11 };
static const size_t at_once[] = {3, 3, 2, 1, 2};

static void find_all(MbBranches *branches, const size_t row[ROWS], MbBranch branch[ROWS]) {
  for (size_t k = 0, part = 0; k < ROWS; k += at_once[part++]) {
    double *s[3];
    for (size_t i = 0; i < at_once[part]; i++) {
      branch[k + i] = branch_of(branches, row[k + i]);
      s[i] = (double *)branch[k + i].s;
    }
    cr_assert(mb_branch_find(branches, row + k, at_once[part], s));
  }
}

static void compare(MbGlobal *g, const size_t row[ROWS], size_t n, const MbBranch branch[ROWS]) {
  double *x = mb_calloc(3 * n, sizeof *x), *b = mb_calloc(3 * n, sizeof *b);
  for (size_t k = 0; k < ROWS; k++) {
    memset(b, 0, 3 * n * sizeof *b);
    b[3 * row[k]] = 1;
    mb_global_solve(g, b, x, 1);
    for (size_t l = 0; l < ROWS; l++) {
      const double dot = mb_branch_dot(&branch[k], &branch[l]), is = x[3 * row[l]];
      cr_expect(fabs(dot - is) < 1e-13 * fabs(x[3 * row[k]]), "rows %zu and %zu of %zu: %.15g, %.15g", row[k],
                row[l], n, dot, is);
    }
  }
  mb_free(x);
  mb_free(b);
}

static void look_at(const TestMatrix *A, MbGlobalMethod method) {
  const size_t n = A->pattern.n;
  const size_t row[ROWS] = {0,         1,         n / 2,     n / 2 + 1, n - 1, n / 3,
                            n / 3 + 2, n / 4 + 7, n / 7 + 3, n - 2,     n - 9};
  MbGlobal *g = make(A, method, false);
  cr_assert(mb_branches_are(g));
  MbBranches *branches = mb_branches_make(g);
  MbBranch branch[ROWS], again[ROWS];
  find_all(branches, row, branch);
  compare(g, row, n, branch); // solves in between leave branches as they are
  find_all(branches, row, again);
  for (size_t k = 0; k < ROWS; k++) {
    size_t length;
    const size_t runs = mb_branch_runs(branches, row[k], NULL, &length);
    cr_expect_eq(runs, branch[k].nruns);
    for (size_t i = 1; i < runs; i++)
      cr_expect_gt(branch[k].run[i].first, branch[k].run[i - 1].first + branch[k].run[i - 1].count);
    cr_expect_eq(memcmp(branch[k].s, again[k].s, length * sizeof *branch[k].s), 0);
    if (n > 1000) cr_expect_lt(length, n / 2, "a branch is short");
    free_branch(&branch[k]), free_branch(&again[k]);
  }
  cr_expect_gt(mb_branches_bytes(branches), 8 * n);
  mb_branches_free(branches);
  mb_global_free(g);
}

Test(branches, their_products_are_numbers_of_the_inverse) {
  for (int round = 0; round < 6; round++) {
    TestMatrix A = round == 0   ? test_matrix_grid(60, 60, 1)
                   : round == 1 ? test_matrix_grid(12, 12, 12)
                   : round == 2 ? test_matrix_grid(3000, 1, 1)
                   : round == 3 ? test_matrix_grid(20, 20, 1)
                   : round == 4 ? test_matrix_grid(80, 40, 1)
                                : test_matrix_grid(50, 1, 1);
    look_at(&A, MB_GLOBAL_CHOLESKY);
    look_at(&A, MB_GLOBAL_SPARSE_INVERSE);
    test_matrix_free(&A);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(branches, methods_that_have_none_say_so) {
  TestMatrix A = test_matrix_grid(20, 20, 1);
  const MbGlobalMethod none[] = {MB_GLOBAL_PARTITIONED_INVERSE, MB_GLOBAL_JACOBI, MB_GLOBAL_CHEBYSHEV};
  for (size_t k = 0; k < 3; k++) {
    MbGlobal *g = make(&A, none[k], false);
    cr_expect(!mb_branches_are(g), "%s", mb_global_words[none[k]]);
    mb_global_free(g);
  }
  MbGlobal *floats = make(&A, MB_GLOBAL_SPARSE_INVERSE, true);
  cr_expect(!mb_branches_are(floats));
  mb_global_free(floats);
  test_matrix_free(&A);
}
