// The signed sparse LDLᵀ against its own residual, on matrices whose pivots have known signs in any order.
#include "core/base/alloc.h"
#include "core/sparse/ldl.h"
#include "tests/support.h"

#include <string.h>

typedef struct Matrix {
  MbPattern pattern;
  double *value;
  int8_t *sign;
} Matrix;

static void free_matrix(Matrix *A) {
  mb_free((void *)A->pattern.start);
  mb_free((void *)A->pattern.row);
  mb_free(A->value);
  mb_free(A->sign);
}

// A grid of `side` x `side` points: differences between neighbours, and a diagonal of either sign that dominates. Such matrices
// are quasidefinite enough that the signs of pivots are those of the diagonal.
static Matrix grid(size_t side, uint64_t *seed) {
  const size_t n = side * side;
  size_t *start = mb_calloc(n + 1, sizeof *start), count = 0;
  uint32_t *row = mb_calloc(4 * n, sizeof *row);
  double *value = mb_calloc(4 * n, sizeof *value);
  int8_t *sign = mb_calloc(n, sizeof *sign);
  for (size_t j = 0; j < n; j++) {
    start[j] = count;
    sign[j] = test_random(seed) < 0.5 ? 1 : -1;
    if ((j + 1) % side) row[count] = (uint32_t)(j + 1), value[count++] = test_random(seed) - 0.5;
    if (j + side < n) row[count] = (uint32_t)(j + side), value[count++] = test_random(seed) - 0.5;
    for (int half = 0; half < 2; half++) // in two parts that add up
      row[count] = (uint32_t)j, value[count++] = sign[j] * (1.1 + test_random(seed));
  }
  start[n] = count;
  return (Matrix){{n, start, row}, value, sign};
}

// the largest of |b − A x|
static double residual(const Matrix *A, const double *x, const double *b) {
  const size_t n = A->pattern.n;
  double *y = mb_calloc(n, sizeof *y), worst = 0;
  for (size_t j = 0; j < n; j++)
    for (size_t p = A->pattern.start[j]; p < A->pattern.start[j + 1]; p++) {
      const size_t i = A->pattern.row[p];
      y[i] += A->value[p] * x[j];
      if (i != j) y[j] += A->value[p] * x[i];
    }
  for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(y[i] - b[i]));
  mb_free(y);
  return worst;
}

Test(ldl, grids_of_every_size_are_solved_in_any_order_without_allocation) {
  const double ROUNDING = 1e-13; // right-hand sides are of size 1, the diagonal dominates
  uint64_t seed = 1;
  for (size_t side = 1; side <= 96; side += side < 12 ? 1 : 21)
    for (int ordered = 0; ordered < 2; ordered++) {
      if (!ordered && side > 40) continue; // much fill
      Matrix A = grid(side, &seed);
      const size_t n = A.pattern.n;
      uint32_t *perm = mb_calloc(n, sizeof *perm);
      for (uint32_t i = 0; i < n; i++) perm[i] = i;
      for (size_t i = n; i-- > 1 && !ordered;) {
        const size_t j = (size_t)(test_random(&seed) * (double)(i + 1));
        const uint32_t t = perm[i];
        perm[i] = perm[j], perm[j] = t;
      }
      cr_assert(!ordered || mb_order_dissection(&A.pattern, perm));
      MbLdl *ldl = mb_ldl_analyse(&A.pattern, perm, A.sign);
      cr_assert(ldl && mb_ldl_bytes(ldl) > mb_ldl_entries(ldl));
      double *b = mb_calloc(n, sizeof *b), *x = mb_calloc(n, sizeof *x);
      for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < n; i++) x[i] = b[i] = test_random(&seed) - 0.5;
        const int64_t calls = mb_alloc_calls();
        size_t blame = SIZE_MAX;
        cr_assert(mb_ldl_factor(ldl, A.value, NULL, &blame), "side %zu: row %zu is blamed", side, blame);
        mb_ldl_solve(ldl, x);
        cr_assert_eq(mb_alloc_calls(), calls);
        const double error = residual(&A, x, b);
        cr_expect(error < ROUNDING, "side %zu, %s: residual %.3g", side, ordered ? "dissected" : "shuffled",
                  error);
      }
      mb_ldl_free(ldl);
      mb_free(perm), mb_free(b), mb_free(x);
      free_matrix(&A);
    }
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(ldl, pivots_of_the_wrong_sign_or_too_small_are_blamed_on_their_row) {
  uint64_t seed = 2;
  Matrix A = grid(20, &seed);
  uint32_t perm[400];
  double least[400] = {0};
  cr_assert(mb_order_dissection(&A.pattern, perm));
  for (size_t wrong = 0; wrong < 400; wrong += 7) {
    A.sign[wrong] = (int8_t)-A.sign[wrong];
    MbLdl *ldl = mb_ldl_analyse(&A.pattern, perm, A.sign);
    A.sign[wrong] = (int8_t)-A.sign[wrong];
    size_t blame = SIZE_MAX;
    cr_assert(ldl);
    cr_expect(!mb_ldl_factor(ldl, A.value, NULL, &blame));
    cr_expect_eq(blame, wrong, "row %zu is blamed for %zu", blame, wrong);
    mb_ldl_free(ldl);

    ldl = mb_ldl_analyse(&A.pattern, perm, A.sign);
    least[wrong] = 10; // more than any pivot
    cr_expect(!mb_ldl_factor(ldl, A.value, least, &blame));
    cr_expect_eq(blame, wrong);
    least[wrong] = 0;
    cr_expect(mb_ldl_factor(ldl, A.value, least, &blame));

    double *diagonal = &A.value[A.pattern.start[wrong + 1] - 1], good = *diagonal;
    *diagonal = NAN;
    cr_expect(!mb_ldl_factor(ldl, A.value, NULL, &blame));
    cr_expect_eq(blame, wrong);
    *diagonal = good;
    mb_ldl_free(ldl);
  }
  free_matrix(&A);
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(ldl, running_out_of_memory_leaves_nothing_behind) {
  uint64_t seed = 3;
  Matrix A = grid(7, &seed);
  uint32_t perm[49];
  cr_assert(mb_order_dissection(&A.pattern, perm));
  const int64_t live = mb_alloc_live();
  MbLdl *ldl = NULL;
  for (int64_t calls = 0; !ldl; calls++) {
    mb_alloc_fail_after(calls);
    ldl = mb_ldl_analyse(&A.pattern, perm, A.sign);
    mb_alloc_fail_after(-1);
    cr_assert_lt(calls, 100);
    cr_expect(ldl || mb_alloc_live() == live, "after %ld calls", (long)calls);
  }
  mb_ldl_free(ldl);
  free_matrix(&A);
  cr_expect_eq(mb_alloc_live(), 0);
}
